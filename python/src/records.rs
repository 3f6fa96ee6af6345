//! Dimensions, outcomes and records of a study between Python and the library.

use crate::values::{Cell, Points, cells, value};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use spargo::space::{
    Choices, Dimension, Domain, InputConstraint, IntRange, LabelColumn, ListedValues, OrdinalLabels, Point, RealRange,
    Scale, Space, Value, When,
};
use spargo::study::{Anywhere, ColumnUnit, HistoryEntry, Measurement, Note, Outcome, Record, Study, Trial};
use spargo::{Error, Result};

/// A value, its noise variance, and the reason of a failure; pending without a value and a reason.
pub type EncodedMeasurement = (Option<f64>, Option<f64>, Option<String>);

/// A trial's number, its outputs, and the reason if the trial failed as a whole.
pub type EncodedOutcome = (u64, Vec<EncodedMeasurement>, Option<String>);

/// Descriptors of labels: names of columns, and a row for each label.
pub type EncodedDescriptors = (Vec<String>, Vec<Vec<f64>>);

/// Where an input has a value: names of others, and the values that they must have one of.
pub type EncodedWhen<'py> = Vec<(String, Bound<'py, PyAny>)>;

/// An input: name, kind, bounds or labels, whether its scale is logarithmic, step, decimal places, unit, descriptors, condition, value
/// of past trials.
pub type EncodedInput<'py> = (
    String,
    String,
    Bound<'py, PyAny>,
    bool,
    Option<f64>,
    Option<u32>,
    Option<String>,
    Option<EncodedDescriptors>,
    Option<EncodedWhen<'py>>,
    Option<Bound<'py, PyAny>>,
);

/// The values of a list.
fn labels(list: &Bound<'_, PyAny>) -> PyResult<Vec<Value>> {
    list.try_iter()?.map(|label| value(&label?)).collect()
}

/// An input from Python.
fn dimension(given: EncodedInput<'_>) -> PyResult<Dimension> {
    let (name, kind, what, log, step, digits, unit, descriptors, when, past) = given;
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
        "choice" => Domain::Categorical(Choices(labels(&what)?)),
        "values" => Domain::Listed(ListedValues::new(labels(&what)?, scale)),
        "ordinal" => Domain::Ordinal(OrdinalLabels::new(labels(&what)?)),
        other => {
            let known = "real, int, values, ordinal or choice";
            let problem = format!("input '{name}' is of an unknown kind, '{other}': it must be {known}");
            return Err(PyValueError::new_err(problem));
        }
    };
    let past = past.map(|past| value(&past)).transpose()?;
    let one = |(name, values): (String, Bound<'_, PyAny>)| Ok((name, labels(&values)?));
    let when = when.map(|when| when.into_iter().map(one).collect::<PyResult<_>>().map(When)).transpose()?;
    let dimension = Dimension { name, domain, unit, past, when };
    let dimension = descriptors.into_iter().fold(dimension, |input, (columns, rows)| input.descriptors(columns, rows));
    let dimension = step.into_iter().fold(dimension, Dimension::step);
    Ok(digits.into_iter().fold(dimension, Dimension::digits))
}

/// Names of the columns and the rows of a table of candidates.
pub type EncodedTable = (Vec<String>, Points);

/// Names and texts of the label columns of candidates.
pub type Labels = Vec<(String, Vec<String>)>;

/// Inputs from Python.
pub fn dimensions(inputs: Vec<EncodedInput<'_>>) -> PyResult<Vec<Dimension>> {
    inputs.into_iter().map(dimension).collect()
}

/// A space of inputs, or of the candidates in a table, with constraints among its inputs.
pub fn space(
    inputs: Vec<Dimension>,
    candidates: Option<EncodedTable>,
    labels: Labels,
    constraints: Vec<InputConstraint>,
) -> Result<Space> {
    let labels = labels.into_iter().map(|(name, values)| LabelColumn { name, values }).collect();
    let space = match candidates {
        Some((names, rows)) if inputs.is_empty() => Space::from_labelled_table(&names, rows.into_values(), labels),
        Some((_, rows)) => Space::new(inputs)?.with_labelled_candidates(rows.into_values(), labels),
        None => Space::new(inputs),
    };
    space?.with_input_constraints(constraints)
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

/// A row of the table of candidates, or the texts of its labels, as far as they are known.
pub type EncodedCandidate = (Option<u64>, Vec<Option<String>>);

/// The points and the rows of candidates from the values of the inputs with these names, and from what is known of their rows.
pub fn identify(
    space: &Space,
    names: &[String],
    points: Vec<Point>,
    candidates: &[EncodedCandidate],
) -> Result<(Vec<Point>, Vec<Option<u64>>)> {
    let unknown = (None, Vec::new());
    let candidates = candidates.iter().chain(std::iter::repeat(&unknown));
    let identified = points.into_iter().zip(candidates).map(|(point, (row, labels))| {
        if let (Some(row), true) = (row, names.is_empty()) {
            return Ok((space.point_of(*row)?, Some(*row)));
        }
        if point.len() != names.len() {
            return Err(Error::Shape { what: "a point".into(), found: point.len(), expected: names.len() });
        }
        let input = |input: &Dimension| Some(point[names.iter().position(|name| *name == input.name)?].clone());
        let inputs: Vec<_> = space.dimensions().iter().map(input).collect();
        let labels: Vec<_> = labels.iter().map(Option::as_deref).collect();
        let (point, found) = space.identify(&inputs, &labels)?;
        Ok((point, row.or(found)))
    });
    identified.collect()
}

/// The name of an input or output, its unit, and the name of the table that says so.
pub type EncodedUnit = (String, String, String);

/// Units from Python.
pub fn column_units(units: Vec<EncodedUnit>) -> Vec<ColumnUnit> {
    units.into_iter().map(|(column, unit, source)| ColumnUnit { column, unit, source }).collect()
}

/// Refuses rows whose inputs with these names, or whose labels, are not those of the trials they name.
pub fn check_rows(
    study: &Study,
    trials: &[u64],
    names: &[String],
    points: &[Point],
    candidates: &[EncodedCandidate],
) -> Result<()> {
    let is_known = |value: &&Value| !matches!(value, Value::Null) && !matches!(value, Value::Real(x) if x.is_nan());
    for (index, (&trial, point)) in trials.iter().zip(points).enumerate() {
        let value = |input: &Dimension| point.get(names.iter().position(|name| *name == input.name)?);
        let inputs = study.config().space.dimensions().iter();
        let inputs: Vec<_> = inputs.map(|input| value(input).filter(is_known).cloned()).collect();
        let labels = candidates.get(index).map_or(&[][..], |(_, labels)| labels);
        let labels: Vec<_> = labels.iter().map(Option::as_deref).collect();
        study.check_row(index, trial, &inputs, &labels)?;
    }
    Ok(())
}

/// A trial's number, point and row.
pub type EncodedTrial = (u64, Vec<Cell>, EncodedRow);

/// A trial's number, ask, point, outputs, status and row.
pub type EncodedRecord = (u64, Option<u64>, Vec<Cell>, Vec<EncodedMeasurement>, &'static str, EncodedRow);

/// The model's optimum: point, row, mean, interval, number of its trial, and whether it is feasible.
pub type EncodedAnywhere = (Vec<Cell>, EncodedRow, f64, (f64, f64), Option<u64>, bool);

/// A change: trial, time, author, reason, kind, output or setting, and what it was before and is since.
pub type EncodedChange = (Option<u64>, u64, String, String, &'static str, String, String, String);

/// Trials for Python.
pub fn encode_trials(space: &Space, trials: &[Trial]) -> Vec<EncodedTrial> {
    trials.iter().map(|trial| (trial.id, cells(&trial.point), encode_row(space, trial.row))).collect()
}

fn encode_row(space: &Space, row: Option<u64>) -> EncodedRow {
    let labels = row.and_then(|row| space.labels(row)).unwrap_or_default();
    (row, labels.into_iter().map(|(name, text)| (name.into(), text.into())).collect())
}

/// A record for Python.
pub fn encode_record(space: &Space, record: &Record) -> EncodedRecord {
    let outputs = record.measurements().map(|m| (m.observed(), m.variance(), m.failure().map(String::from))).collect();
    let Record { trial, ask, .. } = record;
    (trial.id, *ask, cells(&trial.point), outputs, record.status().name(), encode_row(space, trial.row))
}

/// The model's optimum for Python.
pub fn encode_anywhere(space: &Space, anywhere: &Anywhere) -> EncodedAnywhere {
    let &Anywhere { ref point, row, mean, interval, trial, feasible } = anywhere;
    (cells(point), encode_row(space, row), mean, interval, trial, feasible)
}

/// A change for Python.
pub fn encode_change(entry: HistoryEntry) -> EncodedChange {
    let HistoryEntry { trial, note: Note { reason, by, time }, change, what, before, after } = entry;
    (trial, time, by, reason, change, what, before, after)
}
