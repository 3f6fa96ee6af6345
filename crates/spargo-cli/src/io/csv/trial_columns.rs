//! Rows that name their trial: its number, and inputs and labels that must be those that were asked for.

use crate::io::csv::records::{Records, Row, value};
use miette::{Report, Result};
use spargo::Error;
use spargo::study::Study;
use std::collections::HashMap;

/// The columns by which the rows of a table are found among a study's trials.
pub struct TrialColumns<'a> {
    study: &'a Study,
    number: Option<usize>,
    /// One per input, if the table has it.
    pub inputs: Vec<Option<usize>>,
    /// One per label column of the candidates, if the table has it.
    pub labels: Vec<Option<usize>>,
    /// The line of each trial that was found.
    lines: HashMap<u64, u64>,
}

impl<'a> TrialColumns<'a> {
    /// Finds the columns, all of which a table may lack.
    pub fn find(records: &Records, study: &'a Study) -> Result<Self> {
        let inputs = study.config().space.dimensions().iter();
        let inputs = inputs.map(|input| records.find(&input.name)).collect::<Result<_>>()?;
        let labels = study.config().space.label_names().map(|name| records.find(name)).collect::<Result<_>>()?;
        Ok(TrialColumns { study, number: records.find_word("trial")?, inputs, labels, lines: HashMap::new() })
    }

    /// The number of a row's trial, if it has one.
    pub fn number(&self, records: &Records, row: Row<'_>) -> Result<Option<u64>> {
        let Some(column) = self.number else { return Ok(None) };
        let cell = row.cell(column);
        // Where cells are missing, a program may have written 7.0.
        let whole = cell.strip_suffix(".0").unwrap_or(cell);
        match whole.parse() {
            _ if cell.is_empty() => Ok(None),
            Ok(trial) => Ok(Some(trial)),
            Err(_) => Err(records.fault_in(row, column, &format!("'{cell}' is not the number of a trial"))),
        }
    }

    /// Refuses a row with the number of a trial that does not exist, that an earlier row has, or whose inputs or labels are not
    /// the row's: then the numbers have slipped.
    pub fn check(&mut self, records: &Records, row: Row<'_>, trial: u64) -> Result<()> {
        let inputs = self.study.config().space.dimensions().iter().zip(&self.inputs);
        let inputs: Vec<_> = inputs.map(|(input, column)| Some(value(known(row, *column)?, input))).collect();
        let labels: Vec<_> = self.labels.iter().map(|column| known(row, *column)).collect();
        self.study.check_row(0, trial, &inputs, &labels).map_err(|error| match &error {
            Error::OtherPoint { column, .. } => match records.find(column) {
                Ok(Some(column)) => records.fault_in(row, column, &error.to_string()),
                _ => self.refused(records, row, &error.to_string()),
            },
            _ => self.refused(records, row, &error.to_string()),
        })?;
        match self.lines.insert(trial, row.line) {
            Some(line) => Err(self.refused(records, row, &format!("trial {trial} is on line {line} as well"))),
            None => Ok(()),
        }
    }

    /// The error of a row whose trial is refused.
    pub fn refused(&self, records: &Records, row: Row<'_>, message: &str) -> Report {
        records.fault_in(row, self.number.unwrap_or_default(), message)
    }
}

/// The cell of a column, if the table has it and it is not empty.
fn known<'r>(row: Row<'r>, column: Option<usize>) -> Option<&'r str> {
    column.map(|column| row.cell(column)).filter(|cell| !cell.is_empty())
}
