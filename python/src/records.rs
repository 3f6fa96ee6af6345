//! Dimensions, outcomes and records of a study between Python and the library.

use crate::values::{Cell, cells, value};
use pyo3::prelude::*;
use spargo::space::{Choices, Dimension, Domain, IntRange, RealRange, Scale, Space};
use spargo::study::{Measurement, Note, Outcome, OutputChange, Record, Revision, Trial};

/// A value, its noise variance, and the reason of a failure; pending without a value and a reason.
pub type EncodedMeasurement = (Option<f64>, Option<f64>, Option<String>);

/// A trial's number, its outputs, and the reason if the trial failed as a whole.
pub type EncodedOutcome = (u64, Vec<EncodedMeasurement>, Option<String>);

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
    let dimension = Dimension { name, domain, unit, past: None };
    let dimension = step.into_iter().fold(dimension, Dimension::step);
    Ok(digits.into_iter().fold(dimension, Dimension::digits))
}

/// An outcome from its outputs, or from the reason of a failure.
pub fn outcome((_, outputs, reason): EncodedOutcome) -> Outcome {
    let one = |(value, variance, reason): EncodedMeasurement| match (value, reason) {
        (_, Some(reason)) => Measurement::Failed { reason },
        (Some(value), None) => Measurement::Observed { value, variance },
        (None, None) => Measurement::Pending,
    };
    reason.map_or_else(|| Outcome::Measured(outputs.into_iter().map(one).collect()), Outcome::failed)
}

/// A trial's row of the table of candidates, and the names and texts of its labels there.
pub type EncodedRow = (Option<u64>, Vec<(String, String)>);

/// A trial's number, point and row.
pub type EncodedTrial = (u64, Vec<Cell>, EncodedRow);

/// A trial's number, ask, point, outputs, status and row.
pub type EncodedRecord = (u64, Option<u64>, Vec<Cell>, Vec<EncodedMeasurement>, &'static str, EncodedRow);

/// What a correction changes of one output: trial, time, author, reason, kind, output, and what was known before and is since.
pub type EncodedChange = (u64, u64, String, String, &'static str, usize, String, String);

/// Trials for Python.
pub fn encode_trials(space: &Space, trials: &[Trial]) -> Vec<EncodedTrial> {
    trials.iter().map(|trial| (trial.id, cells(&trial.point), encode_row(space, trial))).collect()
}

fn encode_row(space: &Space, trial: &Trial) -> EncodedRow {
    let labels = trial.row.and_then(|row| space.labels(row)).unwrap_or_default();
    (trial.row, labels.into_iter().map(|(name, text)| (name.into(), text.into())).collect())
}

/// A record for Python.
pub fn encode_record(space: &Space, record: &Record) -> EncodedRecord {
    let outputs = record.measurements().map(|m| (m.observed(), m.variance(), m.failure().map(String::from))).collect();
    let Record { trial, ask, .. } = record;
    (trial.id, *ask, cells(&trial.point), outputs, record.status().name(), encode_row(space, trial))
}

/// One correction of a trial for Python, output by output.
pub fn encode_revision(trial: u64, revision: &Revision, outputs: usize) -> Vec<EncodedChange> {
    let Revision { note: Note { reason, by, time }, .. } = revision;
    let change = |k| {
        let OutputChange { kind, before, after } = revision.of_output(k)?;
        Some((trial, *time, by.clone(), reason.clone(), kind, k, before, after))
    };
    (0..outputs).filter_map(change).collect()
}
