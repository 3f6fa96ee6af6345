//! Past results from CSV files: what was evaluated, what failed, what is under way.

use crate::io::csv::records::{Records, Row, value};
use crate::io::csv::verdict::{Columns, outcome};
use miette::{IntoDiagnostic, Report, Result, miette};
use spargo::Error;
use spargo::space::{Point, Space};
use spargo::study::{Config, Outcome, Output, Study};
use std::path::Path;

/// Everything known of a study that has no memory of its own.
pub struct Results {
    space: Space,
    outputs: Vec<Output>,
    /// How the last file called the inputs.
    header: Vec<String>,
    points: Vec<(Point, Option<Outcome>)>,
}

impl Results {
    /// Nothing is known yet; `header` is what the inputs are called until a file calls them otherwise.
    pub fn new(config: &Config, header: Vec<String>) -> Self {
        Results { space: config.space.clone(), outputs: config.outputs.clone(), header, points: Vec::new() }
    }

    /// Points with outcomes, failed and pending ones among them.
    pub fn read(&mut self, path: &Path) -> Result<()> {
        let records = Records::read_any(path)?;
        let inputs = self.inputs(&records)?;
        let columns = Columns::find(&records, &self.outputs)?;
        for row in records.rows() {
            let point = self.point(&records, row, &inputs)?;
            let outcome = outcome(row, &columns).map_err(|fault| at(&records, row, fault.column, &fault.message))?;
            self.points.push((point, outcome));
        }
        Ok(())
    }

    /// Points that are all under way, whatever their file says of outcomes.
    pub fn read_pending(&mut self, path: &Path) -> Result<()> {
        let records = Records::read_any(path)?;
        let inputs = self.inputs(&records)?;
        for row in records.rows() {
            let point = self.point(&records, row, &inputs)?;
            self.points.push((point, None));
        }
        Ok(())
    }

    /// The number of points, evaluated or not.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// What the columns of inputs are called, with their units if the last file had any.
    pub fn header(&self) -> &[String] {
        &self.header
    }

    /// Gives everything to a study.
    pub fn tell(&self, study: &mut Study) -> Result<()> {
        if self.points.is_empty() {
            return Ok(());
        }
        study.add(&self.points).map(|_| ()).into_diagnostic()
    }

    fn inputs(&mut self, records: &Records) -> Result<Vec<usize>> {
        let columns = records.columns(self.space.dimensions().iter().map(|dimension| &dimension.name))?;
        self.header = columns.iter().map(|&k| records.header()[k].clone()).collect();
        Ok(columns)
    }

    fn point(&self, records: &Records, row: Row<'_>, columns: &[usize]) -> Result<Point> {
        let cells = columns.iter().zip(self.space.dimensions());
        let value = |(&k, dimension): (&usize, &spargo::space::Dimension)| {
            let value = value(row.cell(k), &dimension.domain);
            dimension.encode(&value).map_err(|error| at(records, row, k, &refusal(&error)))?;
            Ok(value)
        };
        cells.map(value).collect()
    }
}

/// The column names the input already.
fn refusal(error: &Error) -> String {
    match error {
        Error::Value { value, allowed, .. } => {
            format!("{value} is not {allowed}; correct the cell, or the space in the study file")
        }
        error => error.to_string(),
    }
}

fn at(records: &Records, row: Row<'_>, column: usize, message: &str) -> Report {
    miette!("{}, line {}, column '{}': {message}", records.file(), row.line, records.header()[column])
}
