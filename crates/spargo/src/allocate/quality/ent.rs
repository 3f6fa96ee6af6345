//! Information that an observation carries about the maximum (the paper's appendix on ENT-DPP).
//!
//! ```text
//!     q_i = exp(c·α/(1−α)·IG_i),   IG_i the information of one noisy observation at i    (Ru et al. 2018; math::information)
//!     P(f* ≤ y) ≈ Π_i Φ((y − μ_i)/σ_i) ≈ exp(−exp(−(y − a)/b))                              (Wang & Jegelka 2017)
//! ```
//!
//! The printed c = 1/M makes q ≈ 1 and the method CVR in all but name; c = 1 gives every point its own full share.

use super::{highest, lowest};
use crate::data::PosteriorAtData;
use crate::error::{Error, Result};
use crate::math::information::about_maximum;
use crate::math::normal::log_cdf;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// The largest exponent of a quality that is not divided by a common factor.
const LARGEST_EXPONENT: f64 = 300.0;

/// Equally probable slices of the distribution of f*.
const SLICES: usize = 32;

/// Halvings of the bracket of a quantile.
const HALVINGS: usize = 60;

/// Settings of the information quality.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Entropy {
    /// α in [0, 1): 0 asks for information about f alone (CVR), 1 about its maximum alone.
    pub alpha: f64,
    /// c.
    pub share: Share,
}

/// The factor c in the exponent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Share {
    /// c = 1.
    #[default]
    Full,
    /// c = 1/M, as printed in the paper.
    PerPoint,
}

impl Default for Entropy {
    fn default() -> Self {
        Entropy { alpha: 0.5, share: Share::default() }
    }
}

impl Entropy {
    /// Refuses an α that is not in [0, 1).
    pub fn check(&self) -> Result<()> {
        if (0.0..1.0).contains(&self.alpha) {
            return Ok(());
        }
        Err(Error::Parameter { name: "alpha".into(), value: self.alpha, must: "in [0, 1)".into() })
    }

    /// The quality of each row when `m` of them are to be chosen.
    pub(super) fn exponential(self, posterior: &PosteriorAtData, m: usize) -> Result<Vec<f64>> {
        self.check()?;
        let share = match self.share {
            Share::Full => 1.0,
            Share::PerPoint => 1.0 / m.max(1) as f64,
        };
        let factor = share * self.alpha / (1.0 - self.alpha);
        let exponents: Vec<f64> = information(posterior).iter().map(|gain| factor * gain).collect();
        // A common factor changes no choice: it keeps the largest q finite when α is close to 1.
        let excess = (highest(&exponents) - LARGEST_EXPONENT).max(0.0);
        Ok(exponents.iter().map(|exponent| (exponent - excess).exp()).collect())
    }
}

/// IG_i.
fn information(posterior: &PosteriorAtData) -> Vec<f64> {
    let maxima = gumbel_quantiles(posterior);
    let rows = posterior.mean().par_iter().zip(posterior.variance()).zip(posterior.noise());
    rows.map(|((&mean, &variance), &noise)| about_maximum(mean, variance, noise, &maxima)).collect()
}

/// Samples of f* that need no random numbers: the midpoints of equally probable slices of the fitted distribution.
fn gumbel_quantiles(posterior: &PosteriorAtData) -> Vec<f64> {
    let [low, middle, high] = [0.25, 0.5, 0.75].map(|p| quantile(posterior, p));
    // log(−log P) = (a − y)/b at the quartiles gives b, at the median a.
    let log_log = |p: f64| (-p.ln()).ln();
    let b = (high - low) / (log_log(0.25) - log_log(0.75));
    let a = middle + b * log_log(0.5);
    (0..SLICES).map(|s| a - b * log_log((s as f64 + 0.5) / SLICES as f64)).collect()
}

/// y with Π_i Φ((y − μ_i)/σ_i) = p, by bisection.
fn quantile(posterior: &PosteriorAtData, p: f64) -> f64 {
    let deviations: Vec<f64> = posterior.variance().iter().map(|v| v.sqrt()).collect();
    // Below the largest mean P ≤ ½ᵏ is not yet excluded, so the bracket starts under every mean.
    let widest = highest(&deviations);
    let (mut low, mut high) = (lowest(posterior.mean()) - 8.0 * widest, highest(posterior.mean()) + 8.0 * widest);
    let log_probability = |y: f64| -> f64 {
        let rows = posterior.mean().iter().zip(&deviations);
        rows.map(|(mean, &deviation)| match deviation {
            0.0 if y >= *mean => 0.0,
            0.0 => f64::NEG_INFINITY,
            _ => log_cdf((y - mean) / deviation),
        })
        .sum()
    };
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if log_probability(middle) < p.ln() {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::normal::cdf;

    fn posterior() -> PosteriorAtData {
        let mean = vec![0.0, 0.4, 1.0, 1.2, -3.0];
        PosteriorAtData::new(mean.clone(), mean, vec![0.3, 0.1, 0.25, 0.02, 1.0], vec![0.1; 5]).unwrap()
    }

    #[test]
    fn quantiles_solve_their_equation_and_the_gumbel_passes_through_them() {
        let posterior = posterior();
        for p in [0.25, 0.5, 0.75] {
            let y = quantile(&posterior, p);
            let product: f64 =
                posterior.mean().iter().zip(posterior.variance()).map(|(m, v)| cdf((y - m) / v.sqrt())).product();
            assert!((product - p).abs() < 1e-12, "{p}: {product}");
        }
        let samples = gumbel_quantiles(&posterior);
        let below = |y: f64| samples.iter().filter(|&&s| s <= y).count();
        assert_eq!([0.25, 0.5, 0.75].map(|p| below(quantile(&posterior, p))), [8, 16, 24]);
    }

    #[test]
    fn the_printed_share_is_nearly_cvr() {
        let q = |share| Entropy { alpha: 0.5, share }.exponential(&posterior(), 250).unwrap();
        assert!(q(Share::PerPoint).iter().all(|q| (1.0..1.01).contains(q)));
        assert!(highest(&q(Share::Full)) > 1.2);
        let none = Entropy { alpha: 0.0, share: Share::Full }.exponential(&posterior(), 250).unwrap();
        assert_eq!(none, [1.0; 5]);
    }

    #[test]
    fn extremes_stay_finite() {
        let exact = PosteriorAtData::exact(vec![1.0, 2.0, 3.0]).unwrap();
        let greedy = Entropy { alpha: 0.999_999, share: Share::Full };
        assert_eq!(greedy.exponential(&exact, 2).unwrap(), [1.0; 3]);
        let noise_free = PosteriorAtData::new(vec![0.0; 2], vec![0.0, 1e6], vec![1.0, 1e-12], vec![0.0; 2]).unwrap();
        let q = greedy.exponential(&noise_free, 2).unwrap();
        assert!(q.iter().all(|q| q.is_finite() && *q >= 0.0), "{q:?}");
        for alpha in [1.0, -0.1, f64::NAN] {
            assert!(Entropy { alpha, share: Share::Full }.exponential(&exact, 2).is_err());
        }
    }
}
