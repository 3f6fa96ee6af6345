//! Batches of the rules that choose point by point, over any space.

use super::{Believed, Believer, Merit, OneByOne, Situation, Vote, Weighed, one_by_one};
use crate::error::{Error, Result};
use crate::linalg::{Mat, MatRef, column, select_rows};
use crate::maximize::Taken;
use crate::optimize::Utility;
use crate::sample::Paths;

/// `count` points, each in the belief of those before it, [points, inputs].
pub(super) fn sequential(
    situation: &Situation<'_>,
    merit: &Merit,
    count: usize,
    taken: &mut Taken,
) -> Result<Mat<f64>> {
    let Situation { posterior, noise, pending, search, .. } = *situation;
    let vote = situation.vote()?;
    let rule = OneByOne { posterior, merit, noise, pending, vote: &vote };
    let finite = search.pool().is_complete();
    let pool = match finite {
        true => shortlist(situation, merit, &vote, count, taken)?,
        false => search.pool().points().to_owned(),
    };
    let chosen = one_by_one(&rule, pool.as_ref(), count, |utility, scores| match finite {
        true => best_free(pool.as_ref(), column(scores.as_ref(), 0), taken),
        false => {
            let found = search.climb(utility, pool.as_ref(), scores.as_ref(), taken)?;
            Ok(found.row(0).iter().copied().collect())
        }
    })?;
    Ok(Mat::from_fn(count, pool.ncols(), |i, k| chosen[i][k]))
}

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

/// The free points of a table that may be chosen: belief only takes merit away, so those with the largest merit at first.
fn shortlist(situation: &Situation<'_>, merit: &Merit, vote: &Vote, count: usize, taken: &Taken) -> Result<Mat<f64>> {
    let table = situation.search.pool().points();
    let free = taken.free_rows(table);
    if free.len() < count && !taken.welcomes_replicates() {
        return Err(Error::Exhausted { wanted: count, left: free.len() });
    }
    let size = SHORTLIST.max(4 * count);
    if free.len() <= size {
        return Ok(select_rows(table, &free));
    }
    let believer = Believer::new(situation.posterior, situation.noise, situation.pending)?;
    let utility = Weighed { utility: &Believed { believer: &believer, merit }, vote, weighing: merit.weighing() };
    let mut scored: Vec<(f64, usize)> = Vec::with_capacity(free.len());
    for rows in free.chunks(BLOCK) {
        let scores = utility.score(select_rows(table, rows).as_ref())?;
        scored.extend(column(scores.as_ref(), 0).iter().copied().zip(rows.iter().copied()));
    }
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    let rows: Vec<usize> = scored[..size].iter().map(|&(_, row)| row).collect();
    Ok(select_rows(table, &rows))
}

/// Points of a table that are looked at again for every point of the batch.
const SHORTLIST: usize = 10_000;

/// Rows scored at a time.
const BLOCK: usize = 8192;

/// The free row with the largest score.
fn best_free(points: MatRef<'_, f64>, scores: &[f64], taken: &mut Taken) -> Result<Vec<f64>> {
    let mut order: Vec<usize> = (0..points.nrows()).collect();
    order.sort_by(|&i, &j| scores[j].total_cmp(&scores[i]));
    let rows = order.into_iter().map(|i| points.row(i).iter().copied().collect::<Vec<f64>>());
    let point = rows.into_iter().find(|point| !taken.contains(point)).ok_or(Error::Exhausted { wanted: 1, left: 0 })?;
    taken.insert(&point);
    Ok(point)
}
