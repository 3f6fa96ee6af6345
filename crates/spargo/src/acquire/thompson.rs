//! Thompson sampling: each point of a batch maximises a function of its own, drawn from the posterior.
//!
//! ```text
//!     xⱼ = argmax_x fⱼ(x),     fⱼ ~ p(f | D)              (Kandasamy et al. 2018; Vakili et al. 2021)
//! ```
//!
//! Points under way need no care beyond not being asked for twice: paths are independent given the data.

use super::{Situation, SuccessWeighted, SuccessWeighting};
use crate::acquire::optimizer::Excluded;
use crate::error::Result;
use crate::kernel::Covariance;
use crate::linalg::Mat;
use crate::optim::BatchedObjective;
use crate::sample::Paths;
use std::ops::Range;

/// The maximisers of the paths with these numbers, [points, inputs].
pub fn thompson(situation: &Situation<'_>, numbers: Range<usize>, excluded: &mut Excluded) -> Result<Mat<f64>> {
    let Situation { posterior, search, sampling, seed, step, .. } = *situation;
    let vote = situation.vote()?;
    // Failures take away from how far a path is above the worst that is known.
    let weighing = match vote.is_unanimous() {
        true => SuccessWeighting::Above { baseline: 0.0 },
        false => SuccessWeighting::Above { baseline: situation.means()?.into_iter().fold(f64::INFINITY, f64::min) },
    };
    let scales = posterior.kernel().scales(posterior.z().ncols());
    let mut batch = Mat::zeros(numbers.len(), posterior.z().ncols());
    for first in numbers.clone().step_by(MEMBERS) {
        let some = first..numbers.end.min(first + MEMBERS);
        let paths = Paths::draw(posterior, some.clone(), sampling, seed, step)?;
        let weighed = SuccessWeighted { acquisition: &paths, vote: &vote, weighing };
        let acquisition: &dyn BatchedObjective = if vote.is_unanimous() { &paths } else { &weighed };
        let regions = search.regions(acquisition, some.clone(), &scales)?;
        let points = search.maximize_within(acquisition, regions, excluded)?;
        batch.as_mut().subrows_mut(first - numbers.start, some.len()).copy_from(points);
    }
    Ok(batch)
}

/// Paths maximised together: their scores on a pool of 12,000 points are 50 MB.
pub(super) const MEMBERS: usize = 500;
