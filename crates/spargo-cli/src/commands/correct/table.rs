//! Tables of corrections: trials by their numbers, with outcomes.

use crate::io::csv::outcome_cells::{OutcomeColumns, RowOutcome};
use crate::io::csv::records::{Records, Row, Units};
use crate::io::csv::trial_columns::TrialColumns;
use miette::{Result, miette};
use spargo::study::{Outcome, Study};
use std::path::Path;

/// The outcomes of a table by trial; rows that say nothing are left out.
pub fn outcomes(path: &Path, study: &Study) -> Result<Vec<(u64, Outcome)>> {
    let records = read(path, study)?;
    let columns = OutcomeColumns::find(&records, &study.config().outputs, &study.config().space)?;
    let mut outcomes = Vec::new();
    for (trial, row) in numbered(&records, study)? {
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
pub fn trials(path: &Path, study: &Study) -> Result<Vec<u64>> {
    let records = read(path, study)?;
    Ok(numbered(&records, study)?.into_iter().map(|(trial, _)| trial).collect())
}

/// Reads a table whose columns must be in the units of the study.
fn read(path: &Path, study: &Study) -> Result<Records> {
    let (records, config) = (Records::read(path)?, study.config());
    let inputs = config.space.dimensions().iter().map(|input| &input.name);
    Units::of(study).check(&records, inputs.chain(config.outputs.iter().map(|output| &output.name)))?;
    Ok(records)
}

/// The rows of a table with the numbers of their trials, each of which occurs once and has the inputs of its row.
fn numbered<'r>(records: &'r Records, study: &Study) -> Result<Vec<(u64, Row<'r>)>> {
    let column = records.find_word("trial")?.map_or_else(|| records.column("trial"), Ok)?;
    let mut trials = TrialColumns::find(records, study)?;
    let number = |row: Row<'r>| {
        let missing = || records.fault_in(row, column, "the number of the trial is missing");
        let trial = trials.number(records, row)?.ok_or_else(missing)?;
        trials.check(records, row, trial)?;
        Ok((trial, row))
    };
    let rows = records.rows().map(number).collect::<Result<_>>();
    rows.map_err(|fault| miette!("{fault}; nothing was changed"))
}
