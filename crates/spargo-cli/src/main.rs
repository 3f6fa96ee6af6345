//! The `spargo` command.

mod allocate;
mod belief;
mod bench;
mod demo;
mod drawing;
mod fit;
mod machine;
mod new;
mod optimize;
mod plate;
mod records;
mod regression;
mod report;
mod reproduce;
mod results;
mod study_file;
mod suggest;
mod table;
mod units;
mod words;

use clap::{Parser, Subcommand};

/// Every evaluation of a bound allocates some dozen matrices of M² numbers. The system's allocator hands such pages back
/// to the kernel and faults them in again; this one keeps them.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Sparse Gaussian-process optimisation.
#[derive(Parser)]
#[command(version, about, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

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
    /// Fit a Gaussian process to a CSV file
    Fit(fit::Fit),
    /// Choose inducing points among the rows of a CSV file
    Allocate(allocate::Allocate),
    /// Optimise a benchmark problem, batch by batch
    Optimize(optimize::Optimize),
    /// Show a study as a page that opens offline
    Report(report::Report),
    /// Reproduce a figure of the paper: every repeat is a row, and runs can be stopped, resumed and shared out
    Reproduce(reproduce::Reproduce),
    /// Measure the engine on this machine
    #[command(subcommand)]
    Bench(bench::Bench),
}

fn main() -> miette::Result<()> {
    match Cli::parse().command {
        Command::Demo(demo) => demo.run(),
        Command::Suggest(suggest) => suggest.run(),
        Command::New(new) => new.run(),
        Command::Schema(schema) => schema.run(),
        Command::Fit(fit) => fit.run(),
        Command::Allocate(allocate) => allocate.run(),
        Command::Optimize(optimize) => optimize.run(),
        Command::Report(report) => report.run(),
        Command::Reproduce(reproduce) => reproduce.run(),
        Command::Bench(bench) => bench.run(),
    }
}
