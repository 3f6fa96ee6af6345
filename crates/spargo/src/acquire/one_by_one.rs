//! A batch chosen one by one, each point in the belief of those before it.

use super::failure::{FailureModel, SuccessWeighted};
use super::fantasy::{Believed, Fantasy};
use super::merit::Merit;
use super::pool::Pool;
use crate::error::Result;
use crate::interrupt;
use crate::linalg::{Mat, MatRef};
use crate::model::Posterior;
use crate::optim::BatchedObjective;

/// What a batch is chosen by.
#[derive(Debug, Clone, Copy)]
pub struct OneByOne<'a> {
    /// What is known of f.
    pub posterior: &'a Posterior,
    /// What a point is worth.
    pub merit: &'a Merit,
    /// σ², the noise variance of an observation.
    pub noise: f64,
    /// Points asked before and not told yet, [p, d].
    pub pending: MatRef<'a, f64>,
    /// Where evaluations fail.
    pub vote: &'a FailureModel,
}

/// Chooses `count` points: each time `climb` is handed the acquisition function and its scores of the pool, [points, 1], and returns the
/// point it finds best, which from then on is believed.
///
/// The scores are never NaN. They cost O(n(m + p)) a point, for a pool of n and p points believed.
pub fn one_by_one(
    rule: &OneByOne<'_>,
    pool: MatRef<'_, f64>,
    count: usize,
    mut climb: impl FnMut(&dyn BatchedObjective, &Mat<f64>) -> Result<Vec<f64>>,
) -> Result<Vec<Vec<f64>>> {
    let OneByOne { posterior, merit, noise, pending, vote } = *rule;
    merit.check()?;
    let mut believer = Fantasy::new(posterior, noise, pending)?;
    let votes = vote.at(pool)?;
    let mut pool = Pool::new(posterior, pool)?;
    let alone = pool.map(|at| merit.alone(at, noise));
    let weighing = merit.weighing();
    let mut chosen = Vec::with_capacity(count);
    for _ in 0..count {
        interrupt::poll()?;
        pool.catch_up(&believer);
        let beside = pool.map(|at| merit.given_pending(at, noise));
        let scores = Mat::from_fn(alone.len(), 1, |i, _| weighing.value(alone[i] + beside[i], votes[i]));
        let acquisition = Believed { believer: &believer, merit };
        let point = climb(&SuccessWeighted { acquisition: &acquisition, vote, weighing }, &scores)?;
        believer.add(MatRef::from_row_major_slice(&point, 1, point.len()))?;
        chosen.push(point);
    }
    Ok(chosen)
}
