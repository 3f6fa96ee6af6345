//! Likelihoods: how an outcome y arises from the latent f, and what the variational bound needs to know about it.
//!
//! A family is one file that implements `ObservationModel`, and one arm of [`Likelihood`]'s dispatch. With f ~ N(m, v) under q, one row contributes (Hensman, Matthews & Ghahramani 2015)
//!
//! ```text
//!     E(m, v) = E log p(y | f)
//!     Gaussian          −½ log 2πσ² − ½ ((y − m)² + v)/σ²
//!     Bernoulli         Σₖ wₖ log Φ(±(m + √v xₖ))                        20-point Gauss–Hermite, + for y = 1
//!     mislabelled       Σₖ wₖ log(ε + (1 − 2ε)Φ(±(m + √v xₖ)))
//! ```
//!
//! Derivatives are those of the sum, not of the integral it stands for, so that a line search sees one function.

mod bernoulli;
mod gaussian;

use super::posterior::Prediction;
use crate::data::Dataset;
use crate::error::Result;
use bernoulli::Bernoulli;
use gaussian::Gaussian;
use serde::{Deserialize, Serialize};

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
    /// y ∈ {0, 1} with a share of wrong labels: p(y = 1 | f) = ε + (1 − 2ε)Φ(f).
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

/// What every likelihood must say of itself.
trait ObservationModel {
    /// Refuses outcomes and parameters that it cannot have.
    fn check(&self, data: &Dataset) -> Result<()>;

    /// Whether p(f | y) is Gaussian, so that one natural gradient step of length 1 is exact.
    fn is_conjugate(&self) -> bool;

    /// Whether σ² is a parameter of it.
    fn has_noise(&self) -> bool;

    /// E log p(y | f) over f ~ N(mean, variance), with its derivatives.
    fn expectation(&self, y: f64, noise: f64, mean: f64, variance: f64) -> Expectation;

    /// Mean and variance of y, given those of f.
    fn moments(&self, mean: f64, variance: f64, noise: f64) -> (f64, f64);
}

impl Likelihood {
    fn dispatch<T>(&self, call: impl FnOnce(&dyn ObservationModel) -> T) -> T {
        match *self {
            Likelihood::Gaussian => call(&Gaussian),
            Likelihood::Bernoulli => call(&Bernoulli { rate: 0.0 }),
            Likelihood::Mislabelled { rate } => call(&Bernoulli { rate }),
        }
    }

    /// Refuses outcomes that this likelihood cannot have produced.
    pub fn check(&self, data: &Dataset) -> Result<()> {
        self.dispatch(|model| model.check(data))
    }

    /// Whether p(f | y) is Gaussian, so that one natural gradient step of length 1 is exact.
    pub fn is_conjugate(&self) -> bool {
        self.dispatch(|model| model.is_conjugate())
    }

    /// Whether σ² is a parameter of it.
    pub fn has_noise(&self) -> bool {
        self.dispatch(|model| model.has_noise())
    }

    /// E log p(y | f) over f ~ N(mean, variance).
    pub fn expectation(&self, y: f64, noise: f64, mean: f64, variance: f64) -> Expectation {
        self.dispatch(|model| model.expectation(y, noise, mean, variance))
    }

    /// Means and variances of y, given those of f; the mean of a label is its probability of being 1.
    ///
    /// `noise` is σ² where the likelihood has one.
    pub fn predict(&self, f: &Prediction, noise: f64) -> Prediction {
        self.dispatch(|model| {
            let points = f.mean.iter().zip(&f.variance);
            let (mean, variance) = points.map(|(&mean, &variance)| model.moments(mean, variance, noise)).unzip();
            Prediction { mean, variance }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::bernoulli::SMALL_VARIANCE;
    use super::*;
    use crate::error::Error;
    use crate::linalg::Mat;
    use crate::math::quadrature::GaussHermite;

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
