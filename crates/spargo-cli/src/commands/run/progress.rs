//! What a run shows of its progress: a bar for people, one line of JSON per event for programs, or nothing.

use crate::io::csv::points::{Named, short};
use crate::io::output::print::write;
use crate::io::study_handle::StudyHandle;
use indicatif::{HumanDuration, ProgressBar, ProgressStyle};
use miette::{IntoDiagnostic, Result, WrapErr};
use serde_json::{Map, Value, json};
use spargo::space::Space;
use spargo::study::{Counts, Outcome, Output, Trial};
use std::time::{Duration, Instant};

/// How progress is shown.
pub enum Progress {
    Bar(Box<Bar>),
    Json,
    Silent,
}

impl Progress {
    pub fn started(&mut self, handle: &StudyHandle, budget: usize, parallel: usize) -> Result<()> {
        let counts = handle.study.counts();
        match self {
            Progress::Bar(bar) => bar.start(counts, budget),
            Progress::Json => event(&json!({
                "event": "started", "study": handle.database.display().to_string(), "name": handle.study.config().name,
                "trials": counts.trials, "pending": counts.pending, "budget": budget, "parallel": parallel,
            }))?,
            Progress::Silent => {}
        }
        Ok(())
    }

    pub fn asked(&mut self, space: &Space, step: u64, trials: &[Trial], seconds: f64) -> Result<()> {
        match self {
            Progress::Bar(bar) => bar.overhead = Some(seconds),
            Progress::Json => {
                let named = |trial: &Trial| json!(Named { space, point: &trial.point, trial: Some(trial.id) });
                let trials: Vec<Value> = trials.iter().map(named).collect();
                event(&json!({ "event": "asked", "step": step, "seconds": seconds, "trials": trials }))?;
            }
            Progress::Silent => {}
        }
        Ok(())
    }

    pub fn told(&mut self, outputs: &[Output], trial: u64, outcome: &Outcome, seconds: f64) -> Result<()> {
        match self {
            Progress::Bar(bar) => bar.advance(),
            Progress::Json => {
                let mut told = json!({ "event": "told", "trial": trial, "seconds": seconds });
                told.as_object_mut().into_iter().for_each(|told| told.extend(outcome_json(outputs, outcome)));
                event(&told)?;
            }
            Progress::Silent => {}
        }
        Ok(())
    }

    /// Shows the last event, and removes the bar.
    pub fn finished(&mut self, why: &str, mut summary: Value) -> Result<()> {
        match self {
            Progress::Bar(bar) => bar.bar.finish_and_clear(),
            Progress::Json => {
                summary["event"] = "finished".into();
                summary["why"] = why.into();
                event(&summary)?;
            }
            Progress::Silent => {}
        }
        Ok(())
    }
}

fn event(event: &Value) -> Result<()> {
    write(&format!("{event}\n")).into_diagnostic().wrap_err("cannot write the events of this run")
}

/// `{"status": "done", "values": {…}, "variances": {…}}` or `{"status": "failed", "reason": …}`.
fn outcome_json(outputs: &[Output], outcome: &Outcome) -> Map<String, Value> {
    let names = || outputs.iter().map(|output| output.name.clone());
    let told = match outcome {
        Outcome::Failed { reason } => json!({ "status": "failed", "reason": reason }),
        Outcome::Observed { values, noise } => {
            let values: Map<_, _> = names().zip(values.iter().map(|value| json!(value))).collect();
            match noise {
                None => json!({ "status": "done", "values": values }),
                Some(noise) => {
                    let variances: Map<_, _> = names().zip(noise.iter().map(|variance| json!(variance))).collect();
                    json!({ "status": "done", "values": values, "variances": variances })
                }
            }
        }
    };
    if let Value::Object(told) = told { told } else { Map::new() }
}

/// A progress bar: trials against the budget, the best value, the rate, the overhead and the time left.
pub struct Bar {
    bar: ProgressBar,
    started: Instant,
    /// Trials of this run with an outcome.
    told: usize,
    observed: Option<f64>,
    believed: Option<f64>,
    /// Seconds that the last step took to choose points.
    overhead: Option<f64>,
}

impl Bar {
    pub fn new() -> Self {
        let bar = ProgressBar::no_length();
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} trials  {msg}") {
            bar.set_style(style);
        }
        Bar { bar, started: Instant::now(), told: 0, observed: None, believed: None, overhead: None }
    }

    /// Shows the best outcome so far.
    pub fn show_observed(&mut self, best: Option<f64>) {
        self.observed = best;
        self.show();
    }

    /// The posterior mean of the believed best point.
    pub fn show_believed(&mut self, best: f64) {
        self.believed = Some(best);
        self.show();
    }

    fn start(&mut self, counts: Counts, budget: usize) {
        self.bar.set_length(budget.max(counts.trials) as u64);
        self.bar.set_position((counts.trials - counts.pending) as u64);
        self.bar.enable_steady_tick(Duration::from_millis(200));
        self.started = Instant::now();
    }

    fn advance(&mut self) {
        self.told += 1;
        self.bar.inc(1);
    }

    fn show(&self) {
        let mut words = Vec::new();
        words.extend(self.observed.map(|best| format!("best {}", short(best))));
        words.extend(self.believed.map(|best| format!("believed {}", short(best))));
        let elapsed = self.started.elapsed().as_secs_f64();
        if self.told > 0 && elapsed > 0.0 {
            let rate = self.told as f64 / elapsed;
            words.push(format!("{:.0}/min", 60.0 * rate));
            words.extend(self.overhead.map(|seconds| format!("{seconds:.2} s per step")));
            let left = self.bar.length().unwrap_or(0).saturating_sub(self.bar.position()) as f64;
            words.push(format!("{} left", HumanDuration(Duration::try_from_secs_f64(left / rate).unwrap_or_default())));
        }
        self.bar.set_message(words.join(" · "));
    }
}
