//! `spargo export`: every trial of a study as a table, or every correction of them.

use crate::io::csv::csv_out::CsvFormat;
use crate::io::csv::point_table::{PointTable, TableArgs};
use crate::io::csv::points::{label_cells, point_cells};
use crate::io::study_handle::StudyHandle;
use clap::Args;
use miette::{IntoDiagnostic, Result};
use spargo::space::{Space, Value};
use spargo::study::{
    Config, Enqueued, Measurement, Note, Output, OutputChange, Record, Revision, SettingChange, Status, Study,
};
use std::path::PathBuf;

/// Arguments of `spargo export`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  spargo export coupling.db > trials.csv
  spargo export study.toml -o trials.csv
  spargo suggest study.toml --data trials.csv
  What was amended, discarded, retried, enqueued or set otherwise, by whom, when and why:
    spargo export study.toml --history

Columns: trial, the inputs, the labels of candidates, the outputs, their noise variances where one is known, the reasons of \
their failures (`yield reason`) if there are several outputs, status (done, partial, failed, pending or discarded), reason. \
An output that is pending is an empty cell, one that failed has the word failed.
Columns of --history: trial, time, by, reason, change (amended, discarded, retried, enqueued or setting), what (an output, a \
setting or a point), before, after. They are the keys of --json as well. Tables have the separator and the decimal mark of \
the last table that was told, unless --dialect says otherwise. Text \
that begins with =, +, - or @ is written after an apostrophe, so that no spreadsheet runs it; tables are read without.")]
pub struct Export {
    /// A study file, or a study's database
    study: PathBuf,
    /// Export changes instead of trials: one row for every output that was corrected, every setting that was changed and every point that was enqueued
    #[arg(long)]
    history: bool,
    #[command(flatten)]
    table: TableArgs,
}

impl Export {
    pub fn run(self) -> Result<()> {
        let handle = StudyHandle::open_to_read(&self.study)?;
        self.table.check(&handle.inputs())?;
        let format = self.table.format(handle.study.history().dialect().and_then(CsvFormat::named));
        let table = if self.history {
            changes(&handle.study, format).into_diagnostic()?
        } else {
            trials(&handle.study, self.table.json)
        };
        let table = PointTable { format, ..table };
        self.table.write(&table, &handle.inputs())
    }
}

/// One row per trial; headers have units, keys of JSON have not.
fn trials(study: &Study, json: bool) -> PointTable {
    let Config { space, outputs, .. } = study.config();
    let records = study.history().records();
    let has_variance = |&k: &usize| records.iter().any(|record| record.told[k].measurement.variance().is_some());
    let noisy: Vec<usize> = (0..outputs.len()).filter(has_variance).collect();
    let mut columns = vec!["trial".into()];
    let header = |name: &String| if json { name.clone() } else { study.header(name) };
    columns.extend(space.dimensions().iter().map(|input| header(&input.name)));
    columns.extend(space.label_names().map(String::from));
    columns.extend(outputs.iter().map(|output| header(&output.name)));
    columns.extend(noisy.iter().map(|&k| format!("{} variance", outputs[k].name)));
    let has_failed =
        |&k: &usize| outputs.len() > 1 && records.iter().any(|record| record.told[k].measurement.is_failed());
    let failed: Vec<usize> = (0..outputs.len()).filter(has_failed).collect();
    columns.extend(failed.iter().map(|&k| format!("{} reason", outputs[k].name)));
    columns.extend(["status", "reason"].map(String::from));
    let rows = records.iter().map(|record| cells(space, record, &noisy, &failed)).collect();
    PointTable { columns, rows, ..PointTable::default() }
}

/// The cells of a trial; the outputs with these numbers have a column of their noise, or of the reasons of their failures.
fn cells(space: &Space, record: &Record, noisy: &[usize], failed: &[usize]) -> Vec<Option<Value>> {
    let status = record.status();
    let mut cells = vec![Some(Value::Int(record.trial.id as i64))];
    cells.extend(point_cells(space, &record.trial));
    cells.extend(label_cells(space, &record.trial));
    cells.extend(record.measurements().map(|measurement| match measurement {
        Measurement::Failed { .. } if status != Status::Failed => Some("failed".into()),
        // Next to a reason, an empty cell would have failed.
        Measurement::Pending if record.failure().is_some() => Some("pending".into()),
        measurement => measurement.observed().map(Value::Real),
    }));
    cells.extend(noisy.iter().map(|&k| record.told[k].measurement.variance().map(Value::Real)));
    cells.extend(failed.iter().map(|&k| record.told[k].measurement.failure().map(reason_cell)));
    cells.extend([status.name(), record.failure().unwrap_or("")].map(|word| Some(word.into())));
    cells
}

/// A reason as a cell, which is never empty: an empty one would say that nothing failed.
fn reason_cell(reason: &str) -> Value {
    if reason.is_empty() { "failed".into() } else { reason.into() }
}

/// One row for every output that a correction changed, every setting that was changed and every point that was enqueued, in
/// the order of time.
fn changes(study: &Study, format: CsvFormat) -> spargo::Result<PointTable> {
    let columns = ["trial", "time", "by", "reason", "change", "what", "before", "after"];
    let mut rows = Vec::new();
    for record in study.history().records() {
        for revision in &record.revisions {
            for (k, output) in study.config().outputs.iter().enumerate() {
                let row = correction(record, revision, (k, output), format);
                rows.extend(row.map(|row| (revision.note.time, row)));
            }
        }
    }
    for (note, change) in study.setting_history()? {
        for SettingChange { field, before, after } in change.parts() {
            let words = [before, after].map(|value| format.localized(value.to_string()));
            rows.push((note.time, cells_of(None, &note, "setting", &field, words)));
        }
    }
    for Enqueued { point, row, note, trial } in study.history().enqueued() {
        let words = [String::new(), study.config().space.in_words(point, *row)];
        rows.push((note.time, cells_of(*trial, note, "enqueued", "point", words)));
    }
    rows.sort_by_key(|(time, _)| *time);
    let rows = rows.into_iter().map(|(_, row)| row).collect();
    Ok(PointTable { columns: columns.map(String::from).into(), rows, ..PointTable::default() })
}

fn correction(
    record: &Record,
    revision: &Revision,
    (k, output): (usize, &Output),
    format: CsvFormat,
) -> Option<Vec<Option<Value>>> {
    let OutputChange { kind, before, after } = revision.of_output(k)?;
    let words = [before, after].map(|word| format.localized(word));
    Some(cells_of(Some(record.trial.id), &revision.note, kind, &output.name, words))
}

fn cells_of(trial: Option<u64>, note: &Note, change: &str, what: &str, words: [String; 2]) -> Vec<Option<Value>> {
    let time = jiff::Timestamp::from_millisecond(note.time as i64);
    let time = time.map_or_else(|_| note.time.to_string(), |time| time.to_string());
    let [before, after] = words;
    let words = [time, note.by.clone(), note.reason.clone(), change.into(), what.into(), before, after];
    let trial = trial.map(|trial| Value::Int(trial as i64));
    std::iter::once(trial).chain(words.map(|word| Some(Value::Choice(word)))).collect()
}
