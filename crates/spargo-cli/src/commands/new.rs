//! `spargo new`: a commented study file.

use crate::io::output::print::{print, print_data};
use crate::io::study_file::EXAMPLES;
use clap::Args;
use clap::builder::PossibleValuesParser;
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
  spargo new --example formulation
  spargo run study.toml          runs it: the example brings its own simulator

Keys of --json: study.")]
pub struct New {
    /// The file to write; an existing one is never overwritten
    #[arg(default_value = "study.toml")]
    file: PathBuf,
    /// Which example
    #[arg(long, default_value = EXAMPLES[0].0, value_parser = PossibleValuesParser::new(EXAMPLES.map(|(name, _)| name)))]
    example: String,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl New {
    pub fn run(self) -> Result<()> {
        let name = self.file.display();
        let context = || format!("cannot write a new study file {name}; an existing one is never overwritten");
        let written = File::create_new(&self.file).and_then(|mut file| file.write_all(self.text().as_bytes()));
        written.into_diagnostic().wrap_err_with(context)?;
        if self.json {
            return print_data(&format!("{}\n", json!({ "study": name.to_string() })));
        }
        if self.example != EXAMPLES[0].0 {
            return print(&format!(
                "{name} is written. Next:\n\n  \
                 spargo ask {name} -o plate.csv                 get the first plate\n  \
                 spargo tell {name} plate.csv                   tell its outcomes\n"
            ));
        }
        print(&format!(
            "{name} is written, an example that runs as it is. Next:\n\n  \
             spargo run {name}                              evaluate it with its command\n  \
             spargo suggest {name} --data results.csv       or get the next batch, given past results\n"
        ))
    }

    /// The chosen example.
    fn text(&self) -> &'static str {
        EXAMPLES.iter().find(|(name, _)| *name == self.example).map_or("", |(_, text)| text)
    }
}
