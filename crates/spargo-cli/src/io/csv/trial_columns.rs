//! Rows that name their trial: its number, and inputs that must be those that were asked for.

use crate::io::csv::points::text;
use crate::io::csv::records::{Records, Row, value};
use miette::{Report, Result};
use spargo::Error;
use spargo::study::{Record, Study};
use std::collections::HashMap;

/// Largest difference that is taken for rounding, as a share of an input's range.
const ROUNDING: f64 = 0.01;

/// The columns by which the rows of a table are found among a study's trials.
pub struct TrialColumns<'a> {
    study: &'a Study,
    number: Option<usize>,
    /// One per input, if the table has it.
    pub inputs: Vec<Option<usize>>,
    /// The line of each trial that was found.
    lines: HashMap<u64, u64>,
}

impl<'a> TrialColumns<'a> {
    /// Finds the columns, all of which a table may lack.
    pub fn find(records: &Records, study: &'a Study) -> Result<Self> {
        let inputs = study.config().space.dimensions().iter();
        let inputs = inputs.map(|input| records.find(&input.name)).collect::<Result<_>>()?;
        Ok(TrialColumns { study, number: records.find("trial")?, inputs, lines: HashMap::new() })
    }

    /// The number of a row's trial, if it has one.
    pub fn number(&self, records: &Records, row: Row<'_>) -> Result<Option<u64>> {
        let Some(column) = self.number else { return Ok(None) };
        let cell = row.cell(column);
        match cell.parse() {
            _ if cell.is_empty() => Ok(None),
            Ok(trial) => Ok(Some(trial)),
            Err(_) => Err(records.fault_in(row, column, &format!("'{cell}' is not the number of a trial"))),
        }
    }

    /// The trial with this number. Refuses one that does not exist, that an earlier row has, or whose inputs differ from the
    /// row's by more than a spreadsheet's rounding: then the numbers have slipped.
    pub fn trial(&mut self, records: &Records, row: Row<'_>, trial: u64) -> Result<&'a Record> {
        let Some(record) = self.study.trial(trial) else {
            let trials = self.study.history().records().len() as u64;
            return Err(self.refused(records, row, &Error::UnknownTrial { index: 0, trial, trials }.to_string()));
        };
        let inputs = self.study.config().space.dimensions().iter().zip(&self.inputs).zip(&record.trial.point);
        for ((dimension, column), asked) in inputs {
            let Some(column) = *column else { continue };
            let cell = row.cell(column);
            let found = value(cell, &dimension.domain);
            let near = match (dimension.encode_observed(&found), dimension.encode_observed(asked)) {
                (Ok(found), Ok(asked)) => (found - asked).abs() <= ROUNDING,
                _ => false,
            };
            if !cell.is_empty() && !near {
                let message = format!("trial {trial} was asked for at {}, not {cell}", text(asked));
                return Err(records.fault_in(row, column, &message));
            }
        }
        match self.lines.insert(trial, row.line) {
            Some(line) => Err(self.refused(records, row, &format!("trial {trial} is on line {line} as well"))),
            None => Ok(record),
        }
    }

    /// The error of a row whose trial is refused.
    pub fn refused(&self, records: &Records, row: Row<'_>, message: &str) -> Report {
        records.fault_in(row, self.number.unwrap_or_default(), message)
    }
}
