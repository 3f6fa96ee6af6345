//! Hyperparameters: their unconstrained vector, their priors, and which of them are searched.
//!
//! ```text
//!     θ = (kernel's parameters…, log σ², μ)
//!     log p(ℓ) = log LogNormal(ℓ; √2 + ½ log d, √3)        Hvarfner et al. (2024), inputs in the unit cube
//! ```
//!
//! The length-scale prior widens with the dimension d, because distances do. Maximising the log-normal *density* (not
//! that of log ℓ) is a choice: its mode e^(√2 + ½ log d − 3) is a length scale a function can be learned with.

use crate::error::{Error, Result};
use crate::kernel::{Kernel, Role};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// The least noise variance, in the model's units.
pub(super) const LEAST_NOISE: f64 = 1e-6;

/// What a Gaussian process with constant mean and Gaussian noise is determined by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hyperparameters {
    /// The prior covariance.
    pub kernel: Kernel,
    /// μ, the constant prior mean.
    pub mean: f64,
    /// σ², the noise variance (not used by likelihoods without one).
    pub noise: f64,
}

impl Hyperparameters {
    /// Where a search begins when nothing is known: a tenth of the outcomes' variance is noise.
    pub fn cold(kernel: Kernel) -> Self {
        Hyperparameters { kernel, mean: 0.0, noise: 0.1 }
    }

    /// Refuses values that mean nothing, and kernels of another dimension.
    pub fn check(&self, dimension: usize) -> Result<()> {
        self.kernel.check(dimension)?;
        let refuse =
            |name: &str, value, must: &str| Err(Error::Parameter { name: name.into(), value, must: must.into() });
        match (self.noise, self.mean) {
            (noise, _) if !(noise.is_finite() && noise > 0.0) => refuse("noise variance", noise, "positive and finite"),
            (_, mean) if !mean.is_finite() => refuse("prior mean", mean, "finite"),
            _ => Ok(()),
        }
    }

    /// The unconstrained vector θ.
    pub fn to_vector(&self) -> Vec<f64> {
        let mut theta = self.kernel.parameters();
        theta.extend([self.noise.ln(), self.mean]);
        theta
    }

    /// Sets everything from θ.
    pub fn set_vector(&mut self, theta: &[f64]) {
        let (kernel, rest) = theta.split_at(theta.len() - 2);
        self.kernel.set_parameters(kernel);
        self.noise = rest[0].exp();
        self.mean = rest[1];
    }

    /// The meaning of each element of θ.
    pub fn roles(&self) -> Vec<Role> {
        let mut roles = self.kernel.roles();
        roles.extend([Role::Noise, Role::Mean]);
        roles
    }
}

/// The priors in the model's units (inputs in the unit cube, outcomes standardized).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Priors {
    /// Log-normal on length scales, signal variance and noise.
    #[default]
    On,
    /// None: the likelihood alone.
    Off,
}

impl Priors {
    /// Mean and standard deviation of the logarithm of a parameter in `dimension` inputs, if it has a log-normal prior.
    fn log_normal(self, role: Role, dimension: usize) -> Option<(f64, f64)> {
        let lengthscale = 2f64.sqrt() + 0.5 * (dimension.max(1) as f64).ln();
        match (self, role) {
            (Priors::Off, _) | (_, Role::Mean | Role::Share) => None,
            (Priors::On, Role::Lengthscale) => Some((lengthscale, 3f64.sqrt())),
            // Standardized outcomes have variance 1, the mode; the signal of a peaked function is much larger than that.
            (Priors::On, Role::Variance) => Some((1.0, 1.0)),
            // Mode 1 %, median 5 % of the outcomes' variance; the tails reach a simulator's rounding and a screen's noise.
            (Priors::On, Role::Noise) => Some((-3.0, 1.25)),
        }
    }

    /// Adds the log prior's gradient to `gradient` and returns the log prior of θ.
    pub fn add_log_density(self, hyper: &Hyperparameters, theta: &[f64], gradient: &mut [f64]) -> f64 {
        let inputs: HashSet<usize> = hyper.kernel.inputs().into_iter().flatten().collect();
        let dimension = inputs.len();
        let mut total = 0.0;
        for ((role, &t), slot) in hyper.roles().into_iter().zip(theta).zip(gradient) {
            if let Some((location, scale)) = self.log_normal(role, dimension) {
                // The log density at eᵗ, up to a constant, and its derivative in t.
                let z = (t - location) / scale;
                total += -t - 0.5 * z * z;
                *slot += -1.0 - z / scale;
            }
        }
        total
    }
}

/// The box in which a parameter is searched, on the unconstrained scale and in the model's units.
///
/// Without it the likelihood drives length scales of irrelevant inputs and the noise of noise-free data to ±∞.
pub fn search_interval(role: Role) -> (f64, f64) {
    match role {
        Role::Variance => (1e-4f64.ln(), 1e4f64.ln()),
        Role::Lengthscale => (1e-3f64.ln(), 1e4f64.ln()),
        // Below a thousandth of the outcomes' deviation, noise drowns in the jitter on Kzz, and the bound in rounding.
        Role::Noise => (LEAST_NOISE.ln(), 1e2f64.ln()),
        // From 1 % to 99 %.
        Role::Share => (-99f64.ln(), 99f64.ln()),
        Role::Mean => (-1e2, 1e2),
    }
}
