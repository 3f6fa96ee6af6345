//! Past results from CSV files: points that were evaluated, failed or are pending.

use crate::io::csv::csv_out::CsvFormat;
use crate::io::csv::outcome_cells::{OutcomeColumns, RowCounts, RowOutcome};
use crate::io::csv::records::{Records, Row, Units, value};
use crate::io::output::long_work::LongWork;
use miette::{Report, Result, miette};
use spargo::Error;
use spargo::space::{Dimension, Point, Space};
use spargo::study::{Config, Outcome, Output, Refused, Study};
use std::path::Path;

/// Rows that a study gets at a time, so that a long table is in memory once.
const ROWS_AT_A_TIME: usize = 1 << 14;

/// The rows of all files that were read, with their places.
pub struct Results {
    space: Space,
    outputs: Vec<Output>,
    points: Vec<(Point, Option<Outcome>)>,
    /// The row of the candidates of each point, where its labels say so.
    rows: Vec<Option<u64>>,
    counts: RowCounts,
    /// The names of the inputs' columns if no file was read.
    header: Vec<String>,
    files: Vec<ResultsFile>,
    units: Units,
}

/// Where the rows of one file stand.
struct ResultsFile {
    name: String,
    /// The names of the inputs' columns, possibly with units.
    header: Vec<String>,
    /// The line of each row.
    lines: Vec<u64>,
    format: CsvFormat,
}

impl Results {
    /// No results; `header` has the names of the inputs' columns unless a file has others.
    pub fn new(config: &Config, header: Vec<String>) -> Self {
        let (space, outputs) = (config.space.clone(), config.outputs.clone());
        let (units, points, rows, files) = (Units::declared(&space), Vec::new(), Vec::new(), Vec::new());
        Results { units, space, outputs, points, rows, counts: RowCounts::default(), header, files }
    }

    /// Reads points with outcomes, among them failed and pending ones.
    pub fn read(&mut self, path: &Path) -> Result<()> {
        let records = Records::read_any(path)?;
        let columns = OutcomeColumns::find(&records, &self.outputs, &self.space)?;
        self.add_file(&records, |row| columns.outcome(&records, row))
    }

    /// Reads points that are all pending, whatever their file says about outcomes.
    pub fn read_pending(&mut self, path: &Path) -> Result<()> {
        self.add_file(&Records::read_any(path)?, |_| Ok(RowOutcome::Pending { is_marked: true }))
    }

    /// How the last file is written, if there is one.
    pub fn format(&self) -> Option<CsvFormat> {
        self.files.last().map(|file| file.format)
    }

    /// The number of points, evaluated or not.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// The rows of all files by what they say.
    pub fn counts(&self) -> RowCounts {
        self.counts
    }

    /// Adds all points to a study that is not kept, and returns the names of the inputs' columns in the last file.
    pub fn add_to(mut self, study: &mut Study, work: &LongWork) -> Result<Vec<String>> {
        let (mut points, mut start) = (std::mem::take(&mut self.points).into_iter(), 0);
        loop {
            // Rows that the study has are dropped before it gets others.
            let some: Vec<_> = points.by_ref().take(ROWS_AT_A_TIME).collect();
            if some.is_empty() {
                break;
            }
            let added = study.add_candidates(&some, &self.rows[start..start + some.len()]);
            added.map_err(|Refused { index, error }| {
                // The file's line says which point it is, not its number in a part of the file.
                let number = format!("point {} of {}", index + 1, some.len());
                self.locate(Refused { index: start + index, error }, &number)
            })?;
            start += some.len();
            work.advance(some.len());
        }
        Ok(self.files.pop().map_or(self.header, |file| file.header))
    }

    fn add_file(&mut self, records: &Records, outcome: impl Fn(Row<'_>) -> Result<RowOutcome>) -> Result<()> {
        let inputs = self.space.dimensions();
        let outputs = self.outputs.iter().map(|output| &output.name);
        self.units.check(records, inputs.iter().map(|input| &input.name).chain(outputs))?;
        let columns = records.columns(inputs.iter().map(|input| &input.name))?;
        let labels = self.space.label_names().map(|name| records.find(name)).collect::<Result<Vec<_>>>()?;
        let mut lines = Vec::new();
        for row in records.rows() {
            let outcome = outcome(row)?;
            let is_missing = |(&k, input): (&usize, &Dimension)| row.cell(k).is_empty() && input.when.is_none();
            let is_blank = columns.iter().zip(inputs).any(is_missing);
            if is_blank && outcome == (RowOutcome::Pending { is_marked: false }) {
                self.counts.without_outcome += 1;
                continue;
            }
            self.counts.add(&outcome);
            let outcome = match outcome {
                RowOutcome::Discarded => continue,
                RowOutcome::Pending { .. } => None,
                RowOutcome::Told(outcome) => Some(outcome),
            };
            let cells = columns.iter().zip(inputs);
            let point: Point = cells.map(|(&k, input)| value(row.cell(k), input)).collect();
            let labels: Vec<_> = labels.iter().map(|label| label.map(|k| row.cell(k))).collect();
            let candidate = self.space.row_with(&point, &labels);
            self.rows.push(candidate.map_err(|error| records.fault_at(row, &error.to_string()))?);
            self.points.push((point, outcome));
            lines.push(row.line);
        }
        let header = columns.iter().map(|&k| records.header()[k].clone()).collect();
        self.files.push(ResultsFile { name: records.file().into(), header, lines, format: records.format() });
        Ok(())
    }

    /// The error of a row that the study refuses, with its file, line and column; the study calls it by a number.
    fn locate(&self, Refused { mut index, error }: Refused, number: &str) -> Report {
        let words = error.to_string().replace(number, "the row");
        for ResultsFile { name, header, lines, .. } in &self.files {
            let Some(line) = lines.get(index) else {
                index -= lines.len();
                continue;
            };
            return match &error {
                Error::Value { input, value, allowed } => {
                    let column = self.space.dimensions().iter().position(|dimension| dimension.name == *input);
                    let column = column.map_or(input, |k| &header[k]);
                    let remedy = "correct the cell, or the space in the study file";
                    miette!("{name}, line {line}, column '{column}': {value} is not {allowed}; {remedy}")
                }
                Error::NoLogarithm { output, .. } => miette!("{name}, line {line}, column '{output}': {words}"),
                _ => miette!("{name}, line {line}: {words}"),
            };
        }
        Report::msg(error)
    }
}
