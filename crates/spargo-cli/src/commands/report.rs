//! `spargo report`: a study as one page that opens offline.

use crate::io::output::execution::Threads;
use crate::io::output::files::write_file;
use crate::io::output::print::print;
use crate::io::study_handle::StudyHandle;
use clap::Args;
use miette::{Context, IntoDiagnostic, Result};
use std::path::PathBuf;

/// Arguments of `spargo report`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  spargo report study.toml
  spargo report coupling.db --output coupling.html")]
pub struct WriteReport {
    /// A study file, or a study's database
    study: PathBuf,
    /// The page to write
    #[arg(short, long, value_name = "FILE", default_value = "report.html")]
    output: PathBuf,
    #[command(flatten)]
    threads: Threads,
}

impl WriteReport {
    pub fn run(self) -> Result<()> {
        let mut handle = StudyHandle::open_to_read(&self.study)?;
        let page = self.threads.install(|| spargo_report::html(&mut handle.study).into_diagnostic());
        let page = page.wrap_err_with(|| format!("cannot report {}", self.study.display()))?;
        write_file(&self.output, page.as_bytes(), &handle.inputs())?;
        let (trials, kilobytes) = (handle.study.counts().trials, page.len().div_ceil(1000));
        print(&format!("report of {trials} trials written to {} ({kilobytes} kB)\n", self.output.display()))
    }
}
