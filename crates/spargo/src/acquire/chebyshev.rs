//! Chebyshev-scalarised Thompson sampling: each batch element has random weights of its own (Paria et al. 2020).
//!
//! ```text
//!     x_j = argmax_x min_k λ_jk (f_jk(x) − r_k)/s_k,      f_jk ~ p(f_k | D),   λ_j uniform on the simplex
//! ```
//!
//! The reference r_k is the worst that is known and s_k the range, so 0 is the worst known. With one objective it is
//! Thompson sampling.

use crate::error::{Error, Result};
use crate::linalg::{Mat, MatRef, column, column_mut};
use crate::model::Posterior;
use crate::optim::BatchedObjective;
use crate::rng::{Purpose, StepRng, uniform};
use crate::sample::{Paths, SamplingOptions};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use std::ops::Range;

/// Where an objective begins to count, and its unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// r.
    pub reference: f64,
    /// s, positive.
    pub range: f64,
}

/// One element for each point of a batch.
#[derive(Debug, Clone)]
pub struct Chebyshev {
    /// One path per element, for each objective.
    paths: Vec<Paths>,
    scales: Vec<Scale>,
    /// λ, for each element.
    weights: Vec<Vec<f64>>,
}

impl Scale {
    /// From the worst of these values to the best; 1 if they are all the same.
    pub fn of(values: &[f64]) -> Self {
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        match high - low {
            range if range > 0.0 && range.is_finite() => Scale { reference: low, range },
            _ => Scale { reference: if low.is_finite() { low } else { 0.0 }, range: 1.0 },
        }
    }
}

impl Chebyshev {
    /// Draws weights and paths of the elements with these numbers.
    pub fn draw(
        objectives: &[(&Posterior, Scale)],
        numbers: Range<usize>,
        sampling: &SamplingOptions,
        rng: StepRng,
    ) -> Result<Self> {
        if objectives.is_empty() {
            return Err(Error::Empty { what: "the list of objectives".into() });
        }
        let draw = |(output, (posterior, _)): (usize, &(&Posterior, Scale))| {
            Paths::draw(posterior, numbers_of(output, &numbers), sampling, rng)
        };
        let paths = objectives.iter().enumerate().map(draw).collect::<Result<Vec<_>>>()?;
        let scales = objectives.iter().map(|(_, scale)| *scale).collect();
        let weights = |number: usize| simplex(objectives.len(), &mut rng.stream(Purpose::Weights, number as u64));
        Ok(Chebyshev { paths, scales, weights: numbers.map(weights).collect() })
    }

    /// λ_j, which adds up to 1.
    pub fn weights(&self, element: usize) -> &[f64] {
        &self.weights[element]
    }

    /// f_jk of every element.
    pub fn paths(&self, objective: usize) -> &Paths {
        &self.paths[objective]
    }

    fn factor(&self, element: usize, objective: usize) -> f64 {
        self.weights[element][objective] / self.scales[objective].range
    }
}

impl BatchedObjective for Chebyshev {
    fn elements(&self) -> usize {
        self.weights.len()
    }

    fn score(&self, pool: MatRef<'_>) -> Result<Mat> {
        let mut least = Mat::from_fn(pool.nrows(), self.elements(), |_, _| f64::INFINITY);
        for (objective, paths) in self.paths.iter().enumerate() {
            let values = paths.values(pool)?;
            let columns = least.par_col_chunks_mut(1).zip(values.par_col_chunks(1)).enumerate();
            columns.for_each(|(element, (least, values))| {
                let (factor, reference) = (self.factor(element, objective), self.scales[objective].reference);
                let pairs = column_mut(least, 0).iter_mut().zip(column(values, 0));
                pairs.for_each(|(least, value)| *least = least.min(factor * (value - reference)));
            });
        }
        Ok(least)
    }

    /// The gradient of the objective that is least.
    fn value_gradient(&self, elements: &[usize], points: MatRef<'_>) -> Result<(Vec<f64>, Mat)> {
        let mut least = vec![f64::INFINITY; points.nrows()];
        let mut gradient = Mat::zeros(points.nrows(), points.ncols());
        for (objective, paths) in self.paths.iter().enumerate() {
            let (values, slopes) = paths.value_gradient(elements, points)?;
            for (i, value) in values.into_iter().enumerate() {
                let factor = self.factor(elements[i], objective);
                let value = factor * (value - self.scales[objective].reference);
                if value < least[i] {
                    least[i] = value;
                    (0..points.ncols()).for_each(|k| gradient[(i, k)] = factor * slopes[(i, k)]);
                }
            }
        }
        Ok((least, gradient))
    }
}

/// Numbers of paths that no other output has: outputs are independent, and so must be their draws.
pub(super) fn numbers_of(output: usize, numbers: &Range<usize>) -> Range<usize> {
    let first = output << 40;
    first + numbers.start..first + numbers.end
}

/// Uniform on the simplex: exponential variables in units of their sum.
pub fn simplex(count: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
    // 1 − u is never 0.
    let parts: Vec<f64> = (0..count).map(|_| -(1.0 - uniform(rng)).ln() + f64::MIN_POSITIVE).collect();
    let sum: f64 = parts.iter().sum();
    parts.into_iter().map(|part| part / sum).collect()
}
