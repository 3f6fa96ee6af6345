//! Conversion of values and points between Python and the library.

use crate::arrays::matrix;
use numpy::PyReadonlyArray2;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyList, PyString};
use spargo::linalg::Mat;
use spargo::space::{Point, Value};

/// Points as they were given: plain numbers, or any values.
pub enum Points {
    /// Plain numbers, [points, inputs].
    Numbers(Mat<f64>),
    /// Any values, one list per point.
    Values(Vec<Point>),
}

impl Points {
    /// Points from a two-dimensional array of floats, or a list of lists.
    pub fn new(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(array) = given.extract::<PyReadonlyArray2<'_, f64>>() {
            return Ok(Points::Numbers(matrix(&array)));
        }
        let points = given.try_iter()?.map(|row| row?.try_iter()?.map(|one| value(&one?)).collect());
        Ok(Points::Values(points.collect::<PyResult<Vec<Point>>>()?))
    }

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

fn value(given: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Ok(word) = given.cast::<PyString>() {
        return Ok(Value::Choice(word.extract()?));
    }
    if given.is_instance_of::<PyBool>() {
        return Ok(Value::Choice(given.str()?.extract()?));
    }
    if given.is_instance_of::<PyFloat>() {
        return Ok(Value::Real(given.extract()?));
    }
    let number = given.extract().map(Value::Int).or_else(|_| given.extract().map(Value::Real));
    number.map_err(|_| match given.get_type().name() {
        Ok(name) => PyTypeError::new_err(format!("a value must be a number or a string, not {name}")),
        Err(error) => error,
    })
}

/// A point as a list.
pub fn to_list<'py>(py: Python<'py>, point: &[Value]) -> PyResult<Bound<'py, PyList>> {
    let one = |value: &Value| match value {
        Value::Int(i) => i.into_pyobject(py).map(|i| i.into_any()).map_err(PyErr::from),
        Value::Real(x) => x.into_pyobject(py).map(|x| x.into_any()).map_err(PyErr::from),
        Value::Choice(word) => word.into_pyobject(py).map(|word| word.into_any()).map_err(PyErr::from),
    };
    PyList::new(py, point.iter().map(one).collect::<PyResult<Vec<_>>>()?)
}
