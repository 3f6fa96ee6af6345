//! `spargo bench fit`: how far one bound with its full gradient is from the machine's limit.
//!
//! ```text
//!     limit = 4NM² flops at the rate of a 500×500×5000 product:
//!             L⁻¹Kzx (NM²) + AAᵀ (NM²) + P Kzx (2NM²)
//! ```

use super::timed;
use crate::machine::{Run, peak_rss_mb};
use clap::Args;
use miette::{IntoDiagnostic, Result};
use serde::Serialize;
use spargo::data::Dataset;
use spargo::kernel::{Family, Kernel};
use spargo::linalg::{Into, Mat, gemm_parallel};
use spargo::model::Hyperparameters;
use spargo::model::sgpr::Sgpr;
use spargo::rng::{Purpose, stream, uniform};
use std::fmt;

/// Arguments of `spargo bench fit`.
#[derive(Args)]
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
    #[command(flatten)]
    run: Run,
}

#[derive(Serialize)]
struct Report {
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

    fn measure(&self) -> Result<Report> {
        let mut rng = stream(0, Purpose::Data, 0, 0);
        let x = Mat::from_fn(self.n, self.dim, |_, _| uniform(&mut rng));
        let y = (0..self.n).map(|i| (0..self.dim).map(|k| (5.0 * x[(i, k)]).sin()).sum()).collect();
        let data = Dataset::new(x, y).into_diagnostic()?;
        let z = Mat::from_fn(self.m, self.dim, |_, _| uniform(&mut rng));
        let kernel = Kernel::stationary(Family::Matern52, 1.0, 0.5, self.dim);
        let hyper = Hyperparameters::cold(kernel);
        let sgpr = Sgpr::new(&hyper, &data, z.as_ref()).into_diagnostic()?;

        let a = Mat::from_fn(GEMM.0, GEMM.1, |_, _| uniform(&mut rng));
        let b = Mat::from_fn(GEMM.1, GEMM.2, |_, _| uniform(&mut rng));
        let mut c = Mat::zeros(GEMM.0, GEMM.2);
        let (mut gemm_s, mut bound_s) = (f64::INFINITY, f64::INFINITY);
        // Taken in turns, so that a busy moment of the machine does not fall on one of them alone.
        for _ in 0..REPEATS {
            let (seconds, ()) = timed(|| gemm_parallel(c.as_mut(), Into::Replace, 1.0, a.as_ref(), b.as_ref()));
            gemm_s = gemm_s.min(seconds);
            let (seconds, outcome) = timed(|| sgpr.bound_gradient());
            bound_s = bound_s.min(seconds);
            outcome.into_diagnostic()?;
        }
        let rate = 2.0 * (GEMM.0 * GEMM.1 * GEMM.2) as f64 / gemm_s;
        let limit_s = 4.0 * self.n as f64 * (self.m as f64).powi(2) / rate;
        Ok(Report {
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

impl fmt::Display for Report {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{:<28}{}", "threads", self.threads)?;
        writeln!(out, "{:<28}{:.1} GFLOP/s", "matrix product", self.gemm_gflops)?;
        writeln!(out, "{:<28}{:.2} ms", "bound with gradient", 1e3 * self.elbo_gradient_s)?;
        writeln!(out, "{:<28}{:.2} ms", "limit: 4NM² flops", 1e3 * self.limit_s)?;
        write!(out, "{:<28}{:.2}", "ratio", self.ratio)?;
        self.peak_rss_mb.map_or(Ok(()), |peak| write!(out, "\n{:<28}{peak:.0} MB", "peak memory"))
    }
}

/// The product whose rate is the yardstick.
const GEMM: (usize, usize, usize) = (500, 500, 5000);

/// Best of this many.
const REPEATS: usize = 5;
