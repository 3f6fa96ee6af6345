//! `[space]`: the inputs, or a table of candidates.

use super::candidates::{Candidates, candidates};
use super::descriptors::described;
use super::outputs::{RESERVED, reserved};
use super::source::Source;
use miette::Result;
use serde::Deserialize;
use spargo::space::{Dimension, Space};
use spargo::study::Output;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue, ValueDeserializer};

/// The keys of an input.
const KEYS: [&str; 12] =
    ["real", "int", "values", "ordinal", "choice", "descriptors", "log", "step", "digits", "unit", "past", "when"];

/// The space, and the files that it is read from besides the study file.
pub struct ParsedSpace {
    pub space: Space,
    pub candidates: Option<Candidates>,
    pub files: Vec<PathBuf>,
}

/// Builds the space; files of candidates and descriptors are relative to `path`, the study file.
pub fn space(
    source: &Source,
    value: Option<Spanned<DeValue<'_>>>,
    path: &Path,
    outputs: &[Output],
) -> Result<ParsedSpace> {
    let Some(value) = value else {
        let help = "add what may be evaluated:\n[space]\ntemperature = { real = [20, 120] }";
        return Err(source.fault(&[], "the study has no space", help));
    };
    let span = value.span();
    let DeValue::Table(mut table) = value.into_inner() else {
        return Err(source.fault_at(Some(span), "'space' must be a table", "start a section:\n[space]"));
    };
    let file = table.get("candidates").and_then(|value| value.get_ref().as_str().map(String::from));
    if file.is_some() {
        table.remove("candidates");
    }
    let mut files = Vec::new();
    let inputs = table.into_iter().map(|(name, value)| dimension(source, name, value, path, &mut files));
    let dimensions = inputs.collect::<Result<Vec<_>>>()?;
    match file {
        Some(file) => {
            let (space, candidates) = candidates(source, path.with_file_name(file), dimensions, outputs)?;
            Ok(ParsedSpace { space, candidates: Some(candidates), files })
        }
        None if dimensions.is_empty() => {
            let help = "add, say, temperature = { real = [20, 120] }, or candidates = \"pool.csv\"";
            Err(source.fault(&["space"], "the space has no inputs", help))
        }
        None => {
            let space = Space::new(dimensions).map_err(|error| source.refused(&error))?;
            Ok(ParsedSpace { space, candidates: None, files })
        }
    }
}

/// An input, with descriptors from a file next to the study file, which is added to `files`.
fn dimension(
    source: &Source,
    name: Spanned<DeString<'_>>,
    value: Spanned<DeValue<'_>>,
    study: &Path,
    files: &mut Vec<PathBuf>,
) -> Result<Dimension> {
    let word = name.get_ref().to_string();
    let path = ["space", &word];
    if RESERVED.contains(&word.as_str()) {
        return Err(reserved(source, &path));
    }
    let span = value.span();
    let DeValue::Table(mut table) = value.into_inner() else {
        let help =
            format!("write {word} = {{ real = [20, 120] }}, {{ int = [1, 8] }} or {{ choice = [\"Pd\", \"Ni\"] }}");
        return Err(source.fault(&path, format!("'{word}' must be a table that gives its values"), help));
    };
    source.refuse_unknown_keys(&table, &KEYS.map(String::from))?;
    let descriptors = table.remove("descriptors");
    insert_name(&mut table, name);
    let value = ValueDeserializer::from(Spanned::new(span, DeValue::Table(table)));
    let dimension = Dimension::deserialize(value).map_err(|error| source.unreadable_at(&error, &path))?;
    let Some(descriptors) = descriptors else { return Ok(dimension) };
    let Some(file) = descriptors.get_ref().as_str().map(|file| study.with_file_name(file)) else {
        let help = "give the name of a CSV file with a row for each choice: descriptors = \"ligands.csv\"";
        return Err(source.fault(&["space", &word, "descriptors"], "'descriptors' must be the name of a file", help));
    };
    let described = described(source, dimension, &file)?;
    files.push(file);
    Ok(described)
}

/// Inserts the name of an input into its table, where the library expects it.
fn insert_name<'i>(table: &mut DeTable<'i>, name: Spanned<DeString<'i>>) {
    let span = name.span();
    table.insert(Spanned::new(span.clone(), "name".into()), Spanned::new(span, DeValue::String(name.into_inner())));
}
