//! A kernel that reads only some of the inputs.
//!
//! ```text
//!     k(x, x') = k₀(x_S, x'_S)
//! ```

use super::{Cache, Covariance, Kernel, Role, Spectrum, Sphere};
use crate::error::{Error, Result};
use crate::linalg::{Mat, MatMut, MatRef, column, column_mut};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// k₀ of the inputs S.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ActiveDims {
    /// S, columns counted from 0 in the order in which k₀ reads them.
    pub inputs: Vec<usize>,
    /// k₀.
    pub kernel: Box<Kernel>,
}

impl ActiveDims {
    pub(super) fn check(&self, dimension: usize) -> Result<()> {
        let refuse = |input: usize, must: String| {
            Err(Error::Parameter { name: "an input that a kernel reads".into(), value: input as f64, must })
        };
        for (place, &input) in self.inputs.iter().enumerate() {
            if input >= dimension {
                return refuse(input, format!("below the number of inputs, {dimension}"));
            }
            if self.inputs[..place].contains(&input) {
                return refuse(input, "listed once".into());
            }
        }
        self.kernel.check(self.inputs.len())
    }

    /// x_S.
    fn select(&self, x: MatRef<'_>) -> Mat {
        Mat::from_fn(x.nrows(), self.inputs.len(), |i, k| x[(i, self.inputs[k])])
    }
}

impl Covariance for ActiveDims {
    fn dimension(&self) -> Option<usize> {
        None
    }

    fn roles(&self) -> Vec<Role> {
        self.kernel.roles()
    }

    fn inputs(&self) -> Vec<Option<usize>> {
        let moved = |input: Option<usize>| input.and_then(|input| self.inputs.get(input).copied());
        self.kernel.inputs().into_iter().map(moved).collect()
    }

    fn parameters(&self) -> Vec<f64> {
        self.kernel.parameters()
    }

    fn set_parameters(&mut self, parameters: &[f64]) {
        self.kernel.set_parameters(parameters);
    }

    fn cross(&self, a: MatRef<'_>, b: MatRef<'_>, out: MatMut<'_>) {
        self.kernel.cross(self.select(a).as_ref(), self.select(b).as_ref(), out);
    }

    fn diagonal(&self, x: MatRef<'_>) -> Vec<f64> {
        self.kernel.diagonal(self.select(x).as_ref())
    }

    fn forward(&self, a: MatRef<'_>, b: MatRef<'_>, out: MatMut<'_>, cache: &mut Cache) {
        self.kernel.forward(self.select(a).as_ref(), self.select(b).as_ref(), out, cache);
    }

    fn backward(
        &self,
        a: MatRef<'_>,
        b: MatRef<'_>,
        k: MatRef<'_>,
        g: MatRef<'_>,
        cache: &Cache,
        gradient: &mut [f64],
    ) {
        self.kernel.backward(self.select(a).as_ref(), self.select(b).as_ref(), k, g, cache, gradient);
    }

    fn add_diagonal_gradient(&self, x: MatRef<'_>, g: &[f64], gradient: &mut [f64]) {
        self.kernel.add_diagonal_gradient(self.select(x).as_ref(), g, gradient);
    }

    fn add_input_gradient(&self, a: MatRef<'_>, b: MatRef<'_>, g: MatRef<'_>, mut out: MatMut<'_>) {
        let mut own = Mat::zeros(a.nrows(), self.inputs.len());
        self.kernel.add_input_gradient(self.select(a).as_ref(), self.select(b).as_ref(), g, own.as_mut());
        for (k, &input) in self.inputs.iter().enumerate() {
            let rows = column_mut(out.as_mut(), input).iter_mut().zip(column(own.as_ref(), k));
            rows.for_each(|(out, own)| *out += own);
        }
    }

    fn spectrum(&self, dimension: usize, count: usize, rng: &mut ChaCha8Rng) -> Result<Spectrum> {
        Ok(self.kernel.spectrum(self.inputs.len(), count, rng)?.spread_over(&self.inputs, dimension))
    }

    fn exact_features(&self) -> Option<Sphere> {
        Some(self.kernel.exact_features()?.spread_over(&self.inputs))
    }

    /// The other inputs are 0: they do not matter.
    fn spanning(&self, dimension: usize) -> Option<Mat> {
        let own = self.kernel.spanning(self.inputs.len())?;
        let mut points = Mat::zeros(own.nrows(), dimension);
        for (k, &input) in self.inputs.iter().enumerate() {
            column_mut(points.as_mut(), input).copy_from_slice(column(own.as_ref(), k));
        }
        Some(points)
    }
}
