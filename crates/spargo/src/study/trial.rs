//! Trials and their outcomes: what is asked for, and what comes back.

use crate::error::{Error, Result};
use crate::space::Point;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A point to be evaluated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// Its number: trials count from 1 in the order in which they were committed.
    pub id: u64,
    /// Where to evaluate.
    pub point: Point,
}

/// A point that a study refuses among several.
#[derive(Debug, Clone, PartialEq)]
pub struct Refused {
    /// Its place among the points, counted from 0.
    pub index: usize,
    /// What is wrong with it, or with all of them.
    pub error: Error,
}

/// What came back from a trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It was evaluated.
    Observed {
        /// One value for each output of the study.
        values: Vec<f64>,
        /// The noise variance of each value where it is known; where it is `None` it is learned.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        noise: Option<Vec<Option<f64>>>,
    },
    /// It was not: an error, a timeout, a result that is no number.
    Failed {
        /// Why, in words.
        reason: String,
    },
}

impl Outcome {
    /// The value of a study with one output.
    pub fn value(value: f64) -> Self {
        Outcome::Observed { values: vec![value], noise: None }
    }

    /// The value of a study with one output, with a known noise variance.
    pub fn noisy(value: f64, variance: f64) -> Self {
        Outcome::Observed { values: vec![value], noise: Some(vec![Some(variance)]) }
    }

    /// A failure.
    pub fn failed(reason: impl Into<String>) -> Self {
        Outcome::Failed { reason: reason.into() }
    }

    /// The outcome as it is recorded: failed if a value is not finite; `noise` only if one of its variances is known.
    ///
    /// Refuses an empty list of values, and noise variances that are not positive and finite or not one per value; `of`
    /// tells the user which trial's.
    pub fn settled(&self, of: impl fmt::Display) -> Result<Self> {
        let Outcome::Observed { values, noise } = self else { return Ok(self.clone()) };
        if values.is_empty() {
            return Err(Error::parameter(format!("the number of values of {of}"), 0.0, "one for each output"));
        }
        if let Some(bad) = values.iter().position(|value| !value.is_finite()) {
            let which = if values.len() == 1 { "the outcome".into() } else { format!("output {}", bad + 1) };
            return Ok(Outcome::failed(format!("{which} is {}", values[bad])));
        }
        let noise = noise.as_ref().filter(|noise| !noise.iter().all(Option::is_none));
        noise.map_or(Ok(()), |noise| check_noise(noise, values.len(), of))?;
        Ok(Outcome::Observed { values: values.clone(), noise: noise.cloned() })
    }

    /// Whether both settled outcomes say the same of a trial; failed is failed, whatever the reason.
    pub fn agrees_with(&self, other: &Self) -> bool {
        match (self, other) {
            (Outcome::Failed { .. }, Outcome::Failed { .. }) => true,
            _ => self == other,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Failed { reason } => write!(f, "failed ({reason})"),
            Outcome::Observed { values, noise } => {
                f.write_str(&list(values.iter().map(f64::to_string)))?;
                let Some(noise) = noise else { return Ok(()) };
                let known = noise.iter().map(|v| v.map_or("unknown".into(), |v| v.to_string()));
                write!(f, " with noise variance {}", list(known))
            }
        }
    }
}

fn check_noise(noise: &[Option<f64>], values: usize, of: impl fmt::Display) -> Result<()> {
    if noise.len() != values {
        let what = format!("the list of noise variances of {of}");
        return Err(Error::Shape { what, found: noise.len(), expected: values });
    }
    let wrong = noise.iter().flatten().find(|v| !(v.is_finite() && **v > 0.0));
    let must = "positive and finite; leave it out to learn it";
    wrong.map_or(Ok(()), |&value| Err(Error::parameter(format!("the noise variance of {of}"), value, must)))
}

fn list(words: impl Iterator<Item = String>) -> String {
    words.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_failed() {
        let reason =
            |values: &[f64]| match (Outcome::Observed { values: values.into(), noise: None }).settled("trial 7") {
                Ok(Outcome::Failed { reason }) => reason,
                other => panic!("{other:?}"),
            };
        assert_eq!(reason(&[f64::NAN]), "the outcome is NaN");
        assert_eq!(reason(&[f64::NEG_INFINITY]), "the outcome is -inf");
        assert_eq!(reason(&[1.0, f64::INFINITY, f64::NAN]), "output 2 is inf");
        assert_eq!(Outcome::value(-0.5).settled("trial 7"), Ok(Outcome::value(-0.5)));
    }

    #[test]
    fn noise_is_checked_and_dropped_if_nothing_is_known() {
        let with = |noise: &[Option<f64>]| {
            Outcome::Observed { values: vec![1.0, 2.0], noise: Some(noise.to_vec()) }.settled("trial 7")
        };
        assert_eq!(with(&[None, None]), Ok(Outcome::Observed { values: vec![1.0, 2.0], noise: None }));
        let known = vec![None, Some(0.5)];
        assert_eq!(with(&known), Ok(Outcome::Observed { values: vec![1.0, 2.0], noise: Some(known) }));
        assert!(matches!(with(&[Some(1.0)]), Err(Error::Shape { found: 1, expected: 2, .. })));
        for variance in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(with(&[None, Some(variance)]), Err(Error::Parameter { .. })), "{variance}");
        }
        let nothing = Outcome::Observed { values: vec![], noise: None }.settled("trial 7");
        assert_eq!(nothing.unwrap_err().to_string(), "the number of values of trial 7 = 0 must be one for each output");
    }

    #[test]
    fn outcomes_have_words_and_json() {
        for (outcome, words, json) in [
            (Outcome::value(1.5), "1.5", r#"{"observed":{"values":[1.5]}}"#),
            (
                Outcome::noisy(2.0, 0.25),
                "2 with noise variance 0.25",
                r#"{"observed":{"values":[2.0],"noise":[0.25]}}"#,
            ),
            (Outcome::failed("timeout"), "failed (timeout)", r#"{"failed":{"reason":"timeout"}}"#),
        ] {
            assert_eq!(outcome.to_string(), words);
            assert_eq!(serde_json::to_string(&outcome).unwrap(), json);
            assert_eq!(serde_json::from_str::<Outcome>(json).unwrap(), outcome);
        }
    }
}
