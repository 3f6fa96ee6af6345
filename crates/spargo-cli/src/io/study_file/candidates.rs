//! `candidates = "pool.csv"`: the only points that may be evaluated, as a CSV file.

use super::outputs::RESERVED;
use super::source::Source;
use crate::io::csv::records::{Records, Row, Units, number_value, value, without_unit};
use miette::{Result, miette};
use spargo::Error;
use spargo::space::{Dimension, LabelColumn, Point, Space, Value};
use spargo::study::Output;
use std::path::{Path, PathBuf};

/// The file of the candidates.
#[derive(Debug, Clone)]
pub struct Candidates {
    pub path: PathBuf,
    /// The names of the inputs' columns, possibly with units.
    pub header: Vec<String>,
}

/// Reads the candidates; the columns are the inputs unless the study file lists them. Then every other column is a label, which
/// travels with its row.
pub fn candidates(
    source: &Source,
    path: PathBuf,
    dimensions: Vec<Dimension>,
    outputs: &[Output],
) -> Result<(Space, Candidates)> {
    let records = read(source, &path)?;
    let (columns, space) = match dimensions.len() {
        0 => {
            let (columns, names) = inputs(&records, outputs)?;
            let rows = inferred(&records, &columns);
            (columns, Space::from_table(&names, rows))
        }
        _ => {
            let space = Space::new(dimensions).map_err(|error| source.refused(&error))?;
            let names = || space.dimensions().iter().map(|dimension| &dimension.name);
            Units::declared(&space).check(&records, names())?;
            let columns = records.columns(names())?;
            let point = |row: Row<'_>| {
                let cells = columns.iter().zip(space.dimensions());
                cells.map(|(&k, dimension)| value(row.cell(k), dimension)).collect()
            };
            let rows = records.rows().map(point).collect();
            let labels = labels(&records, &columns, outputs)?;
            (columns, space.with_labelled_candidates(rows, labels))
        }
    };
    let space = space.map_err(|error| match error {
        Error::Candidate { row, error } => records.fault(row, &error.to_string()),
        error => miette!("{}: {error}", records.file()),
    })?;
    let header = columns.iter().map(|&k| records.header()[k].clone()).collect();
    Ok((space, Candidates { path, header }))
}

fn read(source: &Source, path: &Path) -> Result<Records> {
    Records::read(path).map_err(|report| {
        let causes: Vec<String> = report.chain().map(|cause| cause.to_string()).collect();
        let help =
            "a file of candidates begins with a line of column names, and its path is relative to the study file";
        source.fault(&["space", "candidates"], causes.join(": "), help)
    })
}

/// Every named column that is neither an input nor an output nor reserved.
fn labels(records: &Records, inputs: &[usize], outputs: &[Output]) -> Result<Vec<LabelColumn>> {
    let (header, others) = (records.header(), own_columns(records, outputs)?);
    let is_label = |k: &usize| !header[*k].is_empty() && !inputs.contains(k) && !others.contains(&Some(*k));
    let column = |k: usize| LabelColumn {
        name: header[k].clone(),
        values: records.rows().map(|row| row.cell(k).into()).collect(),
    };
    Ok((0..header.len()).filter(is_label).map(column).collect())
}

/// The columns of the outputs, and those that have a meaning of their own.
fn own_columns(records: &Records, outputs: &[Output]) -> Result<Vec<Option<usize>>> {
    let own = RESERVED.into_iter().chain(outputs.iter().map(|output| output.name.as_str()));
    own.map(|name| records.find(name)).collect()
}

/// The inputs: every named column that is neither an output nor reserved, by its name without the unit.
fn inputs(records: &Records, outputs: &[Output]) -> Result<(Vec<usize>, Vec<String>)> {
    let (header, others) = (records.header(), own_columns(records, outputs)?);
    let columns: Vec<usize> =
        (0..header.len()).filter(|k| !header[*k].is_empty() && !others.contains(&Some(*k))).collect();
    let bare = |k: usize| without_unit(&header[k]).filter(|name| !name.is_empty()).unwrap_or(&header[k]);
    let name = |&k: &usize| {
        // If two columns differ only in the unit, it is part of the name.
        let alone = columns.iter().filter(|&&other| bare(other) == bare(k)).count() == 1;
        if alone { bare(k).to_string() } else { header[k].clone() }
    };
    let names = columns.iter().map(name).collect();
    Ok((columns, names))
}

fn inferred(records: &Records, columns: &[usize]) -> Vec<Point> {
    // A column with one word consists of words: "007" stays what it is.
    let number = |cell: &str| cell.parse::<f64>().is_ok_and(f64::is_finite);
    let words: Vec<bool> = columns.iter().map(|&k| records.rows().any(|row| !number(row.cell(k)))).collect();
    let point = |row: Row<'_>| {
        let cells = columns.iter().zip(&words).map(|(&k, &words)| (row.cell(k), words));
        cells.map(|(cell, words)| if words { Value::Choice(cell.into()) } else { number_value(cell) }).collect()
    };
    records.rows().map(point).collect()
}
