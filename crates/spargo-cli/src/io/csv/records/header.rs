//! Columns by their names, which may be followed by units.

use super::Records;
use crate::io::study_file::suggestion;
use miette::{Result, miette};

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

/// The name before a unit in parentheses, in brackets or after a slash.
pub fn without_unit(header: &str) -> Option<&str> {
    let enclosed = |open, close| header.strip_suffix(close).and_then(|rest: &str| rest.rsplit_once(open));
    let (name, _) = enclosed('(', ')').or_else(|| enclosed('[', ']')).or_else(|| header.rsplit_once(" / "))?;
    Some(name.trim_end())
}
