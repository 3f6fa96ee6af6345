//! Ranges of whole numbers, each with a number of its own.
//!
//! ```text
//!     linear:  u = (i − lower) / (upper − lower)        log:  u = ln(i / lower) / ln(upper / lower)
//! ```
//!
//! Everything is computed from i − lower: near the limits of i64 the integers themselves are not f64s.

use super::domain::Scale;

/// lower ≤ i ≤ upper.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ints {
    pub lower: i64,
    pub upper: i64,
    pub scale: Scale,
}

/// The most values that evenly divided numbers in [0, 1] tell apart after a division and a product.
const MOST: u64 = 1 << 52;

/// The most that the upper end times ln(upper / lower) may be in a logarithmic range: the number of the last value then
/// differs from its neighbour's by 2⁻⁴⁸, several times the error of a logarithm and an exponential.
const MOST_LOG: f64 = (1u64 << 48) as f64;

impl Ints {
    /// The number of a value in the range.
    pub(super) fn encode(self, value: i64) -> f64 {
        self.number(value.abs_diff(self.lower) as f64)
    }

    /// The value whose number is nearest.
    pub(super) fn decode(self, u: f64) -> i64 {
        let offset = match self.scale {
            Scale::Linear => u * self.span(),
            Scale::Log => self.lower as f64 * (u * self.log_span()).exp_m1(),
        };
        let below = offset.floor().min(self.span()).max(0.0);
        let above = (below + 1.0).min(self.span());
        // The nearer by their numbers: in a logarithmic range the middle between two is not the half.
        let nearest = if u - self.number(below) <= self.number(above) - u { below } else { above };
        self.lower.saturating_add_unsigned(nearest as u64)
    }

    /// For uniform t in [0, 1), each value as often as its share of the range extended by one at its upper end.
    pub(super) fn spread(self, t: f64) -> i64 {
        let count = self.span() + 1.0;
        let offset = match self.scale {
            Scale::Linear => t * count,
            Scale::Log => self.lower as f64 * (t * (count / self.lower as f64).ln_1p()).exp_m1(),
        };
        self.lower.saturating_add_unsigned(offset.floor().min(self.span()).max(0.0) as u64)
    }

    /// Whether some values would share a number.
    pub(super) fn too_wide(self) -> bool {
        let values_of_log = || self.upper as f64 * self.log_span();
        self.upper.abs_diff(self.lower) >= MOST || (self.scale == Scale::Log && values_of_log() > MOST_LOG)
    }

    /// The number of lower + offset.
    fn number(self, offset: f64) -> f64 {
        match self.scale {
            _ if self.lower == self.upper => 0.0,
            Scale::Linear => offset / self.span(),
            Scale::Log => (offset / self.lower as f64).ln_1p() / self.log_span(),
        }
    }

    fn span(self) -> f64 {
        self.upper.abs_diff(self.lower) as f64
    }

    fn log_span(self) -> f64 {
        (self.span() / self.lower as f64).ln_1p()
    }
}
