//! Words without order: models see the index of each.

use super::domain::{Encoder, Kind};
use super::value::Value;
use std::collections::{HashMap, HashSet};

/// Choices listed in a message.
const LISTED: usize = 12;

/// One of these words.
#[derive(Debug, Clone, PartialEq)]
pub struct Choices(pub Vec<String>);

impl Kind for Choices {
    fn name(&self) -> &'static str {
        "choice"
    }

    fn allowed(&self) -> String {
        let listed: Vec<String> = self.0.iter().take(LISTED).map(|choice| format!("'{choice}'")).collect();
        match self.0.len() {
            count if count > LISTED => format!("one of {}, … ({count} in all)", listed.join(", ")),
            _ => format!("one of {}", listed.join(", ")),
        }
    }

    fn fault(&self) -> Option<(String, &'static str)> {
        if self.0.is_empty() {
            return Some(("it has no choices".into(), "list at least two"));
        }
        repeated(&self.0).map(|word| (format!("the choice '{word}' is listed twice"), "list every choice once"))
    }

    fn choices(&self) -> &[String] {
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
        let word = value.word();
        self.0.iter().position(|choice| *choice == word).map(|index| index as f64)
    }

    fn decode(&self, number: f64) -> Value {
        Value::Choice(self.0.get(self.snap(number) as usize).cloned().unwrap_or_default())
    }

    /// There may be as many words as rows of a table: they are looked up, not searched.
    fn encoder(&self) -> Encoder<'_> {
        let words = self.0.iter().enumerate().map(|(index, word)| (word.as_str(), index as f64));
        let numbers: HashMap<&str, f64> = words.collect();
        Box::new(move |value| numbers.get(&*value.word()).copied())
    }
}

/// The first word that stands in the list twice.
pub(super) fn repeated(words: &[String]) -> Option<&String> {
    let mut seen = HashSet::new();
    words.iter().find(|word| !seen.insert(word.as_str()))
}
