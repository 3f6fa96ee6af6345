//! `spargo new` and `spargo schema`: a study file to begin with, and what may stand in one.

use crate::print::print;
use crate::study_file;
use clap::Args;
use miette::{IntoDiagnostic, Result, WrapErr};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;

/// Arguments of `spargo new`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  spargo new                     writes study.toml
  spargo run study.toml          runs it: the example brings its own simulator")]
pub struct New {
    /// The file to write; one that exists is left alone
    #[arg(default_value = "study.toml")]
    file: PathBuf,
}

impl New {
    pub fn run(self) -> Result<()> {
        let name = self.file.display();
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&self.file)
            .into_diagnostic()
            .wrap_err_with(|| format!("cannot write a new study file {name}; an existing one is never replaced"))?;
        file.write_all(study_file::EXAMPLE.as_bytes())
            .into_diagnostic()
            .wrap_err_with(|| format!("cannot write {name}"))?;
        print(&format!(
            "{name} is written: an example that runs as it is. Next:\n\n  \
             spargo run {name}                              evaluate it by its command\n  \
             spargo suggest {name} --data results.csv       or ask for the next batch, given past results\n"
        ))
    }
}

/// Arguments of `spargo schema`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  spargo schema > study.schema.json
  and, as the first line of a study file, for editors that understand it:  #:schema ./study.schema.json")]
pub struct Schema {}

impl Schema {
    pub fn run(self) -> Result<()> {
        print(&(serde_json::to_string_pretty(&study_file::schema()).into_diagnostic()? + "\n"))
    }
}
