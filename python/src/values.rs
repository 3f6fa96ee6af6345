//! Conversion of values and points between Python and the library.

use crate::arrays::Matrix;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyString};
use spargo::linalg::Mat;
use spargo::space::{Point, Value};

/// Points as they were given: a two-dimensional array of floats, or a list of lists.
pub enum Points {
    /// Plain numbers, [points, inputs].
    Numbers(Mat),
    /// Any values, one list per point.
    Values(Vec<Point>),
}

impl<'a, 'py> FromPyObject<'a, 'py> for Points {
    type Error = PyErr;

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(Matrix(x)) = given.extract() {
            return Ok(Points::Numbers(x));
        }
        let points = given.try_iter()?.map(|row| row?.try_iter()?.map(|one| value(&one?)).collect());
        Ok(Points::Values(points.collect::<PyResult<Vec<Point>>>()?))
    }
}

impl Points {
    /// Points with one value per input.
    pub fn into_values(self) -> Vec<Point> {
        match self {
            Points::Values(points) => points,
            Points::Numbers(x) => {
                let point = |i: usize| (0..x.ncols()).map(|k| Value::Real(x[(i, k)])).collect();
                (0..x.nrows()).map(point).collect()
            }
        }
    }
}

/// A value from Python.
pub fn value(given: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Ok(word) = given.cast::<PyString>() {
        return Ok(Value::Choice(word.extract()?));
    }
    if given.is_instance_of::<PyBool>() {
        return Ok(Value::Bool(given.extract()?));
    }
    if given.is_none() {
        return Ok(Value::Null);
    }
    if given.is_instance_of::<PyFloat>() {
        return Ok(Value::Real(given.extract()?));
    }
    let number = given.extract().map(Value::Int).or_else(|_| given.extract().map(Value::Real));
    number.map_err(|_| match given.get_type().name() {
        Ok(name) => PyTypeError::new_err(format!("a value must be a number, a string, a bool or None, not {name}")),
        Err(error) => error,
    })
}

/// A value that goes to Python.
#[derive(IntoPyObject)]
pub enum Cell {
    /// Always `None`.
    Null(Option<bool>),
    Bool(bool),
    Int(i64),
    Real(f64),
    Choice(String),
}

/// A point as a list.
pub fn cells(point: &[Value]) -> Vec<Cell> {
    let cell = |value: &Value| match value {
        Value::Null => Cell::Null(None),
        Value::Bool(truth) => Cell::Bool(*truth),
        Value::Int(i) => Cell::Int(*i),
        Value::Real(x) => Cell::Real(*x),
        Value::Choice(label) => Cell::Choice(label.clone()),
    };
    point.iter().map(cell).collect()
}
