//! The commands of `spargo`, one file or folder each.

mod allocate;
mod ask;
mod completions;
mod copy;
mod demo;
mod export;
mod fit;
mod man;
mod new;
mod report;
mod run;
mod schema;
mod status;
mod suggest;
mod tell;

use crate::io::output::logs;
use clap::{Parser, Subcommand};
use miette::Result;

const HELP: &str = "\
Examples:
  spargo demo                                       see it work
  spargo new && spargo run study.toml               a study that evaluates itself
  spargo ask study.toml, spargo tell coupling.db    a study that others evaluate

Exit codes:
  0    done
  1    error; the message says which
  2    wrong usage
  130  interrupted by Ctrl-C (SIGINT), 143 terminated (SIGTERM): run `spargo run` again to continue";

/// Sparse Gaussian-process optimisation.
#[derive(Parser)]
#[command(name = "spargo", version, about, arg_required_else_help = true, after_help = HELP)]
pub struct Cli {
    /// Log to standard error; repeat for more detail
    #[arg(short, long, action = clap::ArgAction::Count, global = true, display_order = 1000)]
    verbose: u8,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Optimise a noisy function of six inputs in batches of 100, and draw its regret
    Demo(demo::Demo),
    /// Suggest the next batch, given past results as CSV files
    Suggest(suggest::Suggest),
    /// Write a commented example of a study file
    New(new::New),
    /// Print the JSON schema of study files
    Schema(schema::Schema),
    /// Run a study: evaluate its points with your program until the budget is spent
    Run(run::Run),
    /// Ask a study for points to evaluate
    Ask(ask::Ask),
    /// Tell a study the outcomes of its trials
    Tell(tell::Tell),
    /// Show the state of a study
    Status(status::Status),
    /// Export a study's trials as CSV
    Export(export::Export),
    /// Copy a study into one file, also while it is used
    Copy(copy::Copy),
    /// Fit a Gaussian process to a CSV file
    Fit(fit::Fit),
    /// Choose inducing points among the rows of a CSV file
    Allocate(allocate::Allocate),
    /// Write a report of a study as an HTML page that works offline
    Report(report::WriteReport),
    /// Print a completion script for a shell
    Completions(completions::Completions),
    /// Print the manual page, or write all manual pages
    Man(man::Manual),
}

impl Cli {
    /// Runs the command.
    pub fn run(self) -> Result<()> {
        logs::start(self.verbose);
        match self.command {
            Command::Demo(demo) => demo.run(),
            Command::Suggest(suggest) => suggest.run(),
            Command::New(new) => new.run(),
            Command::Schema(schema) => schema.run(),
            Command::Run(run) => run.run(),
            Command::Ask(ask) => ask.run(),
            Command::Tell(tell) => tell.run(),
            Command::Status(status) => status.run(),
            Command::Export(export) => export.run(),
            Command::Copy(copy) => copy.run(),
            Command::Fit(fit) => fit.run(),
            Command::Allocate(allocate) => allocate.run(),
            Command::Report(report) => report.run(),
            Command::Completions(completions) => completions.run(),
            Command::Man(manual) => manual.run(),
        }
    }
}
