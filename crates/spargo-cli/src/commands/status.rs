//! `spargo status`: the state of a study.

use crate::io::output::count::counted;
use crate::io::output::execution::Threads;
use crate::io::output::print::{print, print_data};
use crate::io::output::runs::Runs;
use crate::io::output::summary::StudySummary;
use crate::io::study_handle::StudyHandle;
use clap::Args;
use miette::{IntoDiagnostic, Result, miette};
use serde_json::json;
use spargo::model::Inference;
use spargo::study::{Config, ModelReport, StepReport};
use std::path::PathBuf;

/// Arguments of `spargo status`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  spargo status study.toml
  spargo status study.toml --anywhere
  spargo status coupling.db --json

It works while `spargo run` is running. The knee of a front is the trial that gives up least of what is best in any \
objective. A run writes a heartbeat every 30 s; one that is silent for longer than 100 s has probably been killed. Trials that a \
killed or stopped run has left pending are evaluated by the next run.

Keys of --json:
  study, name, trials, observed, failed, pending
  failures  a list of {reason, trials}
  warnings  a list of texts about extreme outcomes
  feasible  null, or the number of trials that satisfy all constraints
  best      null or {believed: {trial, point, mean, low, high},
            observed: {trial, point, value}}, with --anywhere also
            anywhere: {trial (null if it was not evaluated), point,
            mean, low, high, feasible}
  front     null or, for several objectives, {believed, observed}, lists of
            {trial, point, outputs}, with ends ({objective: trial}) and knee
  accuracy  null or, for a class, the share of trials whose class is predicted
            right by the model of all others
  step      null, or the report of the last ask, with seconds
  runners   a list of {name, alive, stopped, heartbeat_s, workers, busy_share,
            busy_s, waiting_s, trials: a list of {trial, seconds}}: the runs
            that are alive or have left trials pending, oldest trials first;
            stopped is false for one that was killed; heartbeat_s and seconds
            are seconds before now
  ready     a list of {ask, points}: points for the next asks, by the step
            that has chosen them
Without a model what is believed is null.")]
pub struct Status {
    /// A study file, or a study's database
    study: PathBuf,
    /// Show where in the space the model of all trials expects the best, evaluated or not
    #[arg(long)]
    anywhere: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    threads: Threads,
}

impl Status {
    pub fn run(self) -> Result<()> {
        let mut handle = StudyHandle::open_to_read(&self.study)?;
        if self.anywhere {
            check_single_objective(handle.study.config())?;
        }
        let summary = self.threads.install(|| {
            let summary = StudySummary::new(&mut handle);
            Ok(if self.anywhere { summary.with_anywhere(&mut handle) } else { summary })
        })?;
        // Threads of a run draw points ahead in steps of their own.
        let step = handle.study.reports().into_diagnostic()?.into_iter().rfind(|report| report.asked > 0);
        let runs = Runs::of(&handle.study);
        if self.json {
            let mut status = summary.json();
            status["step"] = json!(step);
            (status["runners"], status["ready"]) = (runs.runners_json(), runs.ready_json());
            print_data(&format!("{status}\n"))
        } else {
            print(&format!("{summary}{}{runs}", step.as_ref().map_or(String::new(), step_text)))
        }
    }
}

/// Refuses to look for one best point where none is best.
fn check_single_objective(config: &Config) -> Result<()> {
    let count = config.outputs.iter().filter(|output| output.goal.is_objective()).count();
    if count == 1 {
        return Ok(());
    }
    let help =
        "leave out --anywhere; `spargo status` shows the front of several objectives, and the accuracy of a class";
    Err(miette!(help = help, "--anywhere is for studies with one objective, and '{}' has {count}", config.name))
}

/// Whether a model has inducing points.
fn is_sparse(model: &&ModelReport) -> bool {
    model.inference != Inference::Exact
}

fn step_text(step: &StepReport) -> String {
    let StepReport { step: number, asked, total_s, acquire_s, .. } = step;
    let sum = |of: fn(&ModelReport) -> f64| step.models.iter().map(of).sum::<f64>();
    let (allocate_s, fit_s) = (sum(|model| model.allocate_s), sum(|model| model.fit_s));
    let stages = format!("{allocate_s:.2} s to allocate, {fit_s:.2} s to fit, ");
    let points = counted(*asked, "point");
    let model = if step.models.is_empty() { "" } else { &stages };
    let inducing: Vec<String> = step.models.iter().filter(is_sparse).map(|model| model.inducing.to_string()).collect();
    let inducing =
        if inducing.is_empty() { String::new() } else { format!("; inducing points: {}", inducing.join(", ")) };
    format!("last step: number {number}, {points} in {total_s:.2} s ({model}{acquire_s:.2} s to acquire){inducing}\n")
}
