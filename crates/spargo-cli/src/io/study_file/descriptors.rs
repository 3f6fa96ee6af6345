//! `descriptors = "ligands.csv"`: numbers for each label of a choice, as a CSV file.

use super::diagnostics::suggestion;
use super::source::Source;
use crate::io::csv::records::{Records, Row};
use crate::io::output::count::counted;
use crate::io::output::print::note;
use miette::Result;
use spargo::space::{Dimension, Domain, Value};
use std::path::Path;

/// Columns named in a note.
const LISTED: usize = 5;

/// A choice with the descriptors of a file, whose rows have a label in the column of the input's name, or in the first one, and numbers
/// in all others. Rows of other labels are passed over: a file may describe more than a study tries.
pub fn described(source: &Source, dimension: Dimension, file: &Path) -> Result<Dimension> {
    let name = dimension.name.clone();
    let key = ["space", &name, "descriptors"];
    if !dimension.domain.is_categorical() {
        let message = format!("only choices have descriptors, and '{name}' is {}", dimension.domain.name());
        return Err(source.fault(&key, message, "leave them out, or make it a choice"));
    }
    let records = Records::read(file).map_err(|report| {
        let causes: Vec<String> = report.chain().map(|cause| cause.to_string()).collect();
        let help =
            "a file of descriptors begins with a line of column names, and its path is relative to the study file";
        source.fault(&key, causes.join(": "), help)
    })?;
    let own = records.find(&name)?.unwrap_or(0);
    let header = records.header();
    let columns: Vec<usize> = (0..header.len()).filter(|&k| k != own && !header[k].is_empty()).collect();
    if columns.is_empty() {
        let message = format!("{} has labels in its column '{}', and no others", records.file(), header[own]);
        return Err(source.fault(&key, message, "give every label a number, in a column with a name"));
    }
    let rows = rows_by_label(&records, own, &dimension)?;
    let labels = dimension.domain.choices().iter();
    if let Some((label, _)) = labels.zip(&rows).find(|(_, row)| row.is_none()) {
        let word = match label {
            Value::Choice(text) => text.clone(),
            other => other.to_string(),
        };
        let message = format!("the choice {label} has no row in {}", records.file());
        let similar = suggestion(&word, records.rows().map(|row| row.cell(own)));
        // A file may have thousands of labels, of which only the nearest is worth a word.
        let similar = similar.split_once('?').map_or(String::new(), |(similar, _)| format!("{similar}? "));
        return Err(source.fault(&key, message, format!("{similar}give it a row, or leave the choice out")));
    }
    let numbers = |row: Row<'_>| columns.iter().map(|&k| number(&records, row, k)).collect::<Result<Vec<f64>>>();
    let numbers = rows.into_iter().flatten().map(numbers).collect::<Result<Vec<_>>>()?;
    let described = dimension.descriptors(columns.iter().map(|&k| header[k].clone()).collect(), numbers);
    say_what_is_constant(&described, records.file());
    Ok(described)
}

/// The row of each choice, if there is one.
fn rows_by_label<'a>(records: &'a Records, own: usize, dimension: &Dimension) -> Result<Vec<Option<Row<'a>>>> {
    let mut rows: Vec<Option<Row<'a>>> = vec![None; dimension.domain.choices().len()];
    let index = dimension.domain.encoder();
    for row in records.rows() {
        let Some(index) = index(&Value::Choice(row.cell(own).into())) else { continue };
        if let Some(first) = rows[index as usize].replace(row) {
            let message = format!("'{}' has a row already, line {}; keep one of them", row.cell(own), first.line);
            return Err(records.fault_in(row, own, &message));
        }
    }
    Ok(rows)
}

fn number(records: &Records, row: Row<'_>, column: usize) -> Result<f64> {
    let cell = row.cell(column);
    let remedy = "give a number, or leave the column out";
    match cell.parse::<f64>().ok().filter(|x| x.is_finite()) {
        Some(x) => Ok(x),
        None if cell.is_empty() => Err(records.fault_in(row, column, &format!("the cell is empty; {remedy}"))),
        None => Err(records.fault_in(row, column, &format!("'{cell}' is no number; {remedy}"))),
    }
}

/// Columns that say nothing are left out, which is worth a word.
fn say_what_is_constant(dimension: &Dimension, file: &str) {
    let Domain::Described(choices) = &dimension.domain else { return };
    let Some(descriptors) = choices.descriptors() else { return };
    let constant: Vec<&str> = descriptors.constant_columns().collect();
    if constant.is_empty() {
        return;
    }
    let more = if constant.len() > LISTED { ", …" } else { "" };
    let names = constant[..constant.len().min(LISTED)].join(", ");
    let count = counted(constant.len(), "column");
    note(&format!("{file}: {count} with one number for all choices of '{}', left out: {names}{more}", dimension.name));
}
