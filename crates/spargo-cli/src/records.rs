//! CSV files as people have them: with quotes, units in headers, CRLF, a byte order mark, semicolons.
//!
//! Every complaint names the file, the line and the column.

use crate::study_file::suggestion;
use miette::{IntoDiagnostic, Report, Result, WrapErr, miette};
use spargo::space::{Domain, Value};
use std::path::Path;

/// A CSV file with a header, as text.
#[derive(Debug)]
pub struct Records {
    file: String,
    header: Vec<String>,
    rows: Vec<(u64, csv::StringRecord)>,
}

/// One row below the header.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    /// Where it stands in the file, counted from 1.
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
        match records.rows.is_empty() {
            true => Err(miette!("{} has no rows below its header", records.file)),
            false => Ok(records),
        }
    }

    /// Reads a file with a header.
    pub fn read_any(path: &Path) -> Result<Self> {
        let file = path.display().to_string();
        let bytes = std::fs::read(path).into_diagnostic().wrap_err_with(|| format!("cannot open {file}"))?;
        Records::parse(file, &bytes)
    }

    pub fn parse(file: String, bytes: &[u8]) -> Result<Self> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let line = 1 + bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count();
            miette!(help = "save it as UTF-8", "{file}, line {line}: a byte that is not UTF-8")
        })?;
        let delimiter = delimiter(text);
        let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).delimiter(delimiter).from_reader(bytes);
        let header = reader.headers().map_err(|error| broken(&file, 1, &error))?.iter().map(String::from).collect();
        let mut records = Records { file, header, rows: Vec::new() };
        records.check_header()?;
        let mut lines = Lines { bytes, at: 0, line: 1 };
        for record in reader.into_records() {
            let record = record.map_err(|error| {
                let line = error.position().map_or(1, |position| lines.of(position.byte()));
                broken(&records.file, line, &error)
            })?;
            let line = record.position().map_or(0, |position| lines.of(position.byte()));
            // Spreadsheets leave rows of empty cells at the end.
            if record.iter().any(|cell| !cell.is_empty()) {
                records.rows.push((line, if delimiter == b';' { with_points(&record) } else { record }));
            }
        }
        Ok(records)
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

    /// The column of that name, which may have a unit behind it: `temperature (°C)`, `[K]` or `/ bar`.
    pub fn column(&self, name: &str) -> Result<usize> {
        self.find(name)?.ok_or_else(|| {
            let help = suggestion(name, self.header.iter().map(String::as_str));
            miette!(help = help, "{}, line 1: there is no column '{name}'", self.file)
        })
    }

    /// The same, if there is one.
    pub fn find(&self, name: &str) -> Result<Option<usize>> {
        if let Some(exact) = self.header.iter().position(|column| column == name) {
            return Ok(Some(exact));
        }
        let mut with_unit = (0..self.header.len()).filter(|&k| without_unit(&self.header[k]) == Some(name));
        match (with_unit.next(), with_unit.next()) {
            (Some(first), Some(second)) => Err(miette!(
                help = "rename one of them",
                "{}, line 1: both '{}' and '{}' could be the column '{name}'",
                self.file,
                self.header[first],
                self.header[second]
            )),
            (found, _) => Ok(found),
        }
    }

    pub fn columns<'a>(&self, names: impl Iterator<Item = &'a String>) -> Result<Vec<usize>> {
        names.map(|name| self.column(name)).collect()
    }

    /// A complaint about a row, counted from 0.
    pub fn fault(&self, row: usize, message: &str) -> Report {
        miette!("{}, line {}: {message}", self.file, self.rows.get(row).map_or(0, |(line, _)| *line))
    }

    /// A complaint about the whole file.
    pub fn fault_of_all(&self, message: &str) -> Report {
        miette!("{}: {message}", self.file)
    }

    fn check_header(&self) -> Result<()> {
        let file = &self.file;
        if self.header.iter().all(String::is_empty) {
            return Err(miette!(help = "begin it with a line of column names", "{file}, line 1: there is no header"));
        }
        let repeated = |&(i, name): &(usize, &String)| !name.is_empty() && self.header[..i].contains(name);
        match self.header.iter().enumerate().find(repeated) {
            Some((i, name)) => Err(miette!(
                help = "rename one of them",
                "{file}, line 1: the column '{name}' is there twice (again as column {})",
                i + 1
            )),
            None => Ok(()),
        }
    }
}

/// Counts lines from record to record: the parser's own count is one behind after CRLF.
struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
    line: u64,
}

impl Lines<'_> {
    /// The line of the first cell at or after this place, which is not before the last one.
    fn of(&mut self, place: u64) -> u64 {
        while self.at < self.bytes.len() && (self.at < place as usize || matches!(self.bytes[self.at], b'\r' | b'\n')) {
            let ends = match self.bytes[self.at] {
                b'\n' => true,
                b'\r' => self.bytes.get(self.at + 1) != Some(&b'\n'),
                _ => false,
            };
            self.line += u64::from(ends);
            self.at += 1;
        }
        self.line
    }
}

/// A cell as a value of a domain; whether it lies in it is for the domain to say.
pub fn value(cell: &str, domain: &Domain) -> Value {
    match domain {
        Domain::Categorical { .. } => Value::Choice(cell.into()),
        _ => number_value(cell),
    }
}

/// A cell as a number if it is one, else as a word.
pub fn number_value(cell: &str) -> Value {
    match (cell.parse::<i64>(), cell.parse::<f64>()) {
        (Ok(i), _) => Value::Int(i),
        (_, Ok(x)) => Value::Real(x),
        _ => Value::Choice(cell.into()),
    }
}

/// The name before a unit in parentheses, brackets or behind a slash.
fn without_unit(header: &str) -> Option<&str> {
    let enclosed = |open, close| header.strip_suffix(close).and_then(|rest: &str| rest.rsplit_once(open));
    let (name, _) = enclosed('(', ')').or_else(|| enclosed('[', ']')).or_else(|| header.rsplit_once(" / "))?;
    Some(name.trim_end())
}

/// The one of comma, semicolon and tab that stands in the header most often outside quotes.
fn delimiter(text: &str) -> u8 {
    let header = text.lines().next().unwrap_or("");
    let count = |delimiter: char| header.split('"').step_by(2).flat_map(str::chars).filter(|&c| c == delimiter).count();
    let most = [',', ';', '\t'].into_iter().rev().max_by_key(|&delimiter| count(delimiter));
    most.unwrap_or(',') as u8
}

/// Where semicolons part cells, commas part decimals: 4,5 is 4.5.
fn with_points(record: &csv::StringRecord) -> csv::StringRecord {
    let cell = |cell: &str| {
        let pointed = cell.replacen(',', ".", 1);
        if pointed.parse::<f64>().is_ok() { pointed } else { cell.into() }
    };
    record.iter().map(cell).collect()
}

fn broken(file: &str, line: u64, error: &csv::Error) -> Report {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => miette!(
            help = "a cell with a comma in it must stand in quotes",
            "{file}, line {line}: {len} cells where the header has {expected_len}"
        ),
        _ => miette!("{file}, line {line}: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parsed(text: &str) -> Result<Records> {
        Records::parse("results.csv".into(), text.as_bytes())
    }

    #[test]
    fn files_as_people_have_them() {
        let plain = "name,x (mm),y [K],z / bar\n\"a, \"\"b\"\"\",1.5,-2,3e4\n";
        let semicolons = "name;x (mm);y [K];z / bar\n\"a, \"\"b\"\"\";1,5;-2;3e4\n";
        for text in [
            plain.into(),
            format!("\u{feff}{plain}"),
            plain.replace('\n', "\r\n"),
            format!("\u{feff}{}\r\n,,,\r\n", plain.replace('\n', "\r\n")),
            semicolons.into(),
            semicolons.replace(';', "\t").replace("1,5", "1.5"),
        ] {
            let records = parsed(&text).unwrap();
            assert_eq!(records.columns(["name", "x", "y", "z"].map(String::from).iter()).unwrap(), [0, 1, 2, 3]);
            let rows: Vec<_> = records.rows().map(|row| (row.line, [0, 1, 2, 3].map(|k| row.cell(k)))).collect();
            assert_eq!(rows, [(2, ["a, \"b\"", "1.5", "-2", "3e4"])], "{text:?}");
        }
    }

    #[test]
    fn lines_are_counted_whatever_ends_them() {
        for end in ["\n", "\r\n", "\r"] {
            let text = ["a,b", "", "1,2", "\"x", "y\",3", "", "4"].join(end);
            let complaint = parsed(&text).unwrap_err().to_string();
            assert!(complaint.starts_with("results.csv, line 7: 1 cells"), "{complaint}");
            let whole = text + ",5";
            let lines: Vec<u64> = parsed(&whole).unwrap().rows().map(|row| row.line).collect();
            assert_eq!(lines, [3, 4, 7], "{whole:?}");
        }
    }

    #[test]
    fn a_name_is_taken_as_it_stands_before_its_unit_is() {
        let records = parsed("x (a),x,y (b) (c)\n1,2,3\n").unwrap();
        assert_eq!((records.column("x").unwrap(), records.column("x (a)").unwrap()), (1, 0));
        assert_eq!((records.find("y (b)").unwrap(), records.find("y").unwrap()), (Some(2), None));
    }

    proptest! {
        #[test]
        fn random_bytes_are_refused_not_feared(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = Records::parse("results.csv".into(), &bytes).map_err(|report| format!("{report:?}"));
        }

        #[test]
        fn random_tables_are_read_or_refused(text in "[a-c,;\t\"'\r\n 0-9.\u{e9}-]{0,200}") {
            if let Ok(records) = parsed(&text) {
                let width = records.header().len();
                prop_assert!(records.rows().all(|row| row.line > 1 && (0..width).any(|k| !row.cell(k).is_empty())));
            }
        }
    }
}
