//! Greedy maximisation of a quality-weighted determinant.
//!
//! ```text
//!     z_j = argmax_i q(x_i) σ_{j−1}(x_i)          (the paper's Theorem 1; CVR is q = 1)
//! ```
//!
//! The plain search would update every row at every step, O(NM²) of memory traffic; [`lazy`] returns the identical sequence
//! by updating only those rows that might win. Ties go to the lowest row. Where every quality that is left is 0, rows
//! compete by their variance alone, as in CVR. A row whose variance is numerically nil (a duplicate of a chosen one, or
//! a point that Z determines) is never chosen, so K_ZZ is never singular.

mod lazy;
#[cfg(test)]
mod tests;

pub(super) use lazy::lazy;

use super::ErrorBound;
use super::factor::nil_variance;
use crate::error::{Result, check_finite};
use crate::kernel::Kernel;
use crate::linalg::MatRef;
use crate::math::Ordered;
use std::cmp::Reverse;

/// Which rows were chosen, in order, and the variance of each at that moment.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Picks {
    pub(super) rows: Vec<usize>,
    pub(super) variance: Vec<f64>,
}

/// The rows to choose from.
pub(super) struct Pool<'a> {
    pub(super) x: MatRef<'a>,
    pub(super) kernel: &'a Kernel,
    /// k(x, x).
    pub(super) diagonal: Vec<f64>,
    /// q² in units of the largest.
    weights: Vec<f64>,
    /// Variances up to this count as 0.
    pub(super) nil: f64,
    /// How many to choose.
    pub(super) m: usize,
    /// Where the choice ends before.
    pub(super) limit: Option<TraceLimit>,
}

/// The weighted trace that is small enough.
pub(super) struct TraceLimit {
    /// The weight of each row's variance.
    pub(super) weights: Vec<f64>,
    /// What their sum may be.
    pub(super) most: f64,
}

impl<'a> Pool<'a> {
    /// All rows of x; `quality` must be neither negative nor NaN.
    pub(super) fn new(x: MatRef<'a>, kernel: &'a Kernel, quality: &[f64], m: usize) -> Result<Self> {
        let diagonal = kernel.diagonal(x);
        check_finite("the kernel's variance", &diagonal)?;
        let largest = quality.iter().copied().fold(0.0, f64::max);
        let weights = quality.iter().map(|q| if largest > 0.0 { (q / largest).powi(2) } else { 0.0 }).collect();
        let m = m.min(x.nrows());
        Ok(Pool { x, kernel, nil: nil_variance(&diagonal), diagonal, weights, m, limit: None })
    }

    /// This pool with a bound on the error, whose lists are as long as it; without any quality all rows count alike.
    pub(super) fn within(mut self, bound: Option<&ErrorBound>) -> Self {
        let Some(ErrorBound { noise, multiplicity, tolerance }) = bound else { return self };
        let has_quality = self.weights.iter().any(|&weight| weight > 0.0);
        let counts: Vec<f64> = if has_quality {
            multiplicity.iter().zip(&self.weights).map(|(times, weight)| times * weight).collect()
        } else {
            multiplicity.clone()
        };
        let most = tolerance * counts.iter().sum::<f64>();
        let weights = counts.iter().zip(noise).map(|(count, noise)| count / noise).collect();
        self.limit = Some(TraceLimit { weights, most });
        self
    }

    /// The score of a row with this conditional variance; `None` once that is nil.
    pub(super) fn rank(&self, row: usize, variance: f64) -> Option<Rank> {
        let weight = self.weights[row];
        let (counts, score) = if weight > 0.0 { (true, weight * variance) } else { (false, variance) };
        (variance > self.nil).then_some(Rank { counts, score: Ordered(score), row: Reverse(row) })
    }
}

/// How rows compare: any quality before none, then q²σ², then the lower row number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank {
    counts: bool,
    score: Ordered,
    row: Reverse<usize>,
}

impl Rank {
    pub(super) fn row(&self) -> usize {
        self.row.0
    }
}
