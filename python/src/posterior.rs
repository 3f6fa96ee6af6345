//! Posteriors and paths in the user's units.

use crate::arrays::{Matrix, Vector};
use crate::frame::Frame;
use crate::heavy::heavy;
use crate::values::Points;
use pyo3::prelude::*;
use spargo::model::Posterior as Model;
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
    sampled: Sampled,
    frame: Arc<Frame>,
}

#[pymethods]
impl Posterior {
    /// Mean and variance of f at each point.
    fn predict(&self, py: Python<'_>, points: Points) -> PyResult<(Vector, Vector)> {
        heavy(py, || Ok(self.frame.moments(self.model.predict(self.frame.place(points)?.z.as_ref())?)))
    }

    /// Functions drawn from the posterior.
    fn sample_paths(&self, py: Python<'_>, count: usize, features: usize, seed: u64) -> PyResult<Paths> {
        let settings = SamplingOptions { features, ..SamplingOptions::default() };
        let rng = StepRng { seed, step: 0 };
        let sampled = heavy(py, || Sampled::draw(&self.model, 0..count, &settings, rng))?;
        Ok(Paths { sampled, frame: self.frame.clone() })
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
    fn only(&self, py: Python<'_>, number: usize) -> PyResult<Paths> {
        Ok(Paths { sampled: heavy(py, || self.sampled.only(number))?, frame: self.frame.clone() })
    }

    /// Values of every path at every point, [points, paths].
    fn values(&self, py: Python<'_>, points: Points) -> PyResult<Matrix> {
        heavy(py, || {
            let mut values = self.sampled.values(self.frame.place(points)?.z.as_ref())?;
            for k in 0..values.ncols() {
                for i in 0..values.nrows() {
                    values[(i, k)] = self.frame.outcome(values[(i, k)]);
                }
            }
            Ok(Matrix(values))
        })
    }

    /// Gradient of one path at every point, [points, inputs].
    fn gradient(&self, py: Python<'_>, path: usize, points: Points) -> PyResult<Matrix> {
        heavy(py, || {
            let placed = self.frame.place(points)?;
            let members = vec![path; placed.z.nrows()];
            let (values, gradient) = self.sampled.value_gradient(&members, placed.z.as_ref())?;
            self.frame.gradient(&placed, &values, gradient.as_ref()).map(Matrix)
        })
    }
}
