//! `spargo-lab bench fit`: how far one bound with its full gradient is from the machine's limit.
//!
//! ```text
//!     limit = 4NM² flops at the rate of a 500×500×5000 product:
//!             L⁻¹Kzx (NM²) + AAᵀ (NM²) + P Kzx (2NM²)
//! ```

use super::{Product, REPEATS, timed};
use clap::Args;
use miette::{IntoDiagnostic, Result};
use serde::Serialize;
use spargo::data::Dataset;
use spargo::kernel::{Family, Kernel};
use spargo::linalg::Mat;
use spargo::model::Hyperparameters;
use spargo::model::sgpr::Sgpr;
use spargo::rng::{Purpose, stream, uniform};
use spargo_cli::io::output::execution::{Execution, peak_rss_mb};
use std::fmt;

/// Arguments of `spargo-lab bench fit`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  spargo-lab bench fit
  spargo-lab bench fit --n 20000 --m 1000 --json")]
pub struct BenchFit {
    /// Rows of data
    #[arg(long, default_value_t = 5000)]
    n: usize,
    /// Inducing points
    #[arg(long, default_value_t = 500)]
    m: usize,
    /// Inputs
    #[arg(long, default_value_t = 6)]
    dim: usize,
    /// Seed of the data
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    run: Execution,
}

#[derive(Serialize)]
struct BenchFitReport {
    n: usize,
    m: usize,
    dim: usize,
    threads: usize,
    gemm_gflops: f64,
    elbo_gradient_s: f64,
    limit_s: f64,
    ratio: f64,
    peak_rss_mb: Option<f64>,
}

impl BenchFit {
    pub fn run(self) -> Result<()> {
        self.run.print(|| self.measure())
    }

    fn measure(&self) -> Result<BenchFitReport> {
        let mut rng = stream(self.seed, Purpose::Data, 0, 0);
        let x = Mat::from_fn(self.n, self.dim, |_, _| uniform(&mut rng));
        let y = (0..self.n).map(|i| (0..self.dim).map(|k| (5.0 * x[(i, k)]).sin()).sum()).collect();
        let data = Dataset::new(x, y).into_diagnostic()?;
        let z = Mat::from_fn(self.m, self.dim, |_, _| uniform(&mut rng));
        let kernel = Kernel::stationary(Family::Matern52, 1.0, 0.5, self.dim);
        let hyper = Hyperparameters::cold(kernel);
        let sgpr = Sgpr::new(&hyper, &data, z.as_ref()).into_diagnostic()?;

        let (mut product, mut rate, mut bound_s) = (Product::new(), 0f64, f64::INFINITY);
        // Run in turns, so that a busy moment of the machine does not fall on one of them alone.
        for _ in 0..REPEATS {
            rate = rate.max(product.rate());
            let (seconds, outcome) = timed(|| sgpr.bound_gradient());
            bound_s = bound_s.min(seconds);
            outcome.into_diagnostic()?;
        }
        let limit_s = 4.0 * self.n as f64 * (self.m as f64).powi(2) / rate;
        Ok(BenchFitReport {
            n: self.n,
            m: self.m,
            dim: self.dim,
            threads: rayon::current_num_threads(),
            gemm_gflops: rate / 1e9,
            elbo_gradient_s: bound_s,
            limit_s,
            ratio: bound_s / limit_s,
            peak_rss_mb: peak_rss_mb(),
        })
    }
}

impl fmt::Display for BenchFitReport {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{:<28}{}", "threads", self.threads)?;
        writeln!(out, "{:<28}{:.1} GFLOP/s", "matrix product", self.gemm_gflops)?;
        writeln!(out, "{:<28}{:.2} ms", "bound with gradient", 1e3 * self.elbo_gradient_s)?;
        writeln!(out, "{:<28}{:.2} ms", "limit: 4NM² flops", 1e3 * self.limit_s)?;
        write!(out, "{:<28}{:.2}", "ratio", self.ratio)?;
        self.peak_rss_mb.map_or(Ok(()), |peak| write!(out, "\n{:<28}{peak:.0} MB", "peak memory"))
    }
}
