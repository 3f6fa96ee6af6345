//! `spargo-lab bench allocate`: the lazy choice of inducing points against the plain one, on the same data in one run.

use super::plain::plain;
use super::timed;
use clap::{Args, ValueEnum};
use miette::{IntoDiagnostic, Result, miette};
use serde::Serialize;
use spargo::allocate::{Allocation, Search, allocate_by};
use spargo::data::{AllocationContext, Dataset, Standardizer};
use spargo::kernel::{Family, Kernel};
use spargo::linalg::Mat;
use spargo::model::{FitOptions, HyperparameterObjective, Hyperparameters};
use spargo::regression::{Target, fit_initial};
use spargo::rng::{Purpose, normal, stream, uniform};
use spargo_cli::io::output::execution::{Execution, peak_rss_mb};
use spargo_problems::HARTMANN6;
use std::fmt;

/// Best of this many.
const REPEATS: usize = 2;

/// Points that the focused half surrounds, and at what standard deviation.
const BEST: usize = 20;
const NEAR: f64 = 0.05;

/// Noise variance of the outcomes.
const NOISE: f64 = 0.01;

/// Arguments of `spargo-lab bench allocate`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  spargo-lab bench allocate
  spargo-lab bench allocate --n 5000 --m 200 --allocation cvr --json")]
pub struct BenchAllocate {
    /// Rows of data
    #[arg(long, default_value_t = 20_000)]
    n: usize,
    /// Inducing points
    #[arg(long, default_value_t = 500)]
    m: usize,
    /// A greedy method: cvr, lin-dpp, imp-dpp, ent-dpp or al-dpp
    #[arg(long, default_value = "imp-dpp")]
    allocation: Allocation,
    /// Where the data of the Hartmann function lie
    #[arg(long, value_enum, default_value = "focused")]
    data: DataPlacement,
    /// Seed of the data
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    run: Execution,
}

/// Where the data lie.
#[derive(Clone, Copy, ValueEnum)]
enum DataPlacement {
    /// Half uniform, half around the 20 best of those: as in the middle of an optimisation
    Focused,
    /// Uniform in the cube
    Uniform,
}

#[derive(Serialize)]
struct BenchAllocateReport {
    n: usize,
    m: usize,
    threads: usize,
    chosen: usize,
    plain_s: f64,
    lazy_s: f64,
    speedup: f64,
    same: bool,
    peak_rss_mb: Option<f64>,
}

impl BenchAllocate {
    pub fn run(self) -> Result<()> {
        let greedy = !matches!(
            self.allocation,
            Allocation::Random | Allocation::Uniform | Allocation::Kmeans { .. } | Allocation::Dpp { .. }
        );
        if !greedy {
            return Err(miette!("--allocation must be a greedy method: cvr, lin-dpp, imp-dpp, ent-dpp or al-dpp"));
        }
        self.run.print(|| self.measure())
    }

    fn measure(&self) -> Result<BenchAllocateReport> {
        let data = self.generate()?;
        let cold = Hyperparameters::cold(Kernel::cold(Family::Matern52, 6));
        let fitting = FitOptions { hyperparameters: HyperparameterObjective::Subset(1000), ..FitOptions::default() };
        let first = fit_initial(&data, &cold, &fitting, &self.allocation.quality()).into_diagnostic()?;
        let context = match first.prediction {
            Some(prediction) => {
                let noise = vec![first.hyper.noise; self.n];
                Target::default().context(data.y(), prediction, noise).into_diagnostic()?
            }
            None => AllocationContext::of_rows(self.n),
        };
        let quality = self.allocation.quality().evaluate(&context, self.m).into_diagnostic()?;
        let (x, kernel) = (data.x(), &first.hyper.kernel);
        let lazy = || {
            let mut rng = stream(self.seed, Purpose::Allocation, 0, 0);
            allocate_by(|i| quality[i], Search::Lazy, x, kernel, self.m, &mut rng)
        };
        let (mut plain_s, mut lazy_s, mut rows) = (f64::INFINITY, f64::INFINITY, Vec::new());
        // Run in turns, so that a busy moment of the machine does not fall on one of them alone.
        for _ in 0..REPEATS {
            let (seconds, chosen) = timed(|| plain(x, kernel, &quality, self.m));
            plain_s = plain_s.min(seconds);
            rows.push(Some(chosen));
            let (seconds, chosen) = timed(lazy);
            lazy_s = lazy_s.min(seconds);
            rows.push(chosen.into_diagnostic()?.rows);
        }
        Ok(BenchAllocateReport {
            n: self.n,
            m: self.m,
            threads: rayon::current_num_threads(),
            chosen: rows[0].as_ref().map_or(0, Vec::len),
            plain_s,
            lazy_s,
            speedup: plain_s / lazy_s,
            same: rows.iter().all(|other| *other == rows[0]),
            peak_rss_mb: peak_rss_mb(),
        })
    }

    /// Noisy, standardized outcomes of the Hartmann function, to be maximised.
    fn generate(&self) -> Result<Dataset> {
        let mut rng = stream(self.seed, Purpose::Data, 0, 0);
        let spread = match self.data {
            DataPlacement::Focused => self.n.div_ceil(2),
            DataPlacement::Uniform => self.n,
        };
        let mut points: Vec<[f64; 6]> = (0..spread).map(|_| std::array::from_fn(|_| uniform(&mut rng))).collect();
        let value = |point: &[f64; 6]| HARTMANN6.value(point).into_diagnostic();
        let mut best = points.iter().map(|p| Ok((value(p)?, *p))).collect::<Result<Vec<_>>>()?;
        best.sort_by(|a, b| a.0.total_cmp(&b.0));
        best.truncate(BEST);
        for i in points.len()..self.n {
            let (_, near) = best[i % best.len()];
            points.push(near.map(|v| (v + NEAR * normal(&mut rng)).clamp(0.0, 1.0)));
        }
        let y = points.iter().map(|p| Ok(-value(p)? + NOISE.sqrt() * normal(&mut rng))).collect::<Result<_>>()?;
        let data = Dataset::new(Mat::from_fn(self.n, 6, |i, k| points[i][k]), y).into_diagnostic()?;
        Ok(Standardizer::from_data(&data).apply(&data))
    }
}

impl fmt::Display for BenchAllocateReport {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{:<20}{:.3} s", "plain", self.plain_s)?;
        writeln!(out, "{:<20}{:.3} s", "lazy", self.lazy_s)?;
        writeln!(out, "{:<20}{:.2}", "speedup", self.speedup)?;
        write!(out, "{:<20}{}", "same choice", self.same)?;
        self.peak_rss_mb.map_or(Ok(()), |peak| write!(out, "\n{:<20}{peak:.0} MB", "peak memory"))
    }
}
