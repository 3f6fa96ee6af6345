//! CSV files as spreadsheets write them: with quotes, units in headers, CRLF, a byte order mark, semicolons, comments on top.
//!
//! Every error names the file, the line and the column.

mod cells;
mod decode;
mod dialect;
mod header;
mod value;

pub use cells::Row;
pub use header::{Units, without_unit};
pub use value::{number_value, value};

use crate::io::csv::csv_out::CsvFormat;
use crate::io::csv::formula::bared;
use crate::io::output::count::counted;
use crate::io::output::files::STANDARD_STREAM;
use crate::io::output::print::note;
use cells::Cells;
use decode::decode;
use dialect::{Dialect, Lines};
use miette::{IntoDiagnostic, Report, Result, WrapErr, miette};
use std::io::Read;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether standard input, which can be read once, has been read.
static STDIN_IS_READ: AtomicBool = AtomicBool::new(false);

/// A CSV file with a header, as text.
#[derive(Debug)]
pub struct Records {
    file: String,
    header: Vec<String>,
    /// The line of the header.
    header_line: u64,
    cells: Cells,
    format: CsvFormat,
    /// What was read otherwise than it stands there.
    notes: Vec<String>,
}

impl Records {
    /// Reads a file with a header and at least one row below it.
    pub fn read(path: &Path) -> Result<Self> {
        let records = Records::read_any(path)?;
        if records.rows().len() == 0 {
            return Err(miette!("{} has no rows below its header", records.file));
        }
        Ok(records)
    }

    /// Reads a file with a header, or standard input as `-`; says what was read otherwise than it stands there.
    pub fn read_any(path: &Path) -> Result<Self> {
        let stdin = path == Path::new(STANDARD_STREAM);
        let file = if stdin { "standard input".into() } else { path.display().to_string() };
        let mut bytes = Vec::new();
        if stdin && STDIN_IS_READ.swap(true, Ordering::Relaxed) {
            return Err(miette!("standard input (-) can be read only once: give other tables as files"));
        }
        let read = if stdin {
            std::io::stdin().read_to_end(&mut bytes).map(drop)
        } else {
            std::fs::read(path).map(|read| bytes = read)
        };
        read.into_diagnostic().wrap_err_with(|| format!("cannot open {file}"))?;
        let records = Records::parse(file, &bytes)?;
        records.notes.iter().for_each(|text| note(&format!("{}: {text}", records.file)));
        Ok(records)
    }

    pub fn parse(file: String, bytes: &[u8]) -> Result<Self> {
        let (text, windows) = decode(&file, bytes)?;
        let text = text.as_ref();
        let dialect = Dialect::of(text);
        let (start, mut lines) = (dialect.start, Lines::new(text));
        let mut reader = csv::ReaderBuilder::new()
            .trim(csv::Trim::All)
            .delimiter(dialect.delimiter)
            .from_reader(&text.as_bytes()[start..]);
        let header_line = lines.of(start);
        let header = reader.headers().map_err(|error| miette!("{file}, line {header_line}: {error}"))?;
        let header: Vec<String> = header.iter().map(|name| bared(name).into()).collect();
        let (format, cells) = (CsvFormat::default(), Cells::new(header.len()));
        let mut records = Records { file, header, header_line, cells, format, notes: Vec::new() };
        records.check_header()?;
        records.notes.extend(windows.then(|| "it is not UTF-8, and is read as Windows-1252".into()));
        records.notes.extend(
            (dialect.comments > 0).then(|| format!("{} of comments on top", counted(dialect.comments, "line"))),
        );
        let place = |position: Option<&csv::Position>| start + position.map_or(0, |position| position.byte() as usize);
        let (mut last, mut record) = (start, csv::StringRecord::new());
        loop {
            let more = reader.read_record(&mut record).map_err(|error| {
                let place = place(error.position());
                dialect.broken(&records.file, lines.of(place), &text[place..], &error)
            })?;
            if !more {
                break;
            }
            last = place(record.position());
            let line = lines.of(last);
            // Spreadsheets leave rows of empty cells at the end.
            if record.iter().any(|cell| !cell.is_empty()) {
                records.cells.push(line, record.iter());
            }
        }
        let decimals = dialect.decimals(records.cells.iter());
        records.format = decimals.format();
        if let Some((row, column, message)) = records.rows().find_map(|row| {
            let (column, message) = decimals.ambiguous(row)?;
            Some((row, column, message))
        }) {
            return Err(records.fault_in(row, column, &message));
        }
        if !dialect.is_plain(&records.cells) {
            let mut plain = Cells::new(records.header.len());
            records.rows().for_each(|row| plain.push(row.line, row.iter().map(|cell| dialect.plain(cell))));
            records.cells = plain;
        }
        // An open quote swallows whatever follows it.
        let swallows = |row: &Row<'_>| row.iter().any(|cell| cell.contains('\n')) && is_open(&text[last..]);
        let open = records.rows().next_back().filter(swallows).map(|row| row.line);
        open.map_or(Ok(()), |line| Err(unclosed(&records.file, line)))?;
        Ok(records)
    }

    /// The file and its header, to free the memory of the rows.
    pub fn without_rows(self) -> Self {
        Records { cells: Cells::default(), ..self }
    }

    pub fn file(&self) -> &str {
        &self.file
    }

    pub fn header(&self) -> &[String] {
        &self.header
    }

    /// How the file is written.
    pub fn format(&self) -> CsvFormat {
        self.format
    }

    pub fn rows(&self) -> impl ExactSizeIterator<Item = Row<'_>> + DoubleEndedIterator {
        self.cells.rows()
    }

    /// An error in a row, counted from 0.
    pub fn fault(&self, row: usize, message: &str) -> Report {
        miette!("{}, line {}: {message}", self.file, self.rows().nth(row).map_or(0, |row| row.line))
    }

    /// An error in a row as a whole.
    pub fn fault_at(&self, row: Row<'_>, message: &str) -> Report {
        miette!("{}, line {}: {message}", self.file, row.line)
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
