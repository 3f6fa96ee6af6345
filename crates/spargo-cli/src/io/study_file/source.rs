//! The text of a study file, and errors that point into it.

use super::diagnostics;
use crate::io::csv::records::utf8;
use miette::{IntoDiagnostic, LabeledSpan, MietteDiagnostic, NamedSource, Report, Result, WrapErr};
use spargo::Error;
use spargo::allocate::{Allocation, Quality};
use spargo::kernel::KERNELS;
use spargo::study::{Config, PolicyChoice};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A file's name and text, and the places of its keys.
#[derive(Debug, Clone)]
pub struct Source {
    pub(super) name: String,
    pub(super) text: String,
    /// Places in the text by path of keys.
    pub(super) places: BTreeMap<Vec<String>, Range<usize>>,
}

impl Source {
    /// Reads a file; errors call it `what`.
    pub fn read(path: &Path, what: &str) -> Result<Self> {
        let name = path.display().to_string();
        let bytes = std::fs::read(path)
            .into_diagnostic()
            .wrap_err_with(|| format!("cannot read {what} {name}; `spargo new` writes an example"))?;
        let text = utf8(&name, &bytes)?.to_string();
        Ok(Source { name, text, places: BTreeMap::new() })
    }

    /// The text that places point into.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// This source with the places of all keys of its table.
    pub fn with_places(&self, table: &DeTable<'_>) -> Self {
        let mut source = self.clone();
        note_places(&mut source.places, &mut Vec::new(), table);
        source
    }

    /// An error about the value of a key; about the end of the file if there is no such key.
    pub fn fault(&self, path: &[&str], message: impl Into<String>, help: impl Into<String>) -> Report {
        let path: Vec<String> = path.iter().map(|key| key.to_string()).collect();
        let end = self.text.trim_end().len();
        self.fault_at(Some(self.places.get(&path).cloned().unwrap_or(end..end)), message, help)
    }

    /// An error about a piece of the text.
    pub fn fault_at(&self, span: Option<Range<usize>>, message: impl Into<String>, help: impl Into<String>) -> Report {
        let (message, help) = (message.into(), help.into());
        let Some(span) = span.filter(|_| !self.text.is_empty()) else {
            return Report::new(MietteDiagnostic::new(format!("{}, line 1: {message}", self.name)).with_help(help));
        };
        let diagnostic = MietteDiagnostic::new(message).with_label(LabeledSpan::at(shown(span, &self.text), "here"));
        let diagnostic = if help.is_empty() { diagnostic } else { diagnostic.with_help(help) };
        Report::new(diagnostic).with_source_code(NamedSource::new(&self.name, self.text.clone()))
    }

    /// An error of the TOML parser or of a setting's type.
    pub fn unreadable(&self, error: &toml::de::Error) -> Report {
        self.unreadable_at(error, &[])
    }

    /// An error of the TOML parser, at this key if the parser does not say where.
    pub fn unreadable_at(&self, error: &toml::de::Error, path: &[&str]) -> Report {
        let (message, help) = diagnostics::plain(error.message());
        match error.span() {
            Some(span) => self.fault_at(Some(span), message, help),
            None => self.fault(path, message, help),
        }
    }

    /// An error of the library, at the key it names.
    pub fn refused(&self, error: &Error) -> Report {
        let (message, help) = diagnostics::split_remedy(error);
        self.fault_at(self.place_of(error), message, help)
    }

    /// Refuses keys that are not among the known ones.
    pub fn refuse_unknown_keys(&self, table: &DeTable<'_>, known: &[String]) -> Result<()> {
        match table.keys().find(|key| !known.iter().any(|word| *word == **key.get_ref())) {
            Some(key) => {
                let help = diagnostics::suggestion(key.get_ref(), known.iter().map(String::as_str));
                Err(self.fault_at(Some(key.span()), format!("unknown key '{}'", key.get_ref()), help))
            }
            None => Ok(()),
        }
    }

    /// Refuses a kernel or a quality that the library does not have: a file cannot register its own.
    pub fn check_extensions(&self, config: &Config) -> Result<()> {
        if let Quality::Custom(quality) = config.allocation.quality() {
            let message = format!("the quality '{}' is not part of spargo", quality.name());
            let help = "use the program that has it, or another allocation; `spargo tell`, `status`, `export` and `report` work";
            return Err(self.fault(&["allocation"], message, help));
        }
        let is_unknown = |name: &&str| !KERNELS.iter().any(|kernel| kernel.name == *name);
        let Some(kernel) = config.model.kernel.names().into_iter().find(is_unknown) else { return Ok(()) };
        let help = diagnostics::suggestion(kernel, KERNELS.iter().rev().map(|kernel| kernel.name));
        Err(self.fault(&["model", "kernel"], format!("unknown kernel '{kernel}'"), help))
    }

    /// Refuses a policy of trust regions that the library does not have: a file cannot register its own.
    pub fn check_policy(&self, config: &Config) -> Result<()> {
        let policy = &config.trust_regions.policy;
        if policy.is_built_in() {
            return Ok(());
        }
        let help = diagnostics::suggestion(policy.name(), PolicyChoice::NAMES.into_iter());
        Err(self.fault(&["trust-regions", "policy"], format!("unknown policy '{}'", policy.name()), help))
    }

    /// Refuses settings that an allocation method does not have, which it would ignore.
    pub fn check_allocation(&self, allocation: &Allocation, keys: &[String]) -> Result<()> {
        let written = serde_json::to_value(allocation).into_diagnostic()?;
        match keys.iter().find(|key| written.get(key).is_none()) {
            Some(key) => {
                let known = written.as_object().into_iter().flat_map(|table| table.keys()).map(String::as_str);
                let message = format!("unknown key '{key}' of this allocation method");
                Err(self.fault(&["allocation", key], message, diagnostics::suggestion(key, known)))
            }
            None => Ok(()),
        }
    }

    fn place_of(&self, error: &Error) -> Option<Range<usize>> {
        match error {
            Error::Input { name, .. } | Error::Value { input: name, .. } => {
                self.places.get(["space".to_string(), name.clone()].as_slice()).cloned()
            }
            Error::Parameter { name, .. } => self.outermost(|key| name.split(' ').any(|word| word == key)),
            error => {
                let words = error.to_string();
                self.outermost(|key| words.contains(&format!("'{key}'")))
            }
        }
    }

    /// The place of the least nested key that fits; of several, the first in the file.
    fn outermost(&self, fits: impl Fn(&str) -> bool) -> Option<Range<usize>> {
        let fitting = self.places.iter().filter(|(path, _)| path.last().is_some_and(|key| fits(key)));
        fitting.min_by_key(|(path, place)| (path.len(), place.start)).map(|(_, place)| place.clone())
    }
}

/// The keys of a value that is a table.
pub fn key_names(value: Option<&Spanned<DeValue<'_>>>) -> Vec<String> {
    let table = value.and_then(|value| value.get_ref().as_table());
    table.into_iter().flat_map(|table| table.keys()).map(|key| key.get_ref().to_string()).collect()
}

fn note_places(places: &mut BTreeMap<Vec<String>, Range<usize>>, path: &mut Vec<String>, table: &DeTable<'_>) {
    for (key, value) in table {
        path.push(key.get_ref().to_string());
        // An inline value is shown completely, a table with its own heading by that heading.
        let span = match value.get_ref() {
            DeValue::Table(_) if value.span().start <= key.span().start => key.span(),
            _ => key.span().start..value.span().end,
        };
        places.insert(path.clone(), span);
        if let Some(table) = value.get_ref().as_table() {
            note_places(places, path, table);
        }
        path.pop();
    }
}

/// The part of a span to underline: within the text, and on one line.
fn shown(span: Range<usize>, text: &str) -> Range<usize> {
    let start = span.start.min(text.len());
    let end = span.end.clamp(start, text.len());
    let line_end = text[start..].find('\n').map_or(text.len(), |offset| start + offset);
    start..end.min(line_end.max(start))
}
