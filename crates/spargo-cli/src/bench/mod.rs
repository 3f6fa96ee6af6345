//! `spargo bench`: the engine against the limits of the machine it runs on.

mod fit;

use clap::Subcommand;
use miette::Result;

/// What to measure.
#[derive(Subcommand)]
pub enum Bench {
    /// One collapsed bound with its gradient, against the rate of matrix products
    Fit(fit::BenchFit),
}

impl Bench {
    pub fn run(self) -> Result<()> {
        match self {
            Bench::Fit(bench) => bench.run(),
        }
    }
}
