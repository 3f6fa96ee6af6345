//! A table of outcomes, checked row by row before anything is told.

use crate::io::csv::outcome_cells::OutcomeColumns;
use crate::io::csv::points::text;
use crate::io::csv::records::{Records, Row, Units, value};
use miette::{Result, miette};
use spargo::Error;
use spargo::space::Point;
use spargo::study::{Outcome, Study};
use std::collections::HashMap;
use std::path::Path;

/// Largest difference that is taken for rounding, as a share of an input's range.
const ROUNDING: f64 = 0.01;

/// The new outcomes of a table.
#[derive(Default)]
pub struct NewOutcomes {
    /// New outcomes by trial.
    pub outcomes: Vec<(u64, Outcome)>,
    /// Number of outcomes that the study knows already.
    pub known: usize,
    /// Points that were not asked for.
    pub points: Vec<(Point, Option<Outcome>)>,
}

/// Reads a table; what the study would refuse is an error with its line and column.
pub fn read(path: &Path, study: &Study) -> Result<NewOutcomes> {
    let records = Records::read(path)?;
    let config = study.config();
    Units::declared(&config.space).check(&records, config.space.dimensions().iter().map(|input| &input.name))?;
    let table = OutcomeTable {
        trial: records.find("trial")?,
        inputs: config.space.dimensions().iter().map(|d| records.find(&d.name)).collect::<Result<_>>()?,
        outcome: OutcomeColumns::find(&records, &config.outputs)?,
        records,
        study,
    };
    table.outcomes().map_err(|fault| miette!("{fault}; nothing was told"))
}

/// A table of outcomes and its columns.
struct OutcomeTable<'a> {
    trial: Option<usize>,
    /// One per input, if the table has it.
    inputs: Vec<Option<usize>>,
    outcome: OutcomeColumns,
    records: Records,
    study: &'a Study,
}

impl OutcomeTable<'_> {
    fn outcomes(&self) -> Result<NewOutcomes> {
        let (mut told, mut lines) = (NewOutcomes::default(), HashMap::new());
        for row in self.records.rows() {
            let Some(outcome) = self.outcome(row)? else { continue };
            let Some(trial) = self.trial(row)? else {
                told.points.push((self.point(row)?, Some(outcome)));
                continue;
            };
            let known = self.check_trial(row, trial, &outcome)?;
            if let Some(line) = lines.insert(trial, row.line) {
                return Err(self.fault(row, "trial", &format!("trial {trial} is on line {line} as well")));
            }
            if known {
                told.known += 1;
            } else {
                told.outcomes.push((trial, outcome));
            }
        }
        Ok(told)
    }

    fn trial(&self, row: Row<'_>) -> Result<Option<u64>> {
        let cell = self.optional(row, self.trial);
        match cell.parse() {
            _ if cell.is_empty() => Ok(None),
            Ok(trial) => Ok(Some(trial)),
            Err(_) => Err(self.fault(row, "trial", &format!("'{cell}' is not the number of a trial"))),
        }
    }

    /// The outcome of a row as it would be recorded; `None` if it is pending.
    fn outcome(&self, row: Row<'_>) -> Result<Option<Outcome>> {
        let outcome = self.outcome.outcome(&self.records, row)?;
        let settled = outcome.map(|outcome| self.study.config().settled("the row", &outcome)).transpose();
        settled.map_err(|error| match &error {
            Error::NoLogarithm { output, .. } => self.fault(row, output, &error.to_string()),
            _ => self.records.fault_in(row, self.outcome.outputs[0].0, &error.to_string()),
        })
    }

    /// Whether the study has the outcome already. Refuses a trial that does not exist, that has another outcome, or whose
    /// point differs from the row's.
    fn check_trial(&self, row: Row<'_>, trial: u64, outcome: &Outcome) -> Result<bool> {
        let refused = |error: Error| self.fault(row, "trial", &error.to_string());
        let Some(record) = self.study.trial(trial) else {
            let trials = self.study.history().records().len() as u64;
            return Err(refused(Error::UnknownTrial { index: 0, trial, trials }));
        };
        if let Some(told) = record.told.as_ref().filter(|told| !same(&told.outcome, outcome)) {
            let (told, now) = (told.outcome.to_string(), outcome.to_string());
            return Err(refused(Error::Retold { index: 0, trial, told, now }));
        }
        self.check_inputs(row, trial, &record.trial.point)?;
        Ok(record.told.is_some())
    }

    /// Refuses inputs that differ from the trial's by more than a spreadsheet's rounding.
    fn check_inputs(&self, row: Row<'_>, trial: u64, point: &Point) -> Result<()> {
        let dimensions = self.study.config().space.dimensions();
        for ((dimension, column), asked) in dimensions.iter().zip(&self.inputs).zip(point) {
            let cell = self.optional(row, *column);
            let found = value(cell, &dimension.domain);
            let near = match (dimension.encode_observed(&found), dimension.encode_observed(asked)) {
                (Ok(found), Ok(asked)) => (found - asked).abs() <= ROUNDING,
                _ => false,
            };
            if !cell.is_empty() && !near {
                let message = format!("trial {trial} was asked for at {}, not {cell}", text(asked));
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
                return Err(self.fault(row, &dimension.name, "a row without a trial number needs all inputs"));
            }
            let value = value(cell, &dimension.domain);
            dimension.encode_observed(&value).map_err(|error| self.fault(row, &dimension.name, &error.to_string()))?;
            Ok(value)
        };
        dimensions.iter().zip(&self.inputs).map(input).collect()
    }

    fn optional<'r>(&self, row: Row<'r>, column: Option<usize>) -> &'r str {
        column.map_or("", |column| row.cell(column))
    }

    fn fault(&self, row: Row<'_>, column: &str, message: &str) -> miette::Report {
        miette!("{}, line {}, column '{column}': {message}", self.records.file(), row.line)
    }
}

/// Whether two outcomes are the same except for their noise variances, which a table does not have.
fn same(told: &Outcome, now: &Outcome) -> bool {
    match (told, now) {
        (Outcome::Observed { values: told, .. }, Outcome::Observed { values: now, .. }) => told == now,
        _ => told.agrees_with(now),
    }
}
