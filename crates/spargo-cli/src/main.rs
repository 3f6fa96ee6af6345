//! The `spargo` command.

mod allocate;
mod ask;
mod bench;
mod compare;
mod demo;
mod drawing;
mod excerpt;
mod export;
mod files;
mod fit;
mod learn;
mod logs;
mod machine;
mod manual;
mod new;
mod optimize;
mod place;
mod plate;
mod points;
mod print;
mod records;
mod regression;
mod report;
mod reproduce;
mod results;
mod run;
mod several;
mod sheet;
mod status;
mod study_file;
mod suggest;
mod summary;
mod table;
mod tell;
mod verdict;
mod wish;
mod words;
mod work;

use clap::{Parser, Subcommand};

/// Every evaluation of a bound allocates some dozen matrices of M² numbers. The system's allocator hands such pages back
/// to the kernel and faults them in again; this one keeps them.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Sparse Gaussian-process optimisation.
#[derive(Parser)]
#[command(name = "spargo", version, about, arg_required_else_help = true, after_help = HELP)]
struct Cli {
    /// Log what happens to standard error; twice for more
    #[arg(short, long, action = clap::ArgAction::Count, global = true, display_order = 1000)]
    verbose: u8,
    #[command(subcommand)]
    command: Command,
}

const HELP: &str = "\
Examples:
  spargo demo                                       see it work
  spargo new && spargo run study.toml               a study that evaluates itself
  spargo ask study.toml, spargo tell coupling.db    or one that others evaluate

Exit codes:
  0    done
  1    a fault; the message says which
  2    wrong usage
  130  interrupted by Ctrl-C (SIGINT), 143 terminated (SIGTERM): `spargo run` goes on when it is run again";

#[derive(Subcommand)]
enum Command {
    /// Optimise a noisy function of six inputs in batches of 100, and draw its regret
    Demo(demo::Demo),
    /// Suggest the next batch, given the results so far as CSV files
    Suggest(suggest::Suggest),
    /// Write a commented study file to begin with
    New(new::New),
    /// Print the JSON schema of study files
    Schema(new::Schema),
    /// Evaluate a study's points with a program of yours, until the budget is spent
    Run(run::Run),
    /// Ask a study for points to evaluate
    Ask(ask::Ask),
    /// Tell a study the outcomes of its trials
    Tell(tell::Tell),
    /// Show where a study stands
    Status(status::Status),
    /// Write a study's trials as CSV
    Export(export::Export),
    /// Fit a Gaussian process to a CSV file
    Fit(fit::Fit),
    /// Choose inducing points among the rows of a CSV file
    Allocate(allocate::Allocate),
    /// Optimise a benchmark problem, batch by batch
    Optimize(optimize::Optimize),
    /// Learn where a map crosses a threshold, by asking for the cells that tell most
    Learn(learn::Learn),
    /// Show a study as a page that opens offline
    Report(report::Report),
    /// Reproduce a figure of the paper: every repeat is a row, and runs can be stopped, resumed and shared out
    Reproduce(reproduce::Reproduce),
    /// Compare settings, and peers, on benchmark problems over seeds: rows as of `reproduce`
    Compare(compare::Compare),
    /// Measure the engine on this machine
    #[command(subcommand)]
    Bench(bench::Bench),
    /// Print a script that completes commands in a shell
    Completions(manual::Completions),
    /// Print the manual page, or write all of them
    Man(manual::Manual),
}

fn main() -> miette::Result<()> {
    let cli = Cli::parse();
    logs::start(cli.verbose);
    match cli.command {
        Command::Demo(demo) => demo.run(),
        Command::Suggest(suggest) => suggest.run(),
        Command::New(new) => new.run(),
        Command::Schema(schema) => schema.run(),
        Command::Run(run) => run.run(),
        Command::Ask(ask) => ask.run(),
        Command::Tell(tell) => tell.run(),
        Command::Status(status) => status.run(),
        Command::Export(export) => export.run(),
        Command::Fit(fit) => fit.run(),
        Command::Allocate(allocate) => allocate.run(),
        Command::Optimize(optimize) => optimize.run(),
        Command::Learn(learn) => learn.run(),
        Command::Report(report) => report.run(),
        Command::Reproduce(reproduce) => reproduce.run(),
        Command::Compare(compare) => compare.run(),
        Command::Bench(bench) => bench.run(),
        Command::Completions(completions) => completions.run(),
        Command::Man(manual) => manual.run(),
    }
}
