//! The next batch: which points are worth evaluating, given the posterior and what is already under way.

mod thompson;

pub use thompson::thompson;

use crate::error::Result;
use crate::linalg::{Mat, MatRef};
use crate::maximize::{Search, Taken};
use crate::model::Posterior;
use crate::sample::Sampling;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// How a batch is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Rule {
    /// The maximiser of a sample path for each point of the batch.
    #[default]
    Thompson,
}

/// What a batch is chosen from.
#[derive(Debug, Clone, Copy)]
pub struct Situation<'a> {
    /// f given the data.
    pub posterior: &'a Posterior,
    /// Where maxima are looked for.
    pub search: &'a Search<'a>,
    /// How paths are drawn.
    pub sampling: &'a Sampling,
    /// Points that succeeded, [n, inputs].
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
pub fn acquire(rule: Rule, situation: &Situation<'_>, numbers: Range<usize>, taken: &mut Taken) -> Result<Mat<f64>> {
    match rule {
        Rule::Thompson => thompson(situation, numbers, taken),
    }
}
