//! Batches of the rules that choose point by point, over any space.

use super::{Believed, Fantasy, Merit, OneByOne, Situation, SuccessWeighted, one_by_one};
use crate::acquire::optimizer::{AcquisitionOptimizer, Excluded};
use crate::error::{Error, Result};
use crate::linalg::{Mat, MatRef, column, select_rows};
use crate::optim::BatchedObjective;
use crate::sample::Paths;

/// `count` points, each in the belief of those before it, [points, inputs]; none is taken before, all are afterwards.
///
/// With [`Merit::Bald`] a noise variance of 0 gives the determinantal process itself; 1, the probit's own, lets points come
/// close to each other where an answer tells little.
pub fn sequential(situation: &Situation<'_>, merit: &Merit, count: usize, excluded: &mut Excluded) -> Result<Mat<f64>> {
    merit.check()?;
    let Situation { posterior, noise, pending, search, .. } = *situation;
    let vote = situation.vote()?;
    let rule = OneByOne { posterior, merit, noise, pending, vote: &vote };
    let believer = Fantasy::new(posterior, noise, pending)?;
    let at_first = SuccessWeighted {
        acquisition: &Believed { believer: &believer, merit },
        vote: &vote,
        weighing: merit.weighing(),
    };
    let size = match merit {
        // The best by quality alone are one clump.
        Merit::Bald => SHORTLIST_OF_DIVERSE,
        _ => SHORTLIST,
    };
    let pool = starts(search, &at_first, size.max(4 * count), count, excluded)?;
    let choose = |acquisition: &dyn BatchedObjective, scores: &Mat<f64>| {
        best(search, acquisition, pool.as_ref(), scores.as_ref(), excluded)
    };
    let chosen = one_by_one(&rule, pool.as_ref(), count, choose)?;
    Ok(Mat::from_fn(count, pool.ncols(), |i, k| chosen[i][k]))
}

/// The points that are scored again for every point of a batch: the whole pool, or the free rows of a table with the
/// `size` largest scores at first, as belief only takes away.
pub(super) fn starts(
    search: &AcquisitionOptimizer<'_>,
    at_first: &dyn BatchedObjective,
    size: usize,
    count: usize,
    excluded: &Excluded,
) -> Result<Mat<f64>> {
    let points = search.pool().points();
    match search.pool().is_complete() {
        true => shortlist(points, at_first, size, count, excluded),
        false => Ok(points.to_owned()),
    }
}

/// The best point that is free, given the scores of those points; it is taken afterwards.
pub(super) fn best(
    search: &AcquisitionOptimizer<'_>,
    acquisition: &dyn BatchedObjective,
    points: MatRef<'_, f64>,
    scores: MatRef<'_, f64>,
    excluded: &mut Excluded,
) -> Result<Vec<f64>> {
    match search.pool().is_complete() {
        true => best_free(points, column(scores, 0), excluded),
        false => Ok(search.search_from(acquisition, points, scores, excluded)?.row(0).iter().copied().collect()),
    }
}

/// Points of a table that are looked at again for every point of the batch.
pub(super) const SHORTLIST: usize = 10_000;

/// The same where diversity decides: 100 MB a hundred points of the batch.
const SHORTLIST_OF_DIVERSE: usize = 1 << 17;

/// Samples of the largest value: the maxima of paths over the pool and the data.
pub(super) fn maxima(situation: &Situation<'_>) -> Result<Vec<f64>> {
    let Situation { posterior, search, sampling, seed, step, observed, .. } = *situation;
    let paths = Paths::draw(posterior, 0..MAXIMA, sampling, seed, step)?;
    let mut maxima = vec![f64::NEG_INFINITY; MAXIMA];
    for points in [search.pool().points(), observed] {
        for first in (0..points.nrows()).step_by(BLOCK) {
            let values = paths.values(points.subrows(first, BLOCK.min(points.nrows() - first)))?;
            for (path, maximum) in maxima.iter_mut().enumerate() {
                *maximum = column(values.as_ref(), path).iter().copied().fold(*maximum, f64::max);
            }
        }
    }
    Ok(maxima)
}

/// Samples of the maximum that information is averaged over.
const MAXIMA: usize = 32;

/// The free rows of a table, if they are many only the best.
fn shortlist(
    table: MatRef<'_, f64>,
    acquisition: &dyn BatchedObjective,
    size: usize,
    count: usize,
    excluded: &Excluded,
) -> Result<Mat<f64>> {
    let free = excluded.free_rows(table);
    if free.len() < count && !excluded.allows_replicates() {
        return Err(Error::Exhausted { wanted: count, left: free.len() });
    }
    if free.len() <= size {
        return Ok(select_rows(table, &free));
    }
    let mut scored: Vec<(f64, usize)> = Vec::with_capacity(free.len());
    for rows in free.chunks(BLOCK) {
        let scores = acquisition.score(select_rows(table, rows).as_ref())?;
        scored.extend(column(scores.as_ref(), 0).iter().copied().zip(rows.iter().copied()));
    }
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    let rows: Vec<usize> = scored[..size].iter().map(|&(_, row)| row).collect();
    Ok(select_rows(table, &rows))
}

/// Rows scored at a time.
const BLOCK: usize = 8192;

/// The free row with the largest score.
fn best_free(points: MatRef<'_, f64>, scores: &[f64], excluded: &mut Excluded) -> Result<Vec<f64>> {
    let mut order: Vec<usize> = (0..points.nrows()).collect();
    order.sort_by(|&i, &j| scores[j].total_cmp(&scores[i]));
    let rows = order.into_iter().map(|i| points.row(i).iter().copied().collect::<Vec<f64>>());
    let point =
        rows.into_iter().find(|point| !excluded.contains(point)).ok_or(Error::Exhausted { wanted: 1, left: 0 })?;
    excluded.insert(&point);
    Ok(point)
}
