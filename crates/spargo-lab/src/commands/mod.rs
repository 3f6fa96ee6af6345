//! The commands of `spargo-lab`, a file or a folder each; what `bench` measures is in [`crate::bench`].

mod compare;
mod learn;
pub(crate) mod optimize;
mod reproduce;
mod serve;
mod settings;
mod work;

use crate::bench::Bench;
use clap::{Parser, Subcommand};
use miette::Result;
use spargo_cli::io::output::logs;

const HELP: &str = "\
Examples:
  spargo-lab optimize hartmann6                      a benchmark problem
  spargo-lab reproduce toy --output figures          a figure of the paper
  spargo-lab bench step                              one step of the loop, stage by stage

Exit codes:
  0    done
  1    a fault; the message says which
  2    wrong usage";

/// Experiments with spargo: benchmark problems, the paper's figures, comparisons and measurements.
#[derive(Parser)]
#[command(name = "spargo-lab", version, about, arg_required_else_help = true, infer_long_args = true, after_help = HELP)]
pub struct Cli {
    /// Log what happens to standard error; twice for more
    #[arg(short, long, action = clap::ArgAction::Count, global = true, display_order = 1000)]
    verbose: u8,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Optimise a benchmark problem, batch by batch
    Optimize(optimize::Optimize),
    /// Learn where a map crosses a threshold, by asking for the cells that tell most
    Learn(learn::Learn),
    /// Reproduce a figure of the paper: every repeat is a row, and runs can be stopped, resumed and shared out
    Reproduce(reproduce::Reproduce),
    /// Compare settings, and peers, on benchmark problems over seeds: rows as of `reproduce`
    Compare(compare::Compare),
    /// Evaluate a benchmark problem for another program, by JSON lines
    Serve(serve::Serve),
    /// Measure the engine on this machine
    #[command(subcommand)]
    Bench(Bench),
}

impl Cli {
    /// Does what the command line says.
    pub fn run(self) -> Result<()> {
        logs::start(self.verbose);
        match self.command {
            Command::Optimize(optimize) => optimize.run(),
            Command::Learn(learn) => learn.run(),
            Command::Reproduce(reproduce) => reproduce.run(),
            Command::Compare(compare) => compare.run(),
            Command::Serve(serve) => serve.run(),
            Command::Bench(bench) => bench.run(),
        }
    }
}
