//! `spargo export`: every trial of a study as a table, or every correction of them.

use crate::io::csv::point_table::{PointTable, TableArgs};
use crate::io::study_handle::StudyHandle;
use clap::Args;
use miette::Result;
use spargo::space::Value;
use spargo::study::{Config, Measurement, Note, Output, OutputChange, Record, Revision, Status, Study};
use std::path::PathBuf;

/// Arguments of `spargo export`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  spargo export coupling.db > trials.csv
  spargo export study.toml -o trials.csv
  spargo suggest study.toml --data trials.csv
  spargo export study.toml --history              what was amended, discarded or retried, by whom, when and why

Columns: trial, the inputs, the outputs, their noise variances where one is known, status (done, partial, failed, pending or
discarded), reason. An output that is pending is an empty cell, one that failed has the word failed.
Columns of --history: trial, time, by, reason, change, output, before, after. They are the keys of --json as well.")]
pub struct Export {
    /// A study file, or a study's database
    study: PathBuf,
    /// Export corrections instead of trials: one row for every output that changed
    #[arg(long)]
    history: bool,
    #[command(flatten)]
    table: TableArgs,
}

impl Export {
    pub fn run(self) -> Result<()> {
        let handle = StudyHandle::open_to_read(&self.study)?;
        let table = if self.history { corrections(&handle.study) } else { trials(&handle.study) };
        self.table.write(&table, &handle.inputs())
    }
}

/// One row per trial.
fn trials(study: &Study) -> PointTable {
    let Config { space, outputs, .. } = study.config();
    let records = study.history().records();
    let has_variance = |&k: &usize| records.iter().any(|record| record.told[k].measurement.variance().is_some());
    let noisy: Vec<usize> = (0..outputs.len()).filter(has_variance).collect();
    let mut columns = vec!["trial".into()];
    columns.extend(space.dimensions().iter().map(|dimension| dimension.name.clone()));
    columns.extend(outputs.iter().map(|output| output.name.clone()));
    columns.extend(noisy.iter().map(|&k| format!("{} variance", outputs[k].name)));
    columns.extend(["status", "reason"].map(String::from));
    PointTable { columns, rows: records.iter().map(|record| cells(record, &noisy)).collect() }
}

fn cells(record: &Record, noisy: &[usize]) -> Vec<Option<Value>> {
    let status = record.status();
    let mut cells = vec![Some(Value::Int(record.trial.id as i64))];
    cells.extend(record.trial.point.iter().cloned().map(Some));
    cells.extend(record.measurements().map(|measurement| match measurement {
        Measurement::Failed { .. } if status != Status::Failed => Some("failed".into()),
        measurement => measurement.observed().map(Value::Real),
    }));
    cells.extend(noisy.iter().map(|&k| record.told[k].measurement.variance().map(Value::Real)));
    cells.extend([status.name(), record.failure().unwrap_or("")].map(|word| Some(word.into())));
    cells
}

/// One row for every output that a correction changed.
fn corrections(study: &Study) -> PointTable {
    let columns = ["trial", "time", "by", "reason", "change", "output", "before", "after"];
    let mut rows = Vec::new();
    for record in study.history().records() {
        for revision in &record.revisions {
            for (k, output) in study.config().outputs.iter().enumerate() {
                rows.extend(correction(record, revision, (k, output)));
            }
        }
    }
    PointTable { columns: columns.map(String::from).into(), rows }
}

fn correction(record: &Record, revision: &Revision, (k, output): (usize, &Output)) -> Option<Vec<Option<Value>>> {
    let OutputChange { kind, before, after } = revision.of_output(k)?;
    let Note { reason, by, time } = &revision.note;
    let time =
        jiff::Timestamp::from_millisecond(*time as i64).map_or_else(|_| time.to_string(), |time| time.to_string());
    let words = [time, by.clone(), reason.clone(), kind.into(), output.name.clone(), before, after];
    let mut cells = vec![Some(Value::Int(record.trial.id as i64))];
    cells.extend(words.map(|word| Some(Value::Choice(word))));
    Some(cells)
}
