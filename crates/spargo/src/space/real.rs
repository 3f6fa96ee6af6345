//! Ranges of real numbers, on a grid that floating point cannot blur.
//!
//! ```text
//!     linear:  x = lower + u (upper − lower)        log:  x = lower (upper / lower)ᵘ        u ∈ {0, 1, …, 2ⁿ} / 2ⁿ
//! ```
//!
//! Rounded, neither map is undone exactly by its inverse. It is once u is rounded to a grid whose step is larger than the
//! error of going there and back: then encoding what was decoded, and decoding what was encoded, change nothing.

use super::domain::{Kind, Scale, not_positive, not_too_far, observable, reversed};
use super::value::Value;

/// n where the range allows it: a step of 10⁻¹² of the range is finer than any setting or measurement, and 2¹² times the
/// rounding of numbers in [0, 1].
const BITS: f64 = 40.0;

/// Steps are at least this many rounding errors: there and back makes at most four, of which half a step is enough.
const MARGIN: f64 = 8.0;

/// Real numbers x with lower ≤ x ≤ upper, both finite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RealRange {
    /// The least.
    pub lower: f64,
    /// The largest.
    pub upper: f64,
    /// How the range is divided.
    pub scale: Scale,
}

impl Kind for RealRange {
    fn name(&self) -> &'static str {
        "real"
    }

    fn allowed(&self) -> String {
        format!("a number from {:?} to {:?}", self.lower, self.upper)
    }

    fn fault(&self) -> Option<(String, &'static str)> {
        let RealRange { lower, upper, scale } = self;
        if !(lower.is_finite() && upper.is_finite()) {
            Some(("an end of its range is not finite".into(), "give two finite ends"))
        } else if lower > upper {
            Some(reversed(lower, upper))
        } else if *scale == Scale::Log && *lower < f64::MIN_POSITIVE {
            // Below the smallest normal number, steps in the logarithm are lost to rounding.
            Some(not_positive(lower))
        } else if !self.span().is_finite() {
            Some((format!("the length of its range from {lower:?} to {upper:?} overflows"), "rescale it"))
        } else {
            None
        }
    }

    fn range(&self) -> Option<(f64, f64, Scale)> {
        Some((self.lower, self.upper, self.scale))
    }

    fn is_continuous(&self) -> bool {
        true
    }

    fn is_constant(&self) -> bool {
        self.lower == self.upper
    }

    fn count(&self) -> Option<u64> {
        None
    }

    fn from_unit(&self, t: f64) -> f64 {
        self.snap(t)
    }

    fn snap(&self, number: f64) -> f64 {
        if number.is_nan() { number } else { self.on_grid(number) }
    }

    fn neighbours(&self, _: f64) -> Vec<f64> {
        Vec::new()
    }

    fn encode(&self, value: &Value) -> Option<f64> {
        let x = value.real().filter(|x| (self.lower..=self.upper).contains(x))?;
        Some(self.on_grid(self.position(x) / self.span()))
    }

    fn encode_outside(&self, value: &Value) -> Option<f64> {
        let x = value.real().filter(|x| !(self.lower..=self.upper).contains(x))?;
        let has_number = !self.is_constant() && (self.scale == Scale::Linear || x >= f64::MIN_POSITIVE);
        let number = not_too_far(self.position(has_number.then_some(x)?) / self.span())?;
        // On the same grid: what is next to an end has no number of its own, but is not inside.
        let steps = self.steps();
        let outside =
            if x < self.lower { (number * steps).floor().min(-1.0) } else { (number * steps).ceil().max(steps + 1.0) };
        Some(outside / steps)
    }

    fn observable(&self) -> String {
        observable("a number", self.scale, &self.lower, &self.upper)
    }

    /// A value that lies between two numbers of the grid stays what was evaluated.
    fn canonical(&self, value: &Value) -> Value {
        value.clone()
    }

    /// The value of the nearest number on the grid; in the range for every number.
    fn decode(&self, number: f64) -> Value {
        let (u, span) = (self.on_grid(number), self.span());
        // Counted from the nearer end, so that both ends come out as they are, and no exponential overflows.
        let x = match (self.scale, u <= 0.5) {
            (Scale::Linear, true) => self.lower + u * span,
            (Scale::Linear, false) => self.upper - (1.0 - u) * span,
            (Scale::Log, true) => self.lower * (u * span).exp(),
            (Scale::Log, false) => self.upper * (-(1.0 - u) * span).exp(),
        };
        // Adding 0 makes −0 and 0 alike.
        Value::Real(x.max(self.lower).min(self.upper) + 0.0)
    }
}

impl RealRange {
    /// The nearest number on the grid; 0 for whatever comes if there is only one value.
    fn on_grid(&self, u: f64) -> f64 {
        if self.is_constant() {
            return 0.0;
        }
        let steps = self.steps();
        (u.clamp(0.0, 1.0) * steps).round() / steps + 0.0
    }

    /// x − lower, or its like in the logarithm.
    fn position(&self, x: f64) -> f64 {
        match self.scale {
            Scale::Linear => x - self.lower,
            Scale::Log => log_ratio(x, self.lower),
        }
    }

    /// upper − lower, or its like in the logarithm.
    fn span(&self) -> f64 {
        match self.scale {
            Scale::Linear => self.upper - self.lower,
            Scale::Log => log_ratio(self.upper, self.lower),
        }
    }

    /// 2ⁿ.
    fn steps(&self) -> f64 {
        // How far apart two values are that can just be told apart, in units of the span.
        let rounding = match self.scale {
            Scale::Linear => {
                let largest = self.lower.abs().max(self.upper.abs());
                // Twice, because numbers below a power of 2 are twice as dense as those above.
                2.0 * (largest - largest.next_down())
            }
            Scale::Log => f64::EPSILON * (1.0 + self.span()),
        };
        (self.span() / (MARGIN * rounding)).log2().floor().clamp(0.0, BITS).exp2()
    }
}

/// ln(a / b) for positive numbers however far apart; accurate when they are close, too.
pub(super) fn log_ratio(a: f64, b: f64) -> f64 {
    let ratio = a / b;
    if ratio.is_finite() { ratio.ln() } else { a.ln() - b.ln() }
}
