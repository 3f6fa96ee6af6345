//! `[space]`: the inputs, or a table of candidates.

use super::candidates::{Candidates, candidates};
use super::outputs::{RESERVED, reserved};
use super::source::Source;
use miette::Result;
use serde::Deserialize;
use spargo::space::{Dimension, Space};
use spargo::study::Output;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue, ValueDeserializer};

/// Builds the space; a file of candidates is relative to `path`, the study file.
pub fn space(
    source: &Source,
    value: Option<Spanned<DeValue<'_>>>,
    path: &Path,
    outputs: &[Output],
) -> Result<(Space, Option<Candidates>)> {
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
    let dimensions =
        table.into_iter().map(|(name, value)| dimension(source, name, value)).collect::<Result<Vec<_>>>()?;
    match file {
        Some(file) => {
            let (space, candidates) = candidates(source, path.with_file_name(file), dimensions, outputs)?;
            Ok((space, Some(candidates)))
        }
        None if dimensions.is_empty() => {
            let help = "add, say, temperature = { real = [20, 120] }, or candidates = \"pool.csv\"";
            Err(source.fault(&["space"], "the space has no inputs", help))
        }
        None => Ok((Space::new(dimensions).map_err(|error| source.refused(&error))?, None)),
    }
}

fn dimension(source: &Source, name: Spanned<DeString<'_>>, value: Spanned<DeValue<'_>>) -> Result<Dimension> {
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
    let known =
        ["real", "int", "values", "ordinal", "choice", "log", "step", "digits", "unit", "past"].map(String::from);
    source.refuse_unknown_keys(&table, &known)?;
    insert_name(&mut table, name);
    let value = ValueDeserializer::from(Spanned::new(span, DeValue::Table(table)));
    Dimension::deserialize(value).map_err(|error| source.unreadable_at(&error, &path))
}

/// Inserts the name of an input into its table, where the library expects it.
fn insert_name<'i>(table: &mut DeTable<'i>, name: Spanned<DeString<'i>>) {
    let span = name.span();
    table.insert(Spanned::new(span.clone(), "name".into()), Spanned::new(span, DeValue::String(name.into_inner())));
}
