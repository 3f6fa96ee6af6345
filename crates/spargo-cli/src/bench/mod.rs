//! `spargo bench`: the engine against the limits of the machine it runs on.

mod allocate;
mod fit;

use clap::Subcommand;
use miette::Result;
use std::time::Instant;

/// What to measure.
#[derive(Subcommand)]
pub enum Bench {
    /// One collapsed bound with its gradient, against the rate of matrix products
    Fit(fit::BenchFit),
    /// The lazy choice of inducing points against the plain one
    Allocate(allocate::BenchAllocate),
}

impl Bench {
    pub fn run(self) -> Result<()> {
        match self {
            Bench::Fit(bench) => bench.run(),
            Bench::Allocate(bench) => bench.run(),
        }
    }
}

/// Seconds that `work` takes, with what it returns.
fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let started = Instant::now();
    let result = work();
    (started.elapsed().as_secs_f64(), result)
}
