//! Thompson sampling: each element of a batch maximises functions of its own, drawn from the posteriors.
//!
//! ```text
//!     xⱼ = argmax_x fⱼ(x),     fⱼ ~ p(f | D)              (Kandasamy et al. 2018; Vakili et al. 2021)
//! ```
//!
//! Several objectives are scalarised ([`Chebyshev`]), constraints are sampled ([`ConstrainedObjective`]). Pending points need no
//! care beyond not being asked for twice: paths are independent given the data.

use super::chebyshev::numbers_of;
use super::optimizer::Excluded;
use super::{Chebyshev, ConstrainedObjective, Context, SampledConstraint, SuccessWeighted, SuccessWeighting};
use crate::error::Result;
use crate::linalg::Mat;
use crate::optim::BatchedObjective;
use crate::sample::Paths;
use std::ops::Range;

/// Paths maximised together: their scores on a pool of 12,000 points are 50 MB.
const ELEMENTS: usize = 500;

/// The maximisers of the batch elements with these numbers, [points, inputs].
pub fn thompson(context: &Context<'_>, numbers: Range<usize>, excluded: &mut Excluded) -> Result<Mat> {
    let (failure_model, scales) = (context.failure_model()?, length_scales(context));
    // Failures take away from how far a path is above the worst that is known.
    let is_single = context.objectives.len() == 1 && context.constraints.is_empty();
    let baseline = if is_single && !failure_model.is_certain() {
        context.pareto.means.iter().map(|means| means[0]).fold(f64::INFINITY, f64::min)
    } else {
        0.0
    };
    let mut batch = Mat::zeros(numbers.len(), context.observed.ncols());
    for first in numbers.clone().step_by(ELEMENTS) {
        let some = first..numbers.end.min(first + ELEMENTS);
        let acquisition = &*if is_single { paths(context, some.clone())? } else { scalarised(context, some.clone())? };
        let weighting = SuccessWeighting::Above { baseline };
        let weighted = SuccessWeighted { acquisition, failure_model: &failure_model, weighting };
        let regions = context.optimizer.regions(&weighted, some.clone(), &scales)?;
        let points = context.optimizer.maximize_within(&weighted, regions, excluded)?;
        batch.as_mut().subrows_mut(first - numbers.start, some.len()).copy_from(points);
    }
    Ok(batch)
}

fn paths(context: &Context<'_>, numbers: Range<usize>) -> Result<Box<dyn BatchedObjective>> {
    Ok(Box::new(Paths::draw(context.objectives[0].posterior, numbers, context.sampling, context.rng)?))
}

/// Chebyshev scalarisations of the objectives, with a sampled path per constraint; 0 is the worst that is known.
fn scalarised(context: &Context<'_>, numbers: Range<usize>) -> Result<Box<dyn BatchedObjective>> {
    let &Context { objectives, constraints, pareto, sampling, rng, .. } = context;
    let scaled: Vec<_> = objectives.iter().map(|o| o.posterior).zip(pareto.scales.iter().copied()).collect();
    let chebyshev = Chebyshev::draw(&scaled, numbers.clone(), sampling, rng)?;
    if constraints.is_empty() {
        return Ok(Box::new(chebyshev));
    }
    let sampled = constraints.iter().zip(&pareto.deviations).enumerate().map(|(c, (constraint, &deviation))| {
        let numbers = numbers_of(objectives.len() + c, &numbers);
        let paths = Paths::draw(constraint.output.posterior, numbers, sampling, rng)?;
        Ok(SampledConstraint { paths, bounds: constraint.bounds, deviation })
    });
    Ok(Box::new(ConstrainedObjective { acquisition: chebyshev, constraints: sampled.collect::<Result<_>>()? }))
}

/// The length scale of every input: of several outputs, the geometric mean.
fn length_scales(context: &Context<'_>) -> Vec<f64> {
    let inputs = context.observed.ncols();
    let all: Vec<Vec<f64>> = context.outputs().map(|output| output.posterior.kernel().scales(inputs)).collect();
    match all.as_slice() {
        [only] => only.clone(),
        _ => {
            let mean_log = |k: usize| all.iter().map(|scales| scales[k].ln()).sum::<f64>() / all.len() as f64;
            (0..inputs).map(|k| mean_log(k).exp()).collect()
        }
    }
}
