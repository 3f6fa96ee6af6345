//! The outcome of a row, read off its status and its outputs' cells: one rule for every table.
//!
//! ```text
//!     status   done, ok, observed or empty: the outputs' cells decide
//!              failed, error, n/a, …: failed, whatever the cells contain
//!              pending: no outcome yet, and no cell may contain a number
//!     a cell   a number, or a class (1, 0, yes, no, true, false); empty, NaN, n/a, failed, …: failed; pending: no outcome yet
//! ```

use crate::io::csv::records::{Records, Row};
use crate::io::output::excerpt::escaped;
use miette::Result;
use spargo::study::{Goal, Outcome, Output};

/// Words of the status of an observed row.
const DONE: [&str; 4] = ["", "done", "ok", "observed"];

/// Words of a failure, those of spreadsheets among them.
const FAILED: [&str; 12] =
    ["", "nan", "na", "n/a", "failed", "fail", "error", "none", "#n/a", "#num!", "#div/0!", "#value!"];

/// The word of a pending point.
const PENDING: &str = "pending";

/// What to do about a cell that is no outcome.
const UNREADABLE_HELP: &str = "leave the cell empty if the evaluation failed, or write pending if it has not ended";

/// The columns of an outcome.
pub struct OutcomeColumns {
    /// One per output.
    pub outputs: Vec<(usize, Output)>,
    pub status: Option<usize>,
    pub reason: Option<usize>,
}

impl OutcomeColumns {
    /// Finds the columns; every output must have one.
    pub fn find(records: &Records, outputs: &[Output]) -> Result<Self> {
        let names = outputs.iter().map(|output| &output.name);
        Ok(OutcomeColumns {
            outputs: records.columns(names)?.into_iter().zip(outputs.iter().cloned()).collect(),
            status: records.find("status")?,
            reason: records.find("reason")?,
        })
    }

    /// The outcome of a row; `None` if it is pending. Values that are not finite are left for the study to record as failures.
    pub fn outcome(&self, records: &Records, row: Row<'_>) -> Result<Option<Outcome>> {
        let [status, reason] = [self.status, self.reason].map(|column| column.map_or("", |k| row.cell(k)));
        let cells = || self.outputs.iter().map(|(k, output)| (*k, output, row.cell(*k)));
        let failed =
            |default: String| Ok(Some(Outcome::failed(if reason.is_empty() { default } else { escaped(reason) })));
        let Some(status) = Status::parse(status) else {
            let message = format!("the status '{status}' is not one of done, failed, pending");
            return Err(records.fault_in(row, self.status.unwrap_or_default(), &message));
        };
        match (status, cells().find(|(.., cell)| is(cell, &[PENDING])), cells().find(|(.., cell)| is(cell, &FAILED))) {
            (Status::Pending, ..) | (_, Some(_), _) => match cells().find(|(.., cell)| is_number(cell)) {
                Some((column, _, cell)) => {
                    let message =
                        format!("the row is marked pending but has the value '{cell}'; remove one or the other");
                    Err(records.fault_in(row, column, &message))
                }
                None => Ok(None),
            },
            (Status::Failed, ..) => failed("failed".into()),
            (Status::Done, _, Some((_, output, _))) => failed(format!("no value of '{}'", output.name)),
            (Status::Done, _, None) => {
                let number = |(column, output, cell): (usize, &Output, &str)| {
                    number(cell, output.goal).ok_or_else(|| {
                        let message = format!("'{cell}' is {}; {UNREADABLE_HELP}", unreadable(output.goal));
                        records.fault_in(row, column, &message)
                    })
                };
                Ok(Some(Outcome::Observed { values: cells().map(number).collect::<Result<_>>()?, noise: None }))
            }
        }
    }
}

enum Status {
    Done,
    Failed,
    Pending,
}

impl Status {
    fn parse(word: &str) -> Option<Self> {
        match word {
            word if is(word, &DONE) => Some(Status::Done),
            word if is(word, &FAILED) => Some(Status::Failed),
            word if is(word, &[PENDING]) => Some(Status::Pending),
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

    fn read(cells: &str) -> Result<Option<Outcome>, String> {
        read_for(Goal::Maximize, cells)
    }

    fn read_for(goal: Goal, cells: &str) -> Result<Option<Outcome>, String> {
        let text = format!("x,y,status,reason,z\n1,{cells}\n");
        let records = Records::parse("results.csv".into(), text.as_bytes()).unwrap();
        let outputs = ["y", "z"].map(|name| Output { name: name.into(), goal });
        let columns = OutcomeColumns::find(&records, &outputs).unwrap();
        columns.outcome(&records, records.rows().next().unwrap()).map_err(|fault| fault.to_string())
    }

    #[test]
    fn classes_can_be_words() {
        for (cells, values) in [("1,,,0", [1.0, 0.0]), ("Yes,,,no", [1.0, 0.0]), ("FALSE,done,,True", [0.0, 1.0])] {
            let observed = Outcome::Observed { values: values.into(), noise: None };
            assert_eq!(read_for(Goal::Classify, cells), Ok(Some(observed)), "{cells}");
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
        let observed = || Ok(Some(Outcome::Observed { values: vec![2.0, 3.0], noise: None }));
        for status in ["", "done", "OK", "Observed"] {
            assert_eq!(read(&format!("2,{status},,3")), observed(), "{status}");
        }
        for status in ["failed", "FAIL", "error", "n/a", "nan"] {
            assert_eq!(read(&format!("2,{status},burnt,3")), Ok(Some(Outcome::failed("burnt"))), "{status}");
        }
        for cell in ["", "NaN", "#N/A", "failed", "None", "#DIV/0!"] {
            assert_eq!(read(&format!("2,done,,{cell}")), Ok(Some(Outcome::failed("no value of 'z'"))), "{cell}");
        }
        for cells in [",pending,,", "pending,,,", "nan,Pending,,pending", "pending,done,,"] {
            assert_eq!(read(cells), Ok(None), "{cells}");
        }
        for (cells, column, words) in [
            ("2,running,,3", "status", "'running' is not one of"),
            (",pendin,,", "status", "'pendin'"),
            ("2,pending,,", "y", "marked pending"),
            ("pending,,,3", "z", "marked pending"),
            ("2,ok,,good", "z", "'good' is not a number"),
        ] {
            let fault = read(cells).unwrap_err();
            assert!(fault.contains(&format!("column '{column}'")) && fault.contains(words), "{cells}: {fault}");
        }
    }
}
