//! Benchmark problems and hypervolumes.

use crate::arrays::{matrix, table, vector};
use crate::heavy::heavy;
use numpy::{PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use spargo::Result;
use spargo::linalg::Mat;
use spargo::math::pareto;
use spargo::rng::{Purpose, stream};
use spargo_problems::{self as problems, multi_objective};

/// Name, bounds, minimum, minimisers, mean, standard deviation, noise variance, citation.
type Described = (&'static str, Vec<(f64, f64)>, f64, Vec<Vec<f64>>, f64, f64, f64, &'static str);

/// Name, inputs (name, integer, lower, upper), objectives (name, sign, reference, standard deviation), constraints (name,
/// upper bound), noise variance, citation.
type DescribedOutputs = (
    &'static str,
    Vec<(&'static str, bool, f64, f64)>,
    Vec<(&'static str, f64, f64, f64)>,
    Vec<(&'static str, f64)>,
    f64,
    &'static str,
);

/// Every problem with one output.
#[pyfunction]
pub fn list_problems() -> Vec<Described> {
    let describe = |problem: &problems::Problem| {
        let minimisers = problem.minimisers.iter().map(|point| point.to_vec()).collect();
        let bounds = problem.bounds.to_vec();
        let problems::Problem { name, minimum, mean, std, noise, citation, .. } = *problem;
        (name, bounds, minimum, minimisers, mean, std, noise, citation)
    };
    problems::ALL.into_iter().map(describe).collect()
}

/// Every problem with several outputs.
#[pyfunction]
pub fn list_multi_objective() -> Vec<DescribedOutputs> {
    let describe = |problem: &multi_objective::MultiObjectiveProblem| {
        let whole = |input: &multi_objective::Input| input.numbers == multi_objective::Numbers::Int;
        let inputs = problem.inputs.iter().map(|input| (input.name, whole(input), input.lower, input.upper));
        let sign = |direction| if direction == multi_objective::Direction::Maximize { 1.0 } else { -1.0 };
        let objectives = problem.objectives.iter().map(|one| (one.name, sign(one.direction), one.reference, one.std));
        let constraints = problem.constraints.iter().map(|one| (one.name, one.at_most)).collect();
        (problem.name, inputs.collect(), objectives.collect(), constraints, problem.noise, problem.citation)
    };
    multi_objective::ALL.into_iter().map(describe).collect()
}

/// Value of a problem at every row, to be minimised.
#[pyfunction]
pub fn evaluate<'py>(
    py: Python<'py>,
    name: &str,
    x: PyReadonlyArray2<'py, f64>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let x = matrix(&x);
    let values = heavy(py, || {
        let problem = problems::by_name(name)?;
        rows(&x).iter().map(|row| problem.value(row)).collect::<Result<Vec<f64>>>()
    })?;
    Ok(vector(py, values))
}

/// Scaled, noisy value of a problem at every row, to be maximised.
#[pyfunction]
pub fn observe<'py>(
    py: Python<'py>,
    name: &str,
    x: PyReadonlyArray2<'py, f64>,
    seed: u64,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let x = matrix(&x);
    let values = heavy(py, || {
        let problem = problems::by_name(name)?;
        let mut rng = stream(seed, Purpose::Data, 0, 0);
        rows(&x).iter().map(|row| problem.observe(row, &mut rng)).collect::<Result<Vec<f64>>>()
    })?;
    Ok(vector(py, values))
}

/// All outputs of a problem at every row: objectives, then constraints.
#[pyfunction]
pub fn evaluate_outputs<'py>(
    py: Python<'py>,
    name: &str,
    x: PyReadonlyArray2<'py, f64>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let x = matrix(&x);
    let values = heavy(py, || multi_objective::by_name(name)?.values(&rows(&x)))?;
    let columns = values.first().map_or(0, Vec::len);
    table(py, Mat::from_fn(values.len(), columns, |i, k| values[i][k]).as_ref())
}

/// Hypervolume that points dominate, relative to a reference, where outputs are to be maximised.
#[pyfunction]
pub fn hypervolume(
    py: Python<'_>,
    points: PyReadonlyArray2<'_, f64>,
    reference: PyReadonlyArray1<'_, f64>,
) -> PyResult<f64> {
    let (points, reference) = (matrix(&points), reference.as_array().to_vec());
    heavy(py, || pareto::hypervolume(&rows(&points), &reference))
}

/// Indices of the Pareto-optimal rows, where outputs are to be maximised.
#[pyfunction]
pub fn front(py: Python<'_>, points: PyReadonlyArray2<'_, f64>) -> PyResult<Vec<usize>> {
    let points = matrix(&points);
    heavy(py, || Ok(pareto::front(&rows(&points))))
}

fn rows(x: &Mat<f64>) -> Vec<Vec<f64>> {
    (0..x.nrows()).map(|i| (0..x.ncols()).map(|k| x[(i, k)]).collect()).collect()
}
