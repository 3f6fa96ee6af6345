//! A kernel for labels with descriptors: alike if their descriptors are, and a share of each label is its own.
//!
//! ```text
//!     k(a, b) = w 1[a = b] + (1 − w) R_ab,     R_ab = e^(−s_ab / 2ℓ²),     s_ab = |D_a − D_b|² / p
//!     with probability w a random sign for each label, else waves shifted by ωᵀD_a/√p, ω ~ N(0, 1/ℓ²):     E = k(a, b)
//! ```
//!
//! What descriptors do not say is learned as well: with w = 1 they mean nothing. Shifts join the angles of the other inputs'
//! waves, so that a product with many such inputs has features as good as without.

use super::{Cache, Covariance, Role, Spectrum, categorical::category, spectrum::Factors};
use crate::error::{Error, Result};
use crate::linalg::{Accumulate, Mat, MatMut, MatRef, column, column_mut, gemm};
use crate::rng::{normal, uniform};
use crate::space::LabelGeometry;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// w where a search begins.
const IDENTITY: f64 = 0.2;

/// w 1[a = b] + (1 − w) e^(−s_ab / 2ℓ²); it reads one column of indices.
///
/// The store holds its parameters only: a study that is opened again gives it the distances of its space.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LabelSimilarity {
    /// The number of labels.
    pub labels: usize,
    /// ℓ.
    pub lengthscale: f64,
    /// w, between 0 and 1.
    pub identity: f64,
    #[serde(skip)]
    geometry: Option<Arc<LabelGeometry>>,
}

impl LabelSimilarity {
    /// The kernel of labels so far apart.
    pub fn new(geometry: Arc<LabelGeometry>, lengthscale: f64, identity: f64) -> Self {
        LabelSimilarity { labels: geometry.squared.nrows(), lengthscale, identity, geometry: Some(geometry) }
    }

    /// The kernel that a search begins with, as one of so many inputs with labels: labels with a typical distance in all of these
    /// are as alike as they are without descriptors.
    pub(super) fn cold(geometry: Arc<LabelGeometry>, inputs: usize) -> Self {
        LabelSimilarity::new(geometry, (0.5 * inputs as f64).sqrt(), IDENTITY)
    }

    /// Gives a kernel that was read from a store the distances of its labels.
    pub(super) fn restore(&mut self, geometry: &Arc<LabelGeometry>) {
        self.geometry = Some(geometry.clone());
    }

    pub(super) fn check(&self, dimension: usize) -> Result<()> {
        if dimension != 1 {
            let what = "the list of inputs of a kernel of labels".into();
            return Err(Error::Shape { what, found: dimension, expected: 1 });
        }
        let known = self.geometry.as_ref().map_or(0, |geometry| geometry.squared.nrows());
        if known != self.labels || known == 0 {
            let what = "the list of labels with descriptors".into();
            return Err(Error::Shape { what, found: known, expected: self.labels.max(1) });
        }
        let refuse = |name: &str, value, must: &str| {
            Err(Error::Parameter { name: format!("{name} of a kernel of labels"), value, must: must.into() })
        };
        match () {
            () if !(self.lengthscale.is_finite() && self.lengthscale > 0.0) => {
                refuse("lengthscale", self.lengthscale, "positive and finite")
            }
            () if !(self.identity > 0.0 && self.identity < 1.0) => refuse("identity", self.identity, "between 0 and 1"),
            () => Ok(()),
        }
    }

    fn label(&self, x: MatRef<'_>, i: usize) -> usize {
        category(x[(i, 0)], self.labels)
    }

    fn labels(&self, x: MatRef<'_>) -> Vec<usize> {
        (0..x.nrows()).map(|i| self.label(x, i)).collect()
    }

    /// s_ab; of labels without known distances 0.
    fn squared(&self, a: usize, b: usize) -> f64 {
        self.geometry.as_ref().map_or(0.0, |geometry| geometry.squared[(a, b)])
    }

    fn value(&self, a: usize, b: usize) -> f64 {
        let alike = (-0.5 * self.squared(a, b) / (self.lengthscale * self.lengthscale)).exp();
        if a == b { 1.0 } else { (1.0 - self.identity) * alike }
    }

    /// Where labels are met again and again, the kernel of all pairs: an exponential costs more than a look-up.
    fn values(&self, evaluations: usize) -> Option<Mat> {
        let pairs = self.labels * self.labels;
        (pairs <= evaluations).then(|| Mat::from_fn(self.labels, self.labels, |a, b| self.value(a, b)))
    }
}

/// Kernels of the same numbers are the same: the distances are those of the space.
impl PartialEq for LabelSimilarity {
    fn eq(&self, other: &Self) -> bool {
        (self.labels, self.lengthscale, self.identity) == (other.labels, other.lengthscale, other.identity)
    }
}

impl Covariance for LabelSimilarity {
    fn dimension(&self) -> Option<usize> {
        Some(1)
    }

    fn roles(&self) -> Vec<Role> {
        vec![Role::Lengthscale, Role::Share]
    }

    fn inputs(&self) -> Vec<Option<usize>> {
        vec![Some(0), None]
    }

    fn parameters(&self) -> Vec<f64> {
        vec![self.lengthscale.ln(), self.identity.ln() - (1.0 - self.identity).ln()]
    }

    fn set_parameters(&mut self, parameters: &[f64]) {
        self.lengthscale = parameters[0].exp();
        self.identity = 1.0 / (1.0 + (-parameters[1]).exp());
    }

    fn cross(&self, a: MatRef<'_>, b: MatRef<'_>, mut out: MatMut<'_>) {
        let (rows, known) = (self.labels(a), self.values(a.nrows() * b.nrows()));
        for j in 0..b.nrows() {
            let own = self.label(b, j);
            let values = column_mut(out.as_mut(), j).iter_mut().zip(&rows);
            match &known {
                Some(known) => {
                    let known = column(known.as_ref(), own);
                    values.for_each(|(value, &row)| *value = known[row]);
                }
                None => values.for_each(|(value, &row)| *value = self.value(row, own)),
            }
        }
    }

    fn diagonal(&self, x: MatRef<'_>) -> Vec<f64> {
        vec![1.0; x.nrows()]
    }

    fn backward(&self, a: MatRef<'_>, b: MatRef<'_>, k: MatRef<'_>, g: MatRef<'_>, _: &Cache, gradient: &mut [f64]) {
        let rows = self.labels(a);
        let (mut total, mut weighted) = (0.0, 0.0);
        for j in 0..b.nrows() {
            let own = self.label(b, j);
            let terms = column(g, j).iter().zip(column(k, j)).zip(&rows).filter(|&(_, &row)| row != own);
            for ((g, k), &row) in terms {
                total += g * k;
                weighted += g * k * self.squared(row, own);
            }
        }
        // ∂k/∂log ℓ = k s/ℓ²,   ∂k/∂logit w = −w k   of two different labels
        gradient[0] += weighted / (self.lengthscale * self.lengthscale);
        gradient[1] -= self.identity * total;
    }

    fn add_diagonal_gradient(&self, _: MatRef<'_>, _: &[f64], _: &mut [f64]) {}

    /// Nothing: between two labels there is no way.
    fn add_input_gradient(&self, _: MatRef<'_>, _: MatRef<'_>, _: MatRef<'_>, _: MatMut<'_>) {}

    fn spectrum(&self, dimension: usize, count: usize, rng: &mut ChaCha8Rng) -> Result<Spectrum> {
        let none = Mat::zeros(self.labels, 1);
        let coordinates = self.geometry.as_ref().map_or(&none, |geometry| &geometry.coordinates);
        let mut frequencies = Mat::zeros(coordinates.ncols(), count);
        let mut signs = Mat::full(self.labels, count, 1.0);
        for f in 0..count {
            if uniform(rng) < self.identity {
                let signs = column_mut(signs.as_mut(), f).iter_mut();
                signs.for_each(|sign| *sign = if uniform(rng) < 0.5 { -1.0 } else { 1.0 });
            } else {
                let omega = column_mut(frequencies.as_mut(), f).iter_mut();
                omega.for_each(|omega| *omega = normal(rng) / self.lengthscale);
            }
        }
        let mut shifts = Mat::zeros(self.labels, count);
        gemm(shifts.as_mut(), Accumulate::Replace, 1.0, coordinates.as_ref(), frequencies.as_ref());
        Ok(Spectrum {
            factors: vec![Factors { input: 0, values: signs }],
            shifts: vec![Factors { input: 0, values: shifts }],
            ..Spectrum::constant(dimension, count)
        })
    }

    /// Every label.
    fn spanning(&self, _: usize) -> Option<Mat> {
        Some(Mat::from_fn(self.labels, 1, |i, _| i as f64))
    }
}
