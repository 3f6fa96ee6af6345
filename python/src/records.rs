//! Dimensions, outcomes and records of a study between Python and the library.

use crate::values::{Cell, cells, value};
use pyo3::prelude::*;
use spargo::space::{Choices, Dimension, Domain, IntRange, RealRange, Scale};
use spargo::study::{Outcome, Record, Trial};

/// A trial's number, its values, their noise variances, and the reason of a failure.
pub type EncodedOutcome = (u64, Option<Vec<f64>>, Option<Vec<Option<f64>>>, Option<String>);

/// An input: name, kind, bounds or labels, whether its scale is logarithmic, step, decimal places, unit.
pub type EncodedInput<'py> = (String, String, Bound<'py, PyAny>, bool, Option<f64>, Option<u32>, Option<String>);

/// An input from Python.
pub fn dimension(given: EncodedInput<'_>) -> PyResult<Dimension> {
    let (name, kind, what, log, step, digits, unit) = given;
    let scale = if log { Scale::Log } else { Scale::Linear };
    let domain = match kind.as_str() {
        "real" => {
            let (lower, upper) = what.extract()?;
            Domain::Real(RealRange { lower, upper, scale })
        }
        "int" => {
            let (lower, upper) = what.extract()?;
            Domain::Int(IntRange { lower, upper, scale })
        }
        _ => {
            let labels = what.try_iter()?.map(|label| value(&label?));
            Domain::Categorical(Choices(labels.collect::<PyResult<_>>()?))
        }
    };
    let dimension = Dimension { name, domain, unit };
    let dimension = step.into_iter().fold(dimension, Dimension::step);
    Ok(digits.into_iter().fold(dimension, Dimension::digits))
}

/// An outcome from values, noise variances and the reason of a failure.
pub fn outcome(values: Option<Vec<f64>>, noise: Option<Vec<Option<f64>>>, reason: Option<String>) -> Outcome {
    match (values, reason) {
        (Some(values), None) => Outcome::Observed { values, noise },
        (_, reason) => Outcome::failed(reason.unwrap_or_default()),
    }
}

/// A trial's number and point.
pub type EncodedTrial = (u64, Vec<Cell>);

/// A trial's number, ask, point, values, noise variances, and the reason of a failure.
pub type EncodedRecord = (u64, Option<u64>, Vec<Cell>, Option<Vec<f64>>, Option<Vec<Option<f64>>>, Option<String>);

/// Trials for Python.
pub fn encode_trials(trials: Vec<Trial>) -> Vec<EncodedTrial> {
    trials.iter().map(|trial| (trial.id, cells(&trial.point))).collect()
}

/// A record for Python.
pub fn encode_record(record: &Record) -> EncodedRecord {
    let (values, noise, reason) = match record.told.as_ref().map(|told| told.outcome.clone()) {
        None => (None, None, None),
        Some(Outcome::Failed { reason }) => (None, None, Some(reason)),
        Some(Outcome::Observed { values, noise }) => (Some(values), noise, None),
    };
    (record.trial.id, record.ask, cells(&record.trial.point), values, noise, reason)
}
