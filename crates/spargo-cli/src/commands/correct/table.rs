//! Tables of corrections: trials by their numbers, with outcomes.

use crate::io::csv::outcome_cells::{OutcomeColumns, RowOutcome};
use crate::io::csv::records::{Records, Row, Units};
use miette::{Result, miette};
use spargo::study::{Outcome, Study};
use std::collections::HashMap;
use std::path::Path;

/// The outcomes of a table by trial; rows that say nothing are left out.
pub fn outcomes(path: &Path, study: &Study) -> Result<Vec<(u64, Outcome)>> {
    let records = Records::read(path)?;
    let outputs = &study.config().outputs;
    Units::of(study).check(&records, outputs.iter().map(|output| &output.name))?;
    let columns = OutcomeColumns::find(&records, outputs)?;
    let mut outcomes = Vec::new();
    for (trial, row) in numbered(&records)? {
        match columns.outcome(&records, row)? {
            RowOutcome::Told(outcome) => outcomes.push((trial, outcome)),
            RowOutcome::Pending { .. } => {}
            RowOutcome::Discarded => {
                let help = "use `spargo discard`";
                return Err(miette!(help = help, "{}, line {}: the row is discarded", records.file(), row.line));
            }
        }
    }
    Ok(outcomes)
}

/// The trials of a table.
pub fn trials(path: &Path) -> Result<Vec<u64>> {
    let records = Records::read(path)?;
    Ok(numbered(&records)?.into_iter().map(|(trial, _)| trial).collect())
}

/// The rows of a table with the numbers of their trials, each of which occurs once.
fn numbered(records: &Records) -> Result<Vec<(u64, Row<'_>)>> {
    let column = records.column("trial")?;
    let mut lines = HashMap::new();
    let number = |row: Row<'_>| {
        let cell = row.cell(column);
        let fault = |message: String| records.fault_in(row, column, &message);
        let trial: u64 = cell.parse().map_err(|_| fault(format!("'{cell}' is not the number of a trial")))?;
        match lines.insert(trial, row.line) {
            Some(line) => Err(fault(format!("trial {trial} is on line {line} as well"))),
            None => Ok(trial),
        }
    };
    let trials = records.rows().map(number).collect::<Result<Vec<_>>>()?;
    Ok(trials.into_iter().zip(records.rows()).collect())
}
