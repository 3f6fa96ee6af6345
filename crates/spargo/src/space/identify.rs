//! Which candidate a user means by some of its inputs and labels.
//!
//! ```text
//!     { rows r : inputs(r) and labels(r) agree with all that is given }        one row, or it is said why not
//! ```

use super::labels::is_id;
use super::{Point, Space, Value};
use crate::error::{Error, Result};

/// What to do where a candidate cannot be told.
const REMEDY: &str = "the file or table of candidates lists them";

impl Space {
    /// The candidate at a point with these labels, one per column, as the number of its row in the table as it was given; `None` if
    /// several agree, or the point is no candidate. Labels that are `None` or empty are not known. Refuses labels that none of
    /// the candidates at the point has.
    pub fn row_with(&self, point: &[Value], labels: &[Option<&str>]) -> Result<Option<u64>> {
        let rows = self.rows_at(point);
        let agreeing: Vec<u64> = rows.iter().copied().filter(|&row| self.has_labels(row, labels)).collect();
        match agreeing.as_slice() {
            [only] => Ok(Some(*only)),
            [] if !rows.is_empty() => {
                let what = format!("no candidate with these inputs has {}", self.known_in_words(&[], labels));
                Err(Error::unsupported(what, REMEDY))
            }
            _ => Ok(None),
        }
    }

    /// The point, and the candidate as [`row_with`](Self::row_with) has it, that some inputs and labels belong to: one per input
    /// and per label column, `None` where it is not known. Where inputs are not known, a single candidate must agree
    /// with the rest.
    pub fn identify(&self, inputs: &[Option<Value>], labels: &[Option<&str>]) -> Result<(Point, Option<u64>)> {
        self.check_length("the list of values", inputs.len())?;
        if let Some(point) = inputs.iter().cloned().collect::<Option<Point>>() {
            self.encode(&point)?;
            let row = self.row_with(&point, labels)?;
            return Ok((point, row));
        }
        let numbers = self.dimensions.iter().zip(inputs);
        let numbers = numbers.map(|(dimension, value)| value.as_ref().map(|value| dimension.encode(value)).transpose());
        let numbers = numbers.collect::<Result<Vec<_>>>()?;
        let words = self.known_in_words(inputs, labels);
        let Some(table) = self.table.as_ref().filter(|_| !words.is_empty()) else {
            let missing = self.dimensions.iter().zip(inputs).find(|(_, value)| value.is_none());
            let name = missing.map_or("", |(dimension, _)| dimension.name.as_str());
            return Err(Error::input(name, "has no value", "give every input, or the labels of a candidate"));
        };
        let agrees = |place: usize| {
            let mut own = numbers.iter().enumerate();
            own.all(|(k, number)| number.is_none_or(|number| table.numbers()[(place, k)] == number))
                && self.has_labels(table.labels().rows[place], labels)
        };
        let places: Vec<usize> = (0..table.numbers().nrows()).filter(|&place| agrees(place)).collect();
        match places.as_slice() {
            [] => Err(Error::unsupported(format!("no candidate has {words}"), REMEDY)),
            &[only] => Ok((self.candidate(only).unwrap_or_default(), Some(table.labels().rows[only]))),
            several => {
                let what = format!("{} candidates have {words}", several.len());
                Err(Error::unsupported(what, "give more of their inputs or labels"))
            }
        }
    }

    /// The point of a candidate, by the number of its row in the table as it was given.
    pub fn point_of(&self, row: u64) -> Result<Point> {
        let place = self.table.as_ref().and_then(|table| table.labels().place(row));
        let point = place.and_then(|place| self.candidate(place));
        point.ok_or_else(|| Error::unsupported(format!("there is no row {row} of the candidates"), REMEDY))
    }

    fn has_labels(&self, row: u64, labels: &[Option<&str>]) -> bool {
        let mut own = self.labels(row).into_iter().flatten().zip(labels);
        own.all(|((_, own), label)| label.is_none_or(|label| label.is_empty() || label == own))
    }

    /// The first of these labels, one per column, that tells a candidate from the one in this row, with its name, what it is in
    /// the row, and what is given. Labels that are `None` or empty are not known.
    pub fn other_label<'a>(&'a self, row: u64, labels: &[Option<&'a str>]) -> Option<(&'a str, &'a str, &'a str)> {
        let identity = self.identity(row)?;
        let own = self.labels(row)?;
        let has_id = identity.len() < own.len();
        let known = own.into_iter().zip(labels).filter(|((name, _), _)| !has_id || is_id(name));
        let mut others = known.filter_map(|((name, own), label)| Some((name, own, (*label)?)));
        others.find(|(_, own, label)| !label.is_empty() && !is_same_text(own, label))
    }

    /// A point with all of its digits, and the labels of its row: `temperature 60.0, catalyst Pd, id C17`.
    pub fn in_words(&self, point: &[Value], row: Option<u64>) -> String {
        let inputs: Vec<_> = point.iter().cloned().map(Some).collect();
        let labels = row.and_then(|row| self.labels(row)).unwrap_or_default();
        self.known_in_words(&inputs, &labels.into_iter().map(|(_, label)| Some(label)).collect::<Vec<_>>())
    }

    fn known_in_words(&self, inputs: &[Option<Value>], labels: &[Option<&str>]) -> String {
        let inputs = self.dimensions.iter().zip(inputs).filter_map(|(input, value)| match value.as_ref()? {
            Value::Choice(text) => Some(format!("{} {text}", input.name)),
            other => Some(format!("{} {other}", input.name)),
        });
        let labels = self.label_names().zip(labels).filter_map(|(name, label)| Some((name, (*label)?)));
        let labels = labels.filter(|(_, label)| !label.is_empty()).map(|(name, label)| format!("{name} {label}"));
        inputs.chain(labels).collect::<Vec<_>>().join(", ")
    }
}

/// Whether a spreadsheet may have written one text as the other: 007 as 7.
fn is_same_text(a: &str, b: &str) -> bool {
    let number = |text: &str| text.trim().parse::<f64>().ok();
    a.trim() == b.trim() || number(a).is_some_and(|a| Some(a) == number(b))
}
