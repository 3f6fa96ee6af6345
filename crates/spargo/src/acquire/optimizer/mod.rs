//! The best points of many acquisition functions at once, all different and all new.
//!
//! ```text
//!     xⱼ = argmax_x uⱼ(x),   j = 1…q,       xᵢ ≠ xⱼ,   xⱼ not evaluated, not pending
//! ```
//!
//! All elements share one pool of points, scored in one product; the best few of each element are the starts of local
//! searches (`local_search`). Where only finitely many points exist there is nothing to search: the best of all is found by
//! streaming over them (`candidates`).

mod assignment;
mod candidates;
mod excluded;
mod exclusion;
mod local_search;
mod pool;
mod trust_region;

pub use assignment::{Assignment, is_assigned};
pub use excluded::Excluded;
pub use pool::{CandidatePool, is_listed, space_filling};
pub use trust_region::TrustRegion;

use crate::error::{Error, Result};
use crate::linalg::{Mat, MatRef, column};
use crate::optim::{BatchedObjective, Lbfgsb};
use crate::rng::{Purpose, normal, stream, uniform};
use crate::space::Space;
use local_search::MultiStart;
use serde::{Deserialize, Serialize};

/// How acquisition functions are maximised.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct AcquisitionOptions {
    /// Space-filling points of the candidate pool.
    pub pool: usize,
    /// Points of the candidate pool that are perturbations of the incumbents.
    pub near: usize,
    /// Starts of the local search of each batch element, at its best space-filling points; one more start is at the best
    /// point near the incumbents.
    pub starts: usize,
    /// Exclude the neighbourhood of an incumbent from global search once it holds this many trials (0: never).
    pub exclusion: usize,
    /// Optimizer of the local search; acquisition functions are in the model's units.
    pub optimizer: Lbfgsb,
}

impl Default for AcquisitionOptions {
    fn default() -> Self {
        let optimizer =
            Lbfgsb { max_iterations: 50, gradient_tolerance: 1e-4, value_tolerance: 1e-7, ..Lbfgsb::default() };
        AcquisitionOptions { pool: 10_000, near: 2000, starts: 2, exclusion: 100, optimizer }
    }
}

impl AcquisitionOptions {
    /// Refuses settings with which nothing would be found.
    pub fn check(&self) -> Result<()> {
        for (name, value) in [("the size of the pool", self.pool), ("the number of starts", self.starts)] {
            if value == 0 {
                return Err(Error::Parameter { name: name.into(), value: 0.0, must: "at least 1".into() });
            }
        }
        Ok(())
    }
}

/// Where the maxima are looked for.
#[derive(Debug)]
pub struct AcquisitionOptimizer<'a> {
    space: &'a Space,
    incumbents: Mat<f64>,
    exclusion_zones: Vec<exclusion::ExclusionZone>,
    pool: CandidatePool<'a>,
    settings: &'a AcquisitionOptions,
    /// Share of the batch elements that have a trust region.
    share: f64,
    seed: u64,
    step: u64,
}

impl<'a> AcquisitionOptimizer<'a> {
    /// A search of `space` whose pool is dense around the `incumbents`, [points, inputs].
    pub fn new(
        space: &'a Space,
        incumbents: MatRef<'_, f64>,
        settings: &'a AcquisitionOptions,
        seed: u64,
        step: u64,
    ) -> Result<Self> {
        settings.check()?;
        let pool = CandidatePool::new(space, incumbents, settings, &mut stream(seed, Purpose::Pool, step, 0));
        let (incumbents, exclusion_zones) = (incumbents.to_owned(), Vec::new());
        Ok(AcquisitionOptimizer { space, incumbents, exclusion_zones, pool, settings, share: 0.0, seed, step })
    }

    /// This share of the batch elements is confined to trust regions around the incumbents.
    pub fn with_trust_regions(self, share: f64) -> Self {
        AcquisitionOptimizer { share, ..self }
    }

    /// The points that are scored.
    pub fn pool(&self) -> &CandidatePool<'a> {
        &self.pool
    }

    /// One point for each element, [elements, inputs]; none is taken before, all are afterwards.
    pub fn maximize(&self, acquisition: &dyn BatchedObjective, excluded: &mut Excluded) -> Result<Mat<f64>> {
        self.maximize_within(acquisition, Vec::new(), excluded)
    }

    /// The same, elements with a region not leaving it and the others staying out of exclusion zones; where all points are listed,
    /// neither counts.
    pub fn maximize_within(
        &self,
        acquisition: &dyn BatchedObjective,
        regions: Vec<Option<TrustRegion>>,
        excluded: &mut Excluded,
    ) -> Result<Mat<f64>> {
        match &self.pool {
            CandidatePool::All(points) => candidates::choose(acquisition, *points, excluded),
            CandidatePool::Listed(points) => candidates::choose(acquisition, points.as_ref(), excluded),
            CandidatePool::Starts(points) => {
                let scores = acquisition.score(points.as_ref())?;
                let regions = self.outside_exclusion_zones(points.as_ref(), scores.as_ref(), regions);
                self.search_within(acquisition, points.as_ref(), scores.as_ref(), &regions, excluded)
            }
        }
    }

    /// The same from the scores of a pool of starts, [points, elements].
    pub fn search_from(
        &self,
        acquisition: &dyn BatchedObjective,
        points: MatRef<'_, f64>,
        scores: MatRef<'_, f64>,
        excluded: &mut Excluded,
    ) -> Result<Mat<f64>> {
        self.search_within(acquisition, points, scores, &[], excluded)
    }

    fn search_within(
        &self,
        acquisition: &dyn BatchedObjective,
        points: MatRef<'_, f64>,
        scores: MatRef<'_, f64>,
        regions: &[Option<TrustRegion>],
        excluded: &mut Excluded,
    ) -> Result<Mat<f64>> {
        let local_search = MultiStart { acquisition, space: self.space, settings: self.settings };
        let optima = local_search.run(points, scores, regions)?;
        let mut chosen = Mat::zeros(scores.ncols(), points.ncols());
        for (element, optimum) in optima.into_iter().enumerate() {
            let point = match excluded.contains(&optimum) {
                false => optimum,
                true => self.another(&optimum, points, column(scores, element), excluded)?,
            };
            point.iter().enumerate().for_each(|(k, &v)| chosen[(element, k)] = v);
            excluded.insert(&point);
        }
        Ok(chosen)
    }

    /// A point for a element whose best one is taken: one close by, else its best of the pool, else a random one.
    fn another(
        &self,
        optimum: &[f64],
        points: MatRef<'_, f64>,
        scores: &[f64],
        excluded: &Excluded,
    ) -> Result<Vec<f64>> {
        let mut rng = stream(self.seed, Purpose::Fresh, self.step, excluded.len() as u64);
        let dimensions = self.space.dimensions();
        let nudged = |rng: &mut _| -> Vec<f64> {
            let nudge = |(d, &v): (&crate::space::Dimension, &f64)| match d.domain.is_continuous() {
                true => d.domain.snap(v + NUDGE * normal(rng)),
                false => v,
            };
            dimensions.iter().zip(optimum).map(nudge).collect()
        };
        if dimensions.iter().any(|d| d.domain.is_continuous()) {
            let free = (0..TRIES).map(|_| nudged(&mut rng)).find(|point| !excluded.contains(point));
            if let Some(point) = free {
                return Ok(point);
            }
        }
        let mut order: Vec<usize> = (0..points.nrows()).collect();
        order.sort_by(|&i, &j| scores[j].total_cmp(&scores[i]));
        let row = |i: usize| (0..points.ncols()).map(|k| points[(i, k)]).collect::<Vec<f64>>();
        if let Some(point) = order.into_iter().map(row).find(|point| !excluded.contains(point)) {
            return Ok(point);
        }
        let random =
            |rng: &mut _| -> Vec<f64> { dimensions.iter().map(|d| d.domain.from_unit(uniform(rng))).collect() };
        (0..TRIES)
            .map(|_| random(&mut rng))
            .find(|point| !excluded.contains(point))
            .ok_or(Error::Exhausted { wanted: 1, left: 0 })
    }
}

/// How far a point is moved when it is taken, in units of the box: its acquisition function is practically the same.
const NUDGE: f64 = 1e-4;

/// Random points looked at before giving up; more points exist than were ever taken, or they would have been listed.
const TRIES: usize = 10_000;
