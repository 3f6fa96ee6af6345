//! What a row of a table says of an evaluation: one rule for every table that is read.
//!
//! ```text
//!     status       done, ok, observed or nothing: the outputs' cells decide
//!                  failed, error, n/a, …: it failed, whatever stands there
//!                  pending: it is under way, and no number may stand there
//!     a cell       a number, or a class: 1, 0, yes, no, true, false; empty, NaN, n/a, failed, …: it failed; pending: it is under way
//! ```

use crate::io::csv::records::{Records, Row};
use crate::io::output::excerpt::escaped;
use spargo::study::{Goal, Outcome, Output};

/// Where a row says what came of it.
pub struct Columns {
    /// One an output.
    pub outputs: Vec<(usize, Output)>,
    pub status: Option<usize>,
    pub reason: Option<usize>,
}

impl Columns {
    /// Every output must be there.
    pub fn find(records: &Records, outputs: &[Output]) -> miette::Result<Self> {
        let names = outputs.iter().map(|output| &output.name);
        Ok(Columns {
            outputs: records.columns(names)?.into_iter().zip(outputs.iter().cloned()).collect(),
            status: records.find("status")?,
            reason: records.find("reason")?,
        })
    }
}

/// What is wrong with a row, and in which column.
#[derive(Debug, PartialEq)]
pub struct Fault {
    pub column: usize,
    pub message: String,
}

/// The outcome of a row; `None` if it is under way.
pub fn outcome(row: Row<'_>, columns: &Columns) -> Result<Option<Outcome>, Fault> {
    let cell = |column: Option<usize>| column.map_or("", |k| row.cell(k));
    let cells = || columns.outputs.iter().map(|(k, output)| (*k, output, row.cell(*k)));
    let failed = |default: String| {
        let reason = cell(columns.reason);
        Ok(Some(Outcome::failed(if reason.is_empty() { default } else { escaped(reason) })))
    };
    let status = status(cell(columns.status)).ok_or_else(|| Fault {
        column: columns.status.unwrap_or_default(),
        message: format!("the status '{}' is none of done, failed, pending", cell(columns.status)),
    })?;
    match (status, cells().find(|(.., cell)| is(cell, &[PENDING])), cells().find(|(.., cell)| is(cell, &FAILED))) {
        (Status::Pending, ..) | (_, Some(_), _) => match cells().find(|(.., cell)| is_number(cell)) {
            Some((column, _, cell)) => Err(Fault {
                column,
                message: format!("'{cell}' stands here though the row is marked pending; remove one or the other"),
            }),
            None => Ok(None),
        },
        (Status::Failed, ..) => failed("failed".into()),
        (Status::Done, _, Some((_, output, _))) => failed(format!("no value of '{}'", output.name)),
        (Status::Done, ..) => {
            let values =
                cells().map(|(column, output, cell)| number(column, cell, output.goal)).collect::<Result<_, _>>()?;
            let outcome = Outcome::Observed { values, noise: None };
            // An infinity is a failure.
            let settled = outcome.settled("it");
            settled.map(Some).map_err(|error| Fault { column: columns.outputs[0].0, message: error.to_string() })
        }
    }
}

enum Status {
    Done,
    Failed,
    Pending,
}

fn status(word: &str) -> Option<Status> {
    match word {
        word if is(word, &DONE) => Some(Status::Done),
        word if is(word, &FAILED) => Some(Status::Failed),
        word if is(word, &[PENDING]) => Some(Status::Pending),
        _ => None,
    }
}

/// Without a word the cells decide.
const DONE: [&str; 4] = ["", "done", "ok", "observed"];

/// What stands in place of an outcome if there is none; spreadsheets have words of their own.
const FAILED: [&str; 12] =
    ["", "nan", "na", "n/a", "failed", "fail", "error", "none", "#n/a", "#num!", "#div/0!", "#value!"];

/// Marks a point under way.
const PENDING: &str = "pending";

fn is(word: &str, among: &[&str]) -> bool {
    among.contains(&word.to_lowercase().as_str())
}

fn is_number(cell: &str) -> bool {
    cell.parse::<f64>().is_ok_and(|value| !value.is_nan())
}

fn number(column: usize, cell: &str, goal: Goal) -> Result<f64, Fault> {
    let help = "leave the cell empty if the evaluation failed, or write pending if it is under way";
    let (number, wanted) = match goal {
        Goal::Classify => (class(cell), "no class, which is 1 or 0, yes or no"),
        _ => (cell.parse().ok(), "not a number"),
    };
    number.ok_or_else(|| Fault { column, message: format!("'{cell}' is {wanted}; {help}") })
}

/// 1 or 0, as a number or in a word; what is not finite stays so, for it is a failure.
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

    fn read(cells: &str) -> Result<Option<Outcome>, Fault> {
        read_for(Goal::Maximize, cells)
    }

    fn read_for(goal: Goal, cells: &str) -> Result<Option<Outcome>, Fault> {
        let text = format!("x,y,status,reason,z\n1,{cells}\n");
        let records = Records::parse("results.csv".into(), text.as_bytes()).unwrap();
        let outputs = ["y", "z"].map(|name| Output { name: name.into(), goal });
        let columns = Columns::find(&records, &outputs).unwrap();
        outcome(records.rows().next().unwrap(), &columns)
    }

    #[test]
    fn classes_have_words() {
        for (cells, values) in [("1,,,0", [1.0, 0.0]), ("Yes,,,no", [1.0, 0.0]), ("FALSE,done,,True", [0.0, 1.0])] {
            let observed = Outcome::Observed { values: values.into(), noise: None };
            assert_eq!(read_for(Goal::Classify, cells), Ok(Some(observed)), "{cells}");
        }
        for (cell, words) in [("2", "'2' is no class"), ("0.5", "'0.5'"), ("maybe", "'maybe' is no class")] {
            let fault = read_for(Goal::Classify, &format!("1,,,{cell}")).unwrap_err();
            assert!(fault.column == 4 && fault.message.contains(words), "{fault:?}");
        }
        assert!(matches!(read_for(Goal::Classify, "inf,,,1"), Ok(Some(Outcome::Failed { .. }))));
        assert!(read("yes,,,1").is_err(), "only a class is yes or no");
    }

    #[test]
    fn every_word_has_one_meaning() {
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
            ("2,running,,3", 2, "'running' is none of"),
            (",pendin,,", 2, "'pendin'"),
            ("2,pending,,", 1, "marked pending"),
            ("pending,,,3", 4, "marked pending"),
            ("2,ok,,good", 4, "'good' is not a number"),
        ] {
            let fault = read(cells).unwrap_err();
            assert!(fault.column == column && fault.message.contains(words), "{cells}: {fault:?}");
        }
    }
}
