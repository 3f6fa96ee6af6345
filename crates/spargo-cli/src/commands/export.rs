//! `spargo export`: every trial of a study as CSV.

use crate::io::csv::points::text;
use crate::io::csv::sheet;
use crate::io::output::files::write_file;
use crate::io::output::print::print;
use crate::io::place::readable;
use clap::Args;
use miette::Result;
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

Columns: trial, the inputs, the outputs, status (done, failed or pending), reason.")]
pub struct Export {
    /// A study file, or a study's database
    study: PathBuf,
    /// The file to write instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Export {
    pub fn run(self) -> Result<()> {
        let place = readable(&self.study)?;
        let csv = csv(&place.study)?;
        match &self.output {
            None => print(&csv),
            Some(path) => write_file(path, csv.as_bytes(), &place.inputs()),
        }
    }
}

/// All trials, in the order of their numbers.
fn csv(study: &Study) -> Result<String> {
    let inputs = study.config().space.dimensions().iter().map(|dimension| dimension.name.as_str());
    let outputs = study.config().outputs.iter().map(|output| output.name.as_str());
    let header = std::iter::once("trial").chain(inputs).chain(outputs).chain(["status", "reason"]);
    let rows = study.history().records().iter().map(|record| cells(record, study.config().outputs.len()));
    sheet::csv(std::iter::once(header.map(String::from).collect()).chain(rows))
}

fn cells(record: &Record, outputs: usize) -> Vec<String> {
    let mut cells = vec![record.trial.id.to_string()];
    cells.extend(record.trial.point.iter().map(text));
    let nothing = vec![String::new(); outputs];
    let (values, status, reason) = match record.told.as_ref().map(|told| &told.outcome) {
        None => (nothing, "pending", ""),
        Some(Outcome::Failed { reason }) => (nothing, "failed", reason.as_str()),
        Some(Outcome::Observed { values, .. }) => (values.iter().map(|v| format!("{v:?}")).collect(), "done", ""),
    };
    cells.extend(values);
    cells.extend([status.into(), reason.into()]);
    cells
}
