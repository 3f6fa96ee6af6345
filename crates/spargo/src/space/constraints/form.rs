//! The form in which constraints among inputs are written in files.
//!
//! ```text
//!     { sum = ["a", "b"] | { a = 2, b = -1 }  |  ratio = ["a", "b"]  |  nonzero = ["a", "b"],     equals | at-least | at-most = number }
//!     { exclude = { a = value, b = value } | [{ a = value, b = value }, …] }
//! ```

use super::{InputConstraint, Limits};
use crate::error::{Error, Result};
use crate::space::value::Value;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct ConstraintForm {
    #[serde(skip_serializing_if = "Option::is_none")]
    sum: Option<Terms>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ratio: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nonzero: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exclude: Option<Combinations>,
    #[serde(skip_serializing_if = "Option::is_none")]
    equals: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at_least: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at_most: Option<f64>,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(untagged)]
enum Terms {
    Names(Vec<String>),
    Coefficients(BTreeMap<String, f64>),
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(untagged)]
enum Combinations {
    One(BTreeMap<String, Value>),
    List(Vec<BTreeMap<String, Value>>),
}

fn refused(problem: &str, remedy: &str) -> Error {
    Error::unsupported(format!("an input constraint {problem}"), remedy)
}

impl ConstraintForm {
    fn limits(&self) -> Result<Limits> {
        let Self { equals, at_least, at_most, .. } = self;
        let limits = match (equals, at_least, at_most) {
            (Some(value), None, None) => Limits { lower: *value, upper: *value },
            (None, None, None) => return Err(refused("has no limit", "give it equals, at-least or at-most")),
            (None, least, most) => {
                Limits { lower: least.unwrap_or(f64::NEG_INFINITY), upper: most.unwrap_or(f64::INFINITY) }
            }
            (Some(_), ..) => return Err(refused("has equals and another limit", "leave out one of them")),
        };
        let is_number = |limit: &Option<f64>| limit.is_none_or(f64::is_finite);
        if ![equals, at_least, at_most].into_iter().all(is_number) {
            return Err(refused("has a limit that is not finite", "give a number"));
        }
        if limits.lower > limits.upper {
            return Err(refused("has at-least above at-most", "swap them"));
        }
        Ok(limits)
    }
}

impl TryFrom<ConstraintForm> for InputConstraint {
    type Error = Error;

    fn try_from(form: ConstraintForm) -> Result<Self> {
        let kinds = [form.sum.is_some(), form.ratio.is_some(), form.nonzero.is_some(), form.exclude.is_some()];
        if kinds.into_iter().filter(|&is_there| is_there).count() != 1 {
            return Err(refused("is of no kind, or of several", "give one of sum, ratio, nonzero and exclude"));
        }
        if let Some(combinations) = form.exclude {
            if form.equals.or(form.at_least).or(form.at_most).is_some() {
                return Err(refused("that excludes values has a limit", "leave out equals, at-least and at-most"));
            }
            return excluding(combinations);
        }
        let limits = form.limits()?;
        if let Some(terms) = form.sum {
            let terms = match terms {
                Terms::Names(names) => names.into_iter().map(|name| (name, 1.0)).collect(),
                Terms::Coefficients(terms) => terms.into_iter().collect(),
            };
            return Ok(InputConstraint::Sum { terms, limits });
        }
        if let Some(names) = form.ratio {
            let [over, under] = <[String; 2]>::try_from(names)
                .map_err(|_| refused("on a ratio does not name two inputs", "write ratio = [\"over\", \"under\"]"))?;
            return Ok(InputConstraint::Ratio { over, under, limits });
        }
        Ok(InputConstraint::Nonzero { inputs: form.nonzero.unwrap_or_default(), limits })
    }
}

/// Combinations that all name the same inputs.
fn excluding(combinations: Combinations) -> Result<InputConstraint> {
    let maps = match combinations {
        Combinations::One(map) => vec![map],
        Combinations::List(maps) => maps,
    };
    let inputs: Vec<String> = maps.first().map(|map| map.keys().cloned().collect()).unwrap_or_default();
    if maps.iter().any(|map| !map.keys().eq(&inputs)) {
        return Err(refused("excludes values of different inputs in one list", "give each set of inputs its own"));
    }
    Ok(InputConstraint::Exclude { inputs, rows: maps.into_iter().map(|map| map.into_values().collect()).collect() })
}

impl From<InputConstraint> for ConstraintForm {
    fn from(constraint: InputConstraint) -> Self {
        let limited = |limits: Limits| {
            let finite = |limit: f64| Some(limit).filter(|limit| limit.is_finite());
            if limits.lower == limits.upper {
                ConstraintForm { equals: Some(limits.lower), ..Default::default() }
            } else {
                ConstraintForm { at_least: finite(limits.lower), at_most: finite(limits.upper), ..Default::default() }
            }
        };
        match constraint {
            InputConstraint::Sum { terms, limits } => {
                let terms = if terms.iter().all(|(_, coefficient)| *coefficient == 1.0) {
                    Terms::Names(terms.into_iter().map(|(name, _)| name).collect())
                } else {
                    Terms::Coefficients(terms.into_iter().collect())
                };
                ConstraintForm { sum: Some(terms), ..limited(limits) }
            }
            InputConstraint::Ratio { over, under, limits } => {
                ConstraintForm { ratio: Some(vec![over, under]), ..limited(limits) }
            }
            InputConstraint::Nonzero { inputs, limits } => ConstraintForm { nonzero: Some(inputs), ..limited(limits) },
            InputConstraint::Exclude { inputs, rows } => {
                let map = |row: Vec<Value>| inputs.iter().cloned().zip(row).collect();
                let mut maps: Vec<BTreeMap<String, Value>> = rows.into_iter().map(map).collect();
                let exclude =
                    if maps.len() == 1 { Combinations::One(maps.remove(0)) } else { Combinations::List(maps) };
                ConstraintForm { exclude: Some(exclude), ..Default::default() }
            }
        }
    }
}
