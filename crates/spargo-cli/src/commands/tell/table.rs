//! A table of outcomes, checked row by row before anything is told.

use crate::io::csv::csv_out::CsvFormat;
use crate::io::csv::outcome_cells::{OutcomeColumns, RowCounts, RowOutcome};
use crate::io::csv::records::{Records, Row, Units, value};
use crate::io::csv::trial_columns::TrialColumns;
use miette::{Result, miette};
use spargo::Error;
use spargo::space::{Point, Value};
use spargo::study::{ColumnUnit, Outcome, Study};
use std::path::Path;

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
    pub units: Vec<ColumnUnit>,
    /// How the table is written; `None` if there is none.
    pub format: Option<CsvFormat>,
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
        as_new,
        outcome: OutcomeColumns::find(&records, &config.outputs, &config.space)?,
        records,
        study,
    };
    let trials = TrialColumns::find(&table.records, study)?;
    let told = table.outcomes(trials).map_err(|fault| miette!("{fault}; nothing was told"))?;
    Ok(NewOutcomes { units: units.list(), format: Some(table.records.format()), ..told })
}

/// A table of outcomes and its columns.
struct OutcomeTable<'a> {
    /// Whether every row is a new point, whatever its trial number.
    as_new: bool,
    outcome: OutcomeColumns,
    records: Records,
    study: &'a Study,
}

impl OutcomeTable<'_> {
    fn outcomes(&self, mut trials: TrialColumns<'_>) -> Result<NewOutcomes> {
        let mut told = NewOutcomes::default();
        for row in self.records.rows() {
            let trial = if self.as_new { None } else { trials.number(&self.records, row)? };
            let said = self.outcome(row)?;
            if trial.is_none() && said == (RowOutcome::Pending { is_marked: false }) {
                told.counts.without_outcome += 1;
                continue;
            }
            told.counts.add(&said);
            let outcome = match said {
                RowOutcome::Told(outcome) => Some(outcome),
                RowOutcome::Pending { .. } => None,
                RowOutcome::Discarded => continue,
            };
            let Some(trial) = trial else {
                let point = self.point(row, &trials)?;
                let labels: Vec<_> = trials.labels.iter().map(|label| label.map(|k| row.cell(k))).collect();
                let candidate = self.study.config().space.row_with(&point, &labels);
                told.rows.push(candidate.map_err(|error| self.records.fault_at(row, &error.to_string()))?);
                told.points.push((point, outcome));
                continue;
            };
            let Some(outcome) = outcome else { continue };
            trials.check(&self.records, row, trial)?;
            let known = self.study.is_known(trial, &outcome);
            if known.map_err(|error| trials.refused(&self.records, row, &error.to_string()))? {
                told.known += 1;
            } else {
                told.outcomes.push((trial, outcome));
            }
        }
        Ok(told)
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

    fn point(&self, row: Row<'_>, trials: &TrialColumns<'_>) -> Result<Point> {
        let dimensions = self.study.config().space.dimensions();
        let input = |(dimension, column): (&spargo::space::Dimension, &Option<usize>)| {
            let cell = column.map_or("", |column| row.cell(column));
            if cell.is_empty() && dimension.when.is_none() {
                return Err(self.fault(row, &dimension.name, "a row without a trial number needs all inputs"));
            }
            let value = value(cell, dimension);
            if value == Value::Null && dimension.when.is_some() {
                return Ok(value);
            }
            dimension.encode_observed(&value).map_err(|error| self.fault(row, &dimension.name, &error.to_string()))?;
            Ok(value)
        };
        let point: Point = dimensions.iter().zip(&trials.inputs).map(input).collect::<Result<_>>()?;
        // Which inputs have a value depends on others.
        if dimensions.iter().any(|dimension| dimension.when.is_some())
            && let Err(error) = self.study.config().space.encode_observed(&point)
        {
            let (Error::Input { name, .. } | Error::Value { input: name, .. }) = &error else {
                return Err(self.records.fault_at(row, &error.to_string()));
            };
            return Err(self.fault(row, name, &error.to_string()));
        }
        Ok(point)
    }

    fn fault(&self, row: Row<'_>, column: &str, message: &str) -> miette::Report {
        miette!("{}, line {}, column '{column}': {message}", self.records.file(), row.line)
    }
}
