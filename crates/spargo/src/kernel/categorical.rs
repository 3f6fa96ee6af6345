//! A kernel for categories without order: any two different ones are equally alike.
//!
//! ```text
//!     k(c, c') = 1 if c = c', else ρ = e^(−1/ℓ)
//!     g ≡ 1 with probability ρ, else a random sign for each category:      E g(c) g(c') = k(c, c')
//! ```
//!
//! Signs are chosen over the usual normal factors, g = Lη with K = LLᵀ: with g² = 1 a product with many categorical inputs
//! has features as good as without, while normal factors would triple their fourth moment input by input.

use super::{Cache, Covariance, Role, Spectrum, spectrum::Factors};
use crate::error::{Error, Result};
use crate::linalg::{Mat, MatMut, MatRef, column, column_mut};
use crate::rng::uniform;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// 1 for the same category, e^(−1/ℓ) for another; it reads one column of indices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Categorical {
    /// C, the number of categories.
    pub categories: usize,
    /// ℓ.
    pub lengthscale: f64,
}

/// The category that a number stands for: centroids and paths of a search lie between them.
pub(crate) fn category(number: f64, categories: usize) -> usize {
    // A float converts to the nearest usize, and NaN to 0: nothing below 0 comes through.
    (number.round() as usize).min(categories.saturating_sub(1))
}

impl Categorical {
    pub(super) fn check(&self, dimension: usize) -> Result<()> {
        if dimension != 1 {
            let what = "the list of inputs of a categorical kernel".into();
            return Err(Error::Shape { what, found: dimension, expected: 1 });
        }
        let parameters = [("number of categories", self.categories as f64), ("lengthscale", self.lengthscale)];
        match parameters.into_iter().find(|(_, value)| !(value.is_finite() && *value > 0.0)) {
            Some((name, value)) => {
                let name = format!("{name} of a categorical kernel");
                Err(Error::Parameter { name, value, must: "positive and finite".into() })
            }
            None => Ok(()),
        }
    }

    /// ρ.
    fn correlation(&self) -> f64 {
        (-1.0 / self.lengthscale).exp()
    }

    fn category(&self, x: MatRef<'_>, i: usize) -> usize {
        category(x[(i, 0)], self.categories)
    }

    fn categories(&self, x: MatRef<'_>) -> Vec<usize> {
        (0..x.nrows()).map(|i| self.category(x, i)).collect()
    }
}

impl Covariance for Categorical {
    fn dimension(&self) -> Option<usize> {
        Some(1)
    }

    fn roles(&self) -> Vec<Role> {
        vec![Role::Lengthscale]
    }

    fn inputs(&self) -> Vec<Option<usize>> {
        vec![Some(0)]
    }

    fn parameters(&self) -> Vec<f64> {
        vec![self.lengthscale.ln()]
    }

    fn set_parameters(&mut self, parameters: &[f64]) {
        self.lengthscale = parameters[0].exp();
    }

    fn cross(&self, a: MatRef<'_>, b: MatRef<'_>, mut out: MatMut<'_>) {
        let (rows, other) = (self.categories(a), self.correlation());
        for j in 0..b.nrows() {
            let own = self.category(b, j);
            let values = column_mut(out.as_mut(), j).iter_mut().zip(&rows);
            values.for_each(|(value, row)| *value = if *row == own { 1.0 } else { other });
        }
    }

    fn diagonal(&self, x: MatRef<'_>) -> Vec<f64> {
        vec![1.0; x.nrows()]
    }

    fn backward(&self, a: MatRef<'_>, b: MatRef<'_>, _: MatRef<'_>, g: MatRef<'_>, _: &Cache, gradient: &mut [f64]) {
        let rows = self.categories(a);
        let mut total = 0.0;
        for j in 0..b.nrows() {
            let own = self.category(b, j);
            total += column(g, j).iter().zip(&rows).filter(|&(_, row)| *row != own).map(|(g, _)| g).sum::<f64>();
        }
        // ∂ρ/∂log ℓ = ρ/ℓ
        gradient[0] += total * self.correlation() / self.lengthscale;
    }

    fn add_diagonal_gradient(&self, _: MatRef<'_>, _: &[f64], _: &mut [f64]) {}

    /// Nothing: between two categories there is no way.
    fn add_input_gradient(&self, _: MatRef<'_>, _: MatRef<'_>, _: MatRef<'_>, _: MatMut<'_>) {}

    fn spectrum(&self, dimension: usize, count: usize, rng: &mut ChaCha8Rng) -> Result<Spectrum> {
        let mut values = Mat::full(self.categories, count, 1.0);
        for f in 0..count {
            if uniform(rng) >= self.correlation() {
                let signs = column_mut(values.as_mut(), f).iter_mut();
                signs.for_each(|sign| *sign = if uniform(rng) < 0.5 { -1.0 } else { 1.0 });
            }
        }
        Ok(Spectrum { factors: vec![Factors { input: 0, values }], ..Spectrum::constant(dimension, count) })
    }

    /// Every category.
    fn spanning(&self, _: usize) -> Option<Mat> {
        Some(Mat::from_fn(self.categories, 1, |i, _| i as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_between_and_beyond_are_categories() {
        for (number, expected) in [(-1e300, 0), (-0.4, 0), (0.4, 0), (0.6, 1), (1.6, 2), (7.0, 2), (f64::INFINITY, 2)] {
            assert_eq!(category(number, 3), expected, "{number}");
        }
    }

    #[test]
    fn the_kernel_is_its_formula() {
        let kernel = Categorical { categories: 4, lengthscale: 0.8 };
        let x = Mat::from_fn(4, 1, |i, _| i as f64);
        let mut k = Mat::zeros(4, 4);
        kernel.cross(x.as_ref(), x.as_ref(), k.as_mut());
        for (i, j) in (0..16).map(|at| (at / 4, at % 4)) {
            let expected = if i == j { 1.0 } else { (-1.25f64).exp() };
            assert!((k[(i, j)] - expected).abs() < 1e-15);
        }
        // Alike to the last when ℓ is infinite, strangers when it is nothing: positive definite in between.
        assert!(crate::linalg::cholesky(k, 0.0).is_ok_and(|factor| factor.jitter == 0.0));
    }
}
