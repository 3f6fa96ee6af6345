//! The dialect of a CSV file: its delimiter, its decimal mark, and where its header begins.

use super::{is_open, unclosed};
use miette::{Report, miette};

const DELIMITERS: [char; 3] = [',', ';', '\t'];

/// How a CSV file is written.
pub struct Dialect {
    pub delimiter: u8,
    /// The byte at which the header begins.
    pub start: usize,
}

impl Dialect {
    /// Detects the dialect: Excel may give the delimiter in a first line, `sep=;`; otherwise it is the most frequent one in the
    /// header, the first line that is not blank.
    pub fn of(text: &str) -> Self {
        let mut start = 0;
        let mut said = None;
        for line in text.split_inclusive(['\n', '\r']) {
            match separator(line) {
                Some(delimiter) if said.is_none() => said = Some(delimiter),
                _ if line.trim_matches(|c: char| c.is_whitespace() || DELIMITERS.contains(&c)).is_empty() => {}
                _ => return Dialect { delimiter: said.unwrap_or_else(|| most_frequent(line)), start },
            }
            start += line.len();
        }
        Dialect { delimiter: said.unwrap_or(b','), start }
    }

    /// Reads decimal commas unless the comma is the delimiter: 4,5 is 4.5.
    pub fn with_points(&self, record: csv::StringRecord) -> csv::StringRecord {
        if self.delimiter == b',' {
            return record;
        }
        let cell = |cell: &str| {
            let pointed = cell.replacen(',', ".", 1);
            if pointed.parse::<f64>().is_ok() { pointed } else { cell.into() }
        };
        record.iter().map(cell).collect()
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
                miette!(help = help, "{file}, line {line}: {len} cells where the header has {expected_len}")
            }
            _ => miette!("{file}, line {line}: {error}"),
        }
    }
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
        self.line += self.text[self.at..cell].replace("\r\n", "\n").matches(['\r', '\n']).count() as u64;
        self.at = cell;
        self.line
    }
}
