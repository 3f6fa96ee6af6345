//! `candidates = "pool.csv"`: the only points that may be evaluated, as a table beside the study file.

use super::outputs::RESERVED;
use super::source::Source;
use crate::io::csv::records::{Records, Row, number_value, value, without_unit};
use miette::Result;
use spargo::Error;
use spargo::space::{Dimension, Point, Space, Value};
use spargo::study::Output;
use std::path::{Path, PathBuf};

/// Where candidates come from.
#[derive(Debug, Clone)]
pub struct Candidates {
    pub path: PathBuf,
    /// What the inputs' columns are called there, with their units.
    pub header: Vec<String>,
}

/// The rows of a file; its columns are the inputs unless the study file lists them.
pub fn candidates(
    source: &Source,
    path: PathBuf,
    dimensions: Vec<Dimension>,
    outputs: &[Output],
) -> Result<(Space, Candidates)> {
    let records = read(source, &path)?;
    let (columns, space) = match dimensions.is_empty() {
        true => {
            let (columns, names) = inputs(&records, outputs)?;
            let rows = inferred(&records, &columns);
            (columns, Space::from_table(&names, rows))
        }
        false => {
            let space = Space::new(dimensions).map_err(|error| source.refused(&error))?;
            let columns = records.columns(space.dimensions().iter().map(|dimension| &dimension.name))?;
            let point = |row: Row<'_>| {
                let cells = columns.iter().zip(space.dimensions());
                cells.map(|(&k, dimension)| value(row.cell(k), &dimension.domain)).collect()
            };
            let rows = records.rows().map(point).collect();
            (columns, space.with_candidates(rows))
        }
    };
    let space = space.map_err(|error| match error {
        Error::Candidate { row, error } => records.fault(row, &error.to_string()),
        error => records.fault_of_all(&error.to_string()),
    })?;
    let header = columns.iter().map(|&k| records.header()[k].clone()).collect();
    Ok((space, Candidates { path, header }))
}

fn read(source: &Source, path: &Path) -> Result<Records> {
    Records::read(path).map_err(|report| {
        let causes: Vec<String> = report.chain().map(|cause| cause.to_string()).collect();
        let help = "a table of candidates has a line of column names first, and is looked for beside the study file";
        source.fault(&["space", "candidates"], causes.join(": "), help)
    })
}

/// Every column with a name that is not an output or a study's own is an input, called by its name without the unit.
fn inputs(records: &Records, outputs: &[Output]) -> Result<(Vec<usize>, Vec<String>)> {
    let own = RESERVED.into_iter().chain(outputs.iter().map(|output| output.name.as_str()));
    let others = own.map(|name| records.find(name)).collect::<Result<Vec<_>>>()?;
    let header = records.header();
    let columns: Vec<usize> =
        (0..header.len()).filter(|k| !header[*k].is_empty() && !others.contains(&Some(*k))).collect();
    let bare = |k: usize| without_unit(&header[k]).filter(|name| !name.is_empty()).unwrap_or(&header[k]);
    let name = |&k: &usize| {
        // Where only the unit tells two columns apart, it belongs to the name.
        let alone = columns.iter().filter(|&&other| bare(other) == bare(k)).count() == 1;
        if alone { bare(k).to_string() } else { header[k].clone() }
    };
    let names = columns.iter().map(name).collect();
    Ok((columns, names))
}

fn inferred(records: &Records, columns: &[usize]) -> Vec<Point> {
    // One word makes words of the whole column: "007" stays what it is.
    let number = |cell: &str| cell.parse::<f64>().is_ok_and(f64::is_finite);
    let words: Vec<bool> = columns.iter().map(|&k| records.rows().any(|row| !number(row.cell(k)))).collect();
    let point = |row: Row<'_>| {
        let cells = columns.iter().zip(&words).map(|(&k, &words)| (row.cell(k), words));
        cells.map(|(cell, words)| if words { Value::Choice(cell.into()) } else { number_value(cell) }).collect()
    };
    records.rows().map(point).collect()
}
