//! A kernel of inputs relative to a box, which it sees as the unit cube.
//!
//! ```text
//!     k(x, x') = k₀((x − l)/w, (x' − l)/w)
//! ```

use super::{Cache, Covariance, Kernel, Role, Spectrum, Sphere, SphereFactor};
use crate::error::{Error, Result, check_length};
use crate::linalg::{Mat, MatMut, MatRef, column, column_mut};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// k₀ of inputs relative to a box.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rescaled {
    /// l, the lower end of every input.
    pub lower: Vec<f64>,
    /// w, the width of every input.
    pub width: Vec<f64>,
    /// k₀.
    pub kernel: Box<Kernel>,
}

impl Rescaled {
    pub(super) fn check(&self, dimension: usize) -> Result<()> {
        for numbers in [&self.lower, &self.width] {
            check_length("the sides of a kernel's box", numbers.len(), dimension)?;
        }
        let is_right = |(lower, width): (&f64, &f64)| lower.is_finite() && width.is_finite() && *width > 0.0;
        match self.lower.iter().zip(&self.width).find(|&side| !is_right(side)) {
            Some((_, &value)) => {
                let (name, must) = ("a width of a kernel's box".into(), "positive and finite".into());
                Err(Error::Parameter { name, value, must })
            }
            None => self.kernel.check(dimension),
        }
    }

    /// (x − l)/w.
    fn relative(&self, x: MatRef<'_>) -> Mat {
        Mat::from_fn(x.nrows(), x.ncols(), |i, k| (x[(i, k)] - self.lower[k]) / self.width[k])
    }

    /// The same ψ of points that are not relative to the box.
    fn absolute(&self, sphere: Sphere) -> Sphere {
        let Sphere { mut centre, mut rates, inputs, .. } = sphere.clone();
        for (k, &input) in inputs.iter().enumerate() {
            centre[k] = self.lower[input] + self.width[input] * centre[k];
            rates[k] /= self.width[input];
        }
        Sphere { centre, rates, ..sphere }
    }
}

impl Covariance for Rescaled {
    fn dimension(&self) -> Option<usize> {
        Some(self.lower.len())
    }

    fn roles(&self) -> Vec<Role> {
        self.kernel.roles()
    }

    fn inputs(&self) -> Vec<Option<usize>> {
        self.kernel.inputs()
    }

    fn parameters(&self) -> Vec<f64> {
        self.kernel.parameters()
    }

    fn scales(&self, inputs: usize) -> Vec<f64> {
        self.kernel.scales(inputs).iter().zip(&self.width).map(|(scale, width)| scale * width).collect()
    }

    fn set_parameters(&mut self, parameters: &[f64]) {
        self.kernel.set_parameters(parameters);
    }

    fn cross(&self, a: MatRef<'_>, b: MatRef<'_>, out: MatMut<'_>) {
        self.kernel.cross(self.relative(a).as_ref(), self.relative(b).as_ref(), out);
    }

    fn diagonal(&self, x: MatRef<'_>) -> Vec<f64> {
        self.kernel.diagonal(self.relative(x).as_ref())
    }

    fn forward(&self, a: MatRef<'_>, b: MatRef<'_>, out: MatMut<'_>, cache: &mut Cache) {
        self.kernel.forward(self.relative(a).as_ref(), self.relative(b).as_ref(), out, cache);
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
        self.kernel.backward(self.relative(a).as_ref(), self.relative(b).as_ref(), k, g, cache, gradient);
    }

    fn add_diagonal_gradient(&self, x: MatRef<'_>, g: &[f64], gradient: &mut [f64]) {
        self.kernel.add_diagonal_gradient(self.relative(x).as_ref(), g, gradient);
    }

    fn add_input_gradient(&self, a: MatRef<'_>, b: MatRef<'_>, g: MatRef<'_>, mut out: MatMut<'_>) {
        let mut own = Mat::zeros(a.nrows(), a.ncols());
        self.kernel.add_input_gradient(self.relative(a).as_ref(), self.relative(b).as_ref(), g, own.as_mut());
        for (k, width) in self.width.iter().enumerate() {
            let rows = column_mut(out.as_mut(), k).iter_mut().zip(column(own.as_ref(), k));
            rows.for_each(|(out, own)| *out += own / width);
        }
    }

    /// Phases are random: that waves begin elsewhere does not matter.
    fn spectrum(&self, dimension: usize, count: usize, rng: &mut ChaCha8Rng) -> Result<Spectrum> {
        let mut spectrum = self.kernel.spectrum(dimension, count, rng)?;
        for f in 0..count {
            let waves = column_mut(spectrum.frequencies.as_mut(), f).iter_mut().zip(&self.width);
            waves.for_each(|(omega, width)| *omega /= width);
        }
        let moved = |own: SphereFactor| SphereFactor { sphere: self.absolute(own.sphere), ..own };
        spectrum.spheres = spectrum.spheres.into_iter().map(moved).collect();
        Ok(spectrum)
    }

    fn exact_features(&self) -> Option<Sphere> {
        self.kernel.exact_features().map(|sphere| self.absolute(sphere))
    }

    fn spanning(&self, dimension: usize) -> Option<Mat> {
        let own = self.kernel.spanning(dimension)?;
        Some(Mat::from_fn(own.nrows(), dimension, |i, k| self.lower[k] + self.width[k] * own[(i, k)]))
    }
}
