//! Expected improvement over a baseline that most points clear (the paper's equation for q_IMP).
//!
//! ```text
//!     ReLU       E max(f − f̂, 0)          = σ h((μ − f̂)/σ),   h(z) = φ(z) + zΦ(z)
//!     softplus   s E log(1 + exp((f − f̂)/s)),   s the standard deviation of the posterior means
//! ```
//!
//! f̂ is the least, mean or largest posterior mean at the data. The largest is the baseline of the acquisition function
//! EI, kept as the ablation that must fail: it cannot tell the points apart.

use super::{highest, lowest, moments};
use crate::data::PosteriorAtData;
use crate::math::normal::{expected_positive_part, pdf};
use serde::{Deserialize, Serialize};

/// Step of the trapezoidal rule.
const STEP: f64 = 0.25;

/// Baseline and link of the expected improvement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Improvement {
    /// f̂.
    pub baseline: Baseline,
    /// What is averaged.
    pub link: Link,
}

/// Which posterior mean at the data the improvement is measured from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Baseline {
    /// The least.
    #[default]
    Min,
    /// Their mean.
    Mean,
    /// The largest.
    Max,
}

/// The increasing function of f − f̂ whose expectation is the quality.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Link {
    /// max(·, 0).
    #[default]
    Relu,
    /// s log(1 + exp(·/s)).
    Softplus,
}

impl Improvement {
    /// E link(f − f̂) at each row.
    pub(super) fn expected(self, posterior: &PosteriorAtData) -> Vec<f64> {
        let (average, spread) = moments(posterior.mean());
        let baseline = match self.baseline {
            Baseline::Min => lowest(posterior.mean()),
            Baseline::Mean => average,
            Baseline::Max => highest(posterior.mean()),
        };
        let rows = posterior.mean().iter().zip(posterior.variance());
        let points = rows.map(|(mean, variance)| (mean - baseline, variance.sqrt()));
        match self.link {
            // Without a spread of the means there is no unit in which to soften.
            Link::Softplus if spread > f64::MIN_POSITIVE / f64::EPSILON => {
                points.map(|(gain, deviation)| spread * expected_softplus(gain / spread, deviation / spread)).collect()
            }
            _ => points.map(|(gain, deviation)| expected_positive_part(gain, deviation)).collect(),
        }
    }
}

/// E log(1 + exp(g)) of g ~ N(mean, deviation²) by the trapezoidal rule, which converges geometrically here.
///
/// The step suits functions whose features are at least 1 wide. So a narrow Gaussian is integrated over itself, and for a
/// wide one softplus is written as max(·, 0) averaged over logistic noise, whose density is what is then integrated over:
/// from below the mean, for far in the tail the product of the two has its mass there.
fn expected_softplus(mean: f64, deviation: f64) -> f64 {
    if deviation <= 1.0 {
        trapezoid(-10.0, 10.0, |xi| softplus(mean + deviation * xi) * pdf(xi))
    } else {
        // The logistic density is 0 in floating point beyond −746.
        let low = (mean.min(0.0) - 40.0).max(-800.0);
        trapezoid(low, 40.0, |u| expected_positive_part(mean - u, deviation) * logistic_pdf(u))
    }
}

fn trapezoid(low: f64, high: f64, f: impl Fn(f64) -> f64) -> f64 {
    let nodes = |end: f64| (end / STEP) as i32;
    STEP * (nodes(low)..=nodes(high)).map(|i| f(f64::from(i) * STEP)).sum::<f64>()
}

fn softplus(t: f64) -> f64 {
    t.max(0.0) + (-t.abs()).exp().ln_1p()
}

fn logistic_pdf(u: f64) -> f64 {
    let e = (-u.abs()).exp();
    e / (1.0 + e).powi(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expected_softplus_agrees_with_a_fine_sum() {
        for mean in [-200.0, -60.0, -45.0, -9.0, -2.0, 0.0, 0.7, 5.0, 60.0] {
            for deviation in [0.0, 0.1, 0.99, 1.0, 1.01, 3.0, 25.0] {
                let (steps, width) = (400_000, 24.0);
                let fine: f64 = (0..=steps)
                    .map(|i| {
                        let xi = width * (i as f64 / steps as f64 - 0.5);
                        softplus(mean + deviation * xi) * pdf(xi)
                    })
                    .sum::<f64>()
                    * width
                    / steps as f64;
                let found = expected_softplus(mean, deviation);
                assert!((found / fine - 1.0).abs() < 1e-12, "{mean} {deviation}: {found} {fine}");
            }
        }
    }
}
