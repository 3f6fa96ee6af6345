//! Labels without order: models see the index of each.
//!
//! Labels are JSON values, and come back as what they were listed as. Tables know texts only, and spreadsheets turn the label
//! '8' into the number 8: so a value that is not listed itself is looked for by its text. Labels with the same text are
//! refused.

use super::domain::{Encoder, Kind};
use super::value::Value;
use std::collections::{HashMap, HashSet};

/// Choices listed in a message.
const LISTED: usize = 12;

/// One of these labels: texts, numbers, true, false or null.
#[derive(Debug, Clone, PartialEq)]
pub struct Choices(pub Vec<Value>);

impl Kind for Choices {
    fn name(&self) -> &'static str {
        "choice"
    }

    fn allowed(&self) -> String {
        in_words(&self.0)
    }

    fn fault(&self) -> Option<(String, &'static str)> {
        if self.0.is_empty() {
            return Some(("it has no choices".into(), "list at least two"));
        }
        if let Some(label) = self.0.iter().find(|label| matches!(label, Value::Real(x) if !x.is_finite())) {
            return Some((format!("the choice {label} is not finite"), "give it as a text"));
        }
        let mut seen = HashMap::new();
        for (index, label) in self.0.iter().enumerate() {
            if seen.insert(Key::of(label), index).is_some() {
                return Some((format!("the choice {label} is listed twice"), "list every choice once"));
            }
        }
        let alike = self.0.iter().find_map(|label| Some((label, &self.0[*seen.get(&Key::read(label)?)?])));
        alike.map(|(text, other)| (format!("tables cannot tell the choices {other} and {text} apart"), "rename one"))
    }

    fn choices(&self) -> &[Value] {
        &self.0
    }

    fn count(&self) -> Option<u64> {
        Some(self.0.len() as u64)
    }

    fn largest(&self) -> f64 {
        self.0.len().saturating_sub(1) as f64
    }

    fn from_unit(&self, t: f64) -> f64 {
        (t * self.0.len() as f64).floor().clamp(0.0, self.largest())
    }

    fn snap(&self, number: f64) -> f64 {
        // Adding 0 makes −0 and 0 alike.
        number.round().clamp(0.0, self.largest()) + 0.0
    }

    fn neighbours(&self, number: f64) -> Vec<f64> {
        (0..self.0.len()).map(|c| c as f64).filter(|&c| c != number).collect()
    }

    fn encode(&self, value: &Value) -> Option<f64> {
        let listed = |key: Key<'_>| self.0.iter().position(|label| Key::of(label) == key);
        let read = |key: Key<'_>| self.0.iter().position(|label| Key::read(label) == Some(key));
        find(value, listed, read).map(|index| index as f64)
    }

    fn encode_outside(&self, _: &Value) -> Option<f64> {
        None
    }

    fn decode(&self, number: f64) -> Value {
        self.0.get(self.snap(number) as usize).cloned().unwrap_or(Value::Null)
    }

    /// There may be as many labels as rows of a table: they are looked up, not searched.
    fn encoder(&self) -> Encoder<'_> {
        let mut listed = HashMap::new();
        let mut read = HashMap::new();
        for (index, label) in self.0.iter().enumerate() {
            listed.insert(Key::of(label), index);
            if let Some(key) = Key::read(label) {
                read.entry(key).or_insert(index);
            }
        }
        Box::new(move |value| {
            let listed = |key: Key<'_>| listed.get(&key).copied();
            find(value, listed, |key| read.get(&key).copied()).map(|index| index as f64)
        })
    }
}

/// The values of a list in words, to follow "give".
pub(super) fn in_words(values: &[Value]) -> String {
    let listed: Vec<String> = values.iter().take(LISTED).map(Value::to_string).collect();
    match values.len() {
        count if count > LISTED => format!("one of {}, … ({count} in all)", listed.join(", ")),
        _ => format!("one of {}", listed.join(", ")),
    }
}

/// The label that a value stands for: itself, else what its text says, else a text that says the same.
fn find(
    value: &Value,
    listed: impl Fn(Key<'_>) -> Option<usize>,
    read: impl Fn(Key<'_>) -> Option<usize>,
) -> Option<usize> {
    listed(Key::of(value)).or_else(|| match Key::read(value) {
        Some(key) => listed(key),
        None if matches!(value, Value::Choice(_)) => None,
        None => listed(Key::Text(&value.text())).or_else(|| read(Key::of(value))),
    })
}

/// What labels are told apart by: 1 and 1.0 are the same.
#[derive(PartialEq, Eq, Hash, Clone, Copy)]
pub(super) enum Key<'a> {
    Null,
    Bool(bool),
    Int(i64),
    /// The bits of a number that is no Int.
    Real(u64),
    Text(&'a str),
}

impl<'a> Key<'a> {
    pub(super) fn of(value: &'a Value) -> Self {
        match value {
            Value::Null => Key::Null,
            Value::Bool(truth) => Key::Bool(*truth),
            Value::Choice(text) => Key::Text(text),
            Value::Int(i) => Key::Int(*i),
            Value::Real(x) => value.int().map_or(Key::Real(x.to_bits()), Key::Int),
        }
    }

    /// What else the text of a value may stand for; Python and spreadsheets write True and TRUE.
    fn read(value: &Value) -> Option<Self> {
        let Value::Choice(text) = value else { return None };
        match text.to_ascii_lowercase().as_str() {
            "true" => Some(Key::Bool(true)),
            "false" => Some(Key::Bool(false)),
            "null" => Some(Key::Null),
            _ => {
                let real = || text.parse().ok().filter(|x: &f64| x.is_finite()).map(Value::Real);
                let number = text.parse().map(Value::Int).ok().or_else(real)?;
                number.int().map(Key::Int).or_else(|| number.real().map(|x| Key::Real(x.to_bits())))
            }
        }
    }
}

/// The first name that stands in the list twice.
pub(super) fn repeated(names: &[String]) -> Option<&String> {
    let mut seen = HashSet::new();
    names.iter().find(|name| !seen.insert(name.as_str()))
}
