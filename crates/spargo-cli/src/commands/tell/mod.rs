//! `spargo tell`: outcomes of trials, one by one or as a table.

mod table;

use crate::io::output::excerpt::escaped;
use crate::io::output::print::print;
use crate::io::output::summary::Counts;
use crate::io::place::existing;
use clap::Args;
use miette::{IntoDiagnostic, Result, miette};
use spargo::study::{Outcome, Study};
use std::path::PathBuf;
use table::Told;

/// Arguments of `spargo tell`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  spargo tell coupling.db --trial 7 --value 71.3
  spargo tell coupling.db --trial 7 --value 71.3 --variance 0.4      the variance of its noise is known
  spargo tell coupling.db --trial 8 --failed 'the vial broke'
  spargo tell coupling.db results.csv                                all of it or, if a row is refused, nothing

Columns of a table: trial, a column for each output, and, if there are such, the inputs, status and reason. An empty cell or
NaN is a failed trial; rows with the status pending are passed over. Rows without a number are points of their own and
need all inputs; told again they are told twice. A trial that is told the same again is passed over, another outcome is
refused.")]
pub struct Tell {
    /// A study file, or a study's database
    study: PathBuf,
    /// A CSV file of results
    #[arg(conflicts_with_all = ["trial", "outcome", "variance"], required_unless_present = "trial")]
    results: Option<PathBuf>,
    /// The number of a trial
    #[arg(long, requires = "outcome")]
    trial: Option<u64>,
    /// Its value; NaN if it failed
    #[arg(long, group = "outcome", requires = "trial", allow_negative_numbers = true)]
    value: Option<f64>,
    /// The variance of its noise, if it is known
    #[arg(long, requires = "value")]
    variance: Option<f64>,
    /// That it failed, and why
    #[arg(long, group = "outcome", requires = "trial", value_name = "REASON")]
    failed: Option<String>,
}

impl Tell {
    pub fn run(self) -> Result<()> {
        let mut place = existing(&self.study)?;
        let (new, again) = match &self.results {
            Some(path) => {
                let told = table::read(path, &place.study)?;
                tell(&mut place.study, told)?
            }
            None => {
                let outcomes = [self.outcome(&place.study)?];
                let new = place.study.tell(&outcomes).into_diagnostic()?;
                (new, 1 - new)
            }
        };
        let Counts { trials, pending, .. } = Counts::of(&place);
        let passed_over = if again > 0 { format!(", {again} were known") } else { String::new() };
        print(&format!("{new} told{passed_over}; {} of {trials} trials have an outcome\n", trials - pending))
    }

    fn outcome(&self, study: &Study) -> Result<(u64, Outcome)> {
        let Some(trial) = self.trial else { return Err(miette!("--trial is missing")) };
        let outputs = &study.config().outputs;
        let outcome = match (&self.failed, self.value, self.variance) {
            (Some(reason), ..) => Outcome::failed(escaped(reason)),
            (None, Some(_), _) if outputs.len() > 1 => {
                let names: Vec<&str> = outputs.iter().map(|output| output.name.as_str()).collect();
                return Err(miette!(
                    help = "tell a table",
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

/// How many outcomes are new, and how many were known; the table has been checked.
fn tell(study: &mut Study, Told { outcomes, known, points }: Told) -> Result<(usize, usize)> {
    let new = study.tell(&outcomes).into_diagnostic()?;
    // Last, as it is the only one that may not be repeated.
    if !points.is_empty() {
        study.add(&points).into_diagnostic()?;
    }
    Ok((new + points.len(), known + outcomes.len() - new))
}
