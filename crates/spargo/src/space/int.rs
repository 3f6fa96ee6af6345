//! Ranges of whole numbers, each with a number of its own.
//!
//! ```text
//!     linear:  u = (i − lower) / (upper − lower)        log:  u = ln(i / lower) / ln(upper / lower)
//! ```
//!
//! Both are computed from i − lower (`steps.rs`).

use super::domain::{Kind, Scale, not_positive, not_too_far, observable, reversed};
use super::steps::Steps;
use super::value::Value;

/// Whole numbers i with lower ≤ i ≤ upper.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IntRange {
    /// The least.
    pub lower: i64,
    /// The largest.
    pub upper: i64,
    /// How the range is divided.
    pub scale: Scale,
}

impl Kind for IntRange {
    fn name(&self) -> &'static str {
        "int"
    }

    fn allowed(&self) -> String {
        format!("a whole number from {} to {}", self.lower, self.upper)
    }

    fn fault(&self) -> Option<(String, &'static str)> {
        let IntRange { lower, upper, scale } = self;
        if lower > upper {
            Some(reversed(lower, upper))
        } else if *scale == Scale::Log && *lower < 1 {
            Some(not_positive(lower))
        } else if self.steps().is_too_fine() {
            let problem = format!("floating point cannot tell all integers from {lower} to {upper} apart");
            Some((problem, "make it real and round, or narrow it"))
        } else {
            None
        }
    }

    fn range(&self) -> Option<(f64, f64, Scale)> {
        Some((self.lower as f64, self.upper as f64, self.scale))
    }

    fn count(&self) -> Option<u64> {
        Some(self.upper.abs_diff(self.lower).saturating_add(1))
    }

    fn from_unit(&self, t: f64) -> f64 {
        self.steps().spread(t)
    }

    fn snap(&self, number: f64) -> f64 {
        self.steps().snap(number)
    }

    fn neighbours(&self, number: f64) -> Vec<f64> {
        self.steps().neighbours(number)
    }

    fn nth(&self, index: u64) -> f64 {
        self.steps().nth(index)
    }

    fn encode(&self, value: &Value) -> Option<f64> {
        let value = value.int().filter(|i| (self.lower..=self.upper).contains(i))?;
        Some(self.steps().number(value.abs_diff(self.lower) as f64))
    }

    fn encode_outside(&self, value: &Value) -> Option<f64> {
        let value = value.int().filter(|i| !(self.lower..=self.upper).contains(i))?;
        let has_number = self.lower < self.upper && (self.scale == Scale::Linear || value > 0);
        has_number
            .then(|| self.steps().number((i128::from(value) - i128::from(self.lower)) as f64))
            .and_then(not_too_far)
    }

    fn observable(&self) -> String {
        observable("a whole number", self.scale, &self.lower, &self.upper)
    }

    fn decode(&self, number: f64) -> Value {
        Value::Int(self.lower.saturating_add_unsigned(self.steps().index(number) as u64))
    }
}

impl IntRange {
    fn steps(&self) -> Steps {
        let span = self.upper.abs_diff(self.lower) as f64;
        Steps { first: self.lower as f64, last: span, scale: self.scale }
    }
}
