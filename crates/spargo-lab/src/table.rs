//! Numbers of a figure as CSV, and in few words as Markdown.

use crate::error::{Error, Result};
use crate::stats::{Interval, arithmetic};
use std::path::Path;

/// Writes a table; numbers that are not there (NaN) are empty cells.
pub fn write<'a>(path: &Path, header: &[&str], rows: impl IntoIterator<Item = Vec<Cell<'a>>>) -> Result<()> {
    let failed = |error: csv::Error| Error::drawing(path, error);
    let mut writer = csv::Writer::from_path(path).map_err(failed)?;
    writer.write_record(header).map_err(failed)?;
    for row in rows {
        writer.write_record(row.iter().map(Cell::text)).map_err(failed)?;
    }
    writer.flush().map_err(Error::file("write", path))
}

/// Writes a table in words; columns in which no row has any are left out.
pub fn markdown(path: &Path, header: &[String], rows: &[Vec<String>]) -> Result<()> {
    std::fs::write(path, words(header, rows)).map_err(Error::file("write", path))
}

/// Such a table.
pub fn words(header: &[String], rows: &[Vec<String>]) -> String {
    let used: Vec<usize> = (0..header.len()).filter(|&k| rows.iter().any(|row| !row[k].is_empty())).collect();
    let line = |cells: &[String]| used.iter().map(|&k| format!("| {} ", cells[k])).collect::<String>() + "|\n";
    let rule = "|---".repeat(used.len()) + "|\n";
    line(header) + &rule + &rows.iter().map(|row| line(row)).collect::<String>()
}

/// Something measured.
pub type Quantity<T> = (&'static str, fn(&T) -> f64);

/// Writes the mean of every quantity over each list of repeats, with its interval; a list has one or two names.
pub fn summarise<T>(path: &Path, lists: &[([&str; 2], Vec<&T>)], quantities: &[Quantity<T>]) -> Result<()> {
    let header = ["function", "method", "quantity", "repeats", "mean", "low", "high"];
    let rows = lists.iter().flat_map(|(names, repeats)| {
        quantities.iter().map(move |(quantity, value)| {
            let Interval { mean, low, high } = arithmetic(&repeats.iter().map(|one| value(one)).collect::<Vec<_>>());
            let mut row = Vec::from(names.map(Cell::from));
            row.extend([Cell::from(*quantity), repeats.len().into(), mean.into(), low.into(), high.into()]);
            row
        })
    });
    write(path, &header, rows)
}

/// Enough digits to draw with.
pub fn rounded(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

/// One cell.
pub enum Cell<'a> {
    /// A word.
    Word(&'a str),
    /// A number.
    Number(f64),
}

impl Cell<'_> {
    fn text(&self) -> String {
        match self {
            Cell::Word(word) => (*word).into(),
            Cell::Number(number) if number.is_nan() => String::new(),
            Cell::Number(number) => number.to_string(),
        }
    }
}

impl From<f64> for Cell<'_> {
    fn from(number: f64) -> Self {
        Cell::Number(number)
    }
}

impl From<usize> for Cell<'_> {
    fn from(number: usize) -> Self {
        Cell::Number(number as f64)
    }
}

impl<'a> From<&'a str> for Cell<'a> {
    fn from(word: &'a str) -> Self {
        Cell::Word(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_without_words_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.md");
        let words = |list: [&str; 3]| list.map(String::from).to_vec();
        let rows = [words(["cvr", "", "1"]), words(["exact", "", ""])];
        markdown(&path, &words(["method", "gap", "s"]), &rows).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text, "| method | s |\n|---|---|\n| cvr | 1 |\n| exact |  |\n");
    }
}
