//! Conditional inputs: where an input has a value, by the values of others.

use crate::space::value::Value;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// The values that other inputs must have: `{ catalyst = "Pd" }`, or one of several, `{ catalyst = ["Pd", "Ni"] }`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "BTreeMap<String, Values>", into = "BTreeMap<String, Values>")]
pub struct When(pub Vec<(String, Vec<Value>)>);

#[derive(Clone, Serialize, Deserialize)]
#[serde(untagged)]
enum Values {
    AnyOf(Vec<Value>),
    One(Value),
}

impl From<BTreeMap<String, Values>> for When {
    fn from(form: BTreeMap<String, Values>) -> Self {
        let values = |values| match values {
            Values::One(value) => vec![value],
            Values::AnyOf(values) => values,
        };
        When(form.into_iter().map(|(name, one)| (name, values(one))).collect())
    }
}

impl From<When> for BTreeMap<String, Values> {
    fn from(When(given): When) -> Self {
        let values = |values: Vec<Value>| match <[Value; 1]>::try_from(values) {
            Ok([value]) => Values::One(value),
            Err(values) => Values::AnyOf(values),
        };
        given.into_iter().map(|(name, given)| (name, values(given))).collect()
    }
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let one = |(name, values): &(String, Vec<Value>)| {
            let values: Vec<String> = values.iter().map(Value::to_string).collect();
            format!("{name} is {}", values.join(" or "))
        };
        f.write_str(&self.0.iter().map(one).collect::<Vec<_>>().join(" and "))
    }
}

/// Where an input is active, by the numbers of others.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Condition {
    /// Inputs, with the numbers that they must have one of.
    pub parents: Vec<(usize, Vec<f64>)>,
    /// The number that stands for no value.
    pub number: f64,
}

impl Condition {
    /// Whether it holds at a point, of whose inputs some are inactive.
    pub fn holds(&self, point: &[f64], active: &[bool]) -> bool {
        self.parents.iter().all(|(k, numbers)| active[*k] && numbers.contains(&point[*k]))
    }
}
