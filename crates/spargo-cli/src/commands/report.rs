//! `spargo report`: a study as one page that opens offline.

use crate::io::output::files::write_file;
use crate::io::output::print::print;
use crate::io::place;
use clap::Args;
use miette::{Context, IntoDiagnostic, Result};
use std::path::PathBuf;

/// Arguments of `spargo report`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  spargo report study.toml
  spargo report coupling.db --output coupling.html")]
pub struct Report {
    /// The study file, or its database
    study: PathBuf,
    /// Where the page goes
    #[arg(short, long, default_value = "report.html")]
    output: PathBuf,
}

impl Report {
    pub fn run(self) -> Result<()> {
        let mut place = place::readable(&self.study)?;
        let page = spargo_report::html(&mut place.study).into_diagnostic();
        let page = page.wrap_err_with(|| format!("{} cannot be reported", self.study.display()))?;
        write_file(&self.output, page.as_bytes(), &place.inputs())?;
        let (trials, kilobytes) = (place.study.history().records().len(), page.len().div_ceil(1000));
        print(&format!("report of {trials} trials written to {} ({kilobytes} kB)\n", self.output.display()))
    }
}
