//! `spargo-lab bench ask`: single points of a study in a file: those that are ready, and those that are drawn without a fit.
//!
//! ```text
//!     N observations told ─▶ fit ─▶ ask(1) from what is ready,     ask(1) with nothing ready,     ask(100)
//! ```

use super::{Product, REPEATS};
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

/// Asks of which the mean is taken, where a draw is for 25 of them.
const DRAWN_ASKS: usize = 50;

/// Clock ticks per second in which Linux counts processor time.
const TICKS: f64 = 100.0;

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
    drawn: Cost,
    hundred: Cost,
    tell: Cost,
}

/// What one call costs, in milliseconds.
#[derive(Serialize, Clone, Copy)]
struct Cost {
    mean_ms: f64,
    largest_ms: f64,
    cpu_ms: Option<f64>,
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
        // A fit, and its local models; then nothing is ready, and of the asks below two draw what the others take.
        study.ask(100).into_diagnostic()?;
        let drawn = cost(DRAWN_ASKS, || study.ask(1).map(drop))?;
        let hundred = cost(3, || study.ask(100).map(drop))?;
        let mut product = Product::new();
        let rate = (0..REPEATS).fold(0f64, |best, _| best.max(product.rate()));
        let (n, m, threads) = (self.n, self.m, rayon::current_num_threads());
        Ok(BenchAskReport { n, m, threads, gemm_gflops: rate / 1e9, ready, drawn, hundred, tell })
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

/// What a call costs on average over some.
fn cost(calls: usize, mut call: impl FnMut() -> spargo::Result<()>) -> Result<Cost> {
    let (started, used, mut largest_ms) = (Instant::now(), cpu_seconds(), 0f64);
    for _ in 0..calls {
        let begun = Instant::now();
        call().into_diagnostic()?;
        largest_ms = largest_ms.max(1e3 * begun.elapsed().as_secs_f64());
    }
    let per_call = |seconds: f64| 1e3 * seconds / calls as f64;
    let cpu_ms = cpu_seconds().zip(used).map(|(now, then)| per_call(now - then));
    Ok(Cost { mean_ms: per_call(started.elapsed().as_secs_f64()), largest_ms, cpu_ms })
}

/// Processor seconds of this process, all threads; unknown outside Linux.
fn cpu_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |place: usize| fields.get(place)?.parse::<f64>().ok();
    Some((ticks(11)? + ticks(12)?) / TICKS)
}

impl fmt::Display for Cost {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cpu = self.cpu_ms.map_or_else(String::new, |cpu| format!(", {cpu:.1} ms of processor time"));
        write!(out, "{:.1} ms, at most {:.1} ms{cpu}", self.mean_ms, self.largest_ms)
    }
}

impl fmt::Display for BenchAskReport {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{:<28}{}", "threads", self.threads)?;
        writeln!(out, "{:<28}{:.1} GFLOP/s", "matrix product", self.gemm_gflops)?;
        writeln!(out, "{:<28}{}", "ask(1) from what is ready", self.ready)?;
        writeln!(out, "{:<28}{}", "ask(1) with nothing ready", self.drawn)?;
        writeln!(out, "{:<28}{}", "ask(100)", self.hundred)?;
        write!(out, "{:<28}{}", "tell of one", self.tell)
    }
}
