//! Values in the user's units.

use serde::Serialize;
use serde::de::{Deserialize, Deserializer, Error, Visitor};
use std::borrow::Cow;
use std::fmt;

/// The least whole number above all i64s.
const TWO_63: f64 = 9_223_372_036_854_775_808.0;

/// A value in the user's units.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// The label null of a Categorical.
    Null,
    /// A label of a Categorical, true or false.
    Bool(bool),
    /// A whole number, of an Int or a label of a Categorical.
    Int(i64),
    /// A number, of a Real or a label of a Categorical.
    Real(f64),
    /// A text, a label of a Categorical.
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
            Value::Null | Value::Bool(_) | Value::Choice(_) => None,
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

    /// As it stands in a table, without quotes and decimals that say nothing.
    pub(super) fn text(&self) -> Cow<'_, str> {
        match self {
            Value::Choice(text) => Cow::Borrowed(text),
            Value::Real(x) => Cow::Owned(x.to_string()),
            other => Cow::Owned(other.to_string()),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => f.write_str("null"),
            Value::Bool(truth) => write!(f, "{truth}"),
            Value::Int(i) => write!(f, "{i}"),
            // Debug writes 1e300 where Display would write 300 zeros.
            Value::Real(x) => write!(f, "{x:?}"),
            Value::Choice(text) => write!(f, "'{text}'"),
        }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

/// Reads a value by what stands there, several times faster than by trying one variant after the other.
struct AnyValue;

impl Visitor<'_> for AnyValue {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, a text, true, false or null")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, truth: bool) -> Result<Value, E> {
        Ok(Value::Bool(truth))
    }

    fn visit_i64<E: Error>(self, int: i64) -> Result<Value, E> {
        Ok(Value::Int(int))
    }

    fn visit_u64<E: Error>(self, int: u64) -> Result<Value, E> {
        Ok(i64::try_from(int).map_or(Value::Real(int as f64), Value::Int))
    }

    fn visit_f64<E: Error>(self, real: f64) -> Result<Value, E> {
        Ok(Value::Real(real))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Value, E> {
        Ok(Value::Choice(text.into()))
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

impl From<bool> for Value {
    fn from(truth: bool) -> Self {
        Value::Bool(truth)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::Choice(text.into())
    }
}
