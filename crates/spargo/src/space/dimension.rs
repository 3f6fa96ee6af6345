//! One named input: what it may be, said so that a refusal names it.

use super::domain::{Domain, Kind, Scale};
use super::form::InputForm;
use super::value::Value;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// One named input, written as `{ name = "temperature", real = [20.0, 80.0], log = true }`, `{ name = "layers", int =
/// [1, 8] }` or `{ name = "metal", choice = ["Pd", "Ni"] }`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "InputForm", into = "InputForm")]
pub struct Dimension {
    /// What the user calls it.
    pub name: String,
    /// The values it may take.
    pub domain: Domain,
}

impl Dimension {
    /// A real number between two ends.
    pub fn real(name: impl Into<String>, lower: f64, upper: f64) -> Self {
        Dimension { name: name.into(), domain: Domain::Real { lower, upper, scale: Scale::Linear } }
    }

    /// A whole number between two ends.
    pub fn int(name: impl Into<String>, lower: i64, upper: i64) -> Self {
        Dimension { name: name.into(), domain: Domain::Int { lower, upper, scale: Scale::Linear } }
    }

    /// One of several words.
    pub fn choice(name: impl Into<String>, choices: &[&str]) -> Self {
        let choices = choices.iter().map(|choice| choice.to_string()).collect();
        Dimension { name: name.into(), domain: Domain::Categorical { choices } }
    }

    /// The same with its range divided evenly in the logarithm; nothing changes for words.
    pub fn log(mut self) -> Self {
        if let Domain::Real { scale, .. } | Domain::Int { scale, .. } = &mut self.domain {
            *scale = Scale::Log;
        }
        self
    }

    /// The number by which models see a value.
    pub fn encode(&self, value: &Value) -> Result<f64> {
        self.domain.encode(value).ok_or_else(|| self.refuse(value))
    }

    /// The value with the nearest number.
    pub fn decode(&self, number: f64) -> Result<Value> {
        match number.is_nan() {
            true => Err(self.refuse(&Value::Real(number))),
            false => Ok(self.domain.decode(number)),
        }
    }

    pub(super) fn refuse(&self, value: &Value) -> Error {
        let allowed = match &self.domain {
            Domain::Real { lower, upper, .. } => format!("a number from {lower:?} to {upper:?}"),
            Domain::Int { lower, upper, .. } => format!("a whole number from {lower} to {upper}"),
            Domain::Categorical { choices } => one_of(choices),
        };
        Error::Value { input: self.name.clone(), value: value.to_string(), allowed }
    }

    /// Refuses what is no domain. Inputs that can take only one value pass: a table may have such columns.
    pub(super) fn check(&self) -> Result<()> {
        let fault = match self.domain.kind() {
            Kind::Reals(r) if !(r.lower.is_finite() && r.upper.is_finite()) => {
                Some(("an end of its range is not finite".to_string(), "give two finite ends"))
            }
            Kind::Reals(r) if r.lower > r.upper => Some(reversed(&r.lower, &r.upper)),
            // Below the smallest normal number, steps in the logarithm are lost to rounding.
            Kind::Reals(r) if r.scale == Scale::Log && r.lower < f64::MIN_POSITIVE => Some(not_positive(&r.lower)),
            Kind::Reals(r) if r.overflows() => {
                Some((format!("the length of its range from {:?} to {:?} overflows", r.lower, r.upper), "rescale it"))
            }
            Kind::Ints(r) if r.lower > r.upper => Some(reversed(&r.lower, &r.upper)),
            Kind::Ints(r) if r.scale == Scale::Log && r.lower < 1 => Some(not_positive(&r.lower)),
            Kind::Ints(r) if r.too_wide() => {
                let problem = format!("floating point cannot tell all integers from {} to {} apart", r.lower, r.upper);
                Some((problem, "make it real and round, or narrow it"))
            }
            Kind::Choices([]) => Some(("it has no choices".into(), "list at least two")),
            Kind::Choices(choices) => {
                repeated(choices).map(|word| (format!("the choice '{word}' is listed twice"), "list every choice once"))
            }
            _ => None,
        };
        fault.map_or(Ok(()), |(problem, remedy)| Err(self.fault(problem, remedy)))
    }

    /// Refuses an input that can take only one value: nothing can be learned about it.
    pub(super) fn check_varies(&self) -> Result<()> {
        let constant = match &self.domain {
            Domain::Real { lower, upper, .. } => lower == upper,
            _ => self.domain.count() == Some(1),
        };
        match constant {
            true => Err(self.fault("it can take only one value".into(), "leave it out, or give it more room")),
            false => Ok(()),
        }
    }

    fn fault(&self, problem: String, remedy: &str) -> Error {
        Error::Input { name: self.name.clone(), problem, remedy: remedy.into() }
    }
}

fn reversed(lower: &dyn std::fmt::Debug, upper: &dyn std::fmt::Debug) -> (String, &'static str) {
    (format!("its lower end {lower:?} is above its upper end {upper:?}"), "swap them")
}

fn not_positive(lower: &dyn std::fmt::Debug) -> (String, &'static str) {
    (format!("a logarithmic range cannot begin at {lower:?}"), "raise its lower end above 0, or leave out log")
}

/// The first word that stands in the list twice.
pub(super) fn repeated(words: &[String]) -> Option<&String> {
    let mut seen = HashSet::new();
    words.iter().find(|word| !seen.insert(word.as_str()))
}

/// Choices listed in a message.
const LISTED: usize = 12;

fn one_of(choices: &[String]) -> String {
    let listed: Vec<String> = choices.iter().take(LISTED).map(|choice| format!("'{choice}'")).collect();
    match choices.len() {
        count if count > LISTED => format!("one of {}, … ({count} in all)", listed.join(", ")),
        _ => format!("one of {}", listed.join(", ")),
    }
}
