//! What a yes or no at x tells about f, for batches that do not clump (BALD: Houlsby et al. 2011).
//!
//! ```text
//!     q(x) = h(Φ(z)) − C exp(−μ²/2s²)/s,      z = μ/√(σ² + 1),   s² = σ² + C²,   C = √(π ln 2/2),   in bits
//!     x_j  = argmax_x 2 log q(x) + log var_B(x)        (greedy for |q(x)c(x, x')q(x')|, x, x' ∈ B)
//! ```
//!
//! The answer is yes with probability Φ(f), h is the entropy of a yes or no, and f ~ N(μ, σ²). The second term of q stands
//! for E h(Φ(f)), with h(Φ(f)) ≈ exp(−f²/π ln 2): so q errs by up to 0.004, and where it ought to be nil it may be
//! negative. The best hundred of a smooth score are one clump; as the quality of a determinantal process over the
//! posterior covariance c, with the variance given the points already chosen, it spreads them.

use super::function::{AcquisitionFunction, Moments};
use crate::math::normal::{cdf, log_cdf, pdf};
use std::f64::consts::{LN_2, PI};

/// Far below the error of q, and of any variance: there is nothing to compare.
const NOTHING: f64 = 1e-10;

/// C².
const C2: f64 = PI * LN_2 / 2.0;

/// Rows of a table that are scored for every point, 100 MB per hundred points of the batch: the best by quality alone are one
/// clump.
const SHORTLIST_OF_DIVERSE: usize = 1 << 17;

/// The information of a yes or no about the latent f of a probit model, in diverse batches.
#[derive(Debug, Clone, PartialEq)]
pub struct Bald;

impl AcquisitionFunction for Bald {
    fn alone(&self, at: &[Moments]) -> f64 {
        log_quality(at[0].mean, at[0].variance)
    }

    fn given_pending(&self, at: &[Moments]) -> f64 {
        diversity(at[0].variance, at[0].conditional)
    }

    fn gradient(&self, at: &[Moments], out: &mut [Moments]) {
        let (mean, own) = log_quality_slopes(at[0].mean, at[0].variance);
        let (joint, conditional) = diversity_slopes(at[0].variance, at[0].conditional);
        out[0] = Moments { mean, variance: own + joint, conditional }.capped();
    }

    fn shortlist(&self) -> usize {
        SHORTLIST_OF_DIVERSE
    }
}

/// q(x), in bits, for a latent f with this mean and variance.
pub fn bald(mean: f64, variance: f64) -> f64 {
    let z = standardized(mean, variance);
    entropy(z) - expected_entropy(mean, variance)
}

/// ∂q/∂mean and ∂q/∂variance.
fn bald_slopes(mean: f64, variance: f64) -> (f64, f64) {
    let z = standardized(mean, variance);
    // dh/dp = log₂((1 − p)/p)
    let by_z = pdf(z) * (log_cdf(-z) - log_cdf(z)) / LN_2;
    let (mass, left) = (variance + 1.0, expected_entropy(mean, variance));
    let s2 = variance + C2;
    // Where exp(−m²/2) is nothing, so are its slopes, but m² may overflow.
    let m = (mean / s2.sqrt()).clamp(-1e3, 1e3);
    let by_mean = by_z / mass.sqrt() + left * m / s2.sqrt();
    (by_mean, -by_z * z / (2.0 * mass) - left * (m * m - 1.0) / (2.0 * s2))
}

/// 2 log q, where q is at least [`NOTHING`].
fn log_quality(mean: f64, variance: f64) -> f64 {
    2.0 * bald(mean, variance).max(NOTHING).ln()
}

/// The slopes of [`log_quality`].
fn log_quality_slopes(mean: f64, variance: f64) -> (f64, f64) {
    let q = bald(mean, variance);
    if q <= NOTHING {
        return (0.0, 0.0);
    }
    let (by_mean, by_variance) = bald_slopes(mean, variance);
    (2.0 * by_mean / q, 2.0 * by_variance / q)
}

/// log var_B; what is left of a variance by rounding counts as [`NOTHING`] of it.
fn diversity(variance: f64, conditional: f64) -> f64 {
    conditional.max(NOTHING * variance).max(f64::MIN_POSITIVE).ln()
}

/// The slopes of [`diversity`] in variance and conditional variance; they may be infinite.
fn diversity_slopes(variance: f64, conditional: f64) -> (f64, f64) {
    if conditional > NOTHING * variance {
        (0.0, 1.0 / conditional)
    } else if variance > f64::MIN_POSITIVE / NOTHING {
        (1.0 / variance, 0.0)
    } else {
        (0.0, 0.0)
    }
}

fn standardized(mean: f64, variance: f64) -> f64 {
    (mean / (variance + 1.0).sqrt()).clamp(-1e150, 1e150)
}

/// h(Φ(z)) in bits.
fn entropy(z: f64) -> f64 {
    let part = |z: f64| match cdf(z) {
        0.0 => 0.0,
        p => -p * log_cdf(z) / LN_2,
    };
    part(z) + part(-z)
}

fn expected_entropy(mean: f64, variance: f64) -> f64 {
    let s = (variance + C2).sqrt();
    (C2.sqrt() / s) * (-0.5 * (mean / s).powi(2)).exp()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::quadrature::GaussHermite;
    use serde_json::Value;

    #[test]
    fn golden() {
        let golden: Value = serde_json::from_str(include_str!("../../tests/golden/bald.json")).unwrap();
        let list =
            |key: &str| -> Vec<f64> { golden[key].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect() };
        let (means, variances, expected) = (list("mean"), list("var"), list("bald_houlsby_bits"));
        let exact = list("bald_exact_nats_quadrature");
        assert!(means.len() > 30);
        for i in 0..means.len() {
            let found = bald(means[i], variances[i]);
            assert!((found - expected[i]).abs() < 1e-14, "{} {}: {found}", means[i], variances[i]);
            assert!((found - exact[i] / LN_2).abs() < 4e-3, "{} {}: {found}", means[i], variances[i]);
        }
    }

    /// The information by its definition, with the approximate entropy under the expectation.
    #[test]
    fn the_closed_form_is_the_expectation() {
        let rule = GaussHermite::new(60);
        for (mean, variance) in [(0.0, 0.5), (1.3, 0.2), (-2.0, 1.5)] {
            let sd = f64::sqrt(variance);
            let p = rule.expectation(|xi| cdf(mean + sd * xi));
            let conditional = rule.expectation(|xi| (-(mean + sd * xi).powi(2) / (PI * LN_2)).exp());
            let naive = -p * p.log2() - (1.0 - p) * (1.0 - p).log2() - conditional;
            assert!((bald(mean, variance) - naive).abs() < 1e-9, "{mean} {variance}");
        }
    }

    #[test]
    fn slopes_agree_with_central_differences_also_in_the_tails() {
        for (mean, variance) in [(0.0, 0.7), (0.4, 0.01), (-1.5, 2.0), (4.0, 0.7), (-9.0, 3.0), (12.0, 50.0)] {
            let slope = |f: &dyn Fn(f64) -> f64| {
                let slope = |h: f64| (f(h) - f(-h)) / (2.0 * h);
                (4.0 * slope(5e-4) - slope(1e-3)) / 3.0
            };
            let expected = [slope(&|h| bald(mean + h, variance)), slope(&|h| bald(mean, variance + h))];
            let (by_mean, by_variance) = bald_slopes(mean, variance);
            for (found, expected) in [by_mean, by_variance].into_iter().zip(expected) {
                assert!((found - expected).abs() < 1e-9 * expected.abs().max(1e-3), "{mean} {variance}: {found}");
            }
        }
    }

    /// A quality so small that its logarithm would be taken of rounding counts as nothing, not as NaN.
    #[test]
    fn what_is_certain_has_no_quality() {
        assert!(bald(9.0, 0.5) < 0.0);
        assert_eq!(log_quality(9.0, 0.5), 2.0 * NOTHING.ln());
        assert_eq!(log_quality_slopes(9.0, 0.5), (0.0, 0.0));
        assert_eq!([bald(1e300, 1.0), bald(-f64::MAX, 0.0)], [0.0, 0.0]);
        assert_eq!(bald_slopes(-1e300, 1e-300), (0.0, 0.0));
        // The most that a yes or no can tell.
        assert!((bald(0.0, 1e300) - 1.0).abs() < 1e-15);
    }
}
