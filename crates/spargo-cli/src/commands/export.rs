//! `spargo export`: every trial of a study as a table.

use crate::io::csv::point_table::{PointTable, TableArgs};
use crate::io::study_handle::StudyHandle;
use clap::Args;
use miette::Result;
use spargo::space::Value;
use spargo::study::{Config, Outcome, Record};
use std::path::PathBuf;

/// Arguments of `spargo export`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  spargo export coupling.db > trials.csv
  spargo export study.toml -o trials.csv
  spargo suggest study.toml --data trials.csv

Columns: trial, the inputs, the outputs, status (done, failed or pending), reason. They are the keys of --json as well. Text \
that begins with =, +, - or @ is written after an apostrophe, so that no spreadsheet runs it; tables are read without.")]
pub struct Export {
    /// A study file, or a study's database
    study: PathBuf,
    #[command(flatten)]
    table: TableArgs,
}

impl Export {
    pub fn run(self) -> Result<()> {
        let handle = StudyHandle::open_to_read(&self.study)?;
        self.table.check(&handle.inputs())?;
        let Config { space, outputs, .. } = handle.study.config();
        let inputs = space.dimensions().iter().map(|dimension| dimension.name.as_str());
        let outputs = outputs.iter().map(|output| output.name.as_str());
        let columns = ["trial"].into_iter().chain(inputs).chain(outputs.clone()).chain(["status", "reason"]);
        let rows = handle.study.history().records().iter().map(|record| cells(record, outputs.len()));
        let table =
            PointTable { columns: columns.map(String::from).collect(), rows: rows.collect(), ..PointTable::default() };
        self.table.write(&table, &handle.inputs())
    }
}

fn cells(Record { trial, told, .. }: &Record, outputs: usize) -> Vec<Option<Value>> {
    let (values, status, reason): (&[f64], &str, &str) = match told.as_ref().map(|told| &told.outcome) {
        None => (&[], "pending", ""),
        Some(Outcome::Failed { reason }) => (&[], "failed", reason),
        Some(Outcome::Observed { values, .. }) => (values, "done", ""),
    };
    let mut cells = vec![Some(Value::Int(trial.id as i64))];
    cells.extend(trial.point.iter().cloned().map(Some));
    cells.extend((0..outputs).map(|k| values.get(k).map(|&value| Value::Real(value))));
    cells.extend([status, reason].map(|word| Some(word.into())));
    cells
}
