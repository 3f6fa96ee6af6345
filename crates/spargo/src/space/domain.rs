//! One input of the user's: its values, and the number by which models see each.

use super::int::Ints;
use super::real::Reals;
use super::value::Value;

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
    Real {
        /// The least.
        lower: f64,
        /// The largest.
        upper: f64,
        /// How the range is divided.
        scale: Scale,
    },
    /// Whole numbers between two ends.
    Int {
        /// The least.
        lower: i64,
        /// The largest.
        upper: i64,
        /// How the range is divided.
        scale: Scale,
    },
    /// One of a list of words without order.
    Categorical {
        /// The words.
        choices: Vec<String>,
    },
}

/// A domain by its arithmetic.
pub(super) enum Kind<'a> {
    Reals(Reals),
    Ints(Ints),
    Choices(&'a [String]),
}

impl Domain {
    /// Whether values lie between any two others.
    pub fn is_continuous(&self) -> bool {
        matches!(self, Domain::Real { .. })
    }

    /// Whether its values are words without order.
    pub fn is_categorical(&self) -> bool {
        matches!(self, Domain::Categorical { .. })
    }

    /// The number of values, if it is finite.
    pub fn count(&self) -> Option<u64> {
        match self {
            Domain::Real { .. } => None,
            Domain::Int { lower, upper, .. } => Some(upper.abs_diff(*lower).saturating_add(1)),
            Domain::Categorical { choices } => Some(choices.len() as u64),
        }
    }

    /// The largest number by which a model sees a value; the least is 0.
    pub fn largest(&self) -> f64 {
        match self {
            Domain::Categorical { choices } => choices.len().saturating_sub(1) as f64,
            _ => 1.0,
        }
    }

    /// The number for t in [0, 1]: uniform t give values spread evenly over the range, on its scale.
    pub fn from_unit(&self, t: f64) -> f64 {
        match self.kind() {
            Kind::Reals(reals) => reals.snap(t),
            Kind::Ints(ints) => ints.encode(ints.spread(t)),
            Kind::Choices(choices) => (t * choices.len() as f64).floor().clamp(0.0, self.largest()),
        }
    }

    /// The nearest number by which a model sees a value: decoding and encoding do not change it. NaN stays NaN.
    pub fn snap(&self, number: f64) -> f64 {
        match self.kind() {
            _ if number.is_nan() => number,
            Kind::Reals(reals) => reals.snap(number),
            Kind::Ints(ints) => ints.encode(ints.decode(number)),
            // Adding 0 makes −0 and 0 alike.
            Kind::Choices(_) => number.round().clamp(0.0, self.largest()) + 0.0,
        }
    }

    /// The numbers of the values next to this one: an integer's two neighbours, all other categories.
    pub fn neighbours(&self, number: f64) -> Vec<f64> {
        match self.kind() {
            Kind::Reals(_) => Vec::new(),
            Kind::Choices(choices) => (0..choices.len()).map(|c| c as f64).filter(|&c| c != number).collect(),
            Kind::Ints(ints) => {
                let value = ints.decode(number);
                let next = [value.saturating_sub(1), value.saturating_add(1)].into_iter();
                next.filter(|v| *v != value && (ints.lower..=ints.upper).contains(v)).map(|v| ints.encode(v)).collect()
            }
        }
    }

    /// The number by which a model sees the value with this index, counted from 0 upwards; the last one's for larger
    /// indices. The values of a Real cannot be counted: it has its two ends.
    pub fn nth(&self, index: u64) -> f64 {
        match self.kind() {
            Kind::Ints(ints) => ints.encode(ints.lower.saturating_add_unsigned(index).min(ints.upper)),
            Kind::Reals(_) | Kind::Choices(_) => (index as f64).min(self.largest()),
        }
    }

    /// The number of a value, if it is in the domain.
    pub(super) fn encode(&self, value: &Value) -> Option<f64> {
        match self.kind() {
            Kind::Reals(r) => value.real().filter(|x| (r.lower..=r.upper).contains(x)).map(|x| r.encode(x)),
            Kind::Ints(r) => value.int().filter(|i| (r.lower..=r.upper).contains(i)).map(|i| r.encode(i)),
            Kind::Choices(choices) => {
                let word = value.word();
                choices.iter().position(|choice| *choice == word).map(|index| index as f64)
            }
        }
    }

    /// The value with the nearest number.
    pub(super) fn decode(&self, number: f64) -> Value {
        match self.kind() {
            Kind::Reals(reals) => Value::Real(reals.decode(number)),
            Kind::Ints(ints) => Value::Int(ints.decode(number)),
            Kind::Choices(choices) => {
                Value::Choice(choices.get(self.snap(number) as usize).cloned().unwrap_or_default())
            }
        }
    }

    pub(super) fn kind(&self) -> Kind<'_> {
        match *self {
            Domain::Real { lower, upper, scale } => Kind::Reals(Reals { lower, upper, scale }),
            Domain::Int { lower, upper, scale } => Kind::Ints(Ints { lower, upper, scale }),
            Domain::Categorical { ref choices } => Kind::Choices(choices),
        }
    }
}
