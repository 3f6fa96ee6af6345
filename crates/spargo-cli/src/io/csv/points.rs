//! Points and numbers as text for programs, tables and people.

use serde::ser::{Serialize, SerializeMap, Serializer};
use spargo::space::{Dimension, Space, Value};
use spargo::study::{Output, Trial};

/// A value as a program reads it: integers without decimals, reals with every digit, texts without
/// quotes, true, false and null as in JSON.
pub fn text(value: &Value) -> String {
    match value {
        Value::Choice(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The cells of a trial's inputs; one without a value is empty.
pub fn point_cells<'a>(space: &'a Space, trial: &'a Trial) -> impl Iterator<Item = Option<Value>> + 'a {
    let values = space.dimensions().iter().zip(&trial.point);
    values.map(|(input, value)| (input.when.is_none() || *value != Value::Null).then(|| value.clone()))
}

/// The cells of a trial's labels, one per label column of the candidates; they are empty for what is no candidate.
pub fn label_cells(space: &Space, trial: &Trial) -> Vec<Option<Value>> {
    match trial.row.and_then(|row| space.labels(row)) {
        Some(labels) => labels.into_iter().map(|(_, text)| Some(text.into())).collect(),
        None => vec![None; space.label_names().count()],
    }
}

/// A trial as a JSON object of its inputs and labels, with its number if `numbered`.
#[derive(Clone, Copy)]
pub struct Named<'a> {
    pub space: &'a Space,
    pub trial: &'a Trial,
    pub numbered: bool,
}

impl Serialize for Named<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (dimension, value) in self.space.dimensions().iter().zip(&self.trial.point) {
            map.serialize_entry(&dimension.name, value)?;
        }
        for (name, text) in self.trial.row.and_then(|row| self.space.labels(row)).into_iter().flatten() {
            map.serialize_entry(name, text)?;
        }
        if self.numbered {
            map.serialize_entry("trial", &self.trial.id)?;
        }
        map.end()
    }
}

/// Numbers as a JSON object with the names of their outputs as keys.
pub fn by_output<T: Clone + Into<serde_json::Value>>(outputs: &[Output], numbers: &[T]) -> serde_json::Value {
    outputs.iter().zip(numbers).map(|(output, number)| (output.name.clone(), number.clone())).collect()
}

/// A trial's inputs and labels on one line for people: `temperature 81.2, catalyst Pd`.
pub fn line(space: &Space, trial: &Trial) -> String {
    let words = |value: &Value| if let Value::Real(x) = value { short(*x) } else { text(value) };
    let has_value = |(input, value): &(&Dimension, &Value)| input.when.is_none() || **value != Value::Null;
    let inputs = space.dimensions().iter().zip(&trial.point).filter(has_value);
    let inputs = inputs.map(|(input, value)| format!("{} {}", input.name, words(value)));
    let labels = trial.row.and_then(|row| space.labels(row)).into_iter().flatten();
    inputs.chain(labels.map(|(name, text)| format!("{name} {text}"))).collect::<Vec<_>>().join(", ")
}

/// A number with five significant digits.
pub fn short(number: f64) -> String {
    match format!("{number:.4e}").parse::<f64>() {
        Ok(rounded) if rounded == 0.0 || (1e-4..1e7).contains(&rounded.abs()) => rounded.to_string(),
        Ok(rounded) => format!("{rounded:e}"),
        Err(_) => number.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_for_people_and_complete_for_programs() {
        for (number, words) in
            [(84.612_345, "84.612"), (-0.000_012_3, "-1.23e-5"), (0.0, "0"), (3e9, "3e9"), (f64::INFINITY, "inf")]
        {
            assert_eq!(short(number), words);
        }
        let values = [Value::Real(0.1 + 0.2), Value::Real(20.0), Value::Real(1e300), Value::Int(-7), "$(x) '".into()];
        assert_eq!(values.map(|value| text(&value)), ["0.30000000000000004", "20.0", "1e300", "-7", "$(x) '"]);
        assert_eq!([true.into(), Value::Null].map(|value| text(&value)), ["true", "null"]);
    }
}
