//! The `spargo` command.

mod bench;
mod demo;
mod fit;
mod machine;
mod regression;
mod table;
mod words;

use clap::{Parser, Subcommand};

/// Every evaluation of a bound allocates some dozen matrices of M² numbers. The system's allocator hands such pages back
/// to the kernel and faults them in again, a tenth of the time; this one keeps them.
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
    /// Fit the sparse model on generated data and print its table
    Demo(demo::Demo),
    /// Fit a Gaussian process to a CSV file
    Fit(fit::Fit),
    /// Measure the engine on this machine
    #[command(subcommand)]
    Bench(bench::Bench),
}

fn main() -> miette::Result<()> {
    match Cli::parse().command {
        Command::Demo(demo) => demo.run(),
        Command::Fit(fit) => fit.run(),
        Command::Bench(bench) => bench.run(),
    }
}
