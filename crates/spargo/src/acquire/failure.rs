//! The failure model: acquisition functions are weighted by a probability of success, from evaluations nearby.
//!
//! ```text
//!     r(x) = (1 + S)/(1 + S + F),   S = Σ_ok κ(x, xᵢ),   F = Σ_failed κ(x, xᵢ),   κ(x, x') = k(x, x')/k(x, x)
//!     v(x) = r exp(−min(F, 30) e²),   e = max(0, 1 − 2r)
//! ```
//!
//! So one failure excludes nothing: v ≥ ½ there, more among successes, and far away v → 1. But a region that keeps failing is
//! left, however much is expected of it: where failures are the majority v falls exponentially, for the expected
//! improvement of what is well known does so too, and 1/F would never outweigh it.
//!
//! The sums run over all data, but S matters only where F is felt: |δr| ≤ ¼ |δS|/S. So successes are
//! thinned to [`REPRESENTATIVES`] by their part in the denominator at the failures, wᵢ = maxⱼ κ(xᵢ, fⱼ)/(1 + S + F)(fⱼ): each is kept
//! with probability pᵢ ∝ wᵢ, at most 1, and counts with weight 1/pᵢ. At a single failure the sum is then exact to one part in
//! [`REPRESENTATIVES`], and tests/acquire/failures.rs finds it within 0.01 elsewhere. Failures beyond that number are thinned evenly (within
//! 0.05). Thinning is systematic, without random numbers.

use super::failure_kernel::failure_kernel;
use crate::data::check_finite;
use crate::error::{Result, check_length};
use crate::kernel::Kernel;
use crate::linalg::{Mat, MatRef, column, column_mut, select_rows};
use crate::optim::BatchedObjective;
use rayon::prelude::*;

/// Successes, and failures, that are summed over at most.
const REPRESENTATIVES: usize = 1024;

/// Failures beyond this number make no difference, so that v is never zero.
const MOST_FAILURES: f64 = 30.0;

/// Rows per task.
const BLOCK: usize = 512;

/// v(x), the probability of success.
#[derive(Debug, Clone)]
pub struct FailureModel {
    kernel: Kernel,
    /// Successes, then failures, [representatives, d]; none if nothing failed.
    representatives: Mat,
    /// How many points each represents.
    weights: Vec<f64>,
    /// The number of successes among them.
    successes: usize,
}

impl FailureModel {
    /// The model of these points, which succeeded or failed, with the correlations of this kernel.
    pub fn new(kernel: &Kernel, successes: MatRef<'_>, failures: MatRef<'_>) -> Result<Self> {
        let kernel = kernel.clone();
        if failures.nrows() == 0 {
            return Ok(FailureModel { kernel, representatives: Mat::new(), weights: Vec::new(), successes: 0 });
        }
        kernel.check(failures.ncols())?;
        if successes.nrows() > 0 {
            check_length("each evaluated point", successes.ncols(), failures.ncols())?;
        }
        check_finite("a point that failed", failures)?;
        check_finite("a point that was evaluated", successes)?;
        let (failed, weights) = representatives(failures, &vec![1.0; failures.nrows()]);
        let against = FailureModel { kernel, representatives: failed, weights, successes: 0 };
        let (succeeded, mut weights) = representatives(successes, &against.parts_in_denominator(successes));
        let count = weights.len();
        weights.extend(&against.weights);
        let failed = &against.representatives;
        let row = |i: usize, k: usize| if i < count { succeeded[(i, k)] } else { failed[(i - count, k)] };
        let representatives = Mat::from_fn(weights.len(), failed.ncols(), row);
        Ok(FailureModel { representatives, weights, successes: count, ..against })
    }

    /// The model with the kernel, of length scales up to those given, of largest leave-one-out log predictive density.
    pub fn fitted(kernel: &Kernel, successes: MatRef<'_>, failures: MatRef<'_>) -> Result<Self> {
        let given = FailureModel::new(kernel, successes, failures)?;
        if given.is_certain() || successes.nrows() == 0 {
            return Ok(given);
        }
        FailureModel::new(&failure_kernel(kernel, successes, failures), successes, failures)
    }

    /// Whether v = 1 everywhere, as nothing failed.
    pub fn is_certain(&self) -> bool {
        self.weights.is_empty()
    }

    /// v at each row of x.
    pub fn at(&self, x: MatRef<'_>) -> Result<Vec<f64>> {
        if self.is_certain() {
            return Ok(vec![1.0; x.nrows()]);
        }
        self.check(x)?;
        let blocks: Vec<_> = x.par_row_chunks(BLOCK).map(|x| self.counts(x)).collect();
        Ok(blocks.concat().into_iter().map(NeighbourCounts::probability).collect())
    }

    /// v at each row of x, and its gradient there, [n, d].
    pub fn with_gradient(&self, x: MatRef<'_>) -> Result<(Vec<f64>, Mat)> {
        let mut gradient = Mat::zeros(x.nrows(), x.ncols());
        if self.is_certain() {
            return Ok((vec![1.0; x.nrows()], gradient));
        }
        self.check(x)?;
        let (counts, prior) = (self.counts(x), self.kernel.diagonal(x));
        let slopes = Mat::from_fn(x.nrows(), self.weights.len(), |i, j| {
            let by_sum = if j < self.successes { counts[i].slope_for() } else { counts[i].slope_against() };
            by_sum * self.weights[j] / prior[i]
        });
        self.kernel.add_input_gradient(x, self.representatives.as_ref(), slopes.as_ref(), gradient.as_mut());
        Ok((counts.into_iter().map(NeighbourCounts::probability).collect(), gradient))
    }

    fn check(&self, x: MatRef<'_>) -> Result<()> {
        check_length("each point of the failure model", x.ncols(), self.representatives.ncols())?;
        check_finite("a point of the failure model", x)
    }

    /// S and F at each row of x.
    fn counts(&self, x: MatRef<'_>) -> Vec<NeighbourCounts> {
        let mut counts = vec![NeighbourCounts { succeeded: 0.0, failed: 0.0 }; x.nrows()];
        let k = self.kernel.matrix(x, self.representatives.as_ref());
        for (j, weight) in self.weights.iter().enumerate() {
            for (count, k) in counts.iter_mut().zip(column(k.as_ref(), j)) {
                *if j < self.successes { &mut count.succeeded } else { &mut count.failed } += weight * k;
            }
        }
        for (count, prior) in counts.iter_mut().zip(self.kernel.diagonal(x)) {
            count.succeeded /= prior;
            count.failed /= prior;
        }
        counts
    }

    /// wᵢ of each success, while only failures are summed.
    fn parts_in_denominator(&self, successes: MatRef<'_>) -> Vec<f64> {
        // All of them fit: how much each matters is of no interest.
        if successes.nrows() <= REPRESENTATIVES {
            return vec![1.0; successes.nrows()];
        }
        let failures = self.representatives.as_ref();
        let prior = self.kernel.diagonal(failures);
        let blocks = || successes.par_row_chunks(BLOCK).map(|x| self.kernel.matrix(failures, x)); // [failures, block]
        let sums: Vec<Vec<f64>> = blocks().map(|k| row_sums(k.as_ref())).collect();
        let against = self.counts(failures);
        let denominator = |j: usize| 1.0 + sums.iter().map(|sums| sums[j]).sum::<f64>() / prior[j] + against[j].failed;
        let scale: Vec<f64> = (0..failures.nrows()).map(|j| 1.0 / (denominator(j) * prior[j])).collect();
        let part = |k: &[f64]| k.iter().zip(&scale).fold(0.0, |most: f64, (k, scale)| most.max(k * scale));
        let parts: Vec<Vec<f64>> =
            blocks().map(|k| (0..k.ncols()).map(|i| part(column(k.as_ref(), i))).collect()).collect();
        parts.concat()
    }
}

/// S and F at one point.
#[derive(Debug, Clone, Copy)]
struct NeighbourCounts {
    succeeded: f64,
    failed: f64,
}

impl NeighbourCounts {
    fn total(self) -> f64 {
        1.0 + self.succeeded + self.failed
    }

    /// r.
    fn rate(self) -> f64 {
        (1.0 + self.succeeded) / self.total()
    }

    /// e.
    fn majority(self) -> f64 {
        (1.0 - 2.0 * self.rate()).max(0.0)
    }

    /// exp(−min(F, 30) e²).
    fn decay(self) -> f64 {
        (-self.failed.min(MOST_FAILURES) * self.majority().powi(2)).exp()
    }

    fn probability(self) -> f64 {
        self.rate() * self.decay()
    }

    /// ∂v/∂r, with F as it is.
    fn slope_by_rate(self) -> f64 {
        self.decay() * (1.0 + 4.0 * self.rate() * self.failed.min(MOST_FAILURES) * self.majority())
    }

    /// ∂v/∂S.
    fn slope_for(self) -> f64 {
        self.slope_by_rate() * self.failed / self.total().powi(2)
    }

    /// ∂v/∂F.
    fn slope_against(self) -> f64 {
        let steeper = if self.failed < MOST_FAILURES { self.majority().powi(2) * self.probability() } else { 0.0 };
        -self.slope_by_rate() * (1.0 + self.succeeded) / self.total().powi(2) - steeper
    }
}

/// At most [`REPRESENTATIVES`] of the points, kept with probabilities in proportion to these parts, and how many points each
/// represents.
fn representatives(points: MatRef<'_>, parts: &[f64]) -> (Mat, Vec<f64>) {
    if points.nrows() <= REPRESENTATIVES {
        return (points.to_owned(), vec![1.0; points.nrows()]);
    }
    let (mut rows, mut weights, mut passed) = (Vec::new(), Vec::new(), 0.5);
    for (row, probability) in inclusion(parts, REPRESENTATIVES).into_iter().enumerate() {
        // Systematic: a point is kept when the running sum passes a whole number.
        let before = f64::floor(passed);
        passed += probability;
        if passed.floor() > before {
            rows.push(row);
            weights.push(1.0 / probability);
        }
    }
    (select_rows(points, &rows), weights)
}

/// min(1, c·part) with the c that makes them add up to `count`.
fn inclusion(parts: &[f64], count: usize) -> Vec<f64> {
    let mut factor = 0.0;
    // Each round fills up those whose probability would pass 1; the rest then have more to share.
    for _ in 0..64 {
        let open = parts.iter().filter(|&&part| part * factor < 1.0);
        let (sum, full) = (open.clone().sum::<f64>(), parts.len() - open.count());
        let next = (count as f64 - full as f64) / sum;
        if !(next > factor && next.is_finite()) {
            break;
        }
        factor = next;
    }
    parts.iter().map(|part| (part * factor).min(1.0)).collect()
}

/// Σⱼ kᵢⱼ of each row.
pub(super) fn row_sums(k: MatRef<'_>) -> Vec<f64> {
    let mut sums = vec![0.0; k.nrows()];
    (0..k.ncols()).for_each(|j| sums.iter_mut().zip(column(k, j)).for_each(|(sum, k)| *sum += k));
    sums
}

/// How a probability of success v changes an acquisition function u: it grows with both.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SuccessWeighting {
    /// u + log v, for logarithms of what a success is worth.
    Logarithm,
    /// b + (u − b)v above a baseline b and b + (u − b)/v below it.
    ///
    /// For paths b is the smallest posterior mean at the data, for information it is 0.
    Above {
        /// b.
        baseline: f64,
    },
}

impl SuccessWeighting {
    /// The weighted acquisition function.
    pub fn value(self, u: f64, v: f64) -> f64 {
        match self {
            SuccessWeighting::Logarithm => u + v.ln(),
            SuccessWeighting::Above { baseline } if u >= baseline => baseline + (u - baseline) * v,
            SuccessWeighting::Above { baseline } => baseline + (u - baseline) / v,
        }
    }

    /// Its slopes in u and v.
    fn slopes(self, u: f64, v: f64) -> (f64, f64) {
        match self {
            SuccessWeighting::Logarithm => (1.0, 1.0 / v),
            SuccessWeighting::Above { baseline } if u >= baseline => (v, u - baseline),
            SuccessWeighting::Above { baseline } => (1.0 / v, (baseline - u) / (v * v)),
        }
    }
}

/// An acquisition function that counts for less where evaluations fail.
#[derive(Debug, Clone, Copy)]
pub struct SuccessWeighted<'a, U: ?Sized> {
    /// The value of a success.
    pub acquisition: &'a U,
    /// The probability of success.
    pub failure_model: &'a FailureModel,
    /// How the two are combined.
    pub weighting: SuccessWeighting,
}

impl<U: BatchedObjective + ?Sized> BatchedObjective for SuccessWeighted<'_, U> {
    fn elements(&self) -> usize {
        self.acquisition.elements()
    }

    fn score(&self, pool: MatRef<'_>) -> Result<Mat> {
        let mut scores = self.acquisition.score(pool)?;
        if self.failure_model.is_certain() {
            return Ok(scores);
        }
        let success = self.failure_model.at(pool)?;
        scores.par_col_chunks_mut(1).for_each(|column| {
            let scores = column_mut(column, 0).iter_mut();
            scores.zip(&success).for_each(|(score, &success)| *score = self.weighting.value(*score, success));
        });
        Ok(scores)
    }

    fn value_gradient(&self, elements: &[usize], points: MatRef<'_>) -> Result<(Vec<f64>, Mat)> {
        let (mut values, mut gradient) = self.acquisition.value_gradient(elements, points)?;
        if self.failure_model.is_certain() {
            return Ok((values, gradient));
        }
        let (success, of_success) = self.failure_model.with_gradient(points)?;
        for (i, value) in values.iter_mut().enumerate() {
            let (by_utility, by_success) = self.weighting.slopes(*value, success[i]);
            for k in 0..points.ncols() {
                gradient[(i, k)] = by_utility * gradient[(i, k)] + by_success * of_success[(i, k)];
            }
            *value = self.weighting.value(*value, success[i]);
        }
        Ok((values, gradient))
    }

    fn value(&self, elements: &[usize], points: MatRef<'_>) -> Result<Vec<f64>> {
        let values = self.acquisition.value(elements, points)?;
        if self.failure_model.is_certain() {
            return Ok(values);
        }
        let (success, _) = self.failure_model.with_gradient(points)?;
        Ok(values.into_iter().zip(success).map(|(value, success)| self.weighting.value(value, success)).collect())
    }
}
