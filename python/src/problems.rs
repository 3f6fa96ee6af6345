//! Benchmark problems and hypervolumes.

use crate::arrays::{Matrix, Vector};
use crate::errors::exception;
use crate::heavy::heavy;
use crate::settings::{Json, json};
use pyo3::prelude::*;
use spargo::Result;
use spargo::linalg::Mat;
use spargo::math::pareto;
use spargo::rng::{Purpose, stream};
use spargo_problems::{self as problems, multi_objective};

/// Every problem with one output.
#[pyfunction]
pub fn list_problems(py: Python<'_>) -> PyResult<Json> {
    json(&problems::ALL).map_err(|error| exception(py, &error))
}

/// Every problem with several outputs.
#[pyfunction]
pub fn list_multi_objective(py: Python<'_>) -> PyResult<Json> {
    json(&multi_objective::ALL).map_err(|error| exception(py, &error))
}

/// Value of a problem at every row, to be minimised.
#[pyfunction]
pub fn evaluate(py: Python<'_>, name: &str, x: Matrix) -> PyResult<Vector> {
    heavy(py, || {
        let problem = problems::by_name(name)?;
        rows(&x).iter().map(|row| problem.value(row)).collect::<Result<_>>().map(Vector)
    })
}

/// Scaled, noisy value of a problem at every row, to be maximised.
#[pyfunction]
pub fn observe(py: Python<'_>, name: &str, x: Matrix, seed: u64) -> PyResult<Vector> {
    heavy(py, || {
        let problem = problems::by_name(name)?;
        let mut rng = stream(seed, Purpose::Data, 0, 0);
        rows(&x).iter().map(|row| problem.observe(row, &mut rng)).collect::<Result<_>>().map(Vector)
    })
}

/// All outputs of a problem at every row: objectives, then constraints.
#[pyfunction]
pub fn evaluate_outputs(py: Python<'_>, name: &str, x: Matrix) -> PyResult<Matrix> {
    heavy(py, || {
        let values = multi_objective::by_name(name)?.values(&rows(&x))?;
        let columns = values.first().map_or(0, Vec::len);
        Ok(Matrix(Mat::from_fn(values.len(), columns, |i, k| values[i][k])))
    })
}

/// Hypervolume that points dominate, relative to a reference, where outputs are to be maximised.
#[pyfunction]
pub fn hypervolume(py: Python<'_>, points: Matrix, reference: Vector) -> PyResult<f64> {
    heavy(py, || pareto::hypervolume(&rows(&points), &reference.0))
}

fn rows(Matrix(x): &Matrix) -> Vec<Vec<f64>> {
    (0..x.nrows()).map(|i| (0..x.ncols()).map(|k| x[(i, k)]).collect()).collect()
}
