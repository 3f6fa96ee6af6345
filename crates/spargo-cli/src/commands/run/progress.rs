//! What a run shows of its progress: a bar on a terminal, a line for every batch of points in a file, or one line of JSON per event for programs.

use crate::io::csv::points::{Named, by_output, short};
use crate::io::output::count::counted;
use crate::io::output::print::{note, print, write};
use crate::io::study_file::{RunMode, RunSettings};
use crate::io::study_handle::StudyHandle;
use indicatif::{HumanDuration, ProgressBar, ProgressStyle};
use miette::{IntoDiagnostic, Result, WrapErr};
use serde_json::{Value, json};
use spargo::study::{Counts, Measurement, Outcome, Output, Study, Trial, Warning};
use std::time::{Duration, Instant};

/// How progress is shown.
#[derive(Clone, Copy, PartialEq)]
pub enum Show {
    /// A bar on a terminal.
    Bar,
    /// A line of text per batch, for files and logs.
    Lines,
    /// A line of JSON per event.
    Json,
}

/// The progress of a run: trials against the budget, the best value, the rate, the overhead and the time left.
pub struct Progress {
    show: Show,
    /// Hidden unless a bar is to be shown.
    bar: ProgressBar,
    started: Instant,
    /// Trials of this run with an outcome.
    told: usize,
    observed: Option<f64>,
    believed: Option<f64>,
    /// Seconds that the last step took to choose points.
    overhead: Option<f64>,
    /// Points since the last line, and the seconds that it took to get them.
    since: (usize, f64),
    mode: RunMode,
}

impl Progress {
    /// Shows that a run begins.
    pub fn start(show: Show, handle: &StudyHandle, run: &RunSettings) -> Result<Self> {
        let counts = handle.study.counts();
        let bar = if show == Show::Bar { ProgressBar::no_length() } else { ProgressBar::hidden() };
        bar.set_style(ProgressStyle::with_template("{bar:12} {pos}/{len}  {wide_msg}").into_diagnostic()?);
        bar.set_length(run.budget.max(counts.trials) as u64);
        bar.set_position((counts.trials - counts.pending) as u64);
        if show == Show::Bar {
            bar.enable_steady_tick(Duration::from_millis(200));
        }
        let (started, told) = (Instant::now(), 0);
        let (since, mode) = ((0, 0.0), run.mode);
        let progress =
            Progress { show, bar, started, told, observed: None, believed: None, overhead: None, since, mode };
        progress.event(|| {
            json!({
                "event": "started", "study": handle.database.display().to_string(), "name": handle.study.config().name,
                "trials": counts.trials, "pending": counts.pending, "budget": run.budget, "parallel": run.parallel,
            })
        })?;
        Ok(progress)
    }

    /// Shows the trials of a step, and the best point by its model.
    pub fn asked(&mut self, study: &mut Study, trials: &[Trial], seconds: f64) -> Result<()> {
        self.overhead = Some(seconds);
        // The model of a batch is at hand: this costs a prediction, or models around the best trials.
        if self.show == Show::Bar
            && self.mode == RunMode::Batch
            && let Ok(Some(best)) = study.best()
        {
            self.believed = Some(best.believed.mean);
            self.show_message();
        }
        self.since = (self.since.0 + trials.len(), self.since.1 + seconds);
        if self.show == Show::Lines && (self.mode == RunMode::Batch || self.since.0 >= study.config().batch) {
            let (points, seconds) = std::mem::take(&mut self.since);
            self.line(study, points, seconds);
        }
        self.event(|| {
            let space = &study.config().space;
            let named = |trial: &Trial| json!(Named { space, trial, numbered: true });
            let trials: Vec<Value> = trials.iter().map(named).collect();
            json!({ "event": "asked", "step": study.history().asks(), "seconds": seconds, "trials": trials })
        })
    }

    /// Shows a warning about outcomes: above the bar if there is one, as an event for programs.
    pub fn warn(&self, warning: &Warning) -> Result<()> {
        if self.show != Show::Json {
            self.bar.suspend(|| note(&format!("warning: {warning}")));
        }
        self.event(|| {
            let (output, trials) = (warning.output(), warning.trials());
            json!({ "event": "warning", "output": output, "trials": trials, "message": warning.to_string() })
        })
    }

    /// Shows the outcome of one trial.
    pub fn told(&mut self, outputs: &[Output], trial: u64, outcome: &Outcome, seconds: f64) -> Result<()> {
        self.told += 1;
        self.bar.inc(1);
        self.event(|| {
            let mut told = json!({ "event": "told", "trial": trial, "seconds": seconds, "status": "done" });
            match (outcome, outcome.failure()) {
                (_, Some(reason)) => (told["status"], told["reason"]) = ("failed".into(), json!(reason)),
                (Outcome::Measured(measurements), None) => {
                    let values: Vec<_> = measurements.iter().map(Measurement::observed).collect();
                    told["values"] = by_output(outputs, &values);
                    let variances: Vec<_> = measurements.iter().map(Measurement::variance).collect();
                    if variances.iter().any(Option::is_some) {
                        told["variances"] = by_output(outputs, &variances);
                    }
                    if let Some(reason) = measurements.iter().find_map(Measurement::failure) {
                        told["reason"] = json!(reason);
                    }
                }
                (Outcome::Failed { .. }, None) => {}
            }
            told
        })
    }

    /// Shows the best outcome so far.
    pub fn show_observed(&mut self, study: &Study) {
        if self.show == Show::Bar {
            self.observed = study.best_observation().map(|best| best.value);
            self.show_message();
        }
    }

    /// Shows the last event, and removes the bar.
    pub fn finish(&self, why: &str, mut summary: Value) -> Result<()> {
        self.bar.finish_and_clear();
        (summary["event"], summary["why"]) = ("finished".into(), why.into());
        self.event(|| summary)
    }

    fn event(&self, event: impl FnOnce() -> Value) -> Result<()> {
        if self.show != Show::Json {
            return Ok(());
        }
        write(&format!("{}\n", event())).into_diagnostic().wrap_err("cannot write the events of this run")
    }

    /// A line for this batch; a run does not end because its log cannot be written.
    fn line(&self, study: &Study, points: usize, seconds: f64) {
        let Counts { trials, observed, failed, .. } = study.counts();
        let best = study.best_observation().map_or(String::new(), |best| format!(", best {}", short(best.value)));
        let (step, total) = (study.history().asks(), self.bar.length().unwrap_or(0));
        let points = counted(points, "point");
        let batch = if self.mode == RunMode::Batch { format!("batch {step}: ") } else { String::new() };
        let _ = print(&format!(
            "{batch}{points} in {seconds:.2} s; {trials} of {total} trials asked for, {observed} observed, {failed} \
             failed{best}\n"
        ));
    }

    fn show_message(&self) {
        let mut words = Vec::new();
        words.extend(self.observed.map(|best| format!("best {}", short(best))));
        words.extend(self.believed.map(|best| format!("believed {}", short(best))));
        let elapsed = self.started.elapsed().as_secs_f64();
        if self.told > 0 && elapsed > 0.0 {
            let rate = self.told as f64 / elapsed;
            words.push(format!("{:.0}/min", 60.0 * rate));
            words.extend(self.overhead.map(|seconds| format!("{seconds:.2} s/step")));
            let left = self.bar.length().unwrap_or(0).saturating_sub(self.bar.position()) as f64;
            words.push(format!(
                "{:#} left",
                HumanDuration(Duration::try_from_secs_f64(left / rate).unwrap_or_default())
            ));
        }
        self.bar.set_message(words.join(" · "));
    }
}
