//! `spargo-lab bench step` of many observations: a refit, and steps between refits, as a loop makes them.
//!
//! ```text
//!     N/1.1 observations told ─▶ ask (cold) ─▶ up to N told ─▶ ask: a refit ─▶ q outcomes told ─▶ ask: between refits, …
//! ```

use super::step::{BenchStep, last};
use super::{Product, REPEATS};
use crate::processor::cpu_seconds;
use miette::{IntoDiagnostic, Result, miette};
use serde::Serialize;
use spargo::rng::{Purpose, stream};
use spargo::space::Value;
use spargo::study::{Outcome, StepReport, Study, Trial};
use spargo_cli::io::output::execution::{peak_rss_mb, rss_mb};
use spargo_problems::HARTMANN6;
use std::fmt;
use std::time::Instant;

/// The growth of the data that makes a refit.
const GROWTH: f64 = 1.1;

/// Steps between refits, of which the median is taken.
const STEPS: usize = 3;

/// Tells of one outcome, of which the median is taken.
const TELLS: usize = 11;

#[derive(Serialize)]
pub(super) struct ManyReport {
    n: usize,
    m: usize,
    batch: usize,
    threads: usize,
    gemm_gflops: f64,
    cold: StepCost,
    refit: StepCost,
    between: StepCost,
    tell_ms: f64,
    /// Resident memory with the data, before the first step.
    data_rss_mb: Option<f64>,
    peak_rss_mb: Option<f64>,
}

/// What a step took, in seconds.
#[derive(Serialize, Clone, Copy)]
struct StepCost {
    observations: usize,
    allocate_s: f64,
    fit_s: f64,
    acquire_s: f64,
    total_s: f64,
    /// Processor seconds of all threads.
    cpu_s: f64,
}

impl BenchStep {
    /// What steps of a study with many observations cost.
    pub(super) fn measure_many(&self) -> Result<ManyReport> {
        let mut study = self.study()?;
        let told = self.observations()?;
        let (first, rest) = told.split_at((self.n as f64 / GROWTH) as usize);
        study.add(first).into_diagnostic()?;
        let data_rss_mb = rss_mb();
        let (cold, _) = self.step(&mut study, true)?;
        study.add(rest).into_diagnostic()?;
        drop(told);
        let (refit, mut trials) = self.step(&mut study, true)?;
        let mut between = Vec::new();
        for step in 0..STEPS {
            study.tell(&outcomes(&trials, step)?).into_diagnostic()?;
            let (cost, asked) = self.step(&mut study, false)?;
            between.push(cost);
            trials = asked;
        }
        let mut tells = Vec::new();
        for one in outcomes(&trials, STEPS)?.chunks(1).take(TELLS) {
            let started = Instant::now();
            study.tell(one).into_diagnostic()?;
            tells.push(1e3 * started.elapsed().as_secs_f64());
        }
        let peak_rss_mb = peak_rss_mb();
        let mut product = Product::new();
        let rate = (0..REPEATS).fold(0f64, |best, _| best.max(product.rate()));
        between.sort_by(|a, b| a.cpu_s.total_cmp(&b.cpu_s));
        tells.sort_by(f64::total_cmp);
        Ok(ManyReport {
            n: self.n,
            m: self.m,
            batch: self.batch,
            threads: rayon::current_num_threads(),
            gemm_gflops: rate / 1e9,
            cold,
            refit,
            between: between[STEPS / 2],
            tell_ms: tells[tells.len() / 2],
            data_rss_mb,
            peak_rss_mb,
        })
    }

    /// One step, which must be a refit, or none.
    fn step(&self, study: &mut Study, is_refit: bool) -> Result<(StepCost, Vec<Trial>)> {
        let used = cpu_seconds();
        let trials = study.ask(self.batch).into_diagnostic()?;
        let cpu_s = cpu_seconds() - used;
        let StepReport { models, acquire_s, total_s, without_model, .. } = last(study)?;
        let model = models.first().ok_or_else(|| miette!("no model was fitted: {without_model:?}"))?;
        if model.fit.is_some() != is_refit {
            return Err(miette!(
                "a step with {} observations was {}a refit",
                model.observations,
                if is_refit { "not " } else { "" }
            ));
        }
        let (observations, allocate_s, fit_s) = (model.observations, model.allocate_s, model.fit_s);
        Ok((StepCost { observations, allocate_s, fit_s, acquire_s, total_s, cpu_s }, trials))
    }
}

/// What an evaluation of these trials gives.
fn outcomes(trials: &[Trial], step: usize) -> Result<Vec<(u64, Outcome)>> {
    let mut rng = stream(0, Purpose::Data, 1, step as u64);
    let number = |value: &Value| if let Value::Real(number) = value { *number } else { f64::NAN };
    let observe = |trial: &Trial| {
        let x: Vec<f64> = trial.point.iter().map(number).collect();
        Ok((trial.id, Outcome::value(HARTMANN6.observe(&x, &mut rng).into_diagnostic()?)))
    };
    trials.iter().map(observe).collect()
}

impl fmt::Display for StepCost {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let StepCost { observations, allocate_s, fit_s, acquire_s, total_s, cpu_s } = self;
        write!(out, "{total_s:.3} s, processor {cpu_s:.3} s  (allocate {allocate_s:.3}, fit {fit_s:.3}, ")?;
        write!(out, "acquire {acquire_s:.3}; {observations} observations)")
    }
}

impl fmt::Display for ManyReport {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{:<28}{}", "threads", self.threads)?;
        writeln!(out, "{:<28}{:.1} GFLOP/s", "matrix product", self.gemm_gflops)?;
        writeln!(out, "{:<28}{}", "first step", self.cold)?;
        writeln!(out, "{:<28}{}", "refit", self.refit)?;
        writeln!(out, "{:<28}{}", "step between refits", self.between)?;
        write!(out, "{:<28}{:.3} ms", "tell of one", self.tell_ms)?;
        let memory = self.data_rss_mb.zip(self.peak_rss_mb);
        memory.map_or(Ok(()), |(data, peak)| {
            write!(out, "\n{:<28}{peak:.0} MB, {data:.0} MB with the data before the first step", "peak memory")
        })
    }
}
