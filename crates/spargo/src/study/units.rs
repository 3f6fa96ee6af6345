//! Units of columns: the first table that has one says what the numbers of its column are in.

use super::Study;
use super::storage::{Event, History};
use crate::error::{Error, Result};
use crate::space::Space;
use std::fmt;

/// What to do where the trials of the past are in another unit.
const OTHER_UNIT: &str = "keep it, and give ranges and tables in it; or export the trials, convert them, give the study another \
                          name, and add them to that one as new points (`spargo tell --as-new`)";

/// The place of a unit that the settings have.
const SETTINGS: &str = "the study";

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
        let ColumnUnit { column, unit, source } = self;
        match known_unit(column, space, history) {
            None => Ok(true),
            Some((known, _)) if is_same_unit(known, unit) => Ok(false),
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

/// The unit of a column, by the settings or by the first table that had one, and which of them says so.
fn known_unit<'a>(column: &str, space: &'a Space, history: &'a History) -> Option<(&'a str, &'a str)> {
    let input = space.dimensions().iter().find(|input| input.name == column);
    let declared = input.and_then(|input| Some((input.unit.as_ref()?.as_str(), SETTINGS)));
    declared.or_else(|| history.units().get(column).map(|(unit, source)| (unit.as_str(), source.as_str())))
}

/// The name in a header, and the unit after it: `temperature (°C)`, `[K]` or `/ bar`.
pub fn name_and_unit(header: &str) -> Option<(&str, &str)> {
    let enclosed = |open, close| header.strip_suffix(close).and_then(|rest: &str| rest.rsplit_once(open));
    let (name, unit) = enclosed('(', ')').or_else(|| enclosed('[', ']')).or_else(|| header.rsplit_once(" / "))?;
    Some((name.trim_end(), unit.trim()))
}

/// Whether two units are the same, however keyboards write them.
pub fn is_same_unit(a: &str, b: &str) -> bool {
    let plain = |c: char| match c {
        'º' => '°',
        'μ' => 'µ',
        c => c,
    };
    let letters = |unit: &str| unit.chars().filter(|c| !c.is_whitespace()).map(plain).collect::<String>();
    letters(a) == letters(b)
}

impl Study {
    /// The header of the column of an input or output in a table: its name, followed by its unit if one is known, as in
    /// `temperature (°C)`.
    pub fn header(&self, column: &str) -> String {
        match known_unit(column, &self.config.space, &self.history) {
            Some((unit, _)) => format!("{column} ({unit})"),
            None => column.into(),
        }
    }

    /// The names of the columns of a table without the units of inputs and outputs, and the units that are new to the study;
    /// `source` is the name of the table. Refuses units that are not the study's, and two columns for one input or output.
    pub fn read_headers(&self, headers: &[String], source: &str) -> Result<(Vec<String>, Vec<ColumnUnit>)> {
        let (mut names, mut units) = (headers.to_vec(), Vec::new());
        let inputs = self.config.space.dimensions().iter().map(|input| &input.name);
        for column in inputs.chain(self.config.outputs.iter().map(|output| &output.name)) {
            if headers.contains(column) {
                continue;
            }
            let split = headers.iter().enumerate().filter_map(|(k, header)| Some((k, name_and_unit(header)?)));
            let mut found = split.filter(|(_, (name, _))| name == column).map(|(k, (_, unit))| (k, unit));
            let Some((k, unit)) = found.next() else { continue };
            if let Some((other, _)) = found.next() {
                let what = format!("both '{}' and '{}' could be the column '{column}'", headers[k], headers[other]);
                return Err(Error::unsupported(what, "rename one of them"));
            }
            names[k].clone_from(column);
            if !unit.is_empty() {
                units.push(ColumnUnit { column: column.clone(), unit: unit.into(), source: source.into() });
            }
        }
        Ok((names, ColumnUnit::new_among(&units, &self.config.space, &self.history)?))
    }

    /// Refuses a space that says of the trials of the past that they were measured in other units.
    pub(super) fn check_units(&self, space: &Space) -> Result<()> {
        if self.history.records().iter().all(|record| record.is_discarded) {
            return Ok(());
        }
        for input in space.dimensions() {
            let Some((known, place)) = known_unit(&input.name, &self.config.space, &self.history) else { continue };
            let change = match &input.unit {
                Some(unit) if is_same_unit(unit, known) => continue,
                Some(unit) => format!("change from {known} to {unit}"),
                // Or it could come back as another one.
                None if place == SETTINGS => format!("be left out: trials of the past are in {known}"),
                None => continue,
            };
            let what = format!("the unit of '{}', by {place}, cannot {change}", input.name);
            return Err(Error::unsupported(what, OTHER_UNIT));
        }
        Ok(())
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
