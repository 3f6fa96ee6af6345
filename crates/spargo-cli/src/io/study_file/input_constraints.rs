//! `[[input-constraints]]`: what must hold between inputs; combinations that are excluded may stand in a file.

use super::diagnostics::split_remedy;
use super::source::Source;
use crate::io::csv::records::{Records, value};
use miette::Result;
use serde::Deserialize;
use spargo::Error;
use spargo::space::{InputConstraint, Space};
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

/// The name of the section.
const SECTION: &str = "input-constraints";

/// The keys of a constraint.
const KEYS: [&str; 7] = ["sum", "ratio", "nonzero", "exclude", "equals", "at-least", "at-most"];

/// The space with the constraints of a study file, and with those files added to `files` that they are read from.
pub fn constrained(
    source: &Source,
    space: Space,
    value: Option<Spanned<DeValue<'_>>>,
    study: &Path,
    files: &mut Vec<PathBuf>,
) -> Result<Space> {
    let Some(value) = value else { return Ok(space) };
    let place = value.span();
    let help = "begin each of them with a line [[input-constraints]]";
    let DeValue::Array(entries) = value.into_inner() else {
        return Err(source.fault_at(Some(place), format!("'{SECTION}' must be a list of tables"), help));
    };
    let (mut constraints, mut places): (Vec<InputConstraint>, Vec<Range<usize>>) = Default::default();
    for entry in entries {
        let span = entry.span();
        let DeValue::Table(table) = entry.into_inner() else {
            return Err(source.fault_at(Some(span), format!("an entry of '{SECTION}' must be a table"), help));
        };
        constraints.push(constraint(source, &space, table, span.clone(), study, files)?);
        places.push(span);
    }
    space.with_input_constraints(constraints).map_err(|error| {
        let (place, error) = match error {
            Error::InputConstraint { number, error } => (places.get(number).cloned(), *error),
            other => (places.first().cloned(), other),
        };
        let (message, help) = split_remedy(&error);
        source.fault_at(place, message, help)
    })
}

fn constraint(
    source: &Source,
    space: &Space,
    mut table: DeTable<'_>,
    span: Range<usize>,
    study: &Path,
    files: &mut Vec<PathBuf>,
) -> Result<InputConstraint> {
    source.refuse_unknown_keys(&table, &KEYS.map(String::from))?;
    if let Some(file) = table.get("exclude").and_then(|value| value.get_ref().as_str()) {
        let path = study.with_file_name(file);
        let place = table.get("exclude").map(Spanned::span);
        if table.len() > 1 {
            let help = "leave out all other keys of this constraint";
            return Err(source.fault_at(place, "a constraint that excludes values has no limit", help));
        }
        let constraint = excluded(source, space, &path, place)?;
        files.push(path);
        return Ok(constraint);
    }
    // The names of inputs are keys of the file, whose places would be those of the section.
    let table = std::mem::take(&mut table);
    let value = ValueDeserializer::from(Spanned::new(span.clone(), DeValue::Table(table)));
    InputConstraint::deserialize(value).map_err(|error| {
        let (message, help) = error.message().split_once(": ").unwrap_or((error.message(), ""));
        source.fault_at(Some(span), message, help)
    })
}

/// Combinations of values that a CSV file lists, in columns with the names of inputs.
fn excluded(source: &Source, space: &Space, path: &Path, place: Option<Range<usize>>) -> Result<InputConstraint> {
    let records = Records::read(path).map_err(|report| {
        let causes: Vec<String> = report.chain().map(|cause| cause.to_string()).collect();
        let help = "a file of excluded combinations has the names of inputs as columns, and its path is relative to the study file";
        source.fault_at(place.clone(), causes.join(": "), help)
    })?;
    let dimensions = space.dimensions();
    let columns = dimensions.iter().map(|input| records.find(&input.name)).collect::<Result<Vec<_>>>()?;
    let named: Vec<(usize, usize)> =
        columns.iter().enumerate().filter_map(|(k, column)| Some((k, (*column)?))).collect();
    let unknown = (0..records.header().len()).find(|column| named.iter().all(|(_, own)| own != column));
    if let Some(column) = unknown {
        let message = format!("{}: the column '{}' is no input", records.file(), records.header()[column]);
        return Err(source.fault_at(place, message, "name columns as inputs, and leave out others"));
    }
    let mut rows = Vec::new();
    for row in records.rows() {
        let cell = |&(k, column): &(usize, usize)| {
            let found = value(row.cell(column), &dimensions[k]);
            let checked = dimensions[k].encode(&found);
            checked.map_err(|error| records.fault_in(row, column, &error.to_string())).map(|_| found)
        };
        rows.push(named.iter().map(cell).collect::<Result<Vec<_>>>()?);
    }
    let inputs = named.iter().map(|(k, _)| dimensions[*k].name.clone()).collect();
    Ok(InputConstraint::Exclude { inputs, rows })
}
