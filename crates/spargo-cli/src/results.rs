//! Past results from CSV files: what was evaluated, what failed, what is under way.

use crate::records::{Records, Row, value};
use miette::{IntoDiagnostic, Report, Result, miette};
use spargo::Error;
use spargo::space::{Point, Space};
use spargo::study::{Config, Outcome, Study};
use std::path::Path;

/// Everything known of a study that has no memory of its own.
pub struct Results {
    space: Space,
    outputs: Vec<String>,
    /// How the last file called the inputs.
    header: Vec<String>,
    points: Vec<(Point, Option<Outcome>)>,
}

impl Results {
    pub fn new(config: &Config) -> Self {
        Results {
            space: config.space.clone(),
            outputs: config.outputs.iter().map(|output| output.name.clone()).collect(),
            header: config.space.dimensions().iter().map(|dimension| dimension.name.clone()).collect(),
            points: Vec::new(),
        }
    }

    /// Points with outcomes, failed and pending ones among them.
    pub fn read(&mut self, path: &Path) -> Result<()> {
        let records = Records::read_any(path)?;
        let inputs = self.inputs(&records)?;
        let outputs = records.columns(self.outputs.iter())?;
        let status = records.find("status")?;
        for row in records.rows() {
            let point = self.point(&records, row, &inputs)?;
            let outcome = self.outcome(&records, row, &outputs, status.map_or("", |k| row.cell(k)))?;
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

    /// `None` if it is under way.
    fn outcome(&self, records: &Records, row: Row<'_>, columns: &[usize], status: &str) -> Result<Option<Outcome>> {
        let cells = columns.iter().map(|&k| (k, row.cell(k)));
        let is = |word: &str, among: &[&str]| among.contains(&word.to_lowercase().as_str());
        let pending = is(status, &[PENDING]) || cells.clone().any(|(_, cell)| is(cell, &[PENDING]));
        if pending {
            let told = cells.clone().find(|(_, cell)| cell.parse::<f64>().is_ok_and(|y| !y.is_nan()));
            return match told {
                Some((k, cell)) => {
                    let message =
                        format!("'{cell}' stands here though the row is marked pending; remove one or the other");
                    Err(at(records, row, k, &message))
                }
                None => Ok(None),
            };
        }
        if is(status, &FAILED[1..]) || cells.clone().any(|(_, cell)| is(cell, &FAILED)) {
            return Ok(Some(Outcome::failed("it has no value")));
        }
        let number = |(k, cell): (usize, &str)| {
            cell.parse::<f64>().map_err(|_| {
                let message = format!(
                    "'{cell}' is not a number; leave the cell empty if the evaluation failed, or write pending if it is under way"
                );
                at(records, row, k, &message)
            })
        };
        let values = cells.map(number).collect::<Result<Vec<f64>>>()?;
        Ok(Some(Outcome::Observed { values, noise: None }))
    }
}

/// Marks a point under way.
pub const PENDING: &str = "pending";

/// What stands in place of an outcome if there is none.
pub const FAILED: [&str; 8] = ["", "nan", "na", "n/a", "failed", "fail", "error", "none"];

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
