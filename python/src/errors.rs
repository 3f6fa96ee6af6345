//! Errors as exceptions: one class of `spargo.errors` per variant of [`spargo::Error`], with the same message and fields.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use spargo::Error;

/// The exception for an error.
pub fn exception(py: Python<'_>, error: &Error) -> PyErr {
    build(py, error).unwrap_or_else(|error| error)
}

fn build(py: Python<'_>, error: &Error) -> PyResult<PyErr> {
    let fields = PyDict::new(py);
    let class = describe(error, &fields)?;
    let class = py.import("spargo.errors")?.getattr(class)?;
    let exception = class.call1((error.to_string(),))?;
    exception.getattr("__dict__")?.call_method1("update", (fields,))?;
    Ok(PyErr::from_value(exception))
}

/// Name of the class of an error; its fields go into the dictionary.
fn describe(error: &Error, fields: &Bound<'_, PyDict>) -> PyResult<&'static str> {
    match error {
        Error::Shape { what, found, expected } => {
            fields.set_item("what", what)?;
            fields.set_item("found", found)?;
            fields.set_item("expected", expected)?;
            Ok("ShapeError")
        }
        Error::Empty { what } => {
            fields.set_item("what", what)?;
            Ok("EmptyError")
        }
        Error::NonFinite { what, row, value } => {
            fields.set_item("what", what)?;
            fields.set_item("row", row)?;
            fields.set_item("value", value)?;
            Ok("NonFiniteError")
        }
        Error::Parameter { name, value, must } => {
            fields.set_item("name", name)?;
            fields.set_item("value", value)?;
            fields.set_item("must", must)?;
            Ok("ParameterError")
        }
        Error::Input { name, problem, remedy } => {
            fields.set_item("name", name)?;
            fields.set_item("problem", problem)?;
            fields.set_item("remedy", remedy)?;
            Ok("InputError")
        }
        Error::Value { input, value, allowed } => {
            fields.set_item("input", input)?;
            fields.set_item("value", value)?;
            fields.set_item("allowed", allowed)?;
            Ok("InputValueError")
        }
        Error::Candidate { row, error } => {
            fields.set_item("row", row)?;
            fields.set_item("error", exception(fields.py(), error).into_value(fields.py()))?;
            Ok("CandidateError")
        }
        Error::NotPositiveDefinite { size, jitter } => {
            fields.set_item("size", size)?;
            fields.set_item("jitter", jitter)?;
            Ok("NotPositiveDefiniteError")
        }
        Error::Exhausted { wanted, left } => {
            fields.set_item("wanted", wanted)?;
            fields.set_item("left", left)?;
            Ok("ExhaustedError")
        }
        Error::Unsupported { what, remedy } => {
            fields.set_item("what", what)?;
            fields.set_item("remedy", remedy)?;
            Ok("UnsupportedError")
        }
        Error::Retold { index, trial, told, now } => {
            fields.set_item("index", index)?;
            fields.set_item("trial", trial)?;
            fields.set_item("told", told)?;
            fields.set_item("now", now)?;
            Ok("RetoldError")
        }
        Error::UnknownTrial { index, trial, trials } => {
            fields.set_item("index", index)?;
            fields.set_item("trial", trial)?;
            fields.set_item("trials", trials)?;
            Ok("UnknownTrialError")
        }
        Error::Storage { path, cause, remedy } => {
            fields.set_item("path", path)?;
            fields.set_item("cause", cause)?;
            fields.set_item("remedy", remedy)?;
            Ok("StorageError")
        }
        Error::Interrupted => Ok("InterruptedCall"),
        _ => Ok("SpargoError"),
    }
}
