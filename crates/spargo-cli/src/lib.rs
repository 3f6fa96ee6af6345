//! The `spargo` command: its [`commands`](Cli), and the reading and writing that they share with other commands ([`io`]).

mod commands;
pub mod io;

pub use commands::Cli;

use clap::Parser;
use io::output::{errors, print};
use std::process::ExitCode;

/// Runs the command that the program's arguments name, and reports its error.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() && print::is_json() => {
            errors::complain_usage(&error.render().to_string());
            return ExitCode::from(error.exit_code() as u8);
        }
        Err(error) => error.exit(),
    };
    match cli.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(report) => {
            errors::complain(&report);
            ExitCode::FAILURE
        }
    }
}
