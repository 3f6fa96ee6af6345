//! `spargo bench fit`: how far one bound with its full gradient is from the machine's limit.
//!
//! ```text
//!     limit = 4NM² flops at the rate of a 500×500×5000 product:
//!             L⁻¹Kzx (NM²) + AAᵀ (NM²) + P Kzx (2NM²)
//! ```

use crate::machine::{on_threads, peak_rss_mb};
use clap::Args;
use miette::{IntoDiagnostic, Result};
use serde::Serialize;
use spargo::data::Dataset;
use spargo::kernel::{Family, Kernel};
use spargo::linalg::{Into, Mat, gemm_parallel};
use spargo::model::Hyperparameters;
use spargo::model::sgpr::Sgpr;
use spargo::rng::{Purpose, stream, uniform};
use std::time::Instant;

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
    /// Threads; 0 means one a core
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
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
        let report = on_threads(self.threads, || self.measure())??;
        if self.json {
            println!("{}", serde_json::to_string(&report).into_diagnostic()?);
        } else {
            println!("{:<28}{}", "threads", report.threads);
            println!("{:<28}{:.1} GFLOP/s", "matrix product", report.gemm_gflops);
            println!("{:<28}{:.2} ms", "bound with gradient", 1e3 * report.elbo_gradient_s);
            println!("{:<28}{:.2} ms", "limit: 4NM² flops", 1e3 * report.limit_s);
            println!("{:<28}{:.2}", "ratio", report.ratio);
            report.peak_rss_mb.iter().for_each(|peak| println!("{:<28}{peak:.0} MB", "peak memory"));
        }
        Ok(())
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
            gemm_s = gemm_s.min(seconds(|| gemm_parallel(c.as_mut(), Into::Replace, 1.0, a.as_ref(), b.as_ref())));
            let mut outcome = Ok(());
            bound_s = bound_s.min(seconds(|| outcome = sgpr.bound_gradient().map(|_| ())));
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

/// The product whose rate is the yardstick.
const GEMM: (usize, usize, usize) = (500, 500, 5000);

/// Best of this many.
const REPEATS: usize = 5;

fn seconds(work: impl FnOnce()) -> f64 {
    let started = Instant::now();
    work();
    started.elapsed().as_secs_f64()
}
