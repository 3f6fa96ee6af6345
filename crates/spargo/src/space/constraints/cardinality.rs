//! How many of some inputs are not 0, and which of them to keep.

use super::Limits;

/// A limit to the number of inputs that are not 0.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cardinality {
    pub inputs: Vec<usize>,
    pub limits: Limits,
}

impl Cardinality {
    /// Whether it holds for the values of the inputs that are active; the others count as 0.
    pub fn holds(&self, active: &[bool], value: impl Fn(usize) -> f64) -> bool {
        let count = self.inputs.iter().filter(|&&k| active[k] && value(k) != 0.0).count() as f64;
        (self.limits.lower..=self.limits.upper).contains(&count)
    }

    /// The most inputs that may be other than 0.
    pub fn most(&self) -> usize {
        self.limits.upper.min(self.inputs.len() as f64) as usize
    }

    /// The fewest inputs that must be other than 0.
    pub fn least(&self) -> usize {
        self.limits.lower.max(0.0).ceil() as usize
    }
}
