//! Greedy batch construction: each point maximises the acquisition function given the pending points and those before it.
//!
//! ```text
//!     x_j = argmax_x α(x; pending ∪ {x_1, …, x_{j−1}})
//! ```

use super::fantasy::map_points;
use super::optimizer::Excluded;
use super::{AcquisitionFunction, Context, Fantasised, Fantasy, PoolMoments, SuccessWeighted};
use crate::error::{Error, Result};
use crate::interrupt;
use crate::linalg::{Mat, MatRef, column, row, select_rows, sorted_by_value};
use crate::optim::BatchedObjective;

/// Rows of a table of candidates that are scored again for every point of a batch, unless the function says otherwise.
pub(super) const SHORTLIST: usize = 10_000;

/// Rows scored at a time.
const BLOCK: usize = 8192;

/// `count` points, [points, inputs]; none is excluded before, all are afterwards.
pub fn greedy(
    context: &Context<'_>,
    function: &mut dyn AcquisitionFunction,
    count: usize,
    excluded: &mut Excluded,
) -> Result<Mat> {
    let optimizer = context.optimizer;
    function.add_pending(context, context.pending)?;
    let pool = starts(context, function, count, excluded)?;
    let mut free = vec![true; pool.nrows()];
    greedy_from(context, function, pool.as_ref(), count, |acquisition, scores| {
        if optimizer.pool().is_complete() {
            best_free(pool.as_ref(), column(scores, 0), &mut free, excluded)
        } else {
            Ok(row(optimizer.search(acquisition, pool.as_ref(), scores, &[], excluded)?.as_ref(), 0))
        }
    })
}

/// `count` points, [points, inputs]: `choose` is handed the acquisition function with its scores of the pool, [points, 1], and
/// returns the point it finds best, which is pending from then on.
///
/// The function must already have taken the context's pending points
/// ([`add_pending`](AcquisitionFunction::add_pending)).
/// The scores are never NaN. They cost O(n(m + p)) per point, for a pool of n and p pending points.
pub fn greedy_from(
    context: &Context<'_>,
    function: &mut dyn AcquisitionFunction,
    pool: MatRef<'_>,
    count: usize,
    mut choose: impl FnMut(&dyn BatchedObjective, MatRef<'_>) -> Result<Vec<f64>>,
) -> Result<Mat> {
    let failure_model = context.failure_model()?;
    let success = failure_model.at(pool)?;
    let mut fantasies = fantasies(context, function.fantasises())?;
    let moments = context.outputs().map(|output| PoolMoments::new(output.posterior, pool));
    let mut moments = moments.collect::<Result<Vec<_>>>()?;
    let (weighting, mut batch) = (function.weighting(), Mat::zeros(count, pool.ncols()));
    let (mut alone, mut beside): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
    for number in 0..count {
        interrupt::poll()?;
        moments.iter_mut().zip(&fantasies).for_each(|(moments, fantasy)| moments.catch_up(fantasy));
        let at: Vec<_> = moments.iter().map(PoolMoments::moments).collect();
        if number == 0 {
            alone = map_points(&at, |_, at| function.alone(at));
            beside = map_points(&at, |_, at| function.given_pending(at));
        } else {
            beside = map_points(&at, |i, at| function.given_one_more(beside[i], at));
        }
        let score = |i: usize, _| weighting.value(alone[i] + beside[i], success[i]);
        let scores = Mat::from_fn(pool.nrows(), 1, score);
        let point = {
            let acquisition = &Fantasised::new(&fantasies, function);
            choose(&SuccessWeighted { acquisition, failure_model: &failure_model, weighting }, scores.as_ref())?
        };
        let new = MatRef::from_row_major_slice(&point, 1, point.len());
        context.objectives[0].posterior.check(new)?;
        batch.row_mut(number).copy_from(new.row(0));
        function.add_pending(context, new)?;
        if function.fantasises() {
            fantasies.iter_mut().try_for_each(|fantasy| fantasy.add(new))?;
        }
    }
    Ok(batch)
}

/// The posterior of every output, given the pending points if they are fantasised.
fn fantasies<'a>(context: &Context<'a>, fantasises: bool) -> Result<Vec<Fantasy<'a>>> {
    let pending = if fantasises { context.pending } else { context.pending.subrows(0, 0) };
    context.outputs().map(|output| Fantasy::new(output.posterior, output.noise, pending)).collect()
}

/// The points that are scored again for every point of a batch: the whole pool, or the free rows of a table, if they are many
/// only the best ones at first, as pending points only take value away.
fn starts(context: &Context<'_>, function: &dyn AcquisitionFunction, count: usize, excluded: &Excluded) -> Result<Mat> {
    let points = context.optimizer.pool().points();
    if !context.optimizer.pool().is_complete() {
        return Ok(points.to_owned());
    }
    let free = excluded.free_rows(points);
    if free.len() < count && !excluded.allows_replicates() {
        return Err(Error::Exhausted { wanted: count, left: free.len() });
    }
    let size = function.shortlist().max(4 * count);
    if free.len() <= size {
        return Ok(select_rows(points, &free));
    }
    let fantasies = fantasies(context, function.fantasises())?;
    let failure_model = context.failure_model()?;
    let acquisition = Fantasised::new(&fantasies, function);
    let weighted =
        SuccessWeighted { acquisition: &acquisition, failure_model: &failure_model, weighting: function.weighting() };
    let mut scores: Vec<f64> = Vec::with_capacity(free.len());
    for rows in free.chunks(BLOCK) {
        scores.extend(column(weighted.score(select_rows(points, rows).as_ref())?.as_ref(), 0));
    }
    let best: Vec<usize> = sorted_by_value(&scores)[..size].iter().map(|&i| free[i]).collect();
    Ok(select_rows(points, &best))
}

/// The free row with the largest score. Rows count, not points, as several candidates may share one.
fn best_free(points: MatRef<'_>, scores: &[f64], free: &mut [bool], excluded: &mut Excluded) -> Result<Vec<f64>> {
    let best = sorted_by_value(scores).into_iter().find(|&i| free[i]);
    let best = best.ok_or(Error::Exhausted { wanted: 1, left: 0 })?;
    free[best] = excluded.allows_replicates();
    let point = row(points, best);
    excluded.insert(&point);
    Ok(point)
}
