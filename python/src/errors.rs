//! Errors as exceptions: one class of `spargo.errors` per variant of [`spargo::Error`], with the same message and fields.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use spargo::Error;

/// The exception for an error.
pub fn exception(py: Python<'_>, error: &Error) -> PyErr {
    build(py, error).unwrap_or_else(|error| error)
}

/// Name of an exception's class, and a dictionary of variables by name.
macro_rules! describe {
    ($py:expr, $class:literal $(, $field:ident)*) => {{
        let fields = PyDict::new($py);
        $(fields.set_item(stringify!($field), $field)?;)*
        ($class, fields)
    }};
}

fn build(py: Python<'_>, error: &Error) -> PyResult<PyErr> {
    let (class, fields) = match error {
        Error::Shape { what, found, expected } => describe!(py, "ShapeError", what, found, expected),
        Error::Empty { what } => describe!(py, "EmptyError", what),
        Error::NonFinite { what, row, value } => describe!(py, "NonFiniteError", what, row, value),
        Error::Parameter { name, value, must } => describe!(py, "ParameterError", name, value, must),
        Error::Input { name, problem, remedy } => describe!(py, "InputError", name, problem, remedy),
        Error::Value { input, value, allowed } => describe!(py, "InputValueError", input, value, allowed),
        Error::InputConstraint { number, error } => {
            let error = exception(py, error);
            describe!(py, "InputConstraintError", number, error)
        }
        Error::Candidate { row, error } => {
            let error = exception(py, error);
            describe!(py, "CandidateError", row, error)
        }
        Error::NotPositiveDefinite { size, jitter } => describe!(py, "NotPositiveDefiniteError", size, jitter),
        Error::Exhausted { wanted, left } => describe!(py, "ExhaustedError", wanted, left),
        Error::Unsupported { what, remedy } => describe!(py, "UnsupportedError", what, remedy),
        Error::Discarded { index, trial } => describe!(py, "DiscardedError", index, trial),
        Error::Retold { index, trial, told, now } => describe!(py, "RetoldError", index, trial, told, now),
        Error::UnknownTrial { index, trial, trials } => describe!(py, "UnknownTrialError", index, trial, trials),
        Error::OtherPoint { index, trial, column, asked, found } => {
            describe!(py, "OtherPointError", index, trial, column, asked, found)
        }
        Error::NoLogarithm { of, output, value } => describe!(py, "NoLogarithmError", of, output, value),
        Error::OtherSettings { path, field, before, after } => {
            describe!(py, "OtherSettingsError", path, field, before, after)
        }
        Error::Storage { path, cause, remedy } => describe!(py, "StorageError", path, cause, remedy),
        Error::Interrupted => describe!(py, "InterruptedCall"),
        _ => describe!(py, "SpargoError"),
    };
    let exception = py.import("spargo.errors")?.getattr(class)?.call1((error.to_string(),))?;
    exception.getattr("__dict__")?.call_method1("update", (fields,))?;
    Ok(PyErr::from_value(exception))
}
