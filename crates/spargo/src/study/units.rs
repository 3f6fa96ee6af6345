//! Units of columns: the first table that has one says what the numbers of its column are in.

use super::storage::{Event, History};
use crate::error::{Error, Result};
use crate::space::Space;
use std::fmt;

/// The unit of the column of an input or output, and the table that says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnUnit {
    /// The name of the input or output.
    pub column: String,
    /// The unit of the column.
    pub unit: String,
    /// The name of the table.
    pub source: String,
}

impl ColumnUnit {
    /// Whether neither the settings nor an earlier table say what the unit of the column is; refuses another one than theirs.
    fn is_new(&self, space: &Space, history: &History) -> Result<bool> {
        let input = space.dimensions().iter().find(|input| input.name == self.column);
        let declared = input.and_then(|input| Some((input.unit.as_ref()?.as_str(), "the study")));
        let earlier = history.units().get(&self.column).map(|(unit, source)| (unit.as_str(), source.as_str()));
        let ColumnUnit { column, unit, source } = self;
        match declared.or(earlier) {
            None => Ok(true),
            Some((known, _)) if known == unit => Ok(false),
            Some((known, place)) => {
                let what = format!("'{column}' is in {unit} in {source}, but in {known} in {place}");
                Err(Error::unsupported(what, "convert the column to the unit of the others, and tell it again"))
            }
        }
    }

    /// Those of the units that are to be kept.
    pub(super) fn new_among(units: &[ColumnUnit], space: &Space, history: &History) -> Result<Vec<ColumnUnit>> {
        let new = units.iter().filter_map(|unit| match unit.is_new(space, history) {
            Ok(is_new) => is_new.then(|| Ok(unit.clone())),
            Err(error) => Some(Err(error)),
        });
        new.collect()
    }
}

impl fmt::Display for ColumnUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in {} ({})", self.column, self.unit, self.source)
    }
}

impl From<ColumnUnit> for Event {
    fn from(ColumnUnit { column, unit, source }: ColumnUnit) -> Self {
        Event::Unit { column, unit, source }
    }
}
