//! The commands of `spargo`, one file or folder each.

mod allocate;
mod ask;
mod completions;
mod copy;
mod correct;
mod demo;
mod enqueue;
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

/// Most columns of help, on whatever terminal.
const WIDEST: usize = 100;

const HELP: &str = "\
Examples:
  spargo demo                              see it work
  spargo new && spargo run study.toml      a study that evaluates itself
  spargo ask study.toml                    a study that others evaluate
  spargo tell study.toml results.csv
  spargo amend study.toml --trial 7 --value 5.2 --reason 'a typo'

A file named - is standard input or standard output. Existing files are replaced with --force only. \
With --json an error is one JSON object on standard error: message, cause, help, file, line (null where unknown); \
notes are objects with the key note.

Exit codes:
  0    done
  1    error; the message says which
  2    wrong usage
  130  interrupted by Ctrl-C (SIGINT): run `spargo run` again to continue
  143  terminated (SIGTERM): the same";

/// Sparse Gaussian-process optimisation.
#[derive(Parser)]
#[command(name = "spargo", version, about, arg_required_else_help = true, after_help = HELP, max_term_width = WIDEST)]
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
    /// Enqueue points of your own, which are asked for next
    Enqueue(enqueue::Enqueue),
    /// Correct outcomes that were told
    Amend(correct::Amend),
    /// Withdraw trials
    Discard(correct::Discard),
    /// Have trials evaluated again
    Retry(correct::Retry),
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
            Command::Enqueue(enqueue) => enqueue.run(),
            Command::Amend(amend) => amend.run(),
            Command::Discard(discard) => discard.run(),
            Command::Retry(retry) => retry.run(),
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
