//! Outcomes of trials: what comes back, output by output, at once or one after the other.

use super::goal::Output;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;

/// What is known of one output of a trial.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(from = "MeasurementForm", into = "MeasurementForm")]
pub enum Measurement {
    /// Nothing yet.
    #[default]
    Pending,
    /// It was measured.
    Observed {
        /// The value, which is finite.
        value: f64,
        /// The noise variance of the value where it is known; where it is `None` it is learned.
        variance: Option<f64>,
    },
    /// It could not be measured: an error, a timeout, a result that is no number.
    Failed {
        /// Why, in words.
        reason: String,
    },
}

/// What came back from a trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "OutcomeForm", rename_all = "kebab-case")]
pub enum Outcome {
    /// One measurement for each output of the study; what is pending may be told later.
    Measured(Vec<Measurement>),
    /// Nothing can be measured any more: whatever is pending failed.
    Failed {
        /// Why, in words.
        reason: String,
    },
}

/// A measurement as JSON: `71.3`, `{"value": 71.3, "variance": 0.4}`, `{"failed": "the vial broke"}` or null.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum MeasurementForm {
    Pending,
    Value(f64),
    Noisy { value: f64, variance: f64 },
    Failed { failed: String },
}

impl From<MeasurementForm> for Measurement {
    fn from(form: MeasurementForm) -> Self {
        match form {
            MeasurementForm::Pending => Measurement::Pending,
            MeasurementForm::Value(value) => Measurement::Observed { value, variance: None },
            MeasurementForm::Noisy { value, variance } => Measurement::Observed { value, variance: Some(variance) },
            MeasurementForm::Failed { failed: reason } => Measurement::Failed { reason },
        }
    }
}

impl From<Measurement> for MeasurementForm {
    fn from(measurement: Measurement) -> Self {
        match measurement {
            Measurement::Pending => MeasurementForm::Pending,
            Measurement::Observed { value, variance: None } => MeasurementForm::Value(value),
            Measurement::Observed { value, variance: Some(variance) } => MeasurementForm::Noisy { value, variance },
            Measurement::Failed { reason: failed } => MeasurementForm::Failed { failed },
        }
    }
}

/// An outcome as JSON; files up to format 2 have all values of a trial or none.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum OutcomeForm {
    Measured(Vec<Measurement>),
    Failed {
        reason: String,
    },
    Observed {
        values: Vec<f64>,
        #[serde(default)]
        noise: Option<Vec<Option<f64>>>,
    },
}

impl TryFrom<OutcomeForm> for Outcome {
    type Error = String;

    fn try_from(form: OutcomeForm) -> std::result::Result<Self, String> {
        match form {
            OutcomeForm::Measured(measurements) => Ok(Outcome::Measured(measurements)),
            OutcomeForm::Failed { reason } => Ok(Outcome::Failed { reason }),
            OutcomeForm::Observed { values, noise: None } => Ok(Outcome::values(values)),
            OutcomeForm::Observed { values, noise: Some(noise) } if values.len() == noise.len() => {
                Ok(Outcome::with_variances(values, noise))
            }
            OutcomeForm::Observed { .. } => Err("there is not one noise variance per value".into()),
        }
    }
}

impl Measurement {
    /// A value whose noise variance is not known.
    pub fn value(value: f64) -> Self {
        Measurement::Observed { value, variance: None }
    }

    /// A failure.
    pub fn failed(reason: impl Into<String>) -> Self {
        Measurement::Failed { reason: reason.into() }
    }

    /// The value that was observed, if one was.
    pub fn observed(&self) -> Option<f64> {
        if let Measurement::Observed { value, .. } = self { Some(*value) } else { None }
    }

    /// The noise variance of the value, if it is known.
    pub fn variance(&self) -> Option<f64> {
        if let Measurement::Observed { variance, .. } = self { *variance } else { None }
    }

    /// Whether nothing is known yet.
    pub fn is_pending(&self) -> bool {
        *self == Measurement::Pending
    }

    /// Why it could not be measured, if it could not.
    pub fn failure(&self) -> Option<&str> {
        if let Measurement::Failed { reason } = self { Some(reason) } else { None }
    }

    /// Whether it could not be measured.
    pub fn is_failed(&self) -> bool {
        self.failure().is_some()
    }

    /// Whether `later` says nothing else: failed is failed, whatever the reason, and a variance may be left out.
    pub(super) fn agrees_with(&self, later: &Self) -> bool {
        match (self, later) {
            (Measurement::Failed { .. }, Measurement::Failed { .. }) => true,
            (Measurement::Observed { value, .. }, Measurement::Observed { value: later, variance: None }) => {
                value == later
            }
            _ => self == later,
        }
    }

    /// The measurement as it is recorded: failed if its value is not finite; `which` is what the reason calls it.
    ///
    /// Refuses a noise variance that is not positive and finite; `of` tells the user which trial's.
    fn settled(&self, which: &str, of: &str) -> Result<Self> {
        let Measurement::Observed { value, variance } = self else { return Ok(self.clone()) };
        if !value.is_finite() {
            return Ok(Measurement::failed(format!("{which} is {value}")));
        }
        match variance.filter(|v| !(v.is_finite() && *v > 0.0)) {
            None => Ok(self.clone()),
            Some(wrong) => {
                let must = "positive and finite; leave it out to learn it";
                Err(Error::parameter(format!("the noise variance of {of}"), wrong, must))
            }
        }
    }
}

impl fmt::Display for Measurement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Measurement::Pending => f.write_str("pending"),
            Measurement::Observed { value, variance: None } => value.fmt(f),
            Measurement::Observed { value, variance: Some(variance) } => {
                write!(f, "{value} with noise variance {variance}")
            }
            Measurement::Failed { reason } => write!(f, "failed ({reason})"),
        }
    }
}

impl Outcome {
    /// The value of a study with one output.
    pub fn value(value: f64) -> Self {
        Outcome::values([value])
    }

    /// One value for each output.
    pub fn values(values: impl IntoIterator<Item = f64>) -> Self {
        Outcome::Measured(values.into_iter().map(Measurement::value).collect())
    }

    /// The value of a study with one output, with a known noise variance.
    pub fn noisy(value: f64, variance: f64) -> Self {
        Outcome::with_variances([value], [Some(variance)])
    }

    /// One value for each output, with its noise variance where that is known.
    pub fn with_variances(
        values: impl IntoIterator<Item = f64>,
        variances: impl IntoIterator<Item = Option<f64>>,
    ) -> Self {
        let observed = |(value, variance)| Measurement::Observed { value, variance };
        Outcome::Measured(values.into_iter().zip(variances).map(observed).collect())
    }

    /// A failure.
    pub fn failed(reason: impl Into<String>) -> Self {
        Outcome::Failed { reason: reason.into() }
    }

    /// Whether it says nothing yet.
    pub fn is_pending(&self) -> bool {
        matches!(self, Outcome::Measured(measurements) if measurements.iter().all(Measurement::is_pending))
    }

    /// The value of every output, if all were observed.
    pub fn observed(&self) -> Option<Vec<f64>> {
        let Outcome::Measured(measurements) = self else { return None };
        measurements.iter().map(Measurement::observed).collect()
    }

    /// Why nothing was measured, if nothing was.
    pub fn failure(&self) -> Option<&str> {
        match self {
            Outcome::Failed { reason } => Some(reason),
            Outcome::Measured(measurements) => {
                let all = measurements.iter().all(Measurement::is_failed);
                measurements.first().filter(|_| all).and_then(Measurement::failure)
            }
        }
    }

    /// The outcome as it is recorded: a value that is not finite is a failure of its output, one of these.
    ///
    /// Refuses noise variances that are not positive and finite; `of` tells the user which trial's.
    pub(super) fn settled(&self, of: &str, outputs: &[Output]) -> Result<Self> {
        let Outcome::Measured(measurements) = self else { return Ok(self.clone()) };
        let settled = outputs.iter().zip(measurements).map(|(output, one)| match outputs {
            [_] => one.settled("the outcome", of),
            _ => one.settled(&format!("'{}'", output.name), of),
        });
        Ok(Outcome::Measured(settled.collect::<Result<_>>()?))
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Failed { reason } => write!(f, "failed ({reason})"),
            Outcome::Measured(measurements) => f.write_str(&in_words(measurements)),
        }
    }
}

/// Measurements of a trial, one after the other.
pub(super) fn in_words(measurements: &[Measurement]) -> String {
    measurements.iter().map(Measurement::to_string).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::super::goal::Goal;
    use super::*;

    #[test]
    fn what_is_no_number_failed() {
        let outputs = ["yield", "cost"].map(|name| Output::new(name, Goal::Maximize));
        let settled =
            |values: &[f64]| Outcome::values(values.to_vec()).settled("trial 7", &outputs[..values.len()]).unwrap();
        assert_eq!(settled(&[f64::NAN]).failure(), Some("the outcome is NaN"));
        assert_eq!(settled(&[f64::NEG_INFINITY]).failure(), Some("the outcome is -inf"));
        let mixed = [Measurement::value(1.0), Measurement::failed("'cost' is inf")];
        assert_eq!(settled(&[1.0, f64::INFINITY]), Outcome::Measured(mixed.into()));
        assert_eq!(settled(&[-0.5]), Outcome::value(-0.5));
    }

    #[test]
    fn noise_variances_are_positive_and_finite() {
        let outputs = [Output::new("yield", Goal::Maximize)];
        assert_eq!(Outcome::noisy(1.0, 0.5).settled("trial 7", &outputs), Ok(Outcome::noisy(1.0, 0.5)));
        for variance in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let refused = Outcome::noisy(1.0, variance).settled("trial 7", &outputs);
            assert!(matches!(refused, Err(Error::Parameter { .. })), "{variance}");
        }
    }

    #[test]
    fn outcomes_have_words_and_json() {
        let mixed = vec![
            Measurement::value(1.5),
            Measurement::Pending,
            Measurement::Observed { value: 2.0, variance: Some(0.25) },
            Measurement::failed("broken"),
        ];
        for (outcome, words, json) in [
            (Outcome::value(1.5), "1.5", r#"{"measured":[1.5]}"#),
            (
                Outcome::Measured(mixed),
                "1.5, pending, 2 with noise variance 0.25, failed (broken)",
                r#"{"measured":[1.5,null,{"value":2.0,"variance":0.25},{"failed":"broken"}]}"#,
            ),
            (Outcome::failed("timeout"), "failed (timeout)", r#"{"failed":{"reason":"timeout"}}"#),
        ] {
            assert_eq!(outcome.to_string(), words);
            assert_eq!(serde_json::to_string(&outcome).unwrap(), json);
            assert_eq!(serde_json::from_str::<Outcome>(json).unwrap(), outcome);
        }
        let before = r#"{"observed":{"values":[1.0,2.0],"noise":[null,0.5]}}"#;
        let after = [Measurement::value(1.0), Measurement::Observed { value: 2.0, variance: Some(0.5) }];
        assert_eq!(serde_json::from_str::<Outcome>(before).unwrap(), Outcome::Measured(after.into()));
    }
}
