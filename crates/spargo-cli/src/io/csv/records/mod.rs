//! CSV files as spreadsheets write them: with quotes, units in headers, CRLF, a byte order mark, semicolons.
//!
//! Every error names the file, the line and the column.

mod dialect;
mod header;
mod value;

pub use header::{Units, without_unit};
pub use value::{number_value, value};

use dialect::{Dialect, Lines};
use miette::{IntoDiagnostic, Report, Result, WrapErr, miette};
use std::path::Path;

/// A CSV file with a header, as text.
#[derive(Debug)]
pub struct Records {
    file: String,
    header: Vec<String>,
    /// The line of the header.
    header_line: u64,
    rows: Vec<(u64, csv::StringRecord)>,
}

/// One row below the header.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    /// Its line in the file, counted from 1.
    pub line: u64,
    cells: &'a csv::StringRecord,
}

impl<'a> Row<'a> {
    pub fn cell(&self, column: usize) -> &'a str {
        self.cells.get(column).unwrap_or("")
    }
}

impl Records {
    /// Reads a file with a header and at least one row below it.
    pub fn read(path: &Path) -> Result<Self> {
        let records = Records::read_any(path)?;
        if records.rows.is_empty() {
            return Err(miette!("{} has no rows below its header", records.file));
        }
        Ok(records)
    }

    /// Reads a file with a header.
    pub fn read_any(path: &Path) -> Result<Self> {
        let file = path.display().to_string();
        let bytes = std::fs::read(path).into_diagnostic().wrap_err_with(|| format!("cannot open {file}"))?;
        Records::parse(file, &bytes)
    }

    pub fn parse(file: String, bytes: &[u8]) -> Result<Self> {
        let text = utf8(&file, bytes)?;
        let dialect = Dialect::of(text);
        let (start, mut lines) = (dialect.start, Lines::new(text));
        let mut reader = csv::ReaderBuilder::new()
            .trim(csv::Trim::All)
            .delimiter(dialect.delimiter)
            .from_reader(&text.as_bytes()[start..]);
        let header_line = lines.of(start);
        let header = reader.headers().map_err(|error| miette!("{file}, line {header_line}: {error}"))?;
        let header = header.iter().map(String::from).collect();
        let mut records = Records { file, header, header_line, rows: Vec::new() };
        records.check_header()?;
        let place = |position: Option<&csv::Position>| start + position.map_or(0, |position| position.byte() as usize);
        let mut last = start;
        for record in reader.into_records() {
            let record = record.map_err(|error| {
                let place = place(error.position());
                dialect.broken(&records.file, lines.of(place), &text[place..], &error)
            })?;
            last = place(record.position());
            let line = lines.of(last);
            // Spreadsheets leave rows of empty cells at the end.
            if record.iter().any(|cell| !cell.is_empty()) {
                records.rows.push((line, dialect.with_points(record)));
            }
        }
        match records.rows.last() {
            // It swallows whatever follows it.
            Some((line, row)) if row.iter().any(|cell| cell.contains('\n')) && is_open(&text[last..]) => {
                Err(unclosed(&records.file, *line))
            }
            _ => Ok(records),
        }
    }

    /// The file and its header, to free the memory of the rows.
    pub fn without_rows(self) -> Self {
        Records { rows: Vec::new(), ..self }
    }

    pub fn file(&self) -> &str {
        &self.file
    }

    pub fn header(&self) -> &[String] {
        &self.header
    }

    pub fn rows(&self) -> impl ExactSizeIterator<Item = Row<'_>> {
        self.rows.iter().map(|(line, cells)| Row { line: *line, cells })
    }

    /// An error in a row, counted from 0.
    pub fn fault(&self, row: usize, message: &str) -> Report {
        miette!("{}, line {}: {message}", self.file, self.rows.get(row).map_or(0, |(line, _)| *line))
    }

    /// An error in a cell.
    pub fn fault_in(&self, row: Row<'_>, column: usize, message: &str) -> Report {
        miette!("{}, line {}, column '{}': {message}", self.file, row.line, self.header[column])
    }
}

/// The text of a file, without the byte order mark of Windows programs.
pub fn utf8<'a>(file: &str, bytes: &'a [u8]) -> Result<&'a str> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|error| {
        let line = 1 + bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count();
        miette!(help = "save it as UTF-8", "{file}, line {line}: a byte that is not UTF-8")
    })
}

/// Whether the last quote of a text is not closed.
fn is_open(text: &str) -> bool {
    !text.matches('"').count().is_multiple_of(2)
}

fn unclosed(file: &str, line: u64) -> Report {
    miette!(
        help = "close it, or write two of them for one in a cell",
        "{file}, line {line}: a quotation mark is not closed"
    )
}

#[cfg(test)]
mod tests;
