//! Conversion between NumPy's arrays and matrices.

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2};
use pyo3::prelude::*;
use spargo::linalg::{Mat, MatRef};

/// A matrix (column-major) from an array.
pub fn matrix(array: &PyReadonlyArray2<'_, f64>) -> Mat<f64> {
    let array = array.as_array();
    Mat::from_fn(array.nrows(), array.ncols(), |i, k| array[(i, k)])
}

/// An array that takes over a vector.
pub fn vector(py: Python<'_>, values: Vec<f64>) -> Bound<'_, PyArray1<f64>> {
    values.into_pyarray(py)
}

/// An array with the rows of a matrix.
pub fn table<'py>(py: Python<'py>, values: MatRef<'_, f64>) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (rows, columns) = (values.nrows(), values.ncols());
    let flat: Vec<f64> = (0..rows).flat_map(|i| (0..columns).map(move |k| values[(i, k)])).collect();
    flat.into_pyarray(py).reshape([rows, columns])
}
