//! Bounds of a constrained output: violation, and the probability of satisfying them.

use super::interval;
use crate::error::{Error, Result};

/// The bounds of an outcome, in the model's units; either may be infinite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConstraintBounds {
    /// The least that it may be.
    pub at_least: f64,
    /// The most that it may be.
    pub at_most: f64,
}

impl ConstraintBounds {
    /// No less than this.
    pub fn at_least(limit: f64) -> Self {
        ConstraintBounds { at_least: limit, at_most: f64::INFINITY }
    }

    /// No more than this.
    pub fn at_most(limit: f64) -> Self {
        ConstraintBounds { at_least: f64::NEG_INFINITY, at_most: limit }
    }

    /// Refuses bounds between which there is nothing.
    pub fn check(&self) -> Result<()> {
        if self.at_least < self.at_most || (self.at_least == self.at_most && self.at_least.is_finite()) {
            return Ok(());
        }
        let must = format!("at least {}, the lower one", self.at_least);
        Err(Error::Parameter { name: "the upper limit of an outcome".into(), value: self.at_most, must })
    }

    /// How far a value is out of bounds; 0 within them.
    pub fn violation(&self, value: f64) -> f64 {
        (self.at_least - value).max(value - self.at_most).max(0.0)
    }

    /// The slope of [`violation`](Self::violation).
    pub fn violation_slope(&self, value: f64) -> f64 {
        if value < self.at_least {
            -1.0
        } else if value > self.at_most {
            1.0
        } else {
            0.0
        }
    }

    /// log P(f is within bounds) for f with this mean and variance: finite, if they are.
    pub fn log_probability(&self, mean: f64, variance: f64) -> f64 {
        interval::probability(self.at_least, self.at_most, mean, variance).value
    }

    /// Its slopes in both; they may be infinite.
    pub fn log_probability_slopes(&self, mean: f64, variance: f64) -> (f64, f64) {
        let log = interval::probability(self.at_least, self.at_most, mean, variance);
        (log.by_mean, log.by_variance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::normal::log_cdf;

    #[test]
    fn one_sided_limits_are_the_normal_distribution() {
        for (mean, variance) in [(0.2, 0.5), (-30.0, 2.0), (40.0, 0.01)] {
            let z = (mean - 0.7) / f64::sqrt(variance);
            let close = |found: f64, expected: f64| (found - expected).abs() <= 1e-12 * expected.abs();
            assert!(close(ConstraintBounds::at_least(0.7).log_probability(mean, variance), log_cdf(z)));
            assert!(close(ConstraintBounds::at_most(0.7).log_probability(mean, variance), log_cdf(-z)));
        }
    }

    #[test]
    fn violations_are_distances() {
        let limits = ConstraintBounds { at_least: -1.0, at_most: 2.0 };
        assert_eq!([-3.0, -1.0, 0.0, 2.0, 5.0].map(|v| limits.violation(v)), [2.0, 0.0, 0.0, 0.0, 3.0]);
        assert_eq!([-3.0, 0.0, 5.0].map(|v| limits.violation_slope(v)), [-1.0, 0.0, 1.0]);
        assert_eq!(ConstraintBounds::at_most(1.0).violation(-1e300), 0.0);
        assert!(limits.check().is_ok() && ConstraintBounds::at_least(f64::INFINITY).check().is_err());
        assert!(
            ConstraintBounds { at_least: 2.0, at_most: 1.0 }.check().is_err()
                && ConstraintBounds::at_most(f64::NAN).check().is_err()
        );
    }
}
