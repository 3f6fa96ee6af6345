//! The outcome of a row, read off its status and its outputs' cells: one rule for every table.
//!
//! ```text
//!     status    done, ok, observed, partial or empty: the outputs' cells decide
//!               failed, error, n/a, …: failed, and no cell may contain a number
//!               pending: no outcome yet, and no cell may contain a number      discarded: the row does not count
//!     a cell    a number, or a class (1, 0, yes, no, true, false): observed    empty or pending: not measured yet
//!               NaN, inf, n/a, failed, …: failed
//!     reason    if it is not empty, outputs whose cells are empty failed for it
//!     yield sd, yield variance    the noise of the value in the column yield, if it is known
//! ```

use crate::io::csv::records::{Records, Row};
use crate::io::output::excerpt::escaped;
use miette::{Result, miette};
use serde::Serialize;
use spargo::study::{Goal, Measurement, Outcome, Output};
use std::fmt;

/// Words of the status of a row whose cells decide.
const DONE: [&str; 5] = ["", "done", "ok", "observed", "partial"];

/// Words of a failure, those of spreadsheets among them.
const FAILED: [&str; 11] =
    ["nan", "na", "n/a", "failed", "fail", "error", "none", "#n/a", "#num!", "#div/0!", "#value!"];

/// The word of what has not been measured yet.
const PENDING: &str = "pending";

/// The word of a trial that was withdrawn.
const DISCARDED: &str = "discarded";

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
        match row {
            RowOutcome::Told(Outcome::Measured(all)) if all.iter().any(|one| one.observed().is_some()) => {
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
        write!(f, "{outcomes} outcomes, {failed} failed, {pending} pending, {without_outcome} rows without outcome")?;
        if *discarded > 0 { write!(f, ", {discarded} discarded") } else { Ok(()) }
    }
}

impl OutcomeColumns {
    /// Finds the columns; at least one output must have one.
    pub fn find(records: &Records, outputs: &[Output]) -> Result<Self> {
        let columns = |output: &Output| -> Result<OutputColumns> {
            let [sd, variance] = ["sd", "variance"].map(|kind| records.find(&format!("{} {kind}", output.name)));
            Ok(OutputColumns {
                output: output.clone(),
                value: records.find(&output.name)?,
                sd: sd?,
                variance: variance?,
            })
        };
        let found = outputs.iter().map(columns).collect::<Result<Vec<_>>>()?;
        if found.iter().all(|columns| columns.value.is_none()) {
            records.columns(outputs.iter().map(|output| &output.name))?;
        }
        Ok(OutcomeColumns { outputs: found, status: records.find("status")?, reason: records.find("reason")? })
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
                let reason = if reason.is_empty() { "failed".into() } else { escaped(reason) };
                Ok(RowOutcome::Told(Outcome::failed(reason)))
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
        if is_lost && !is_marked {
            return Ok(RowOutcome::Told(Outcome::failed(escaped(reason))));
        }
        let outcome = Outcome::Measured(measurements);
        Ok(RowOutcome::Told(outcome.failure().map(Outcome::failed).unwrap_or(outcome)))
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

    fn measurement(&self, records: &Records, row: Row<'_>, reason: &str) -> Result<Measurement> {
        let (cell, Output { name, goal, .. }) = (self.cell(row), &self.output);
        let variance = self.variance(records, row)?;
        let failed = |default: String| Measurement::failed(if reason.is_empty() { default } else { escaped(reason) });
        let measurement = match number(cell, *goal) {
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
mod tests {
    use super::*;

    fn read(cells: &str) -> Result<RowOutcome, String> {
        read_for(Goal::Maximize, cells)
    }

    fn read_for(goal: Goal, cells: &str) -> Result<RowOutcome, String> {
        read_with("x,y,status,reason,z", goal, cells)
    }

    fn read_with(header: &str, goal: Goal, cells: &str) -> Result<RowOutcome, String> {
        let text = format!("{header}\n1,{cells}\n");
        let records = Records::parse("results.csv".into(), text.as_bytes()).unwrap();
        let outputs = ["y", "z"].map(|name| Output { name: name.into(), goal });
        let columns = OutcomeColumns::find(&records, &outputs).unwrap();
        columns.outcome(&records, records.rows().next().unwrap()).map_err(|fault| fault.to_string())
    }

    fn told(measurements: [Measurement; 2]) -> Result<RowOutcome, String> {
        Ok(RowOutcome::Told(Outcome::Measured(measurements.into())))
    }

    fn failed(reason: &str) -> Result<RowOutcome, String> {
        Ok(RowOutcome::Told(Outcome::failed(reason)))
    }

    #[test]
    fn classes_can_be_words() {
        for (cells, values) in [("1,,,0", [1.0, 0.0]), ("Yes,,,no", [1.0, 0.0]), ("FALSE,done,,True", [0.0, 1.0])] {
            assert_eq!(read_for(Goal::Classify, cells), told(values.map(Measurement::value)), "{cells}");
        }
        for (cell, words) in [("2", "'2' is not a class"), ("0.5", "'0.5'"), ("maybe", "'maybe' is not a class")] {
            let fault = read_for(Goal::Classify, &format!("1,,,{cell}")).unwrap_err();
            assert!(fault.contains("column 'z'") && fault.contains(words), "{fault}");
        }
        assert!(read_for(Goal::Classify, "inf,,,1").is_ok(), "left for the study to record as a failure");
        assert!(read("yes,,,1").is_err(), "only a class is yes or no");
    }

    #[test]
    fn every_word_of_a_status_or_a_cell_has_one_meaning() {
        let two = || Measurement::value(2.0);
        for status in ["", "done", "OK", "Observed", "partial"] {
            assert_eq!(read(&format!("2,{status},,3")), told([two(), Measurement::value(3.0)]), "{status}");
        }
        for status in ["failed", "FAIL", "error", "n/a", "nan"] {
            assert_eq!(read(&format!(",{status},burnt,")), failed("burnt"), "{status}");
        }
        for cell in ["NaN", "#N/A", "failed", "None", "#DIV/0!"] {
            let one = Measurement::failed("no value of 'z'");
            assert_eq!(read(&format!("2,done,,{cell}")), told([two(), one]), "{cell}");
        }
        for (cells, is_marked) in [(",,,", false), (",pending,,", true), ("pending,,,", true), ("nan,Pending,,", true)]
        {
            assert_eq!(read(cells), Ok(RowOutcome::Pending { is_marked }), "{cells}");
        }
        assert_eq!(read("2,discarded,,3"), Ok(RowOutcome::Discarded));
        for (cells, column, words) in [
            ("2,running,,3", "status", "'running' is not one of"),
            (",pendin,,", "status", "'pendin'"),
            ("2,pending,,", "y", "marked pending"),
            ("2,failed,,", "status", "marked failed but has a value"),
            ("2,ok,,good", "z", "'good' is not a number"),
            ("2,ok,burnt,3", "y", "the value '2' and the reason 'burnt'"),
        ] {
            let fault = read(cells).unwrap_err();
            assert!(fault.contains(&format!("column '{column}'")) && fault.contains(words), "{cells}: {fault}");
        }
    }

    #[test]
    fn an_empty_cell_is_pending_unless_there_is_a_reason() {
        let two = || Measurement::value(2.0);
        assert_eq!(read("2,,,"), told([two(), Measurement::Pending]));
        assert_eq!(read("2,,,pending"), told([two(), Measurement::Pending]));
        assert_eq!(read("2,,burnt,"), told([two(), Measurement::failed("burnt")]));
        assert_eq!(read("2,,burnt,nan"), told([two(), Measurement::failed("burnt")]));
        assert_eq!(read(",,burnt,"), failed("burnt"));
        let both = [Measurement::failed("burnt"), Measurement::Pending];
        assert_eq!(read("failed,,burnt,pending"), told(both), "as it is exported");
        assert_eq!(read_with("x,y,reason", Goal::Maximize, ",burnt"), failed("burnt"), "of every output");
        let without = read_with("x,y,reason", Goal::Maximize, "2,");
        assert_eq!(without, told([two(), Measurement::Pending]), "a table may lack an output");
    }

    #[test]
    fn noise_is_a_standard_deviation_or_a_variance() {
        let read = |cells: &str| read_with("x,y,z,y sd,z variance,y variance", Goal::Maximize, cells);
        let noisy = |value: f64, variance: f64| Measurement::Observed { value, variance: Some(variance) };
        assert_eq!(read("2,3,0.5,4,"), told([noisy(2.0, 0.25), noisy(3.0, 4.0)]));
        assert_eq!(read("2,3,,,0.5"), told([noisy(2.0, 0.5), Measurement::value(3.0)]));
        for (cells, column, words) in [
            ("2,3,0,,", "y sd", "'0' is not a positive number"),
            ("2,3,,x,", "z variance", "'x' is not a positive number"),
            ("2,3,1,,1", "y sd", "both"),
            (",3,1,,", "y sd", "no value of 'y'"),
        ] {
            let fault = read(cells).unwrap_err();
            assert!(fault.contains(&format!("column '{column}'")) && fault.contains(words), "{cells}: {fault}");
        }
    }
}
