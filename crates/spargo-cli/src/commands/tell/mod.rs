//! `spargo tell`: outcomes of trials, one at a time or as a table.

mod table;

use crate::io::output::excerpt::escaped;
use crate::io::output::print::{print, print_data};
use crate::io::study_handle::StudyHandle;
use clap::Args;
use miette::{IntoDiagnostic, Result, miette};
use serde_json::json;
use spargo::study::{Counts, Outcome, Study};
use std::path::PathBuf;
use table::NewOutcomes;

/// Arguments of `spargo tell`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  spargo tell coupling.db --trial 7 --value 71.3
  With a known noise variance:
    spargo tell coupling.db --trial 7 --value 71.3 --variance 0.4
  spargo tell coupling.db --trial 8 --failed 'the vial broke'
  All rows or, if one is refused, none:
    spargo tell coupling.db results.csv

Columns of a table: trial, one column per output and, optionally, the inputs, status and reason. An empty cell or NaN is a \
failed trial; rows with the status pending are skipped. Rows without a trial number are new points and need all inputs; they \
are added again if the table is told again. An outcome that is already known is skipped, a different one is refused.
Keys of --json: new, known, trials, pending.")]
pub struct Tell {
    /// A study file, or a study's database
    study: PathBuf,
    /// A CSV file of results; - for standard input
    #[arg(conflicts_with_all = ["trial", "outcome", "variance"], required_unless_present = "trial")]
    results: Option<PathBuf>,
    /// Number of a trial
    #[arg(long, requires = "outcome")]
    trial: Option<u64>,
    /// Value of the trial; NaN if it failed
    #[arg(long, group = "outcome", requires = "trial", allow_hyphen_values = true)]
    value: Option<f64>,
    /// Noise variance of the value, if it is known
    #[arg(long, requires = "value", allow_hyphen_values = true)]
    variance: Option<f64>,
    /// Record the trial as failed, for this reason
    #[arg(long, group = "outcome", requires = "trial", value_name = "REASON")]
    failed: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Tell {
    pub fn run(self) -> Result<()> {
        let mut study = StudyHandle::open(&self.study)?.study;
        let outcomes = match &self.results {
            Some(path) => table::read(path, &study)?,
            None => NewOutcomes { outcomes: vec![self.outcome(&study)?], ..NewOutcomes::default() },
        };
        let (new, known) = tell(&mut study, outcomes)?;
        let Counts { trials, pending, .. } = study.counts();
        if self.json {
            let told = json!({ "new": new, "known": known, "trials": trials, "pending": pending });
            return print_data(&format!("{told}\n"));
        }
        let skipped = if known > 0 { format!(", {known} already known") } else { String::new() };
        print(&format!("{new} told{skipped}; {} of {trials} trials have an outcome\n", trials - pending))
    }

    fn outcome(&self, study: &Study) -> Result<(u64, Outcome)> {
        let Some(trial) = self.trial else { return Err(miette!("--trial is missing")) };
        let outputs = &study.config().outputs;
        let outcome = match (&self.failed, self.value, self.variance) {
            (Some(reason), ..) => Outcome::failed(escaped(reason)),
            (None, Some(_), _) if outputs.len() > 1 => {
                let names: Vec<&str> = outputs.iter().map(|output| output.name.as_str()).collect();
                return Err(miette!(
                    help = "tell them as a table",
                    "a trial of this study has {} values: {}",
                    names.len(),
                    names.join(", ")
                ));
            }
            (None, Some(value), Some(variance)) => Outcome::noisy(value, variance),
            (None, Some(value), None) => Outcome::value(value),
            (None, None, _) => return Err(miette!("give --value or --failed")),
        };
        Ok((trial, outcome))
    }
}

/// Tells outcomes; returns how many outcomes are new, and how many were known.
fn tell(study: &mut Study, NewOutcomes { outcomes, known, points }: NewOutcomes) -> Result<(usize, usize)> {
    let new = study.tell_and_add(&outcomes, &points).map_err(|refused| refused.error).into_diagnostic()?;
    Ok((new, known + outcomes.len() + points.len() - new))
}
