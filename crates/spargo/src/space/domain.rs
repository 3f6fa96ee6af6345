//! One input of the user's: its values, and the number by which models see each.
//!
//! A kind of input is a file that implements [`Kind`] and a variant of [`Domain`]; how files write it is in `form.rs`.

use super::choice::Choices;
use super::described::DescribedChoices;
use super::grid::GridRange;
use super::int::IntRange;
use super::listed::ListedValues;
use super::ordinal::OrdinalLabels;
use super::real::RealRange;
use super::value::Value;
use std::fmt::Debug;
use std::ops::Deref;

/// How far outside its range a value may have been observed, in lengths of the range: farther away rounding would blur the
/// distances inside, and what looks so far is a typing error.
const FARTHEST: f64 = 1e4;

/// How a range is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scale {
    /// Evenly.
    #[default]
    Linear,
    /// Evenly in the logarithm.
    Log,
}

/// The values an input may take.
#[derive(Debug, Clone, PartialEq)]
pub enum Domain {
    /// Real numbers between two ends.
    Real(RealRange),
    /// Real numbers between two ends that lie on a grid.
    Grid(GridRange),
    /// Whole numbers between two ends.
    Int(IntRange),
    /// Numbers in a list.
    Listed(ListedValues),
    /// One of a list of labels in order.
    Ordinal(OrdinalLabels),
    /// One of a list of labels without order.
    Categorical(Choices),
    /// One of a list of labels without order that have descriptors.
    Described(DescribedChoices),
}

impl Deref for Domain {
    type Target = dyn Kind;

    fn deref(&self) -> &Self::Target {
        match self {
            Domain::Real(range) => range,
            Domain::Grid(range) => range,
            Domain::Int(range) => range,
            Domain::Listed(values) => values,
            Domain::Ordinal(labels) => labels,
            Domain::Categorical(choices) => choices,
            Domain::Described(choices) => choices,
        }
    }
}

/// The number of a value, if it is in a domain.
pub(super) type Encoder<'a> = Box<dyn Fn(&Value) -> Option<f64> + 'a>;

/// A kind of input: which values it has, in the user's units and as the numbers that models see, from 0 to
/// [`largest`](Self::largest).
pub trait Kind {
    /// Its name in settings.
    fn name(&self) -> &'static str;

    /// Its values in words, to follow "give".
    fn allowed(&self) -> String;

    /// What makes it no domain, and what to do about it.
    fn fault(&self) -> Option<(String, &'static str)>;

    /// The two ends of its range and how this is divided; `None` for labels.
    fn range(&self) -> Option<(f64, f64, Scale)> {
        None
    }

    /// Its labels, if it has any.
    fn choices(&self) -> &[Value] {
        &[]
    }

    /// Whether values lie between any two others.
    fn is_continuous(&self) -> bool {
        false
    }

    /// Whether its values are labels without order.
    fn is_categorical(&self) -> bool {
        self.range().is_none()
    }

    /// Whether there is only one value.
    fn is_constant(&self) -> bool {
        self.count() == Some(1)
    }

    /// The number of values, if it is finite.
    fn count(&self) -> Option<u64>;

    /// The largest number by which a model sees a value; the least is 0.
    fn largest(&self) -> f64 {
        1.0
    }

    /// The number for t in [0, 1]: uniform t give values spread evenly over the range, on its scale.
    #[allow(clippy::wrong_self_convention)]
    fn from_unit(&self, t: f64) -> f64;

    /// The nearest number by which a model sees a value: decoding and encoding do not change it. NaN stays NaN.
    fn snap(&self, number: f64) -> f64;

    /// The nearest number inside; between two values of a continuous domain any number is.
    fn clamp(&self, number: f64) -> f64 {
        if self.is_continuous() { number.clamp(0.0, self.largest()) } else { self.snap(number) }
    }

    /// The numbers of the values next to this one: the two neighbours on a grid or among integers, all other categories.
    fn neighbours(&self, number: f64) -> Vec<f64>;

    /// The number by which a model sees the value with this index, counted from 0 upwards; the last one's for larger
    /// indices. The values of a Real cannot be counted: it has its two ends.
    fn nth(&self, index: u64) -> f64 {
        (index as f64).min(self.largest())
    }

    /// The number of a value, if it is in the domain.
    fn encode(&self, value: &Value) -> Option<f64>;

    /// The number of a value that is not in the domain but was observed elsewhere: below 0 or above [`largest`](Self::largest), by
    /// the formula of those in it. `None` if there is none, and within the domain.
    fn encode_outside(&self, value: &Value) -> Option<f64>;

    /// What may have been observed, in words, to follow "give".
    fn observable(&self) -> String {
        self.allowed()
    }

    /// The value with the nearest number.
    fn decode(&self, number: f64) -> Value;

    /// A value as the domain writes it, if it is in the domain.
    fn canonical(&self, value: &Value) -> Value {
        self.encode(value).map_or_else(|| value.clone(), |number| self.decode(number))
    }

    /// [`encode`](Self::encode) for many values.
    fn encoder(&self) -> Encoder<'_> {
        Box::new(|value| self.encode(value))
    }
}

/// A number outside the range that is not too far away.
pub(super) fn not_too_far(number: f64) -> Option<f64> {
    (-FARTHEST..=1.0 + FARTHEST).contains(&number).then_some(number)
}

/// What may have been observed of a range.
pub(super) fn observable(what: &str, scale: Scale, lower: &dyn Debug, upper: &dyn Debug) -> String {
    let positive = if scale == Scale::Log { " above 0" } else { "" };
    format!("{what}{positive} near the range of {lower:?} to {upper:?}")
}

pub(super) fn reversed(lower: &dyn Debug, upper: &dyn Debug) -> (String, &'static str) {
    (format!("its lower end {lower:?} is above its upper end {upper:?}"), "swap them")
}

pub(super) fn not_positive(lower: &dyn Debug) -> (String, &'static str) {
    (format!("a logarithmic range cannot begin at {lower:?}"), "raise its lower end above 0, or leave out log")
}
