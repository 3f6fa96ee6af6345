//! The expected hypervolume improvement with pending points penalised in objective space (HIPPO: Paleyes et al. 2022).
//!
//! ```text
//!     log α(x) + Σ_i log[(2/π) atan d_i(x)],        d_i(x)² = Σ_k ((μ_k(x) − μ_k(p_i))/σ_k(p_i))²
//! ```
//!
//! The sum is over pending points p_i, and the deviations are those there; α is [`Ehvi`](super::Ehvi), times the
//! probability of being feasible. At a pending point the logarithm is −∞; here it is −700.

use super::function::{AcquisitionFunction, Moments};
use super::log_ehvi::improvement;
use super::{Context, Ehvi};
use crate::error::Result;
use crate::linalg::MatRef;
use std::f64::consts::FRAC_PI_2;

/// The penalty at a pending point itself: about e^−700.
const LEAST: f64 = 1e-304;

/// log EHVI plus the penalties of pending points, for large batches.
#[derive(Debug, Clone, PartialEq)]
pub struct Hippo {
    improvement: Ehvi,
    penalties: Vec<Penalty>,
}

impl Hippo {
    /// The improvement on the front of the observed points, of which at least one must be feasible.
    pub fn of(context: &Context<'_>) -> Result<Self> {
        let ranges: Vec<f64> = context.pareto.scales.iter().map(|scale| scale.range).collect();
        Ok(Hippo { improvement: improvement(&context.pareto.front(), &ranges)?, penalties: Vec::new() })
    }

    fn means(&self, at: &[Moments]) -> Vec<f64> {
        at[..self.improvement.objectives()].iter().map(|at| at.mean).collect()
    }
}

impl AcquisitionFunction for Hippo {
    fn alone(&self, at: &[Moments]) -> f64 {
        self.improvement.value(at)
    }

    fn given_pending(&self, at: &[Moments]) -> f64 {
        self.penalties.iter().map(|penalty| penalty.value(&self.means(at))).sum()
    }

    fn given_one_more(&self, before: f64, at: &[Moments]) -> f64 {
        before + self.penalties.last().map_or(0.0, |penalty| penalty.value(&self.means(at)))
    }

    fn gradient(&self, at: &[Moments], out: &mut [Moments]) {
        self.improvement.gradient(at, out);
        let means = self.means(at);
        for penalty in &self.penalties {
            for (out, mean) in out.iter_mut().zip(penalty.slopes(&means)) {
                out.mean += Moments { mean, ..Moments::default() }.capped().mean;
            }
        }
    }

    fn fantasises(&self) -> bool {
        false
    }

    fn add_pending(&mut self, context: &Context<'_>, points: MatRef<'_>) -> Result<()> {
        if points.nrows() == 0 {
            return Ok(());
        }
        let objectives = context.objectives.iter().map(|objective| objective.posterior.predict(points));
        let at = objectives.collect::<Result<Vec<_>>>()?;
        let penalty = |row: usize| Penalty {
            means: at.iter().map(|at| at.mean[row]).collect(),
            deviations: at.iter().map(|at| at.variance[row].sqrt()).collect(),
        };
        self.penalties.extend((0..points.nrows()).map(penalty));
        Ok(())
    }
}

/// Mean and standard deviation of the objectives at a pending point.
#[derive(Debug, Clone, PartialEq)]
struct Penalty {
    /// μ_k(p).
    means: Vec<f64>,
    /// σ_k(p).
    deviations: Vec<f64>,
}

impl Penalty {
    /// log[(2/π) atan d] for a point with these means.
    fn value(&self, means: &[f64]) -> f64 {
        (self.distance(means).atan() / FRAC_PI_2).max(LEAST).ln()
    }

    /// Its slopes in the means; they may be infinite.
    fn slopes(&self, means: &[f64]) -> Vec<f64> {
        let distance = self.distance(means);
        let steep = 1.0 / ((1.0 + distance * distance) * distance.atan());
        let slope = |k: usize| match self.offset(k, means[k]) {
            // Straight above a pending point no direction is better than another.
            0.0 => 0.0,
            offset => steep * (offset / distance) / self.deviations[k].max(f64::MIN_POSITIVE),
        };
        (0..means.len()).map(slope).collect()
    }

    fn offset(&self, k: usize, mean: f64) -> f64 {
        let offset = mean - self.means[k];
        // What is known exactly and is not the same is far away, but its square must not overflow.
        if offset == 0.0 { 0.0 } else { (offset / self.deviations[k]).clamp(-1e150, 1e150) }
    }

    fn distance(&self, means: &[f64]) -> f64 {
        let offsets = means.iter().enumerate().map(|(k, &mean)| self.offset(k, mean));
        offsets.fold(0.0, f64::hypot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn golden() {
        let golden: Value = serde_json::from_str(include_str!("../../tests/golden/hippo.json")).unwrap();
        let list =
            |value: &Value| -> Vec<f64> { value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect() };
        let rows = |key: &str| -> Vec<Vec<f64>> { golden[key].as_array().unwrap().iter().map(list).collect() };
        let (means, variances) = (rows("mean"), rows("var"));
        let pending: Vec<usize> = list(&golden["pending_indices"]).into_iter().map(|i| i as usize).collect();
        let penalties: Vec<Penalty> = pending
            .iter()
            .map(|&i| Penalty { means: means[i].clone(), deviations: variances[i].iter().map(|v| v.sqrt()).collect() })
            .collect();
        for (mean, expected) in means.iter().zip(list(&golden["penalty"])) {
            let found = penalties.iter().map(|penalty| penalty.value(mean)).sum::<f64>().exp();
            assert!((found - expected).abs() < 1e-8 * expected.max(1e-8), "{mean:?}: {found} {expected}");
        }
    }

    #[test]
    fn slopes_agree_with_central_differences_and_stay_numbers() {
        let penalty = Penalty { means: vec![0.4, -1.0], deviations: vec![0.3, 0.02] };
        for means in [[0.5, -1.0], [0.4, -0.9], [3.0, 7.0], [0.41, -1.001]] {
            let found = penalty.slopes(&means);
            for k in 0..2 {
                let value = |h: f64| {
                    let mut moved = means;
                    moved[k] += h;
                    penalty.value(&moved)
                };
                let slope = |h: f64| (value(h) - value(-h)) / (2.0 * h);
                let expected = (4.0 * slope(5e-6) - slope(1e-5)) / 3.0;
                assert!(
                    (found[k] - expected).abs() < 1e-5 * expected.abs().max(1e-3),
                    "{means:?}: {found:?} {expected}"
                );
            }
        }
        for (deviation, mean) in
            [0.0, 1e-300, 1.0, 1e300].iter().flat_map(|&d| [-1e300, 0.0, 1e-300, 1.0].map(|m| (d, m)))
        {
            let penalty = Penalty { means: vec![0.0, 0.0], deviations: vec![deviation, 1.0] };
            let value = penalty.value(&[mean, 0.0]);
            assert!(value.is_finite() && value <= 0.0);
            assert!(penalty.slopes(&[mean, 0.0]).iter().all(|slope| !slope.is_nan()), "{deviation} {mean}");
        }
    }
}
