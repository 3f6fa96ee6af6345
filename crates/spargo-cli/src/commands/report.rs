//! `spargo report`: a study as one page that opens offline.

use crate::io::output::count::counted;
use crate::io::output::execution::Threads;
use crate::io::output::files::{Destination, Force};
use crate::io::output::print::{note, print, print_data};
use crate::io::study_handle::StudyHandle;
use clap::Args;
use miette::{Context, IntoDiagnostic, Result};
use serde_json::json;
use std::path::PathBuf;

/// Arguments of `spargo report`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  spargo report study.toml
  spargo report coupling.db --output coupling.html --force

Keys of --json: report, trials, bytes.")]
pub struct WriteReport {
    /// A study file, or a study's database
    study: PathBuf,
    /// The page to write; - for standard output
    #[arg(short, long, value_name = "FILE", default_value = "report.html")]
    output: PathBuf,
    #[command(flatten)]
    force: Force,
    /// Print one JSON object about the page
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    threads: Threads,
}

impl WriteReport {
    pub fn run(self) -> Result<()> {
        let mut handle = StudyHandle::open_to_read(&self.study)?;
        let inputs = handle.inputs();
        let destination = Destination { path: &self.output, inputs: &inputs, force: self.force };
        destination.check()?;
        let page = self.threads.install(|| spargo_report::html(&mut handle.study).into_diagnostic());
        let page = page.wrap_err_with(|| format!("cannot report {}", self.study.display()))?;
        destination.write(&page)?;
        let (trials, kilobytes, output) =
            (handle.study.counts().trials, page.len().div_ceil(1000), self.output.display());
        let text = format!("report of {} written to {output} ({kilobytes} kB)", counted(trials, "trial"));
        match (destination.is_stdout(), self.json) {
            // The page has standard output for itself.
            (true, _) => note(&text),
            (false, false) => print(&format!("{text}\n"))?,
            (false, true) => {
                let about = json!({ "report": output.to_string(), "trials": trials, "bytes": page.len() });
                print_data(&format!("{about}\n"))?;
            }
        }
        Ok(())
    }
}
