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
pub struct Schema {
    /// Print the schema on one line
    #[arg(long)]
    json: bool,
}

impl Schema {
    pub fn run(self) -> Result<()> {
        let schema = study_file::schema();
        let text = if self.json { serde_json::to_string(&schema) } else { serde_json::to_string_pretty(&schema) };
        print_data(&(text.into_diagnostic()? + "\n"))
    }
}
