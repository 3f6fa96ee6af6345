//! `spargo status`: where a study stands.

use crate::io::output::print::print;
use crate::io::output::summary::Summary;
use crate::io::place::{Place, readable};
use clap::Args;
use miette::{IntoDiagnostic, Result};
use serde_json::json;
use spargo::study::{ModelReport, StepReport};
use std::path::PathBuf;

/// Arguments of `spargo status`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  spargo status study.toml
  spargo status coupling.db --json

It may be asked while `spargo run` is under way. Keys of --json: study, name, trials, observed, failed, pending, feasible (null,
or how many keep to all limits), best (null or {believed: {trial, point, mean, low, high}, observed: {trial, point,
value}}), front (null or, of several objectives, {believed, observed}, lists of {trial, point, outputs}), step (null or the
report of the last ask, with seconds).")]
pub struct Status {
    /// A study file, or a study's database
    study: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Status {
    pub fn run(self) -> Result<()> {
        let mut place = readable(&self.study)?;
        let (summary, step) = (Summary::of(&mut place), last_step(&place)?);
        match self.json {
            true => {
                let mut status = summary.json();
                status["step"] = json!(step);
                print(&format!("{status}\n"))
            }
            false => print(&format!("{summary}{}", step.as_ref().map_or(String::new(), words))),
        }
    }
}

fn last_step(place: &Place) -> Result<Option<StepReport>> {
    Ok(place.study.reports().into_diagnostic()?.pop())
}

fn words(step: &StepReport) -> String {
    let StepReport { step: number, asked, total_s, acquire_s, .. } = step;
    let [allocate_s, fit_s] = [|model: &ModelReport| model.allocate_s, |model: &ModelReport| model.fit_s]
        .map(|of| step.models.iter().map(of).sum::<f64>());
    let model = match step.models.is_empty() {
        true => String::new(),
        false => format!("{allocate_s:.2} s to allocate, {fit_s:.2} s to fit, "),
    };
    format!("last step: number {number}, {asked} points in {total_s:.2} s ({model}{acquire_s:.2} s to acquire)\n")
}
