//! A table of results, checked row by row before anything is told.

use crate::io::csv::points::text;
use crate::io::csv::records::{Records, Row, value};
use crate::io::csv::verdict::{self, outcome};
use miette::{Result, miette};
use spargo::Error;
use spargo::space::Point;
use spargo::study::{Outcome, Study};
use std::collections::HashMap;
use std::path::Path;

/// What a table tells.
pub struct Told {
    /// Of trials by their numbers, if they are new.
    pub outcomes: Vec<(u64, Outcome)>,
    /// How many outcomes are not.
    pub known: usize,
    /// Points of their own.
    pub points: Vec<(Point, Option<Outcome>)>,
}

/// Reads a table and refuses what the study would refuse, by line and column.
pub fn read(path: &Path, study: &Study) -> Result<Told> {
    let records = Records::read(path)?;
    let columns = Columns::find(&records, study)?;
    let table = Table { records, columns, study };
    let (mut told, mut lines) = (Told { outcomes: Vec::new(), known: 0, points: Vec::new() }, HashMap::new());
    for row in table.records.rows() {
        let Some(outcome) = table.outcome(row)? else { continue };
        match table.trial(row)? {
            Some(trial) => {
                let known = table.check_trial(row, trial, &outcome)?;
                if let Some(line) = lines.insert(trial, row.line) {
                    return Err(table.fault(row, "trial", &format!("trial {trial} is in line {line} as well")));
                }
                match known {
                    Known::Yes => told.known += 1,
                    Known::No => told.outcomes.push((trial, outcome)),
                }
            }
            None => told.points.push((table.point(row)?, Some(outcome))),
        }
    }
    Ok(told)
}

/// Whether a trial was told the same before.
enum Known {
    Yes,
    No,
}

/// Where things stand in a row.
struct Columns {
    trial: Option<usize>,
    /// One an input, those that are there.
    inputs: Vec<Option<usize>>,
    outcome: verdict::Columns,
}

impl Columns {
    fn find(records: &Records, study: &Study) -> Result<Self> {
        let config = study.config();
        Ok(Columns {
            trial: records.find("trial")?,
            inputs: config.space.dimensions().iter().map(|d| records.find(&d.name)).collect::<Result<_>>()?,
            outcome: verdict::Columns::find(records, &config.outputs)?,
        })
    }
}

struct Table<'a> {
    records: Records,
    columns: Columns,
    study: &'a Study,
}

impl Table<'_> {
    fn trial(&self, row: Row<'_>) -> Result<Option<u64>> {
        let cell = self.optional(row, self.columns.trial);
        match cell.parse() {
            _ if cell.is_empty() => Ok(None),
            Ok(trial) => Ok(Some(trial)),
            Err(_) => Err(self.fault(row, "trial", &format!("'{cell}' is not the number of a trial"))),
        }
    }

    /// `None` if it is under way.
    fn outcome(&self, row: Row<'_>) -> Result<Option<Outcome>> {
        outcome(row, &self.columns.outcome)
            .map_err(|fault| self.fault(row, &self.records.header()[fault.column], &fault.message))
    }

    /// Refuses a trial that is not there, that was told otherwise, or whose point is another one than the row's.
    fn check_trial(&self, row: Row<'_>, trial: u64, outcome: &Outcome) -> Result<Known> {
        let Some(record) = self.study.trial(trial) else {
            let trials = self.study.history().records().len() as u64;
            let error = Error::UnknownTrial { index: 0, trial, trials };
            return Err(self.fault(row, "trial", &error.to_string()));
        };
        if let Some(told) = record.told.as_ref().filter(|told| !same(&told.outcome, outcome)) {
            let error = Error::Retold { index: 0, trial, told: told.outcome.to_string(), now: outcome.to_string() };
            return Err(self.fault(row, "trial", &error.to_string()));
        }
        self.check_inputs(row, trial, &record.trial.point)?;
        Ok(if record.told.is_some() { Known::Yes } else { Known::No })
    }

    /// Results in the wrong row are worse than none; what a spreadsheet has rounded is right.
    fn check_inputs(&self, row: Row<'_>, trial: u64, point: &Point) -> Result<()> {
        let dimensions = self.study.config().space.dimensions();
        for ((dimension, column), asked) in dimensions.iter().zip(&self.columns.inputs).zip(point) {
            let cell = self.optional(row, *column);
            let found = value(cell, &dimension.domain);
            let near = match (dimension.encode(&found), dimension.encode(asked)) {
                (Ok(found), Ok(asked)) => (found - asked).abs() <= ROUNDING,
                _ => false,
            };
            if !cell.is_empty() && !near {
                let message = format!("trial {trial} was asked for at {}, not at {cell}", text(asked));
                return Err(self.fault(row, &dimension.name, &message));
            }
        }
        Ok(())
    }

    fn point(&self, row: Row<'_>) -> Result<Point> {
        let dimensions = self.study.config().space.dimensions();
        let input = |(dimension, column): (&spargo::space::Dimension, &Option<usize>)| {
            let cell = self.optional(row, *column);
            if cell.is_empty() {
                return Err(self.fault(row, &dimension.name, "a row without a trial's number needs all inputs"));
            }
            let value = value(cell, &dimension.domain);
            dimension.encode(&value).map_err(|error| self.fault(row, &dimension.name, &error.to_string()))?;
            Ok(value)
        };
        dimensions.iter().zip(&self.columns.inputs).map(input).collect()
    }

    fn optional<'r>(&self, row: Row<'r>, column: Option<usize>) -> &'r str {
        column.map_or("", |column| row.cell(column))
    }

    fn fault(&self, row: Row<'_>, column: &str, message: &str) -> miette::Report {
        miette!("{}, line {}, column '{column}': {message}; nothing was told", self.records.file(), row.line)
    }
}

/// Of an input's range.
const ROUNDING: f64 = 0.01;

/// Whether an outcome says what was told; a table knows nothing of the noise.
fn same(told: &Outcome, now: &Outcome) -> bool {
    match (told, now) {
        (Outcome::Observed { values: told, .. }, Outcome::Observed { values: now, .. }) => told == now,
        _ => told.agrees_with(now),
    }
}
