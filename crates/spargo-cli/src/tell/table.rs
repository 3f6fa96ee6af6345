//! A table of results, checked row by row before anything is told.

use crate::points::text;
use crate::records::{Records, Row, value};
use crate::results::{FAILED, PENDING};
use miette::{IntoDiagnostic, Result, miette};
use spargo::Error;
use spargo::space::Point;
use spargo::study::{Outcome, Study};
use std::collections::HashMap;
use std::path::Path;

/// What a table tells.
pub struct Told {
    /// Of trials by their numbers, if they are new.
    pub outcomes: Vec<(u64, Outcome)>,
    /// How many outcomes are not.
    pub known: usize,
    /// Points of their own.
    pub points: Vec<(Point, Option<Outcome>)>,
}

/// Reads a table and refuses what the study would refuse, by line and column.
pub fn read(path: &Path, study: &Study) -> Result<Told> {
    let records = Records::read(path)?;
    let columns = Columns::find(&records, study)?;
    let table = Table { records, columns, study };
    let (mut told, mut lines) = (Told { outcomes: Vec::new(), known: 0, points: Vec::new() }, HashMap::new());
    for row in table.records.rows() {
        let Some(outcome) = table.outcome(row)? else { continue };
        match table.trial(row)? {
            Some(trial) => {
                let known = table.check_trial(row, trial, &outcome)?;
                if let Some(line) = lines.insert(trial, row.line) {
                    return Err(table.fault(row, "trial", &format!("trial {trial} is in line {line} as well")));
                }
                match known {
                    Known::Yes => told.known += 1,
                    Known::No => told.outcomes.push((trial, outcome)),
                }
            }
            None => told.points.push((table.point(row)?, Some(outcome))),
        }
    }
    Ok(told)
}

/// Whether a trial was told the same before.
enum Known {
    Yes,
    No,
}

/// Where things stand in a row.
struct Columns {
    trial: Option<usize>,
    status: Option<usize>,
    reason: Option<usize>,
    /// One an input, those that are there.
    inputs: Vec<Option<usize>>,
    outputs: Vec<usize>,
}

impl Columns {
    fn find(records: &Records, study: &Study) -> Result<Self> {
        let config = study.config();
        Ok(Columns {
            trial: records.find("trial")?,
            status: records.find("status")?,
            reason: records.find("reason")?,
            inputs: config.space.dimensions().iter().map(|d| records.find(&d.name)).collect::<Result<_>>()?,
            outputs: records.columns(config.outputs.iter().map(|output| &output.name))?,
        })
    }
}

struct Table<'a> {
    records: Records,
    columns: Columns,
    study: &'a Study,
}

impl Table<'_> {
    fn trial(&self, row: Row<'_>) -> Result<Option<u64>> {
        let cell = self.optional(row, self.columns.trial);
        match cell.parse() {
            _ if cell.is_empty() => Ok(None),
            Ok(trial) => Ok(Some(trial)),
            Err(_) => Err(self.fault(row, "trial", &format!("'{cell}' is not the number of a trial"))),
        }
    }

    /// `None` if it is under way.
    fn outcome(&self, row: Row<'_>) -> Result<Option<Outcome>> {
        let names = self.study.config().outputs.iter().map(|output| output.name.as_str());
        let cells: Vec<(&str, &str)> = names.zip(self.columns.outputs.iter().map(|&k| row.cell(k))).collect();
        let of = |among: &[&str]| cells.iter().find(|(_, cell)| among.contains(&cell.to_lowercase().as_str()));
        let (status, reason) = (self.optional(row, self.columns.status), self.optional(row, self.columns.reason));
        let failed = |default: &str| Some(Outcome::failed(if reason.is_empty() { default } else { reason }));
        match (status.to_lowercase().as_str(), of(&[PENDING]), of(&FAILED)) {
            (PENDING, ..) | (_, Some(_), _) => self.refuse_numbers(row, &cells).map(|()| None),
            (word, ..) if FAILED[1..].contains(&word) => Ok(failed("failed")),
            ("" | "done", _, Some((output, _))) => Ok(failed(&format!("no value of '{output}'"))),
            ("" | "done", ..) => {
                let outcome = Outcome::Observed { values: self.values(row, &cells)?, noise: None };
                // An infinity is a failure.
                outcome.settled("it").map(Some).into_diagnostic()
            }
            _ => {
                let message = format!("the status '{status}' is none of done, failed, pending");
                Err(self.fault(row, "status", &message))
            }
        }
    }

    fn values(&self, row: Row<'_>, cells: &[(&str, &str)]) -> Result<Vec<f64>> {
        let number = |(output, cell): &(&str, &str)| {
            let help = "leave it empty if the trial failed";
            cell.parse().map_err(|_| self.fault(row, output, &format!("'{cell}' is not a number; {help}")))
        };
        cells.iter().map(number).collect()
    }

    /// A trial is under way, or it has an outcome.
    fn refuse_numbers(&self, row: Row<'_>, cells: &[(&str, &str)]) -> Result<()> {
        match cells.iter().find(|(_, cell)| cell.parse::<f64>().is_ok_and(|value| !value.is_nan())) {
            Some((output, cell)) => {
                let message = format!("'{cell}' stands here though the row is marked pending; remove one or the other");
                Err(self.fault(row, output, &message))
            }
            None => Ok(()),
        }
    }

    /// Refuses a trial that is not there, that was told otherwise, or whose point is another one than the row's.
    fn check_trial(&self, row: Row<'_>, trial: u64, outcome: &Outcome) -> Result<Known> {
        let records = self.study.history().records();
        let record = (trial as usize).checked_sub(1).and_then(|i| records.get(i));
        let Some(record) = record else {
            let error = Error::UnknownTrial { trial, trials: records.len() as u64 };
            return Err(self.fault(row, "trial", &error.to_string()));
        };
        if let Some(told) = record.told.as_ref().filter(|told| !same(&told.outcome, outcome)) {
            let error = Error::Retold { trial, told: told.outcome.to_string(), now: outcome.to_string() };
            return Err(self.fault(row, "trial", &error.to_string()));
        }
        self.check_inputs(row, trial, &record.trial.point)?;
        Ok(if record.told.is_some() { Known::Yes } else { Known::No })
    }

    /// Results in the wrong row are worse than none; what a spreadsheet has rounded is right.
    fn check_inputs(&self, row: Row<'_>, trial: u64, point: &Point) -> Result<()> {
        let dimensions = self.study.config().space.dimensions();
        for ((dimension, column), asked) in dimensions.iter().zip(&self.columns.inputs).zip(point) {
            let cell = self.optional(row, *column);
            let found = value(cell, &dimension.domain);
            let near = match (dimension.encode(&found), dimension.encode(asked)) {
                (Ok(found), Ok(asked)) => (found - asked).abs() <= ROUNDING,
                _ => false,
            };
            if !cell.is_empty() && !near {
                let message = format!("trial {trial} was asked for at {}, not at {cell}", text(asked));
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
                return Err(self.fault(row, &dimension.name, "a row without a trial's number needs all inputs"));
            }
            let value = value(cell, &dimension.domain);
            dimension.encode(&value).map_err(|error| self.fault(row, &dimension.name, &error.to_string()))?;
            Ok(value)
        };
        dimensions.iter().zip(&self.columns.inputs).map(input).collect()
    }

    fn optional<'r>(&self, row: Row<'r>, column: Option<usize>) -> &'r str {
        column.map_or("", |column| row.cell(column))
    }

    fn fault(&self, row: Row<'_>, column: &str, message: &str) -> miette::Report {
        miette!("{}, line {}, column '{column}': {message}; nothing was told", self.records.file(), row.line)
    }
}

/// Of an input's range.
const ROUNDING: f64 = 0.01;

/// Whether an outcome says what was told; a table knows nothing of the noise.
fn same(told: &Outcome, now: &Outcome) -> bool {
    match (told, now) {
        (Outcome::Observed { values: told, .. }, Outcome::Observed { values: now, .. }) => told == now,
        _ => told.agrees_with(now),
    }
}
