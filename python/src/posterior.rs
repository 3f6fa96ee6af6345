//! Posteriors and paths in the user's units.

use crate::arrays::{table, vector};
use crate::frame::Frame;
use crate::heavy::heavy;
use crate::values::Points;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use spargo::model::{Posterior as Model, Prediction};
use spargo::rng::StepRng;
use spargo::sample::{Paths as Sampled, SamplingOptions};
use std::sync::Arc;

/// A posterior in the user's units.
#[pyclass(frozen, module = "spargo._spargo")]
pub struct Posterior {
    pub model: Arc<Model>,
    pub frame: Arc<Frame>,
}

/// Functions drawn from a posterior, in the user's units.
#[pyclass(frozen, module = "spargo._spargo")]
pub struct Paths {
    sampled: Arc<Sampled>,
    frame: Arc<Frame>,
}

type Array1<'py> = Bound<'py, PyArray1<f64>>;
type Array2<'py> = Bound<'py, PyArray2<f64>>;

#[pymethods]
impl Posterior {
    /// Mean and variance of f at each point.
    fn predict<'py>(&self, py: Python<'py>, points: &Bound<'py, PyAny>) -> PyResult<(Array1<'py>, Array1<'py>)> {
        let points = Points::new(points)?;
        let (mean, variance) = heavy(py, || {
            let Prediction { mean, variance } = self.model.predict(self.frame.place(points)?.z.as_ref())?;
            let moments = mean.into_iter().zip(variance).map(|(mean, v)| self.frame.moments(mean, v));
            Ok(moments.unzip::<_, _, Vec<f64>, Vec<f64>>())
        })?;
        Ok((vector(py, mean), vector(py, variance)))
    }

    /// Functions drawn from the posterior, with the numbers from `first` on.
    fn sample_paths(&self, py: Python<'_>, first: usize, count: usize, features: usize, seed: u64) -> PyResult<Paths> {
        let settings = SamplingOptions { features, ..SamplingOptions::default() };
        let sampled =
            heavy(py, || Sampled::draw(&self.model, first..first + count, &settings, StepRng { seed, step: 0 }))?;
        Ok(Paths { sampled: Arc::new(sampled), frame: self.frame.clone() })
    }

    /// Number of inducing points, or of data if the posterior is exact.
    fn size(&self) -> usize {
        self.model.z().nrows()
    }
}

#[pymethods]
impl Paths {
    fn __len__(&self) -> usize {
        self.sampled.len()
    }

    /// One of the paths.
    fn only(&self, number: usize) -> PyResult<Paths> {
        let sampled = Python::attach(|py| heavy(py, || self.sampled.only(number)))?;
        Ok(Paths { sampled: Arc::new(sampled), frame: self.frame.clone() })
    }

    /// Values of every path at every point, [points, paths].
    fn values<'py>(&self, py: Python<'py>, points: &Bound<'py, PyAny>) -> PyResult<Array2<'py>> {
        let points = Points::new(points)?;
        let values = heavy(py, || {
            let mut values = self.sampled.values(self.frame.place(points)?.z.as_ref())?;
            for k in 0..values.ncols() {
                for i in 0..values.nrows() {
                    values[(i, k)] = self.frame.outcome(values[(i, k)]);
                }
            }
            Ok(values)
        })?;
        table(py, values.as_ref())
    }

    /// Gradient of one path at every point, [points, inputs].
    fn gradient<'py>(&self, py: Python<'py>, path: usize, points: &Bound<'py, PyAny>) -> PyResult<Array2<'py>> {
        let points = Points::new(points)?;
        let gradient = heavy(py, || {
            let placed = self.frame.place(points)?;
            let members = vec![path; placed.z.nrows()];
            let (values, gradient) = self.sampled.value_gradient(&members, placed.z.as_ref())?;
            self.frame.gradient(&placed, &values, gradient.as_ref())
        })?;
        table(py, gradient.as_ref())
    }
}
