//! `--trial`, `--output`, `--value`, `--variance` and `--failed`: the outcome of one trial, for `tell` and `amend`.

use crate::io::csv::outcome_cells::{number, unreadable};
use crate::io::output::excerpt::escaped;
use crate::io::output::print::note;
use clap::Args;
use miette::{Result, miette};
use spargo::study::{Measurement, Outcome, Output, Study};

/// The outcome of one trial.
#[derive(Args)]
pub struct OutcomeArgs {
    /// Number of a trial
    #[arg(long, requires = "outcome")]
    pub trial: Option<u64>,
    /// The output that is meant, if the study has several
    #[arg(long, value_name = "NAME", requires = "trial")]
    output: Option<String>,
    /// Value of the trial; NaN if it could not be measured
    #[arg(long, group = "outcome", requires = "trial", allow_hyphen_values = true)]
    value: Option<String>,
    /// Noise variance of the value, if it is known
    #[arg(long, requires = "value", allow_hyphen_values = true)]
    variance: Option<f64>,
    /// Record as failed, for this reason
    #[arg(long, group = "outcome", requires = "trial", value_name = "REASON")]
    failed: Option<String>,
}

impl OutcomeArgs {
    /// The trial and its outcome; outputs that are not meant are pending in it.
    pub fn outcome(&self, study: &Study) -> Result<(u64, Outcome)> {
        let Some(trial) = self.trial else { return Err(miette!("--trial is missing")) };
        let outputs = &study.config().outputs;
        let named = self.output.as_ref().map(|name| output_number(study, name)).transpose()?;
        let measurement = match (&self.failed, &self.value) {
            (Some(reason), _) if named.is_none() => return Ok((trial, Outcome::failed(escaped(reason)))),
            (Some(reason), _) => Measurement::failed(escaped(reason)),
            (None, Some(_)) if named.is_none() && outputs.len() > 1 => {
                let names: Vec<&str> = outputs.iter().map(|output| output.name.as_str()).collect();
                let help = "say which one by --output, or give them all as a table";
                return Err(miette!(
                    help = help,
                    "a trial of this study has {} values: {}",
                    names.len(),
                    names.join(", ")
                ));
            }
            (None, Some(word)) => {
                let Output { name, goal, .. } = &outputs[named.unwrap_or(0)];
                let value = number(word, *goal)
                    .ok_or_else(|| miette!("--value: '{}' is {}", escaped(word), unreadable(*goal)))?;
                if !value.is_finite() {
                    note(&format!("--value {word} is no finite number: '{name}' of trial {trial} counts as failed"));
                }
                Measurement::Observed { value, variance: self.variance }
            }
            (None, None) => return Err(miette!("give --value or --failed")),
        };
        let mut measurements = vec![Measurement::Pending; outputs.len()];
        measurements[named.unwrap_or(0)] = measurement;
        Ok((trial, Outcome::Measured(measurements)))
    }
}

/// The number of the output with this name, counted from 0.
pub fn output_number(study: &Study, name: &str) -> Result<usize> {
    let outputs = &study.config().outputs;
    outputs.iter().position(|output| output.name == *name).ok_or_else(|| {
        let names: Vec<&str> = outputs.iter().map(|output| output.name.as_str()).collect();
        miette!("there is no output '{}': the outputs are {}", escaped(name), names.join(", "))
    })
}
