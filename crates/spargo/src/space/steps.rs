//! Values at equal distances, each with a number of its own: what ranges of whole numbers and grids have in common.
//!
//! ```text
//!     values (b + k) s,  k = 0 … n:        linear:  u = k / n        log:  u = ln(1 + k / b) / ln(1 + n / b)
//! ```
//!
//! Everything is computed from k: near the limits of i64 the integers themselves are not f64s.

use super::domain::Scale;

/// The most values that evenly divided numbers in [0, 1] tell apart after a division and a product.
const MOST: f64 = (1u64 << 52) as f64;

/// The most that the last value, in steps, times ln(last / first) may be in a logarithmic range: the number of the last value
/// then differs from its neighbour's by 2⁻⁴⁸, several times the error of a logarithm and an exponential.
const MOST_LOG: f64 = (1u64 << 48) as f64;

/// Values at equal distances.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Steps {
    /// b: the first value, in units of the distance.
    pub first: f64,
    /// n: the index of the last value.
    pub last: f64,
    /// How the range is divided.
    pub scale: Scale,
}

impl Steps {
    /// The number of the value with this index, which may lie outside.
    pub fn number(&self, index: f64) -> f64 {
        match self.scale {
            _ if self.last == 0.0 => 0.0,
            Scale::Linear => index / self.last,
            Scale::Log => (index / self.first).ln_1p() / self.log_span(),
        }
    }

    /// The index of the value whose number is nearest.
    pub fn index(&self, u: f64) -> f64 {
        let index = match self.scale {
            Scale::Linear => u * self.last,
            Scale::Log => self.first * (u * self.log_span()).exp_m1(),
        };
        let below = index.floor().min(self.last).max(0.0);
        let above = (below + 1.0).min(self.last);
        // The nearer by their numbers: in a logarithmic range the middle between two is not the half.
        if u - self.number(below) <= self.number(above) - u { below } else { above }
    }

    /// The nearest number of a value; NaN stays NaN.
    pub fn snap(&self, u: f64) -> f64 {
        if u.is_nan() { u } else { self.number(self.index(u)) }
    }

    /// The number for t in [0, 1]: each value as often as its share of the range extended by one at its upper end.
    pub fn spread(&self, t: f64) -> f64 {
        let count = self.last + 1.0;
        let index = match self.scale {
            Scale::Linear => t * count,
            Scale::Log => self.first * (t * (count / self.first).ln_1p()).exp_m1(),
        };
        self.number(index.floor().min(self.last).max(0.0))
    }

    /// The numbers of the values on either side.
    pub fn neighbours(&self, u: f64) -> Vec<f64> {
        let index = self.index(u);
        let next = [index - 1.0, index + 1.0].into_iter();
        next.filter(|index| (0.0..=self.last).contains(index)).map(|index| self.number(index)).collect()
    }

    /// The number of the value with this index, or of the last one.
    pub fn nth(&self, index: u64) -> f64 {
        self.number((index as f64).min(self.last))
    }

    /// Whether some values would share a number.
    pub fn is_too_fine(&self) -> bool {
        let values_of_log = || (self.first + self.last) * self.log_span();
        self.last >= MOST || (self.scale == Scale::Log && values_of_log() > MOST_LOG)
    }

    fn log_span(&self) -> f64 {
        (self.last / self.first).ln_1p()
    }
}
