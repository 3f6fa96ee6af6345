//! `[space]`: what may be evaluated, input by input or as a table of candidates.

use super::outputs::{RESERVED, reserved};
use super::source::Source;
use crate::records::{Records, Row, number_value, value};
use miette::Result;
use serde::Deserialize;
use spargo::Error;
use spargo::space::{Dimension, Space, Value};
use spargo::study::Output;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue, ValueDeserializer};

/// Builds the space; a file of candidates is looked for beside the study file.
pub fn space(source: &Source, value: Option<Spanned<DeValue<'_>>>, folder: &Path, outputs: &[Output]) -> Result<Space> {
    let Some(value) = value else {
        let help = "say what may be evaluated:\n[space]\ntemperature = { real = [20, 120] }";
        return Err(source.fault(&[], "the study has no space", help));
    };
    let span = value.span();
    let DeValue::Table(mut table) = value.into_inner() else {
        return Err(source.fault_at(Some(span), "'space' must be a table", "begin a section:\n[space]"));
    };
    let file = match table.get("candidates").map(|value| value.get_ref().as_str().map(String::from)) {
        Some(Some(file)) => {
            table.remove("candidates");
            Some(file)
        }
        _ => None,
    };
    let dimensions =
        table.into_iter().map(|(name, value)| dimension(source, name, value)).collect::<Result<Vec<_>>>()?;
    match file {
        Some(file) => candidates(source, &folder.join(file), dimensions, outputs),
        None if dimensions.is_empty() => {
            let help = "add, say, temperature = { real = [20, 120] }, or candidates = \"pool.csv\"";
            Err(source.fault(&["space"], "the space has no inputs", help))
        }
        None => Space::new(dimensions).map_err(|error| source.refused(&error)),
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
        return Err(source.fault(&path, format!("'{word}' must be a table that says what it may be"), help));
    };
    let known = ["real", "int", "choice", "log"].map(String::from);
    source.refuse_unknown_keys(&table, &known)?;
    insert_name(&mut table, name);
    let value = ValueDeserializer::from(Spanned::new(span, DeValue::Table(table)));
    Dimension::deserialize(value).map_err(|error| source.unreadable_at(&error, &path))
}

/// The library writes an input's name beside its range.
fn insert_name<'i>(table: &mut DeTable<'i>, name: Spanned<DeString<'i>>) {
    let span = name.span();
    table.insert(Spanned::new(span.clone(), "name".into()), Spanned::new(span, DeValue::String(name.into_inner())));
}

/// The rows of a file; its columns are the inputs unless the study file lists them.
fn candidates(source: &Source, path: &Path, dimensions: Vec<Dimension>, outputs: &[Output]) -> Result<Space> {
    let records = Records::read(path).map_err(|report| {
        let causes: Vec<String> = report.chain().map(|cause| cause.to_string()).collect();
        let help = "a table of candidates has a line of column names first, and is looked for beside the study file";
        source.fault(&["space", "candidates"], causes.join(": "), help)
    })?;
    let space = match dimensions.is_empty() {
        true => inferred(&records, outputs),
        false => {
            let space = Space::new(dimensions).map_err(|error| source.refused(&error))?;
            let columns = records.columns(space.dimensions().iter().map(|dimension| &dimension.name))?;
            let point = |row: Row<'_>| {
                let cells = columns.iter().zip(space.dimensions());
                cells.map(|(&k, dimension)| value(row.cell(k), &dimension.domain)).collect()
            };
            let rows = records.rows().map(point).collect();
            space.with_candidates(rows)
        }
    };
    space.map_err(|error| match error {
        Error::Candidate { row, error } => records.fault(row, &error.to_string()),
        error => records.fault_of_all(&error.to_string()),
    })
}

/// Every column that is not an output or a study's own is an input.
fn inferred(records: &Records, outputs: &[Output]) -> spargo::error::Result<Space> {
    let other = |name: &str| RESERVED.contains(&name) || outputs.iter().any(|output| output.name == name);
    let columns: Vec<usize> = (0..records.header().len()).filter(|&k| !other(&records.header()[k])).collect();
    let names: Vec<String> = columns.iter().map(|&k| records.header()[k].clone()).collect();
    // One word makes words of the whole column: "007" stays what it is.
    let number = |cell: &str| cell.parse::<f64>().is_ok_and(f64::is_finite);
    let words: Vec<bool> = columns.iter().map(|&k| records.rows().any(|row| !number(row.cell(k)))).collect();
    let point = |row: Row<'_>| {
        let cells = columns.iter().zip(&words).map(|(&k, &words)| (row.cell(k), words));
        cells.map(|(cell, words)| if words { Value::Choice(cell.into()) } else { number_value(cell) }).collect()
    };
    Space::from_table(&names, records.rows().map(point).collect())
}
