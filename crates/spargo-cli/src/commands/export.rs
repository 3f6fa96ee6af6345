//! `spargo export`: every trial of a study as a table.

use crate::io::csv::csv_out;
use crate::io::csv::points::{Named, text};
use crate::io::output::files::print_or_write;
use crate::io::study_handle::StudyHandle;
use clap::Args;
use miette::{IntoDiagnostic, Result};
use serde_json::json;
use spargo::study::Record;
use spargo::study::{Outcome, Study};
use std::path::PathBuf;

/// Arguments of `spargo export`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  spargo export coupling.db > trials.csv
  spargo export study.toml -o trials.csv
  spargo suggest study.toml --data trials.csv

Columns: trial, the inputs, the outputs, status (done, failed or pending), reason. They are the keys of --json as well.")]
pub struct Export {
    /// A study file, or a study's database
    study: PathBuf,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print one JSON object per trial
    #[arg(long)]
    json: bool,
}

/// What is known of a trial: its values, its status, and the reason of a failure.
type Known<'a> = (&'a [f64], &'static str, &'a str);

impl Export {
    pub fn run(self) -> Result<()> {
        let handle = StudyHandle::open_to_read(&self.study)?;
        let text = if self.json { json(&handle.study)? } else { csv(&handle.study)? };
        print_or_write(&text, self.output.as_deref(), &handle.inputs())
    }
}

/// All trials as CSV, in the order of their numbers.
fn csv(study: &Study) -> Result<String> {
    let inputs = study.config().space.dimensions().iter().map(|dimension| dimension.name.as_str());
    let outputs = study.config().outputs.iter().map(|output| output.name.as_str());
    let header = std::iter::once("trial").chain(inputs).chain(outputs).chain(["status", "reason"]);
    let rows = study.history().records().iter().map(|record| cells(record, study.config().outputs.len()));
    csv_out::to_csv(std::iter::once(header.map(String::from).collect()).chain(rows))
}

fn cells(record: &Record, outputs: usize) -> Vec<String> {
    let (values, status, reason) = known(record);
    let mut cells = vec![record.trial.id.to_string()];
    cells.extend(record.trial.point.iter().map(text));
    cells.extend((0..outputs).map(|k| values.get(k).map_or(String::new(), |value| format!("{value:?}"))));
    cells.extend([status.into(), reason.into()]);
    cells
}

/// All trials as JSON, one per line.
fn json(study: &Study) -> Result<String> {
    let mut lines = String::new();
    for record in study.history().records() {
        let (values, status, reason) = known(record);
        let space = &study.config().space;
        let mut trial = json!(Named { space, point: &record.trial.point, trial: Some(record.trial.id) });
        for (k, output) in study.config().outputs.iter().enumerate() {
            trial[&output.name] = json!(values.get(k));
        }
        (trial["status"], trial["reason"]) = (status.into(), reason.into());
        lines += &(serde_json::to_string(&trial).into_diagnostic()? + "\n");
    }
    Ok(lines)
}

fn known(record: &Record) -> Known<'_> {
    match record.told.as_ref().map(|told| &told.outcome) {
        None => (&[], "pending", ""),
        Some(Outcome::Failed { reason }) => (&[], "failed", reason),
        Some(Outcome::Observed { values, .. }) => (values, "done", ""),
    }
}
