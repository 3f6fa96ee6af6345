//! Information that one noisy observation carries about the maximum of f (Ru et al. 2018; Moss et al. 2021).
//!
//! ```text
//!     α = −1/(2|M|) Σ_m log(1 − ρ² r(γ_m)(γ_m + r(γ_m))),   γ_m = (f*_m − μ)/σ,   r = φ/Φ,   ρ² = σ²/(σ² + σ_n²)
//! ```
//!
//! 1 − r(γ + r) is the variance of a truncated normal, v(γ), so the logarithm's argument is T = (1 − ρ²) + ρ² v(γ), which
//! does not cancel. Its slopes are
//!
//! ```text
//!     ∂T/∂μ = −ρ² v'(γ)/σ,        ∂T/∂σ² = (1 − ρ²)(v − 1)/(σ² + σ_n²) − ρ² v'(γ) γ/2σ²
//! ```

use super::normal::{truncated_variance, truncated_variance_slope};

/// α for f ~ N(mean, variance), observed with this noise variance, given samples of the maximum.
pub fn about_maximum(mean: f64, variance: f64, noise: f64, maxima: &[f64]) -> f64 {
    // What is known exactly tells nothing, noise or not.
    if variance < f64::MIN_POSITIVE {
        return 0.0;
    }
    let logs = maxima.iter().map(|best| Left::new(best - mean, variance, noise).total.ln());
    (-0.5 * logs.sum::<f64>() / maxima.len() as f64).max(0.0)
}

/// ∂α/∂mean and ∂α/∂variance.
pub fn about_maximum_slopes(mean: f64, variance: f64, noise: f64, maxima: &[f64]) -> (f64, f64) {
    if variance < f64::MIN_POSITIVE {
        return (0.0, 0.0);
    }
    let share = -0.5 / maxima.len() as f64;
    let (mut by_mean, mut by_variance) = (0.0, 0.0);
    for best in maxima {
        let Left { gamma, variance: v, signal, rest, total } = Left::new(best - mean, variance, noise);
        let steep = signal * truncated_variance_slope(gamma) / total;
        by_mean -= share * steep / variance.sqrt();
        by_variance += share * (rest / total * (v - 1.0) / (variance + noise) - steep * gamma / variance / 2.0);
    }
    (by_mean, by_variance)
}

/// What one sample of the maximum leaves uncertain, relative to the predictive variance.
struct Left {
    /// γ.
    gamma: f64,
    /// v(γ).
    variance: f64,
    /// ρ².
    signal: f64,
    /// 1 − ρ².
    rest: f64,
    /// T.
    total: f64,
}

impl Left {
    fn new(above: f64, variance: f64, noise: f64) -> Self {
        // Beyond this γ² would overflow, and 0·∞ in the slopes.
        let gamma = (above / variance.sqrt()).clamp(-1e150, 1e150);
        let (signal, rest) = (variance / (variance + noise), noise / (variance + noise));
        let left = truncated_variance(gamma);
        Left { gamma, variance: left, signal, rest, total: rest + signal * left.max(f64::MIN_POSITIVE) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::normal::{cdf, pdf};

    const MAXIMA: [f64; 3] = [1.1, 1.6, 2.5];

    #[test]
    fn it_is_the_printed_formula() {
        for (mean, variance, noise) in [(0.0, 0.3, 0.1), (1.0, 0.25, 0.1), (1.2, 0.02, 0.0), (-3.0, 1.0, 2.0)] {
            let naive = MAXIMA.iter().map(|best| {
                let gamma = (best - mean) / f64::sqrt(variance);
                let r = pdf(gamma) / cdf(gamma);
                -0.5 * (1.0 - variance / (variance + noise) * r * (gamma + r)).ln()
            });
            let (found, expected) = (about_maximum(mean, variance, noise, &MAXIMA), naive.sum::<f64>() / 3.0);
            assert!((found - expected).abs() < 1e-13, "{mean}: {found} {expected}");
        }
    }

    #[test]
    fn slopes_agree_with_central_differences() {
        for (mean, variance, noise) in [(0.0, 0.3, 0.1), (1.9, 0.25, 0.0), (8.0, 0.02, 1e-3), (-3.0, 1.0, 2.0)] {
            let slope = |f: &dyn Fn(f64) -> f64, h: f64| (f(h) - f(-h)) / (2.0 * h);
            let by_mean = slope(&|h| about_maximum(mean + h, variance, noise, &MAXIMA), 1e-5);
            let by_variance = slope(&|h| about_maximum(mean, variance + h, noise, &MAXIMA), 1e-5 * variance);
            let found = about_maximum_slopes(mean, variance, noise, &MAXIMA);
            assert!((found.0 - by_mean).abs() < 1e-8 * by_mean.abs().max(1e-2), "{mean}: {} {by_mean}", found.0);
            assert!(
                (found.1 - by_variance).abs() < 1e-8 * by_variance.abs().max(1e-2),
                "{mean}: {} {by_variance}",
                found.1
            );
        }
    }

    #[test]
    fn extremes_stay_finite() {
        let numbers = [0.0, 1e-320, 1e-300, 1e-30, 1.0, 1e30, 1e200];
        for (variance, noise) in numbers.iter().flat_map(|&v| numbers.map(|n| (v, n))) {
            for above in [-1e300, -1e9, -1.0, 0.0, 1.0, 1e9, 1e300] {
                let found = about_maximum(-above, variance, noise, &[0.0, above]);
                assert!((0.0..1e3).contains(&found), "{above} {variance} {noise}: {found}");
                let (by_mean, by_variance) = about_maximum_slopes(-above, variance, noise, &[0.0, above]);
                assert!(!by_mean.is_nan() && !by_variance.is_nan(), "{above} {variance} {noise}");
            }
        }
        assert_eq!(about_maximum(3.0, 0.0, 0.1, &MAXIMA), 0.0);
    }
}
