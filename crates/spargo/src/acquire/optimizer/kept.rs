//! A search that is kept: candidate pool, incumbents and exclusion zones, for further draws from the same posteriors.

use super::exclusion::ExclusionZone;
use super::{AcquisitionOptimizer, AcquisitionOptions, CandidatePool, TrustRegions};
use crate::linalg::Mat;
use crate::rng::StepRng;
use crate::space::Space;

/// What an optimizer is made of, apart from the space, the trust regions and the random streams of a step.
#[derive(Debug)]
pub struct KeptSearch {
    points: Mat,
    options: AcquisitionOptions,
    incumbents: Mat,
    exclusion_zones: Vec<ExclusionZone>,
}

impl AcquisitionOptimizer<'_> {
    /// What further draws can use of this optimizer; `None` where all points are listed.
    pub fn keep(self) -> Option<KeptSearch> {
        let AcquisitionOptimizer { pool, options, incumbents, exclusion_zones, .. } = self;
        let CandidatePool::Starts(points) = pool else { return None };
        Some(KeptSearch { points, options: options.clone(), incumbents, exclusion_zones })
    }
}

impl KeptSearch {
    /// An optimizer on the same points, for another step.
    pub fn optimizer<'a>(
        &'a self,
        space: &'a Space,
        trust_regions: Option<&'a dyn TrustRegions>,
        rng: StepRng,
    ) -> AcquisitionOptimizer<'a> {
        AcquisitionOptimizer {
            space,
            incumbents: self.incumbents.clone(),
            exclusion_zones: self.exclusion_zones.clone(),
            pool: CandidatePool::Kept(self.points.as_ref()),
            options: &self.options,
            trust_regions,
            confined: None,
            rng,
        }
    }
}
