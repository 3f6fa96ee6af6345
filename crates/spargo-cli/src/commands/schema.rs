//! `spargo schema`: the JSON schema of study files.

use crate::io::output::print::print_data;
use crate::io::study_file;
use clap::Args;
use miette::{IntoDiagnostic, Result};

/// Arguments of `spargo schema`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  spargo schema > study.schema.json

As the first line of a study file, for editors that support it:
  #:schema ./study.schema.json")]
pub struct Schema {}

impl Schema {
    pub fn run(self) -> Result<()> {
        print_data(&(serde_json::to_string_pretty(&study_file::schema()).into_diagnostic()? + "\n"))
    }
}
