//! `spargo man`: manual pages.

use super::Cli;
use crate::io::output::print::print_data;
use clap::{Args, CommandFactory};
use clap_mangen::Man;
use miette::{IntoDiagnostic, Result, WrapErr};
use std::path::PathBuf;

/// Arguments of `spargo man`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  spargo man | man -l -
  spargo man --dir ~/.local/share/man/man1
  man spargo-run")]
pub struct Manual {
    /// Write the page of spargo and one per command to this folder
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

impl Manual {
    pub fn run(self) -> Result<()> {
        let Some(folder) = self.dir else {
            let mut page = Vec::new();
            Man::new(Cli::command()).render(&mut page).into_diagnostic()?;
            return print_data(&String::from_utf8_lossy(&page));
        };
        let context = || format!("cannot write manual pages to {}", folder.display());
        std::fs::create_dir_all(&folder).into_diagnostic().wrap_err_with(context)?;
        clap_mangen::generate_to(Cli::command(), &folder).into_diagnostic().wrap_err_with(context)
    }
}
