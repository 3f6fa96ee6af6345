//! `spargo-lab bench step`: one step of the loop as a study makes it, with all that is known of Hartmann's function before.
//!
//! ```text
//!     N − q observations told ─▶ ask (cold) ─▶ q more told ─▶ ask: allocate, fit (warm), acquire q points
//! ```
//!
//! With more observations than are fitted again at every step, it measures a refit and steps between refits.

use super::{Product, REPEATS};
use crate::commands::optimize::Model;
use crate::processor::cpu_seconds;
use clap::Args;
use miette::{IntoDiagnostic, Result, miette};
use serde::Serialize;
use spargo::data::Dataset;
use spargo::linalg::Mat;
use spargo::model::{FitOptions, Start, fit};
use spargo::optim::Lbfgsb;
use spargo::rng::{Purpose, stream, uniform};
use spargo::space::{Point, Value};
use spargo::study::{Config, HyperparameterChoice, ModelReport, Outcome, StepReport, Study};
use spargo_cli::io::output::execution::{Execution, peak_rss_mb};
use spargo_problems::HARTMANN6;
use std::fmt;

/// Up to so many observations, a study fits at every step.
const ALWAYS_REFIT: usize = 5000;

/// Arguments of `spargo-lab bench step`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  spargo-lab bench step
  spargo-lab bench step --n 4000 --batch 200 --json
  spargo-lab bench step --n 1000000      a refit, and a step between refits")]
pub struct BenchStep {
    /// Observations
    #[arg(long, default_value_t = 5000)]
    pub(super) n: usize,
    /// Inducing points
    #[arg(long, default_value_t = 500)]
    pub(super) m: usize,
    /// Points asked for
    #[arg(long, default_value_t = 100)]
    pub(super) batch: usize,
    #[command(flatten)]
    model: Model,
    /// Seed of the data and of every random choice
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    run: Execution,
}

#[derive(Serialize)]
struct BenchStepReport {
    n: usize,
    m: usize,
    batch: usize,
    threads: usize,
    gemm_gflops: f64,
    allocate_s: f64,
    fit_s: f64,
    fit_cold_s: f64,
    acquire_s: f64,
    total_s: f64,
    /// Processor seconds of all threads, with the warm fit.
    cpu_s: f64,
    evaluations: usize,
    evaluations_cold: usize,
    /// Nats per point in standardized units.
    bound: f64,
    bound_converged: f64,
    peak_rss_mb: Option<f64>,
}

impl BenchStep {
    pub fn run(self) -> Result<()> {
        if self.n > ALWAYS_REFIT { self.run.print(|| self.measure_many()) } else { self.run.print(|| self.measure()) }
    }

    fn measure(&self) -> Result<BenchStepReport> {
        if !(1..self.n).contains(&self.batch) {
            return Err(miette!("--batch {} must be at least 1 and below --n {}", self.batch, self.n));
        }
        let told = self.observations()?;
        let (before, new) = told.split_at(self.n - self.batch);
        let mut study = self.study()?;
        study.add(before).into_diagnostic()?;
        study.ask(self.batch).into_diagnostic()?;
        study.add(new).into_diagnostic()?;
        let used = cpu_seconds();
        study.ask(self.batch).into_diagnostic()?;
        let cpu_s = cpu_seconds() - used;
        let warm = last(&study)?;
        let peak = peak_rss_mb();

        let mut product = Product::new();
        let rate = (0..REPEATS).fold(0f64, |best, _| best.max(product.rate()));

        let mut afresh = self.study()?;
        afresh.add(&told).into_diagnostic()?;
        afresh.ask(self.batch).into_diagnostic()?;
        let (model, cold) = (model(&warm)?, last(&afresh)?);
        let per_point = 1.0 / self.n as f64;
        let evaluations = |model: &ModelReport| model.fit.as_ref().map_or(0, |fit| fit.evaluations);
        let (mut model_study, cold_model) = (study, self::model(&cold)?);
        Ok(BenchStepReport {
            n: self.n,
            m: model.inducing,
            batch: self.batch,
            threads: rayon::current_num_threads(),
            gemm_gflops: rate / 1e9,
            allocate_s: model.allocate_s,
            fit_s: model.fit_s,
            fit_cold_s: cold_model.fit_s,
            acquire_s: warm.acquire_s,
            total_s: warm.total_s,
            cpu_s,
            evaluations: evaluations(model),
            evaluations_cold: evaluations(cold_model),
            bound: model.fit.as_ref().map_or(f64::NAN, |fit| fit.objective) * per_point,
            bound_converged: converged(&mut model_study, &told)? * per_point,
            peak_rss_mb: peak,
        })
    }

    pub(super) fn study(&self) -> Result<Study> {
        let mut config = Config::new(HARTMANN6.space().into_diagnostic()?);
        config.seed = self.seed;
        config.initial = 1.into();
        config.inducing = self.m.into();
        if self.n <= ALWAYS_REFIT {
            // What the peers fit, so that the same work is timed, and what has a bound to converge to.
            config.model.hyperparameters = HyperparameterChoice::Bound;
        }
        self.model.configure(&mut config);
        Study::in_memory(config).into_diagnostic()
    }

    /// Uniform points of the box, with noise.
    pub(super) fn observations(&self) -> Result<Vec<(Point, Option<Outcome>)>> {
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

pub(super) fn last(study: &Study) -> Result<StepReport> {
    let reports = study.reports().into_diagnostic()?;
    reports.into_iter().last().ok_or_else(|| miette!("no step was made"))
}

fn model(report: &StepReport) -> Result<&ModelReport> {
    report.models.first().ok_or_else(|| miette!("no model was fitted: {:?}", report.without_model))
}

/// The bound that the same objective ends at when it is climbed to the end, at the same inducing points.
fn converged(study: &mut Study, told: &[(Point, Option<Outcome>)]) -> Result<f64> {
    let (hyper, units) = study.hyperparameters(0).into_diagnostic()?;
    let points: Vec<Vec<f64>> = told
        .iter()
        .map(|(point, _)| study.config().space.encode(point))
        .collect::<spargo::Result<_>>()
        .into_diagnostic()?;
    let value = |outcome: &Option<Outcome>| Some(outcome.as_ref()?.observed()?[0]);
    let x = Mat::from_fn(points.len(), HARTMANN6.dimension(), |i, k| points[i][k]);
    let y = told.iter().map(|(_, outcome)| value(outcome).unwrap_or(f64::NAN)).collect();
    let data = units.apply(&Dataset::new(x, y).into_diagnostic()?);
    let posterior = study.posterior(0).into_diagnostic()?;
    let settings = FitOptions {
        hyperparameters: study.config().model.hyperparameters.clone().into(),
        start: Start::Warm,
        seed: study.config().seed,
        priors: study.config().model.priors,
        optimizer: Lbfgsb { gradient_tolerance: 1e-7, value_tolerance: 1e-12, ..Lbfgsb::default() },
        ..FitOptions::default()
    };
    let converged = fit(&hyper, &data, posterior.z(), &settings).into_diagnostic()?;
    Ok(converged.report.objective)
}

impl fmt::Display for BenchStepReport {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{:<28}{}", "threads", self.threads)?;
        writeln!(out, "{:<28}{:.1} GFLOP/s", "matrix product", self.gemm_gflops)?;
        writeln!(out, "{:<28}{:.3} s", "allocate", self.allocate_s)?;
        writeln!(out, "{:<28}{:.3} s ({} evaluations)", "fit, warm", self.fit_s, self.evaluations)?;
        writeln!(out, "{:<28}{:.3} s ({} evaluations)", "fit, cold", self.fit_cold_s, self.evaluations_cold)?;
        writeln!(out, "{:<28}{:.3} s", "acquire", self.acquire_s)?;
        let (total, cpu) = (self.total_s, self.cpu_s);
        writeln!(out, "{:<28}{total:.3} s, processor {cpu:.3} s", "total, with the warm fit")?;
        writeln!(out, "{:<28}{:.4} nats per point", "bound", self.bound)?;
        write!(out, "{:<28}{:.4} nats per point", "bound, converged", self.bound_converged)?;
        self.peak_rss_mb.map_or(Ok(()), |peak| write!(out, "\n{:<28}{peak:.0} MB", "peak memory"))
    }
}
