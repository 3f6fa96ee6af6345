//! The outcome of a row, read off its status and its outputs' cells: one rule for every table.
//!
//! ```text
//!     status    done, ok, observed, partial or empty: the outputs' cells decide
//!               failed, error, n/a, …: failed, and no cell may contain a number
//!               pending: no outcome yet, and no cell may contain a number      discarded: the row does not count
//!     a cell    a number, or a class (1, 0, yes, no, true, false): observed    empty or pending: not measured yet
//!               NaN, inf, n/a, failed, …: failed
//!     reason    if it is not empty, outputs whose cells are empty failed for it
//!     yield reason                the same of the output yield alone, whatever the status of the row
//!     yield sd, yield variance    the noise of the value in the column yield, if it is known
//! ```

use crate::io::csv::records::{Records, Row};
use crate::io::output::count::counted;
use crate::io::output::excerpt::escaped;
use miette::{Result, miette};
use serde::Serialize;
use spargo::space::Space;
use spargo::study::{
    DISCARDED_WORD as DISCARDED, DONE_WORDS as DONE, FAILED_WORDS as FAILED, Goal, Measurement, OUTPUT_COLUMNS,
    Outcome, Output, PENDING_WORD as PENDING, RESERVED_NAMES, WELL_COLUMN,
};
use std::fmt;

/// What to do about a cell that is no outcome.
const UNREADABLE_HELP: &str =
    "write failed if it could not be measured, or leave the cell empty as long as it is pending";

/// The columns of an outcome.
pub struct OutcomeColumns {
    /// One per output.
    pub outputs: Vec<OutputColumns>,
    status: Option<usize>,
    reason: Option<usize>,
}

/// The columns of one output.
pub struct OutputColumns {
    pub output: Output,
    /// Its values; `None` if the table does not have the output.
    pub value: Option<usize>,
    sd: Option<usize>,
    variance: Option<usize>,
    /// Why it failed, if the outputs of a row have reasons of their own.
    reason: Option<usize>,
}

/// What a row says of its trial.
#[derive(Debug, Clone, PartialEq)]
pub enum RowOutcome {
    /// Something was measured, or could not be.
    Told(Outcome),
    /// Nothing yet; `is_marked` if the row has the word pending.
    Pending { is_marked: bool },
    /// The trial was withdrawn.
    Discarded,
}

/// The rows of tables by what they say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct RowCounts {
    /// Rows with a value.
    pub outcomes: usize,
    /// Rows of which nothing could be measured.
    pub failed: usize,
    /// Rows of which nothing has been measured yet.
    pub pending: usize,
    /// Rows that were passed over, as they belong to no trial and say nothing.
    pub without_outcome: usize,
    /// Rows that were withdrawn.
    pub discarded: usize,
}

impl RowCounts {
    /// Counts one more row, which was not passed over.
    pub fn add(&mut self, row: &RowOutcome) {
        // What is not finite will be recorded as a failure.
        let has_value = |one: &Measurement| one.observed().is_some_and(f64::is_finite);
        match row {
            RowOutcome::Told(Outcome::Measured(all)) if all.iter().any(has_value) => {
                self.outcomes += 1;
            }
            RowOutcome::Told(_) => self.failed += 1,
            RowOutcome::Pending { .. } => self.pending += 1,
            RowOutcome::Discarded => self.discarded += 1,
        }
    }
}

impl fmt::Display for RowCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RowCounts { outcomes, failed, pending, without_outcome, discarded } = self;
        let [outcomes, rows] = [(*outcomes, "outcome"), (*without_outcome, "row")].map(|(n, noun)| counted(n, noun));
        write!(f, "{outcomes}, {failed} failed, {pending} pending, {rows} without outcome")?;
        if *discarded > 0 { write!(f, ", {discarded} discarded") } else { Ok(()) }
    }
}

impl OutcomeColumns {
    /// Finds the columns; at least one output must have one. Refuses a column that is nearly one of them, unless it is an input
    /// or a label of the space.
    pub fn find(records: &Records, outputs: &[Output], space: &Space) -> Result<Self> {
        let further = |output: &Output| OUTPUT_COLUMNS.map(|(kind, _)| format!("{} {kind}", output.name));
        let own = outputs.iter().flat_map(|output| [output.name.clone()].into_iter().chain(further(output)));
        let inputs = space.dimensions().iter().map(|input| input.name.clone());
        let words = RESERVED_NAMES.into_iter().chain([WELL_COLUMN]).chain(space.label_names()).map(String::from);
        records.refuse_alike(outputs, &own.chain(inputs).chain(words).collect())?;
        let columns = |output: &Output| -> Result<OutputColumns> {
            let find = |kind: &str| records.find(&format!("{} {kind}", output.name));
            Ok(OutputColumns {
                output: output.clone(),
                value: records.find(&output.name)?,
                sd: find("sd")?,
                variance: find("variance")?,
                reason: find("reason")?,
            })
        };
        let found = outputs.iter().map(columns).collect::<Result<Vec<_>>>()?;
        if found.iter().all(|columns| columns.value.is_none()) {
            records.columns(outputs.iter().map(|output| &output.name))?;
        }
        Ok(OutcomeColumns {
            outputs: found,
            status: records.find_word("status")?,
            reason: records.find_word("reason")?,
        })
    }

    /// What a row says. Values that are not finite are left for the study to record as failures.
    pub fn outcome(&self, records: &Records, row: Row<'_>) -> Result<RowOutcome> {
        let [status, reason] = [self.status, self.reason].map(|column| column.map_or("", |k| row.cell(k)));
        let Some(status) = Status::parse(status) else {
            let message = format!("the status '{status}' is not one of done, failed, pending, discarded");
            return Err(records.fault_in(row, self.status.unwrap_or_default(), &message));
        };
        match status {
            Status::Discarded => Ok(RowOutcome::Discarded),
            Status::Failed if self.numbers(row).next().is_some() => {
                let message = "the row is marked failed but has a value; remove one or the other";
                Err(records.fault_in(row, self.status.unwrap_or_default(), message))
            }
            Status::Failed => {
                let reason = if reason.is_empty() { "failed" } else { reason };
                if self.has_own_reasons(row) {
                    return self.measured(records, row, reason);
                }
                Ok(RowOutcome::Told(Outcome::failed(escaped(reason))))
            }
            // Some outputs failed, others are still to come.
            Status::Pending if self.has_own_reasons(row) && self.numbers(row).next().is_none() => {
                self.measured(records, row, reason)
            }
            Status::Pending => match self.numbers(row).next() {
                None => Ok(RowOutcome::Pending { is_marked: true }),
                Some((column, cell)) => {
                    let message =
                        format!("the row is marked pending but has the value '{cell}'; remove one or the other");
                    Err(records.fault_in(row, column, &message))
                }
            },
            Status::Done => self.measured(records, row, reason),
        }
    }

    /// What the cells of the outputs say.
    fn measured(&self, records: &Records, row: Row<'_>, reason: &str) -> Result<RowOutcome> {
        let read = |columns: &OutputColumns| columns.measurement(records, row, reason);
        let measurements = self.outputs.iter().map(read).collect::<Result<Vec<_>>>()?;
        if measurements.iter().all(Measurement::is_pending) {
            let is_marked = self.outputs.iter().any(|columns| is(columns.cell(row), &[PENDING]));
            return Ok(RowOutcome::Pending { is_marked });
        }
        if let Some((column, cell)) = self.numbers(row).next()
            && !reason.is_empty()
            && measurements.iter().all(|one| one.observed().is_some())
        {
            let message = format!("the row has the value '{cell}' and the reason '{reason}' of a failure");
            return Err(records.fault_in(row, column, &message))
                .map_err(|fault| miette!("{fault}; remove one of them"));
        }
        // Nothing is to come of a row with a reason and no value, in whatever table the other outputs are.
        let is_lost = !reason.is_empty() && measurements.iter().all(|one| one.observed().is_none());
        let is_marked = self.outputs.iter().any(|columns| is(columns.cell(row), &[PENDING]));
        if is_lost && !is_marked && !self.has_own_reasons(row) {
            return Ok(RowOutcome::Told(Outcome::failed(escaped(reason))));
        }
        let is_shared = measurements.windows(2).all(|pair| pair[0].failure() == pair[1].failure());
        let outcome = Outcome::Measured(measurements);
        let shared = outcome.failure().filter(|_| is_shared).map(Outcome::failed);
        Ok(RowOutcome::Told(shared.unwrap_or(outcome)))
    }

    /// Whether an output of the row failed for a reason of its own.
    fn has_own_reasons(&self, row: Row<'_>) -> bool {
        self.outputs.iter().any(|columns| !columns.own_reason(row).is_empty())
    }

    /// Columns and cells of the outputs that are numbers.
    fn numbers<'r>(&self, row: Row<'r>) -> impl Iterator<Item = (usize, &'r str)> {
        let cells =
            self.outputs.iter().filter_map(|columns| columns.value).map(move |column| (column, row.cell(column)));
        cells.filter(|(_, cell)| is_number(cell))
    }
}

impl OutputColumns {
    fn cell<'r>(&self, row: Row<'r>) -> &'r str {
        self.value.map_or("", |column| row.cell(column))
    }

    fn own_reason<'r>(&self, row: Row<'r>) -> &'r str {
        self.reason.map_or("", |column| row.cell(column))
    }

    /// What the cells of the output say; `reason` is that of the row, unless the output has one of its own.
    fn measurement(&self, records: &Records, row: Row<'_>, reason: &str) -> Result<Measurement> {
        let (cell, own, Output { name, goal, .. }) = (self.cell(row), self.own_reason(row), &self.output);
        let variance = self.variance(records, row)?;
        let failed = |default: String| Measurement::failed(if reason.is_empty() { default } else { escaped(reason) });
        let measurement = match number(cell, *goal) {
            _ if !own.is_empty() && (cell.is_empty() || is(cell, &FAILED)) => Measurement::failed(escaped(own)),
            _ if !own.is_empty() => {
                let message =
                    format!("'{name}' is {cell}, but has the reason '{own}' of a failure; remove one of them");
                return Err(records.fault_in(row, self.reason.unwrap_or_default(), &message));
            }
            _ if is(cell, &FAILED) => failed(format!("no value of '{name}'")),
            _ if is(cell, &[PENDING]) || self.value.is_none() => Measurement::Pending,
            _ if cell.is_empty() && reason.is_empty() => Measurement::Pending,
            _ if cell.is_empty() => failed(String::new()),
            Some(value) => Measurement::Observed { value, variance },
            None => {
                let message = format!("'{cell}' is {}; {UNREADABLE_HELP}", unreadable(*goal));
                return Err(records.fault_in(row, self.value.unwrap_or_default(), &message));
            }
        };
        match self.sd.or(self.variance).filter(|_| variance.is_some() && measurement.observed().is_none()) {
            None => Ok(measurement),
            Some(column) => {
                let message = format!("there is noise of a value, but no value of '{name}'");
                Err(records.fault_in(row, column, &message))
            }
        }
    }

    /// The noise variance, from a column of standard deviations or of variances.
    fn variance(&self, records: &Records, row: Row<'_>) -> Result<Option<f64>> {
        let read = |column: Option<usize>| -> Result<Option<f64>> {
            let Some((column, cell)) = column.map(|column| (column, row.cell(column))) else { return Ok(None) };
            match cell.parse::<f64>() {
                _ if cell.is_empty() => Ok(None),
                Ok(number) if number.is_finite() && number > 0.0 => Ok(Some(number)),
                _ => {
                    let message = format!("'{cell}' is not a positive number; leave the cell empty to learn the noise");
                    Err(records.fault_in(row, column, &message))
                }
            }
        };
        match (read(self.sd)?, read(self.variance)?) {
            (Some(_), Some(_)) => {
                let message = "both the standard deviation and the variance are given; leave one empty";
                Err(records.fault_in(row, self.sd.unwrap_or_default(), message))
            }
            (sd, variance) => Ok(sd.map(|sd| sd * sd).or(variance)),
        }
    }
}

enum Status {
    Done,
    Failed,
    Pending,
    Discarded,
}

impl Status {
    fn parse(word: &str) -> Option<Self> {
        match word {
            word if is(word, &DONE) => Some(Status::Done),
            word if is(word, &FAILED) => Some(Status::Failed),
            word if is(word, &[PENDING]) => Some(Status::Pending),
            word if is(word, &[DISCARDED]) => Some(Status::Discarded),
            _ => None,
        }
    }
}

fn is(word: &str, among: &[&str]) -> bool {
    among.contains(&word.to_lowercase().as_str())
}

fn is_number(cell: &str) -> bool {
    cell.parse::<f64>().is_ok_and(|value| !value.is_nan())
}

/// A number or, if that is the goal, a class.
pub fn number(word: &str, goal: Goal) -> Option<f64> {
    if goal == Goal::Classify { class(word) } else { word.parse().ok() }
}

/// What a word is that is no outcome.
pub fn unreadable(goal: Goal) -> &'static str {
    if goal == Goal::Classify { "not a class (1 or 0, yes or no)" } else { "not a number" }
}

/// A class as 1 or 0, from a number or a word; NaN and infinities, which are failures, stay what they are.
pub fn class(word: &str) -> Option<f64> {
    match word.to_lowercase().as_str() {
        "yes" | "true" => Some(1.0),
        "no" | "false" => Some(0.0),
        other => other.parse().ok().filter(|class: &f64| !class.is_finite() || [0.0, 1.0].contains(class)),
    }
}

#[cfg(test)]
mod tests;
