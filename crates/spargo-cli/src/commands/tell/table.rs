//! A table of outcomes, checked row by row before anything is told.

use crate::io::csv::outcome_cells::{OutcomeColumns, RowCounts, RowOutcome};
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
    /// The rows of the table by what they say.
    pub counts: RowCounts,
    /// The units of the table's columns.
    pub units: Vec<(String, String, String)>,
    /// Points that were not asked for.
    pub points: Vec<(Point, Option<Outcome>)>,
    /// The row of the candidates of each of them, where its labels say so.
    pub rows: Vec<Option<u64>>,
}

/// Reads a table, of which every row is a new point if `as_new`; what the study would refuse is an error with its line and
/// column.
pub fn read(path: &Path, study: &Study, as_new: bool) -> Result<NewOutcomes> {
    let records = Records::read(path)?;
    let config = study.config();
    let names = config.space.dimensions().iter().map(|input| &input.name);
    let mut units = Units::of(study);
    units.check(&records, names.chain(config.outputs.iter().map(|output| &output.name)))?;
    let table = OutcomeTable {
        trial: if as_new { None } else { records.find("trial")? },
        inputs: config.space.dimensions().iter().map(|d| records.find(&d.name)).collect::<Result<_>>()?,
        labels: config.space.label_names().map(|name| records.find(name)).collect::<Result<_>>()?,
        outcome: OutcomeColumns::find(&records, &config.outputs)?,
        records,
        study,
    };
    let told = table.outcomes().map_err(|fault| miette!("{fault}; nothing was told"))?;
    Ok(NewOutcomes { units: units.list(), ..told })
}

/// A table of outcomes and its columns.
struct OutcomeTable<'a> {
    trial: Option<usize>,
    /// One per input, if the table has it.
    inputs: Vec<Option<usize>>,
    /// One per label column of the candidates, if the table has it.
    labels: Vec<Option<usize>>,
    outcome: OutcomeColumns,
    records: Records,
    study: &'a Study,
}

impl OutcomeTable<'_> {
    fn outcomes(&self) -> Result<NewOutcomes> {
        let (mut told, mut lines) = (NewOutcomes::default(), HashMap::new());
        for row in self.records.rows() {
            let trial = self.trial(row)?;
            let said = self.outcome(row)?;
            if trial.is_none() && said == (RowOutcome::Pending { is_marked: false }) {
                told.counts.without_outcome += 1;
                continue;
            }
            told.counts.add(&said);
            if trial.is_none() && matches!(said, RowOutcome::Pending { .. }) {
                told.points.push((self.point(row)?, None));
            }
            let RowOutcome::Told(outcome) = said else { continue };
            let Some(trial) = trial else {
                let point = self.point(row)?;
                let labels: Vec<_> = self.labels.iter().map(|label| label.map(|k| row.cell(k))).collect();
                told.rows.push(self.study.config().space.row_with(&point, &labels));
                told.points.push((point, Some(outcome)));
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

    /// What a row says, with its outcome as it would be recorded.
    fn outcome(&self, row: Row<'_>) -> Result<RowOutcome> {
        let said = self.outcome.outcome(&self.records, row)?;
        let RowOutcome::Told(outcome) = &said else { return Ok(said) };
        let settled = self.study.config().settled("the row", outcome).map(RowOutcome::Told);
        settled.map_err(|error| match &error {
            Error::NoLogarithm { output, .. } => self.fault(row, output, &error.to_string()),
            _ => self.fault(row, &self.outcome.outputs[0].output.name, &error.to_string()),
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
        self.check_inputs(row, trial, &record.trial.point)?;
        self.study.is_known(trial, outcome).map_err(refused)
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
