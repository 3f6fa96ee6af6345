//! Columns by their names, which may be followed by units: `temperature (°C)`, `[K]` or `/ bar`.

use super::Records;
use crate::io::study_file::suggestion;
use miette::{Result, miette};
use spargo::space::Space;
use spargo::study::{ColumnUnit, OUTPUT_COLUMN_WORDS, Output, Study, is_same_unit, name_and_unit};
use std::collections::{HashMap, HashSet};

/// Similarity of names from which on one may be meant by the other.
const ALIKE: f64 = 0.8;

impl Records {
    /// The column of this name, which may be followed by a unit: `temperature (°C)`, `[K]` or `/ bar`.
    pub fn column(&self, name: &str) -> Result<usize> {
        self.find(name)?.ok_or_else(|| {
            let help = suggestion(name, self.header.iter().map(String::as_str));
            miette!(help = help, "{}: there is no column '{name}'", self.place_of_header())
        })
    }

    /// The column of this name, which may be followed by a unit, if there is one.
    pub fn find(&self, name: &str) -> Result<Option<usize>> {
        if let Some(exact) = self.header.iter().position(|column| column == name) {
            return Ok(Some(exact));
        }
        let mut with_unit = (0..self.header.len()).filter(|&k| without_unit(&self.header[k]) == Some(name));
        match (with_unit.next(), with_unit.next()) {
            (Some(first), Some(second)) => Err(miette!(
                help = "rename one of them",
                "{}: both '{}' and '{}' could be the column '{name}'",
                self.place_of_header(),
                self.header[first],
                self.header[second]
            )),
            (found, _) => Ok(found),
        }
    }

    /// The column of a word that tables of trials have, `trial`, whatever its capitals, if there is one.
    pub fn find_word(&self, word: &str) -> Result<Option<usize>> {
        let found = self.find(word)?;
        Ok(found.or_else(|| self.header.iter().position(|column| column.eq_ignore_ascii_case(word))))
    }

    /// Refuses a column that is nearly an output's, or one of its further columns, which the table lacks: it would be passed over.
    /// `known` are the names of all columns that are read.
    pub fn refuse_alike(&self, outputs: &[Output], known: &HashSet<String>) -> Result<()> {
        for header in &self.header {
            let name = without_unit(header).unwrap_or(header);
            if known.contains(header) || known.contains(name) {
                continue;
            }
            for Output { name: output, .. } in outputs {
                let further =
                    OUTPUT_COLUMN_WORDS.iter().find(|(word, _)| plain(name) == plain(&format!("{output} {word}")));
                let further = further.map(|(_, kind)| format!("{output} {kind}"));
                let meant = further.or_else(|| is_alike(name, output).then(|| output.clone()));
                if let Some(meant) = meant.filter(|meant| !self.header.contains(meant)) {
                    let help = "rename it, or leave it out";
                    let place = self.place_of_header();
                    return Err(miette!(help = help, "{place}: is the column '{header}' meant to be '{meant}'?"));
                }
            }
        }
        Ok(())
    }

    pub fn columns<'a>(&self, names: impl Iterator<Item = &'a String>) -> Result<Vec<usize>> {
        names.map(|name| self.column(name)).collect()
    }

    pub(super) fn check_header(&self) -> Result<()> {
        let place = self.place_of_header();
        if self.header.iter().all(String::is_empty) {
            return Err(miette!(help = "add a first line of column names", "{place}: there is no header"));
        }
        let repeated = |&(i, name): &(usize, &String)| !name.is_empty() && self.header[..i].contains(name);
        match self.header.iter().enumerate().find(repeated) {
            Some((i, name)) => Err(miette!(
                help = "rename one of them",
                "{place}: the column '{name}' occurs twice (again as column {})",
                i + 1
            )),
            None => Ok(()),
        }
    }

    fn place_of_header(&self) -> String {
        format!("{}, line {}", self.file, self.header_line)
    }
}

/// Whether people may write one name for the other: with other capitals, underscores or a letter wrong. Other digits are on
/// purpose.
fn is_alike(a: &str, b: &str) -> bool {
    let [a, b] = [plain(a), plain(b)];
    let letters = |name: &str| name.replace(|c: char| c.is_ascii_digit(), "").trim().to_string();
    a == b || (letters(&a) != letters(&b) && strsim::normalized_damerau_levenshtein(&a, &b) >= ALIKE)
}

/// A name without capitals, underscores and hyphens.
fn plain(name: &str) -> String {
    name.to_lowercase().replace(['_', '-'], " ")
}

/// The name before a unit in parentheses, in brackets or after a slash.
pub fn without_unit(header: &str) -> Option<&str> {
    name_and_unit(header).map(|(name, _)| name)
}

/// Whether a column may have values in a unit: its header has none, or the same.
pub fn fits(header: &str, name: &str, unit: &str) -> bool {
    unit_of(header, name).is_none_or(|found| is_same_unit(found, unit))
}

/// The unit in the header of the column of a name.
fn unit_of<'h>(header: &'h str, name: &str) -> Option<&'h str> {
    name_and_unit(header)
        .filter(|(found, unit)| header != name && *found == name && !unit.is_empty())
        .map(|(_, unit)| unit)
}

/// The unit of each column, and where it was found first: in the study file, or in a table.
pub struct Units(HashMap<String, (String, String)>);

impl Units {
    /// The units that inputs of a study have.
    pub fn declared(space: &Space) -> Self {
        let inputs = space.dimensions().iter();
        let units = inputs.filter_map(|input| Some((input.name.clone(), (input.unit.clone()?, "the study".into()))));
        Units(units.collect())
    }

    /// The units that a study's inputs have, and those that its earlier tables had.
    pub fn of(study: &Study) -> Self {
        let Units(mut units) = Units::declared(&study.config().space);
        for (name, (unit, source)) in study.history().units() {
            units.entry(name.clone()).or_insert_with(|| (unit.clone(), source.clone()));
        }
        Units(units)
    }

    /// All units, by the names of their columns.
    pub fn list(self) -> Vec<ColumnUnit> {
        let unit = |(column, (unit, source))| ColumnUnit { column, unit, source };
        let mut units: Vec<ColumnUnit> = self.0.into_iter().map(unit).collect();
        units.sort_by(|a, b| a.column.cmp(&b.column));
        units
    }

    /// Refuses a table that has the column of one of these names in another unit than the study or an earlier table; units that
    /// no one has given yet are remembered.
    pub fn check<'n>(&mut self, records: &Records, names: impl Iterator<Item = &'n String>) -> Result<()> {
        for name in names {
            let Some(column) = records.find(name)? else { continue };
            let header = &records.header[column];
            let Some(unit) = unit_of(header, name) else { continue };
            match self.0.get(name) {
                None => _ = self.0.insert(name.clone(), (unit.into(), records.file.clone())),
                Some((known, _)) if fits(header, name, known) => {}
                Some((known, place)) => {
                    return Err(miette!(
                        help = "convert the column to the unit of the others, and write that in its header",
                        "{}: '{name}' is in {unit} here, but in {known} in {place}",
                        records.place_of_header()
                    ));
                }
            }
        }
        Ok(())
    }
}
