//! The next batch by several outputs: objectives that compete, and constraints.

use super::chebyshev::numbers_of;
use super::sequential::{SHORTLIST, best, starts};
use super::{
    Chebyshev, ConstrainedObjective, FailureModel, Front, Outputs, ParetoState, Pool, Rule, SampledConstraint, Scale,
    SuccessWeighted, SuccessWeighting, joint, thompson,
};
use crate::acquire::optimizer::{AcquisitionOptimizer, Excluded};
use crate::error::{Error, Result};
use crate::linalg::{Mat, MatRef};
use crate::model::Posterior;
use crate::optim::BatchedObjective;
use crate::sample::{Paths, SamplingOptions};
use std::ops::Range;

/// What a batch is chosen from.
#[derive(Debug, Clone, Copy)]
pub struct Several<'a> {
    /// What an evaluation tells.
    pub outputs: &'a Outputs<'a>,
    /// Where the observed points stand by it.
    pub standing: &'a ParetoState,
    /// The worst that is of interest, for the dominated volume; by default a little below the worst of the front.
    pub reference: Option<&'a [f64]>,
    /// Where maxima are looked for; the standing's incumbents are good incumbents.
    pub search: &'a AcquisitionOptimizer<'a>,
    /// How paths are drawn.
    pub sampling: &'a SamplingOptions,
    /// Points that succeeded, [n, inputs]; at least one.
    pub observed: MatRef<'a, f64>,
    /// Points that failed, [n, inputs].
    pub failed: MatRef<'a, f64>,
    /// Points under way, [n, inputs].
    pub pending: MatRef<'a, f64>,
    /// Of every draw.
    pub seed: u64,
    /// The number of this batch.
    pub step: u64,
}

/// Points number `numbers` of a batch, [points, inputs]; none is taken before, all are afterwards.
///
/// With one objective [`Rule::LogEi`] is [`Rule::Ehvi`]; the rules that know nothing of several outputs are refused. As long
/// as nothing observed is feasible, the points of every rule are those of least violation on sampled paths: the likeliest
/// to be feasible are far from all data, where anything is possible.
pub fn acquire_several(
    rule: Rule,
    several: &Several<'_>,
    numbers: Range<usize>,
    excluded: &mut Excluded,
) -> Result<Mat<f64>> {
    several.outputs.check()?;
    let feasible = several.standing.is_feasible();
    match rule {
        Rule::Hippo | Rule::Ehvi | Rule::LogEi if !feasible => compromises(several, numbers, excluded),
        Rule::Thompson => compromises(several, numbers, excluded),
        Rule::Hippo => point_by_point(several, Front::penalised(several)?, numbers.len(), excluded),
        Rule::Ehvi | Rule::LogEi => point_by_point(several, Front::believed(several)?, numbers.len(), excluded),
        Rule::Gibbon | Rule::Bald | Rule::Straddle => Err(Error::Unsupported {
            what: format!("the rule '{}' for several outputs", rule.name()),
            remedy: "use thompson, log-ei, ehvi or hippo".into(),
        }),
    }
}

impl Several<'_> {
    /// Who succeeded and who failed.
    fn vote(&self) -> Result<FailureModel> {
        FailureModel::foretelling(self.outputs.objectives[0].posterior.kernel(), self.observed, self.failed)
    }
}

fn compromises(several: &Several<'_>, numbers: Range<usize>, excluded: &mut Excluded) -> Result<Mat<f64>> {
    let Several { outputs, standing, search, sampling, seed, step, .. } = *several;
    let vote = several.vote()?;
    let posteriors = outputs.objectives.iter().map(|objective| objective.posterior);
    let objectives: Vec<(&Posterior, Scale)> = posteriors.zip(standing.scales.iter().copied()).collect();
    let mut batch = Mat::zeros(numbers.len(), search.pool().points().ncols());
    for first in numbers.clone().step_by(thompson::MEMBERS) {
        let some = first..numbers.end.min(first + thompson::MEMBERS);
        let compromises = Chebyshev::draw(&objectives, some.clone(), sampling, seed, step)?;
        let constraints = sampled_limits(several, &some)?;
        let feasible = ConstrainedObjective { acquisition: &compromises, constraints: &constraints };
        let acquisition: &dyn BatchedObjective = if constraints.is_empty() { &compromises } else { &feasible };
        // The worst that is known is 0.
        let weighed = SuccessWeighted { acquisition, vote: &vote, weighing: SuccessWeighting::Above { baseline: 0.0 } };
        let points = search.maximize(&weighed, excluded)?;
        batch.as_mut().subrows_mut(first - numbers.start, some.len()).copy_from(points);
    }
    Ok(batch)
}

fn sampled_limits(several: &Several<'_>, numbers: &Range<usize>) -> Result<Vec<SampledConstraint>> {
    let Several { outputs, standing, sampling, seed, step, .. } = *several;
    let constraints = outputs.constraints.iter().zip(&standing.spreads).enumerate();
    let sampled = constraints.map(|(number, (constraint, &spread))| {
        let numbers = numbers_of(outputs.objectives.len() + number, numbers);
        let paths = Paths::draw(constraint.output.posterior, numbers, sampling, seed, step)?;
        Ok(SampledConstraint { paths, limits: constraint.limits, spread })
    });
    sampled.collect()
}

/// Each point beside those before it; scores of the pool are kept as far as a new point does not change them.
fn point_by_point(
    several: &Several<'_>,
    mut front: Front<'_>,
    count: usize,
    excluded: &mut Excluded,
) -> Result<Mat<f64>> {
    let (search, vote) = (several.search, several.vote()?);
    let weighing = SuccessWeighting::Logarithm;
    let points = {
        let at_first = SuccessWeighted { acquisition: &front.acquisition()?, vote: &vote, weighing };
        starts(search, &at_first, SHORTLIST.max(4 * count), count, excluded)?
    };
    let votes = vote.at(points.as_ref())?;
    let mut pools =
        several.outputs.all().map(|output| Pool::new(output.posterior, points.as_ref())).collect::<Result<Vec<_>>>()?;
    let mut batch = Mat::zeros(count, points.ncols());
    let (mut gains, mut distances, mut pushing) = (Vec::new(), vec![0.0; points.nrows()], 0);
    for number in 0..count {
        let means_only = !gains.is_empty() && front.is_penalised();
        pools.iter_mut().zip(front.believers()).for_each(|(pool, believer)| pool.catch_up(believer));
        let moments: Vec<_> = pools.iter().map(Pool::moments).collect();
        if !means_only {
            gains = joint::map_points(&moments, |at| front.merit().gain(at));
        }
        let fresh = &front.merit().penalties[pushing..];
        let pushed = joint::map_points(&moments, |at| {
            let means: Vec<f64> = at[..front.merit().objectives].iter().map(|at| at.mean).collect();
            fresh.iter().map(|penalty| penalty.value(&means)).sum()
        });
        pushing = front.merit().penalties.len();
        distances.iter_mut().zip(pushed).for_each(|(distance, more)| *distance += more);
        let score = |i: usize| weighing.value(gains[i] + distances[i], votes[i]);
        let scores = Mat::from_fn(points.nrows(), 1, |i, _| score(i));
        let point = {
            let weighed = SuccessWeighted { acquisition: &front.acquisition()?, vote: &vote, weighing };
            best(search, &weighed, points.as_ref(), scores.as_ref(), excluded)?
        };
        front.add(MatRef::from_row_major_slice(&point, 1, point.len()))?;
        point.iter().enumerate().for_each(|(k, &v)| batch[(number, k)] = v);
    }
    Ok(batch)
}
