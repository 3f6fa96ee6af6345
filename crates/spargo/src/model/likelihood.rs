//! Likelihoods: how an outcome y arises from the latent f, and what the variational bound needs to know about it.
//!
//! With f ~ N(m, v) under q, one row contributes (Hensman, Matthews & Ghahramani 2015)
//!
//! ```text
//!     E(m, v) = E log p(y | f)
//!     Gaussian          −½ log 2πσ² − ½ ((y − m)² + v)/σ²
//!     Bernoulli         Σₖ wₖ log Φ(±(m + √v xₖ))                        20-point Gauss–Hermite, + for y = 1
//!     mislabelled       the same with ε + (1 − 2ε)Φ in place of Φ
//! ```
//!
//! Derivatives are those of the sum, not of the integral it stands for, so that a line search sees one function.

use super::posterior::Prediction;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::math::normal;
use crate::math::quadrature::GaussHermite;
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;
use std::sync::LazyLock;

/// p(y | f).
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Likelihood {
    /// y = f + noise; its variance is that of the hyperparameters, or the row's own where that is known.
    #[default]
    Gaussian,
    /// y ∈ {0, 1} with p(y = 1 | f) = Φ(f).
    Bernoulli,
    /// y ∈ {0, 1}, and a share of the labels is wrong: p(y = 1 | f) = ε + (1 − 2ε)Φ(f).
    Mislabelled {
        /// ε, from 0 to ½.
        rate: f64,
    },
}

/// E log p(y | f) over f ~ N(m, v), with its derivatives.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Expectation {
    /// The expectation.
    pub value: f64,
    /// ∂/∂m.
    pub by_mean: f64,
    /// ∂/∂v.
    pub by_variance: f64,
    /// ∂/∂log σ²; 0 for likelihoods without noise.
    pub by_log_noise: f64,
}

impl Likelihood {
    /// Refuses outcomes this likelihood cannot have produced.
    pub fn check(&self, data: &Dataset) -> Result<()> {
        let Some(rate) = self.flip_rate() else { return Ok(()) };
        if !(0.0..0.5).contains(&rate) {
            let must = "at least 0 and less than ½".into();
            return Err(Error::Parameter { name: "the rate of wrong labels".into(), value: rate, must });
        }
        match data.y().iter().position(|&y| y != 0.0 && y != 1.0) {
            Some(row) => {
                let must = "0 or 1 for a Bernoulli likelihood".into();
                Err(Error::Parameter { name: format!("the outcome of row {row}"), value: data.y()[row], must })
            }
            None => Ok(()),
        }
    }

    /// Whether one natural gradient step of length 1 is exact.
    pub fn is_conjugate(&self) -> bool {
        matches!(self, Likelihood::Gaussian)
    }

    /// Whether σ² is a parameter of it.
    pub fn has_noise(&self) -> bool {
        matches!(self, Likelihood::Gaussian)
    }

    /// E log p(y | f) over f ~ N(mean, variance).
    pub fn expectation(&self, y: f64, noise: f64, mean: f64, variance: f64) -> Expectation {
        match self.flip_rate() {
            None => gaussian(y, noise, mean, variance),
            Some(rate) => bernoulli(y, rate, mean, variance),
        }
    }

    /// Means and variances of y, given those of f; the mean of a label is its probability of being 1.
    ///
    /// `noise` is σ² where the likelihood has one.
    pub fn predict(&self, f: &Prediction, noise: f64) -> Prediction {
        let Some(rate) = self.flip_rate() else {
            return Prediction { mean: f.mean.clone(), variance: f.variance.iter().map(|v| v + noise).collect() };
        };
        // E Φ(f) = Φ(m/√(1 + v))
        let probability = |(m, v): (&f64, &f64)| rate + (1.0 - 2.0 * rate) * normal::cdf(m / (1.0 + v).sqrt());
        let mean: Vec<f64> = f.mean.iter().zip(&f.variance).map(probability).collect();
        let variance = mean.iter().map(|p| p * (1.0 - p)).collect();
        Prediction { mean, variance }
    }

    /// ε, for likelihoods of labels.
    fn flip_rate(&self) -> Option<f64> {
        match *self {
            Likelihood::Gaussian => None,
            Likelihood::Bernoulli => Some(0.0),
            Likelihood::Mislabelled { rate } => Some(rate),
        }
    }
}

/// Twenty nodes are exact to 1e-3 nats where Φ is steep against q and far better elsewhere.
static QUADRATURE: LazyLock<GaussHermite> = LazyLock::new(|| GaussHermite::new(20));

/// Below this variance a difference of slopes would cancel, and curvatures are summed instead.
const SMALL_VARIANCE: f64 = 1e-6;

fn gaussian(y: f64, noise: f64, mean: f64, variance: f64) -> Expectation {
    let r = y - mean;
    let misfit = 0.5 * (r * r + variance) / noise;
    Expectation {
        value: -0.5 * (2.0 * PI * noise).ln() - misfit,
        by_mean: r / noise,
        by_variance: -0.5 / noise,
        by_log_noise: misfit - 0.5,
    }
}

fn bernoulli(y: f64, rate: f64, mean: f64, variance: f64) -> Expectation {
    let sign = if y > 0.5 { 1.0 } else { -1.0 };
    // Rounding may leave a variance just below 0.
    let deviation = variance.max(0.0).sqrt();
    let mut total = Expectation::default();
    for (&x, &w) in QUADRATURE.nodes.iter().zip(&QUADRATURE.weights) {
        let t = sign * (mean + deviation * x);
        let (log, slope) = log_link(t, rate);
        total.value += w * log;
        total.by_mean += w * sign * slope;
        // ∂√v/∂v = ½/√v, or in the limit (Price's theorem) ½ E ℓ″
        let by_variance =
            if variance > SMALL_VARIANCE { sign * slope * x / deviation } else { curvature(t, slope, rate) };
        total.by_variance += 0.5 * w * by_variance;
    }
    total
}

/// ℓ(t) = log(ε + (1 − 2ε)Φ(t)) and ℓ′(t).
fn log_link(t: f64, rate: f64) -> (f64, f64) {
    if rate > 0.0 {
        let p = rate + (1.0 - 2.0 * rate) * normal::cdf(t);
        return (p.ln(), (1.0 - 2.0 * rate) * normal::pdf(t) / p);
    }
    let slope = normal::pdf_over_cdf(t);
    // log Φ = log φ − log(φ/Φ): the ratio is the costly part in the lower tail, and in the upper one it cancels.
    let log = if t < 0.0 { -0.5 * (t * t + (2.0 * PI).ln()) - slope.ln() } else { normal::log_cdf(t) };
    (log, slope)
}

/// ℓ″(t).
fn curvature(t: f64, slope: f64, rate: f64) -> f64 {
    if rate > 0.0 { -slope * (t + slope) } else { normal::truncated_variance(t) - 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Mat;

    const ALL: [Likelihood; 3] = [Likelihood::Gaussian, Likelihood::Bernoulli, Likelihood::Mislabelled { rate: 1e-3 }];

    #[test]
    fn derivatives_hold_against_central_differences() {
        for likelihood in ALL {
            for y in [0.0, 1.0] {
                for (m, v) in [(0.3, 0.8), (-4.0, 2.5), (7.0, 0.01), (-30.0, 9.0), (0.2, 1e-5)] {
                    let value = |m: f64, v: f64, t: f64| likelihood.expectation(y, t.exp(), m, v).value;
                    let t = 0.4f64.ln();
                    let found = likelihood.expectation(y, 0.4, m, v);
                    let h = 1e-5;
                    let by_mean = (value(m + h, v, t) - value(m - h, v, t)) / (2.0 * h);
                    let hv = 1e-3 * v;
                    let by_variance = (value(m, v + hv, t) - value(m, v - hv, t)) / (2.0 * hv);
                    let by_log_noise = (value(m, v, t + h) - value(m, v, t - h)) / (2.0 * h);
                    let scale = 1.0 + found.value.abs();
                    assert!((found.by_mean - by_mean).abs() < 1e-8 * scale, "{likelihood:?} {m} {v}");
                    // The value is rounded at 1e-16, so a step of hv leaves 1e-16/hv.
                    let tolerance = 2e-6 * found.by_variance.abs() + 4e-16 * scale / hv;
                    assert!((found.by_variance - by_variance).abs() < tolerance, "{likelihood:?} {m} {v}");
                    assert!((found.by_log_noise - by_log_noise).abs() < 1e-8 * scale, "{likelihood:?} {m} {v}");
                }
            }
        }
    }

    #[test]
    fn the_limit_of_no_variance_is_continuous() {
        for likelihood in ALL {
            for m in [-3.0, 0.0, 0.7] {
                let below = likelihood.expectation(1.0, 0.4, m, SMALL_VARIANCE);
                let above = likelihood.expectation(1.0, 0.4, m, SMALL_VARIANCE * (1.0 + 1e-9));
                assert!((below.by_variance / above.by_variance - 1.0).abs() < 1e-8, "{likelihood:?} {m}");
                let none = likelihood.expectation(1.0, 0.4, m, 0.0);
                assert!(none.value.is_finite() && (none.by_variance / below.by_variance - 1.0).abs() < 1e-4);
            }
        }
    }

    #[test]
    fn the_predictive_probability_is_the_integral_of_the_link() {
        let rule = GaussHermite::new(60);
        for likelihood in [Likelihood::Bernoulli, Likelihood::Mislabelled { rate: 0.1 }] {
            let f = Prediction { mean: vec![0.4, -1.3], variance: vec![0.5, 1.2] };
            let found = likelihood.predict(&f, 0.0);
            for i in 0..2 {
                let density = |y: f64| {
                    rule.expectation(|x| {
                        let at = f.mean[i] + f.variance[i].sqrt() * x;
                        likelihood.expectation(y, 0.0, at, 0.0).value.exp()
                    })
                };
                assert!((density(1.0) + density(0.0) - 1.0).abs() < 1e-12);
                assert!((found.mean[i] - density(1.0)).abs() < 1e-9, "{} {}", found.mean[i], density(1.0));
                assert!((found.variance[i] - density(1.0) * density(0.0)).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn labels_other_than_0_and_1_are_refused() {
        let data = |y: f64| Dataset::new(Mat::zeros(2, 1), vec![1.0, y]).unwrap();
        for likelihood in &ALL[1..] {
            let refused = likelihood.check(&data(-1.0));
            assert!(matches!(refused, Err(Error::Parameter { name, value: -1.0, .. }) if name.contains("row 1")));
            assert!(likelihood.check(&data(0.0)).is_ok());
        }
        assert!(Likelihood::Gaussian.check(&data(-1.0)).is_ok());
        assert!(Likelihood::Mislabelled { rate: 0.5 }.check(&data(0.0)).is_err());
    }

    #[test]
    fn names_are_the_words_of_the_settings() {
        for (likelihood, text) in
            ALL.iter().zip(["\"gaussian\"", "\"bernoulli\"", "{\"mislabelled\":{\"rate\":0.001}}"])
        {
            assert_eq!(serde_json::to_string(likelihood).unwrap(), text);
            assert_eq!(serde_json::from_str::<Likelihood>(text).unwrap(), *likelihood);
        }
    }
}
