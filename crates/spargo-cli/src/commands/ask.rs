//! `spargo ask`: the next points of a study, for robots and scripts.

use crate::io::csv::points::{Named, text};
use crate::io::csv::sheet;
use crate::io::output::logs::log_last_step;
use crate::io::output::print::{note, print};
use crate::io::output::summary::best_observed;
use crate::io::place::existing_or_new;
use clap::Args;
use miette::{IntoDiagnostic, Result};
use spargo::Error;
use spargo::space::Space;
use spargo::study::{Study, Trial};
use std::path::PathBuf;

/// Arguments of `spargo ask`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  spargo ask study.toml                     a batch as CSV: the trial's number and its inputs; begins the study if need be
  spargo ask coupling.db -n 1 --json        one point as {\"temperature\": 81.2, \"catalyst\": \"Pd\", \"trial\": 7}
  spargo tell coupling.db --trial 7 --value 71.3
  spargo ask study.toml --replicate -n 24     24 trials to evaluate again: those that may be best, the likelier the more often

Every trial counts as under way until its outcome is told; no point is asked for twice, but by --replicate. `spargo run` evaluates
those that have not been told when it is started.")]
pub struct Ask {
    /// A study file, or a study's database
    study: PathBuf,
    /// Points to ask for; by default a batch, or of new ones the initial points if there are none yet, or what is left
    #[arg(short = 'n', long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    number: Option<u64>,
    /// No new points, but replicates of the trials that may be best, to be sure which is
    #[arg(long)]
    replicate: bool,
    /// Print one JSON object a trial
    #[arg(long)]
    json: bool,
}

impl Ask {
    pub fn run(self) -> Result<()> {
        let mut study = existing_or_new(&self.study)?.study;
        let trials = match self.replicate {
            true => replicate(&mut study, self.number)?,
            false => {
                let batch = batch(&study);
                ask(&mut study, self.number, batch)?
            }
        };
        log_last_step(&study)?;
        let space = &study.config().space;
        print(&if self.json { json(space, &trials)? } else { csv(space, &trials)? })
    }
}

/// The size of the next batch: the initial points come as one.
pub fn batch(study: &Study) -> usize {
    let (config, asked) = (study.config(), study.history().records().len());
    let lacking = config.initial.saturating_sub(asked);
    match lacking > 0 && best_observed(study).is_none() {
        true => lacking,
        false => lacking.max(config.batch),
    }
}

/// This many new points, or as many as there are.
pub fn ask_at_most(study: &mut Study, mut wanted: usize) -> Result<Vec<Trial>> {
    loop {
        match study.ask(wanted) {
            // What is left may be hard to find as well.
            Err(Error::Exhausted { left, .. }) if left < wanted => wanted = left,
            Err(Error::Exhausted { .. }) => wanted /= 2,
            asked => return asked.into_diagnostic(),
        }
    }
}

/// This many new points; without a number as many as a batch has, or as there are.
pub fn ask(study: &mut Study, number: Option<u64>, batch: usize) -> Result<Vec<Trial>> {
    match number {
        Some(number) => study.ask(number as usize).into_diagnostic(),
        None => ask_for_rest(study, batch),
    }
}

/// This many trials to evaluate again, or a batch of them.
pub fn replicate(study: &mut Study, number: Option<u64>) -> Result<Vec<Trial>> {
    let wanted = number.map_or(study.config().batch, |number| number as usize);
    study.replicate(wanted).into_diagnostic()
}

/// A batch for people, who are told if there are fewer points, and that there are none.
fn ask_for_rest(study: &mut Study, wanted: usize) -> Result<Vec<Trial>> {
    let trials = ask_at_most(study, wanted)?;
    match trials.len() {
        0 => Err(Error::Exhausted { wanted, left: 0 }).into_diagnostic(),
        found if found < wanted => {
            note(&format!("{found} points instead of {wanted}: they are the last ones"));
            Ok(trials)
        }
        _ => Ok(trials),
    }
}

fn json(space: &Space, trials: &[Trial]) -> Result<String> {
    let mut lines = String::new();
    for trial in trials {
        let named = Named { space, point: &trial.point, trial: Some(trial.id) };
        lines += &(serde_json::to_string(&named).into_diagnostic()? + "\n");
    }
    Ok(lines)
}

fn csv(space: &Space, trials: &[Trial]) -> Result<String> {
    let names = space.dimensions().iter().map(|dimension| dimension.name.clone());
    let header = std::iter::once("trial".into()).chain(names).collect();
    let row = |trial: &Trial| std::iter::once(trial.id.to_string()).chain(trial.point.iter().map(text)).collect();
    sheet::csv(std::iter::once(header).chain(trials.iter().map(row)))
}
