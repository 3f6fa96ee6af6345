//! The dialect of a CSV file: its delimiter, its decimal mark, and where its header begins.

use super::cells::{Cells, Row};
use super::{is_open, unclosed};
use crate::io::csv::csv_out::CsvFormat;
use crate::io::csv::formula::bared;
use crate::io::output::count::counted;
use miette::{Report, miette};
use std::borrow::Cow;

const DELIMITERS: [char; 3] = [',', ';', '\t'];

/// How a CSV file is written.
pub struct Dialect {
    pub delimiter: u8,
    /// The byte at which the header begins.
    pub start: usize,
    /// Lines before the header that begin with `#`.
    pub comments: usize,
}

impl Dialect {
    /// Detects the dialect: Excel may give the delimiter in a first line, `sep=;`; otherwise it is the most frequent one in the
    /// header, the first line that is neither blank nor a comment.
    pub fn of(text: &str) -> Self {
        let (mut start, mut comments) = (0, 0);
        let mut said = None;
        for line in text.split_inclusive(['\n', '\r']) {
            match separator(line) {
                Some(delimiter) if said.is_none() => said = Some(delimiter),
                _ if line.trim_matches(|c: char| c.is_whitespace() || DELIMITERS.contains(&c)).is_empty() => {}
                _ if is_comment(line) => comments += 1,
                _ => return Dialect { delimiter: said.unwrap_or_else(|| most_frequent(line)), start, comments },
            }
            start += line.len();
        }
        Dialect { delimiter: said.unwrap_or(b','), start, comments }
    }

    /// The decimal marks of these cells; where the comma is the delimiter it is no decimal mark.
    pub fn decimals<'a>(&self, cells: impl Iterator<Item = &'a str>) -> Decimals {
        let (delimiter, mut commas, mut points) = (self.delimiter, false, false);
        if delimiter != b',' {
            for cell in cells {
                commas |= with_point(cell).is_some();
                points |= cell.contains('.') && cell.parse::<f64>().is_ok();
            }
        }
        Decimals { delimiter, commas, points }
    }

    /// Whether all cells are meant as they are written.
    pub fn is_plain(&self, cells: &Cells) -> bool {
        self.delimiter == b',' && !cells.iter().any(|cell| cell.starts_with('\''))
    }

    /// A cell as it is meant: decimal commas are read unless the comma is the delimiter (4,5 is 4.5), and the guard of a formula
    /// is removed.
    pub fn plain<'a>(&self, cell: &'a str) -> Cow<'a, str> {
        let number = with_point(cell).filter(|_| self.delimiter != b',');
        number.map_or_else(|| Cow::Borrowed(bared(cell)), Cow::Owned)
    }

    /// The error of a malformed record at the beginning of `rest`.
    pub fn broken(&self, file: &str, line: u64, rest: &str, error: &csv::Error) -> Report {
        let mark = match self.delimiter {
            b';' => "semicolon",
            b'\t' => "tab",
            _ => "comma",
        };
        match error.kind() {
            csv::ErrorKind::UnequalLengths { .. } if is_open(rest) => unclosed(file, line),
            csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
                let help = if len < expected_len {
                    format!("add the missing cells; an empty cell needs its {mark} as well")
                } else {
                    format!("quote cells that contain a {mark}")
                };
                miette!(
                    help = help,
                    "{file}, line {line}: {} where the header has {expected_len}",
                    counted(*len as usize, "cell")
                )
            }
            _ => miette!("{file}, line {line}: {error}"),
        }
    }
}

/// Which decimal marks the numbers of a file have.
pub struct Decimals {
    delimiter: u8,
    commas: bool,
    points: bool,
}

impl Decimals {
    /// The format of the file: without any decimals, semicolons go with decimal commas.
    pub fn format(&self) -> CsvFormat {
        let decimal_comma = self.commas || (self.delimiter == b';' && !self.points);
        CsvFormat { delimiter: self.delimiter, decimal_comma }
    }

    /// The first cell that could be read in two ways, and its column: 1.234 where commas are decimal, or 1,234 where points are.
    pub fn ambiguous(&self, row: Row<'_>) -> Option<(usize, String)> {
        if !(self.commas || self.points) {
            return None;
        }
        let in_groups = |cell: &str| (self.commas && is_grouped(cell, '.')) || (self.points && is_grouped(cell, ','));
        let (column, cell) = row.iter().enumerate().find(|(_, cell)| in_groups(cell))?;
        let (mark, other) = if cell.contains('.') { ('.', "commas") } else { (',', "points") };
        let whole = cell.replace(mark, "");
        let remedy = format!("write {whole}, or the same decimal mark everywhere");
        Some((column, format!("'{cell}' may be {whole}, as other numbers of this file have decimal {other}; {remedy}")))
    }
}

/// A number with a decimal comma, with a point instead.
fn with_point(cell: &str) -> Option<String> {
    let pointed = cell.replacen(',', ".", 1);
    (cell.contains(',') && pointed.parse::<f64>().is_ok()).then_some(pointed)
}

/// Whether a cell may be a whole number in groups of three digits: 1.234 or 12.345.678.
fn is_grouped(cell: &str, mark: char) -> bool {
    let mut groups = cell.trim_start_matches(['+', '-']).split(mark);
    let digits = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    let first =
        groups.next().is_some_and(|first| (1..=3).contains(&first.len()) && digits(first) && !first.starts_with('0'));
    let mut rest = groups.peekable();
    first && rest.peek().is_some() && rest.all(|group| group.len() == 3 && digits(group))
}

/// Whether a line is a comment, and not a header whose first column is called `#`.
fn is_comment(line: &str) -> bool {
    let line = line.trim_start_matches(|c: char| c == '"' || c.is_whitespace());
    let after = line.strip_prefix('#').map(|rest| rest.chars().next());
    after.is_some_and(|next| next.is_none_or(|c| c != '"' && !DELIMITERS.contains(&c)))
}

/// The delimiter of a line such as `sep=;`.
fn separator(line: &str) -> Option<u8> {
    let line = line.trim_matches(['\r', '\n', '"']);
    let said = line.get(..4).filter(|word| word.eq_ignore_ascii_case("sep=")).map(|_| &line[4..])?;
    DELIMITERS
        .iter()
        .find(|delimiter| said.starts_with(**delimiter) && said.len() == 1)
        .map(|delimiter| *delimiter as u8)
}

/// Whichever of comma, semicolon and tab is most frequent in the header outside quotes.
fn most_frequent(header: &str) -> u8 {
    let count = |delimiter: char| header.split('"').step_by(2).flat_map(str::chars).filter(|&c| c == delimiter).count();
    let most = DELIMITERS.into_iter().rev().max_by_key(|&delimiter| count(delimiter));
    most.unwrap_or(',') as u8
}

/// Counts lines from record to record; the parser's own count is one behind after CRLF.
pub struct Lines<'a> {
    text: &'a str,
    at: usize,
    line: u64,
}

impl<'a> Lines<'a> {
    pub fn new(text: &'a str) -> Self {
        Lines { text, at: 0, line: 1 }
    }

    /// The line of the first cell at or after this byte, which must not be before the last one.
    pub fn of(&mut self, place: usize) -> u64 {
        let rest = &self.text[place..];
        let cell = place + rest.len() - rest.trim_start_matches(['\r', '\n']).len();
        let passed = &self.text.as_bytes()[self.at..cell];
        let ends = passed.iter().filter(|&&byte| byte == b'\n' || byte == b'\r').count();
        // Both of them together end one line.
        self.line += (ends - passed.windows(2).filter(|pair| *pair == b"\r\n").count()) as u64;
        self.at = cell;
        self.line
    }
}
