//! `spargo new`: a commented study file.

use crate::io::output::print::{print, print_data};
use crate::io::study_file::EXAMPLE;
use clap::Args;
use miette::{IntoDiagnostic, Result, WrapErr};
use serde_json::json;
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;

/// Arguments of `spargo new`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  spargo new                     writes study.toml
  spargo run study.toml          runs it: the example brings its own simulator

Keys of --json: study.")]
pub struct New {
    /// The file to write; an existing one is never overwritten
    #[arg(default_value = "study.toml")]
    file: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl New {
    pub fn run(self) -> Result<()> {
        let name = self.file.display();
        let context = || format!("cannot write a new study file {name}; an existing one is never overwritten");
        let written = File::create_new(&self.file).and_then(|mut file| file.write_all(EXAMPLE.as_bytes()));
        written.into_diagnostic().wrap_err_with(context)?;
        if self.json {
            return print_data(&format!("{}\n", json!({ "study": name.to_string() })));
        }
        print(&format!(
            "{name} is written, an example that runs as it is. Next:\n\n  \
             spargo run {name}                              evaluate it with its command\n  \
             spargo suggest {name} --data results.csv       or get the next batch, given past results\n"
        ))
    }
}
