//! Outcomes with additive noise.
//!
//! ```text
//!     y = f + ε,  ε ~ N(0, σ²):     E(m, v) = −½ log 2πσ² − ½ ((y − m)² + v)/σ²
//! ```

use super::{Expectation, ObservationModel};
use crate::data::Dataset;
use crate::error::Result;
use std::f64::consts::PI;

pub(super) struct Gaussian;

impl ObservationModel for Gaussian {
    fn check(&self, _: &Dataset) -> Result<()> {
        Ok(())
    }

    fn is_conjugate(&self) -> bool {
        true
    }

    fn has_noise(&self) -> bool {
        true
    }

    fn expectation(&self, y: f64, noise: f64, mean: f64, variance: f64) -> Expectation {
        let r = y - mean;
        let misfit = 0.5 * (r * r + variance) / noise;
        Expectation {
            value: -0.5 * (2.0 * PI * noise).ln() - misfit,
            by_mean: r / noise,
            by_variance: -0.5 / noise,
            by_log_noise: misfit - 0.5,
        }
    }

    fn moments(&self, mean: f64, variance: f64, noise: f64) -> (f64, f64) {
        (mean, variance + noise)
    }
}
