//! Ranges of whole numbers, each with a number of its own.
//!
//! ```text
//!     linear:  u = (i − lower) / (upper − lower)        log:  u = ln(i / lower) / ln(upper / lower)
//! ```
//!
//! Everything is computed from i − lower: near the limits of i64 the integers themselves are not f64s.

use super::domain::{Kind, Scale, not_positive, not_too_far, observable, reversed};
use super::value::Value;

/// The most values that evenly divided numbers in [0, 1] tell apart after a division and a product.
const MOST: u64 = 1 << 52;

/// The most that the upper end times ln(upper / lower) may be in a logarithmic range: the number of the last value then
/// differs from its neighbour's by 2⁻⁴⁸, several times the error of a logarithm and an exponential.
const MOST_LOG: f64 = (1u64 << 48) as f64;

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
            reversed(lower, upper)
        } else if *scale == Scale::Log && *lower < 1 {
            not_positive(lower)
        } else if self.is_too_wide() {
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

    /// Each value as often as its share of the range extended by one at its upper end.
    fn from_unit(&self, t: f64) -> f64 {
        let count = self.span() + 1.0;
        let offset = match self.scale {
            Scale::Linear => t * count,
            Scale::Log => self.lower as f64 * (t * (count / self.lower as f64).ln_1p()).exp_m1(),
        };
        self.number(offset.floor().min(self.span()).max(0.0))
    }

    fn snap(&self, number: f64) -> f64 {
        if number.is_nan() { number } else { self.number(self.offset(number)) }
    }

    fn neighbours(&self, number: f64) -> Vec<f64> {
        let offset = self.offset(number);
        let next = [offset - 1.0, offset + 1.0].into_iter();
        next.filter(|offset| (0.0..=self.span()).contains(offset)).map(|offset| self.number(offset)).collect()
    }

    fn nth(&self, index: u64) -> f64 {
        self.number((index as f64).min(self.span()))
    }

    fn encode(&self, value: &Value) -> Option<f64> {
        let value = value.int().filter(|i| (self.lower..=self.upper).contains(i))?;
        Some(self.number(value.abs_diff(self.lower) as f64))
    }

    fn encode_outside(&self, value: &Value) -> Option<f64> {
        let value = value.int().filter(|i| !(self.lower..=self.upper).contains(i))?;
        let has_number = self.lower < self.upper && (self.scale == Scale::Linear || value > 0);
        has_number.then(|| self.number((i128::from(value) - i128::from(self.lower)) as f64)).and_then(not_too_far)
    }

    fn observable(&self) -> String {
        observable("a whole number", self.scale, &self.lower, &self.upper)
    }

    fn decode(&self, number: f64) -> Value {
        Value::Int(self.lower.saturating_add_unsigned(self.offset(number) as u64))
    }
}

impl IntRange {
    /// How far the value whose number is nearest lies above the lower end.
    fn offset(&self, u: f64) -> f64 {
        let offset = match self.scale {
            Scale::Linear => u * self.span(),
            Scale::Log => self.lower as f64 * (u * self.log_span()).exp_m1(),
        };
        let below = offset.floor().min(self.span()).max(0.0);
        let above = (below + 1.0).min(self.span());
        // The nearer by their numbers: in a logarithmic range the middle between two is not the half.
        if u - self.number(below) <= self.number(above) - u { below } else { above }
    }

    /// Whether some values would share a number.
    fn is_too_wide(&self) -> bool {
        let values_of_log = || self.upper as f64 * self.log_span();
        self.upper.abs_diff(self.lower) >= MOST || (self.scale == Scale::Log && values_of_log() > MOST_LOG)
    }

    /// The number of lower + offset.
    fn number(&self, offset: f64) -> f64 {
        match self.scale {
            _ if self.lower == self.upper => 0.0,
            Scale::Linear => offset / self.span(),
            Scale::Log => (offset / self.lower as f64).ln_1p() / self.log_span(),
        }
    }

    fn span(&self) -> f64 {
        self.upper.abs_diff(self.lower) as f64
    }

    fn log_span(&self) -> f64 {
        (self.span() / self.lower as f64).ln_1p()
    }
}
