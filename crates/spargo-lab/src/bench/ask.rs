//! `spargo-lab bench ask`: single points of a study in a file: those that are ready, and those that are drawn without a fit.
//!
//! ```text
//!     N observations told ─▶ fit ─▶ ask(1) from what is ready,     ask(1) with nothing ready, the first and others,     ask(100)
//! ```

use super::{Product, REPEATS, cpu_seconds};
use clap::Args;
use miette::{IntoDiagnostic, Result};
use serde::Serialize;
use spargo::rng::{Purpose, stream, uniform};
use spargo::space::{Point, Value};
use spargo::study::{Config, Outcome, Refit, Study};
use spargo_cli::io::output::execution::Execution;
use spargo_problems::HARTMANN6;
use std::fmt;
use std::path::PathBuf;
use std::time::Instant;

/// Asks of which the mean is taken: fewer than are ready after a fit.
const ASKS: usize = 20;

/// Asks of which the mean is taken, where a draw is for a few of them.
const DRAWN_ASKS: usize = 60;

/// Arguments of `spargo-lab bench ask`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  spargo-lab bench ask
  spargo-lab bench ask --n 20000 --json")]
pub struct BenchAsk {
    /// Observations
    #[arg(long, default_value_t = 1000)]
    n: usize,
    /// Inducing points
    #[arg(long, default_value_t = 500)]
    m: usize,
    /// Seed of the data and of every random choice
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    run: Execution,
}

#[derive(Serialize)]
struct BenchAskReport {
    n: usize,
    m: usize,
    threads: usize,
    gemm_gflops: f64,
    ready: Cost,
    first: Cost,
    drawn: Cost,
    hundred: Cost,
    tell: Cost,
}

/// What one call costs, in milliseconds by the clock and of all threads' processor time.
#[derive(Serialize, Clone, Copy)]
struct Cost {
    mean_ms: f64,
    largest_ms: f64,
    cpu_ms: f64,
    largest_cpu_ms: f64,
}

impl BenchAsk {
    pub fn run(self) -> Result<()> {
        self.run.print(|| self.measure())
    }

    fn measure(&self) -> Result<BenchAskReport> {
        let path = std::env::temp_dir().join(format!("spargo-bench-{}.db", std::process::id()));
        let measured = self.measure_in(&path);
        for end in ["", "-wal", "-shm"] {
            let mut name = path.clone().into_os_string();
            name.push(end);
            let _ = std::fs::remove_file(PathBuf::from(name));
        }
        measured
    }

    fn measure_in(&self, path: &std::path::Path) -> Result<BenchAskReport> {
        let mut study = self.study(path)?;
        study.add(&self.observations()?).into_diagnostic()?;
        // A fit; more points are ready than are asked for below.
        study.ask_with(1, Refit::Every(u64::MAX)).into_diagnostic()?;
        let ready = cost(ASKS, || study.ask_with(1, Refit::Never).map(drop))?;
        let first = study.history().records().len() as u64 - ASKS as u64;
        let mut told = first..;
        let tell = cost(ASKS, || {
            let trial = told.next().unwrap_or(first);
            study.tell(&[(trial, Outcome::value(1.0))]).map(drop)
        })?;
        // A fit, and its local models; then nothing is ready: the first ask makes what is kept for others, which draw a few points each.
        study.ask(100).into_diagnostic()?;
        let first = cost(1, || study.ask(1).map(drop))?;
        let drawn = cost(DRAWN_ASKS, || study.ask(1).map(drop))?;
        let hundred = cost(3, || study.ask(100).map(drop))?;
        let mut product = Product::new();
        let rate = (0..REPEATS).fold(0f64, |best, _| best.max(product.rate()));
        let (n, m, threads) = (self.n, self.m, rayon::current_num_threads());
        Ok(BenchAskReport { n, m, threads, gemm_gflops: rate / 1e9, ready, first, drawn, hundred, tell })
    }

    fn study(&self, path: &std::path::Path) -> Result<Study> {
        let space = HARTMANN6.space().into_diagnostic()?;
        let config = Config { seed: self.seed, initial: 1.into(), inducing: self.m, ..Config::new(space) };
        Study::create(path, config).into_diagnostic()
    }

    /// Uniform points of the box, with noise.
    fn observations(&self) -> Result<Vec<(Point, Option<Outcome>)>> {
        let mut rng = stream(self.seed, Purpose::Data, 0, 0);
        let observe = |_| {
            let unit: Vec<f64> = (0..HARTMANN6.dimension()).map(|_| uniform(&mut rng)).collect();
            let x = HARTMANN6.from_unit(&unit).into_diagnostic()?;
            let y = HARTMANN6.observe(&x, &mut rng).into_diagnostic()?;
            Ok((x.into_iter().map(Value::Real).collect(), Some(Outcome::value(y))))
        };
        (0..self.n).map(observe).collect()
    }
}

/// What a call costs, on average over some and at most.
fn cost(calls: usize, mut call: impl FnMut() -> spargo::Result<()>) -> Result<Cost> {
    let mut cost = Cost { mean_ms: 0.0, largest_ms: 0.0, cpu_ms: 0.0, largest_cpu_ms: 0.0 };
    for _ in 0..calls {
        let (begun, used) = (Instant::now(), cpu_seconds());
        call().into_diagnostic()?;
        let (ms, cpu_ms) = (1e3 * begun.elapsed().as_secs_f64(), 1e3 * (cpu_seconds() - used));
        cost.mean_ms += ms / calls as f64;
        cost.cpu_ms += cpu_ms / calls as f64;
        cost.largest_ms = cost.largest_ms.max(ms);
        cost.largest_cpu_ms = cost.largest_cpu_ms.max(cpu_ms);
    }
    Ok(cost)
}

impl fmt::Display for Cost {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:.1} ms, at most {:.1} ms; ", self.mean_ms, self.largest_ms)?;
        write!(out, "processor: {:.1} ms, at most {:.1} ms", self.cpu_ms, self.largest_cpu_ms)
    }
}

impl fmt::Display for BenchAskReport {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{:<32}{}", "threads", self.threads)?;
        writeln!(out, "{:<32}{:.1} GFLOP/s", "matrix product", self.gemm_gflops)?;
        writeln!(out, "{:<32}{}", "ask(1) from what is ready", self.ready)?;
        writeln!(out, "{:<32}{}", "ask(1), nothing ready, first", self.first)?;
        writeln!(out, "{:<32}{}", "ask(1), nothing ready, next", self.drawn)?;
        writeln!(out, "{:<32}{}", "ask(100)", self.hundred)?;
        write!(out, "{:<32}{}", "tell of one", self.tell)
    }
}
