//! `spargo-lab bench`: the engine against the limits of the machine it runs on.

mod allocate;
mod ask;
mod fit;
mod many;
mod mixture;
mod plain;
mod step;

use clap::Subcommand;
use miette::Result;
use spargo::linalg::{Accumulate, Mat, gemm_parallel};
use spargo::rng::{Purpose, stream, uniform};
use std::time::Instant;

/// [500, 500] × [500, 5000].
const SIZE: (usize, usize, usize) = (500, 500, 5000);

/// Best of this many.
const REPEATS: usize = 5;

/// What to measure.
#[derive(Subcommand)]
pub enum Bench {
    /// One collapsed bound with its gradient, against the rate of matrix products
    Fit(fit::BenchFit),
    /// The lazy choice of inducing points against the plain one
    Allocate(allocate::BenchAllocate),
    /// Single points from what is ready, and drawn without a fit
    Ask(ask::BenchAsk),
    /// A batch of mixtures, against one without their constraints
    Mixture(mixture::BenchMixture),
    /// One step of the loop: allocate, fit, acquire a batch
    Step(step::BenchStep),
}

impl Bench {
    pub fn run(self) -> Result<()> {
        match self {
            Bench::Fit(bench) => bench.run(),
            Bench::Allocate(bench) => bench.run(),
            Bench::Ask(bench) => bench.run(),
            Bench::Mixture(bench) => bench.run(),
            Bench::Step(bench) => bench.run(),
        }
    }
}

/// Seconds that `work` takes, with what it returns.
fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let started = Instant::now();
    let result = work();
    (started.elapsed().as_secs_f64(), result)
}

/// The product whose rate is the yardstick.
struct Product {
    a: Mat,
    b: Mat,
    c: Mat,
}

impl Product {
    fn new() -> Self {
        let mut rng = stream(0, Purpose::Data, 0, 9);
        let mut random = |rows, columns| Mat::from_fn(rows, columns, |_, _| uniform(&mut rng));
        Product { a: random(SIZE.0, SIZE.1), b: random(SIZE.1, SIZE.2), c: Mat::zeros(SIZE.0, SIZE.2) }
    }

    /// Floating-point operations a second, measured once.
    fn rate(&mut self) -> f64 {
        let (a, b) = (self.a.as_ref(), self.b.as_ref());
        let (seconds, ()) = timed(|| gemm_parallel(self.c.as_mut(), Accumulate::Replace, 1.0, a, b));
        2.0 * (SIZE.0 * SIZE.1 * SIZE.2) as f64 / seconds
    }
}
