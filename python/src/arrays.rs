//! Matrices and vectors that cross as NumPy's arrays.

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use spargo::linalg::Mat;
use std::convert::Infallible;

/// A matrix (column-major) that crosses as a two-dimensional array.
pub struct Matrix(pub Mat);

/// Numbers that cross as a one-dimensional array.
pub struct Vector(pub Vec<f64>);

impl<'a, 'py> FromPyObject<'a, 'py> for Matrix {
    type Error = PyErr;

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let array: PyReadonlyArray2<'py, f64> = given.extract()?;
        let array = array.as_array();
        Ok(Matrix(Mat::from_fn(array.nrows(), array.ncols(), |i, k| array[(i, k)])))
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for Vector {
    type Error = PyErr;

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let array: PyReadonlyArray1<'py, f64> = given.extract()?;
        Ok(Vector(array.as_array().to_vec()))
    }
}

impl<'py> IntoPyObject<'py> for Matrix {
    type Target = PyArray2<f64>;
    type Output = Bound<'py, PyArray2<f64>>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        let values = self.0.as_ref();
        let (rows, columns) = (values.nrows(), values.ncols());
        let flat: Vec<f64> = (0..rows).flat_map(|i| (0..columns).map(move |k| values[(i, k)])).collect();
        flat.into_pyarray(py).reshape([rows, columns])
    }
}

impl<'py> IntoPyObject<'py> for Vector {
    type Target = PyArray1<f64>;
    type Output = Bound<'py, PyArray1<f64>>;
    type Error = Infallible;

    fn into_pyobject(self, py: Python<'py>) -> Result<Self::Output, Infallible> {
        Ok(self.0.into_pyarray(py))
    }
}
