//! Values in the user's units.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// A value in the user's units.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// Of an Int.
    Int(i64),
    /// Of a Real.
    Real(f64),
    /// Of a Categorical.
    Choice(String),
}

/// A value for each input, in the space's order.
pub type Point = Vec<Value>;

impl Value {
    /// As a real number: JSON and CSV write 3 and mean 3.0. `None` for words, and for whole numbers that no f64 equals.
    pub(super) fn real(&self) -> Option<f64> {
        match self {
            Value::Real(x) => Some(*x),
            Value::Int(i) => Some(*i as f64).filter(|x| *x as i128 == i128::from(*i)),
            Value::Choice(_) => None,
        }
    }

    /// As a whole number: 3.0 is 3. `None` for words and fractions.
    pub(super) fn int(&self) -> Option<i64> {
        match self {
            Value::Int(i) => Some(*i),
            // −2⁶³ is an i64 and 2⁶³ is not; NaN lies nowhere.
            Value::Real(x) if x.fract() == 0.0 && (-TWO_63..TWO_63).contains(x) => Some(*x as i64),
            _ => None,
        }
    }

    /// As a word: the choice '8' comes out of a CSV file as the number 8.
    pub(super) fn word(&self) -> Cow<'_, str> {
        match self {
            Value::Choice(word) => Cow::Borrowed(word),
            Value::Int(i) => Cow::Owned(i.to_string()),
            Value::Real(x) => Cow::Owned(x.to_string()),
        }
    }
}

const TWO_63: f64 = 9_223_372_036_854_775_808.0;

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Int(i) => write!(f, "{i}"),
            // Debug writes 1e300 where Display would write 300 zeros.
            Value::Real(x) => write!(f, "{x:?}"),
            Value::Choice(word) => write!(f, "'{word}'"),
        }
    }
}

impl From<f64> for Value {
    fn from(x: f64) -> Self {
        Value::Real(x)
    }
}

impl From<i64> for Value {
    fn from(i: i64) -> Self {
        Value::Int(i)
    }
}

impl From<&str> for Value {
    fn from(word: &str) -> Self {
        Value::Choice(word.into())
    }
}
