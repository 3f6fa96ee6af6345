//! Errors as people and programs read them, on standard error.
//!
//! ```text
//!     for people      the message, its causes, a piece of the file and a remedy; nothing in them reaches the terminal unescaped
//!     with --json     {"message", "cause", "help", "file", "line"}: one object, where null is what is not known
//! ```

use crate::io::output::excerpt::{masked, printable};
use crate::io::output::print::{is_json, write_error};
use miette::{Diagnostic, LabeledSpan, NamedSource, Report, SourceCode, SourceSpan};
use serde_json::{Value, json};
use std::error::Error;
use std::fmt;

/// More lines than any file has.
const ALL_LINES: usize = 1 << 40;

/// Reports an error.
pub fn complain(report: &Report) {
    let shown = ShownError::new(report);
    if is_json() {
        write_error(&shown.json().to_string());
    } else {
        write_error(&format!("Error: {:?}", Report::new(shown)));
    }
}

/// Reports wrong usage as JSON: the first paragraph of clap's text is the message, the others are help.
pub fn complain_usage(text: &str) {
    let (message, help) = text.split_once("\n\n").unwrap_or((text, ""));
    let message = message.strip_prefix("error: ").unwrap_or(message).trim();
    let shown = ShownError { message: message.into(), help: Some(help.trim().into()), ..ShownError::default() };
    write_error(&shown.json().to_string());
}

/// An error with all its texts made printable.
#[derive(Debug, Default)]
struct ShownError {
    message: String,
    cause: Option<Box<ShownError>>,
    help: Option<String>,
    labels: Vec<LabeledSpan>,
    source: Option<NamedSource<String>>,
}

impl ShownError {
    fn new(report: &Report) -> Self {
        let mut causes: Vec<String> = report.chain().map(|cause| printable(&cause.to_string()).into_owned()).collect();
        let message = causes.remove(0);
        let nest = |cause, message| Some(Box::new(ShownError { message, cause, ..ShownError::default() }));
        ShownError {
            message,
            cause: causes.into_iter().rev().fold(None, nest),
            help: report.help().map(|help| printable(&help.to_string()).into_owned()),
            labels: report.labels().into_iter().flatten().collect(),
            source: report.source_code().and_then(whole),
        }
    }

    /// The causes, the first one first.
    fn causes(&self) -> Vec<&str> {
        let causes = std::iter::successors(self.cause.as_ref(), |error| error.cause.as_ref());
        causes.map(|cause| cause.message.as_str()).collect()
    }

    fn json(&self) -> Value {
        let causes = self.causes();
        let (file, line) = self.place().unzip();
        json!({
            "message": self.message, "cause": (!causes.is_empty()).then(|| causes.join(": ")), "help": self.help,
            "file": file, "line": line,
        })
    }

    /// The file and the line, counted from 1: those of the text that is shown or, for a table, those that the message names.
    fn place(&self) -> Option<(String, u64)> {
        if let (Some(source), Some(label)) = (&self.source, self.labels.first()) {
            let before = source.inner().get(..label.offset())?;
            return Some((source.name().into(), 1 + before.matches('\n').count() as u64));
        }
        std::iter::once(self.message.as_str()).chain(self.causes()).find_map(|message| {
            let (file, rest) = message.split_once(", line ")?;
            let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            Some((file.into(), rest[..digits].parse().ok()?))
        })
    }
}

/// The whole text of a source.
fn whole(source: &dyn SourceCode) -> Option<NamedSource<String>> {
    let contents = source.read_span(&SourceSpan::from((0, 0)), 0, ALL_LINES).ok()?;
    let name = printable(contents.name().unwrap_or_default()).into_owned();
    Some(NamedSource::new(name, masked(&String::from_utf8_lossy(contents.data()))))
}

impl fmt::Display for ShownError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for ShownError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.cause.as_deref().map(|cause| cause as &dyn Error)
    }
}

impl Diagnostic for ShownError {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        (!self.labels.is_empty())
            .then(|| Box::new(self.labels.iter().cloned()) as Box<dyn Iterator<Item = LabeledSpan>>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_ref().map(|source| source as &dyn SourceCode)
    }
}
