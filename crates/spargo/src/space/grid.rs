//! Real numbers on a grid that the user can set and read: what is asked for is what is printed is what is modelled.
//!
//! ```text
//!     step s:  x = lower + k s        digits d:  x = i 10⁻ᵈ        lower ≤ x ≤ upper,   k = 0, 1, …,  i whole
//! ```
//!
//! Values are counted as whole multiples of a power of ten and read from their decimals, so that 0.3 is never
//! 0.30000000000000004. If the upper end is not on the grid, the last value is the one below it.

use super::domain::{Kind, Scale, not_positive, not_too_far, observable, reversed};
use super::steps::Steps;
use super::value::Value;

/// Whole numbers up to this size are f64s, and so are their differences.
const LARGEST: f64 = (1u64 << 53) as f64;

/// Decimal places, at most.
const MOST_DIGITS: u32 = 300;

/// How far from a value of the grid another number is taken for it, in steps: what a spreadsheet makes of a decimal.
const ROUNDING: f64 = 1e-9;

/// Which real numbers of a range there are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Spacing {
    /// The lower end, and on from there by steps of this length.
    Step(f64),
    /// Numbers with as many decimal places.
    Digits(u32),
}

/// Real numbers between two ends that lie on a grid.
#[derive(Debug, Clone, PartialEq)]
pub struct GridRange {
    lower: f64,
    upper: f64,
    scale: Scale,
    spacing: Spacing,
    ticks: Result<Ticks, (String, &'static str)>,
}

/// The values (first + k step) 10^−decimals.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Ticks {
    first: i64,
    step: i64,
    decimals: i32,
    steps: Steps,
}

impl GridRange {
    /// The numbers from `lower` to `upper` with this spacing.
    pub fn new(lower: f64, upper: f64, scale: Scale, spacing: Spacing) -> Self {
        GridRange { lower, upper, scale, spacing, ticks: Ticks::new(lower, upper, scale, spacing) }
    }

    /// The two ends as they were given.
    pub fn ends(&self) -> (f64, f64) {
        (self.lower, self.upper)
    }

    /// How the range is divided.
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// Which numbers there are.
    pub fn spacing(&self) -> Spacing {
        self.spacing
    }

    /// Something about the values; without any, as a space never has them, `none`.
    fn with<T>(&self, none: T, of: impl FnOnce(&Ticks) -> T) -> T {
        self.ticks.as_ref().map_or(none, of)
    }
}

impl Ticks {
    fn new(lower: f64, upper: f64, scale: Scale, spacing: Spacing) -> Result<Self, (String, &'static str)> {
        let fault = |problem: String, remedy| Err((problem, remedy));
        if !(lower.is_finite() && upper.is_finite()) {
            return fault("an end of its range is not finite".into(), "give two finite ends");
        }
        if lower > upper {
            return Err(reversed(&lower, &upper));
        }
        let (first, step, decimals) = match spacing {
            Spacing::Step(step) if !(step.is_finite() && step > 0.0) => {
                return fault(format!("its step {step:?} is not above 0"), "give a positive number");
            }
            Spacing::Step(step) if step > upper - lower => {
                return fault(format!("its step {step:?} is longer than its range"), "make it shorter");
            }
            Spacing::Step(step) => {
                let decimals = decimals_of(lower).max(decimals_of(step));
                (scaled(lower, decimals), scaled(step, decimals), decimals)
            }
            Spacing::Digits(digits) if digits > MOST_DIGITS => {
                return fault(format!("it has {digits} digits"), "give fewer");
            }
            Spacing::Digits(digits) => (scaled(lower, digits as i32).ceil(), 1.0, digits as i32),
        };
        // A little more, so that an end that is on the grid is not lost to rounding.
        let last = ((scaled(upper, decimals) - first) / step + ROUNDING).floor();
        if ![first.abs() + step, first.abs() + last * step].iter().all(|size| *size < LARGEST) {
            return fault(
                "floating point cannot tell its values apart".into(),
                "make the step longer, or narrow the range",
            );
        }
        if last < 0.0 {
            return fault(format!("no such number lies between {lower:?} and {upper:?}"), "give it more digits");
        }
        if scale == Scale::Log && first < 1.0 {
            return Err(not_positive(&lower));
        }
        let steps = Steps { first: first / step, last, scale };
        if steps.is_too_fine() {
            return fault(
                "floating point cannot tell its values apart".into(),
                "make the step longer, or narrow the range",
            );
        }
        Ok(Ticks { first: first as i64, step: step as i64, decimals, steps })
    }

    /// The value with this index, read from its decimals.
    fn value(&self, index: f64) -> f64 {
        let whole = self.first + index as i64 * self.step;
        // Adding 0 makes −0 and 0 alike.
        format!("{whole}e{}", -self.decimals).parse().unwrap_or(f64::NAN) + 0.0
    }

    /// Where a number lies, in steps from the first value.
    fn place(&self, x: f64) -> f64 {
        (scaled(x, self.decimals) - self.first as f64) / self.step as f64
    }
}

impl Kind for GridRange {
    fn name(&self) -> &'static str {
        "real"
    }

    fn allowed(&self) -> String {
        let (lower, upper, _) = self.range().unwrap_or((self.lower, self.upper, self.scale));
        match self.spacing {
            Spacing::Step(step) => format!("a number from {lower:?} to {upper:?} in steps of {step:?}"),
            Spacing::Digits(digits) => format!("a number from {lower:?} to {upper:?} with {digits} decimal places"),
        }
    }

    fn fault(&self) -> Option<(String, &'static str)> {
        self.ticks.clone().err()
    }

    fn range(&self) -> Option<(f64, f64, Scale)> {
        let ends = |ticks: &Ticks| (ticks.value(0.0), ticks.value(ticks.steps.last), self.scale);
        Some(self.with((self.lower, self.upper, self.scale), ends))
    }

    fn count(&self) -> Option<u64> {
        self.with(None, |ticks| Some(ticks.steps.last as u64 + 1))
    }

    fn from_unit(&self, t: f64) -> f64 {
        self.with(f64::NAN, |ticks| ticks.steps.spread(t))
    }

    fn snap(&self, number: f64) -> f64 {
        self.with(f64::NAN, |ticks| ticks.steps.snap(number))
    }

    fn neighbours(&self, number: f64) -> Vec<f64> {
        self.with(Vec::new(), |ticks| ticks.steps.neighbours(number))
    }

    fn nth(&self, index: u64) -> f64 {
        self.with(f64::NAN, |ticks| ticks.steps.nth(index))
    }

    fn encode(&self, value: &Value) -> Option<f64> {
        let (x, ticks) = (value.real()?, self.ticks.as_ref().ok()?);
        let (place, last) = (ticks.place(x), ticks.steps.last);
        let is_value = (place - place.round()).abs() <= ROUNDING && (0.0..=last).contains(&place.round());
        is_value.then(|| ticks.steps.number(place.round() + 0.0))
    }

    /// Between the values of the grid as well: what was observed there is kept.
    fn encode_outside(&self, value: &Value) -> Option<f64> {
        let (x, ticks) = (value.real()?, self.ticks.as_ref().ok()?);
        let has_number = self.encode(value).is_none() && ticks.steps.last > 0.0 && x.is_finite();
        let has_logarithm = self.scale == Scale::Linear || x >= f64::MIN_POSITIVE;
        (has_number && has_logarithm).then(|| ticks.steps.number(ticks.place(x))).and_then(not_too_far)
    }

    fn observable(&self) -> String {
        observable("a number", self.scale, &self.lower, &self.upper)
    }

    fn decode(&self, number: f64) -> Value {
        Value::Real(self.with(f64::NAN, |ticks| ticks.value(ticks.steps.index(number))))
    }
}

/// x 10^decimals, exact if x has no more decimals than that: read from its own decimals, as the product would be rounded.
fn scaled(x: f64, decimals: i32) -> f64 {
    let (digits, exponent) = digits_of(x);
    format!("{digits}e{}", exponent + decimals).parse().unwrap_or(f64::NAN)
}

/// The decimal places of a number as it is printed.
fn decimals_of(x: f64) -> i32 {
    (-digits_of(x).1).max(0)
}

/// The digits of a number as it is printed, without a decimal mark, and the power of ten that they are to be multiplied by.
fn digits_of(x: f64) -> (String, i32) {
    let text = format!("{x:e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let places = mantissa.split_once('.').map_or(0, |(_, places)| places.len() as i32);
    (mantissa.replace('.', ""), exponent.parse::<i32>().unwrap_or(0) - places)
}
