//! A linear kernel on a sphere onto which the unit cube is projected (Doumont et al. 2025): made for many inputs.
//!
//! ```text
//!     k(x, x') = s² (b₀ + b₁ p(x)ᵀp(x')),     b₀ + b₁ = 1,     p(x) = [2x̃, |x̃|² − 1] / (1 + |x̃|²)
//!     x̃ = (x − ½) / (ℓ g),     g² = a Σⱼ (1/2ℓⱼ)²
//! ```
//!
//! |x̃|² is 1/a in the corners of the cube: a says how much of it lies beyond the equator. A common factor of all length scales
//! changes nothing. The kernel has rank d + 2, so that the posterior is a linear model's, whatever N, and d + 2 points of a
//! regular simplex on the sphere determine f everywhere: inducing points there give the exact posterior in O(Nd²).

use super::{Cache, Covariance, Role, Spectrum, Sphere, spectrum::SphereFactor};
use crate::error::{Error, Result};
use crate::linalg::{Accumulate, Mat, MatMut, MatRef, column, column_mut, dot, gemm};
use crate::rng::distinct_indices;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// The middle of an input, and half its length: inputs are in the unit cube.
const HALF: f64 = 0.5;

/// s² (b₀ + b₁ p(x)ᵀp(x')) with ARD length scales.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinearSphere {
    /// s².
    pub variance: f64,
    /// ℓ, one per input.
    pub lengthscales: Vec<f64>,
    /// a, between 0 and 1.
    pub equator: f64,
    /// b₀, between 0 and 1.
    pub constant: f64,
}

impl LinearSphere {
    /// The kernel that a search begins with.
    pub(super) fn cold(dimension: usize) -> Self {
        let lengthscales = vec![0.2 * (dimension as f64).sqrt(); dimension];
        LinearSphere { variance: 1.0, lengthscales, equator: 0.5, constant: 0.5 }
    }

    pub(super) fn check(&self, dimension: usize) -> Result<()> {
        if self.lengthscales.len() != dimension || dimension == 0 {
            let what = "the kernel's list of length scales".into();
            return Err(Error::Shape { what, found: self.lengthscales.len(), expected: dimension.max(1) });
        }
        let refuse = |name: String, value, must: &str| Err(Error::Parameter { name, value, must: must.into() });
        let named = self.lengthscales.iter().enumerate().map(|(k, &l)| (format!("lengthscale of input {k}"), l));
        for (name, value) in std::iter::once(("kernel variance".to_string(), self.variance)).chain(named) {
            if !(value.is_finite() && value > 0.0) {
                return refuse(name, value, "positive and finite");
            }
        }
        for (name, value) in [("equator", self.equator), ("constant", self.constant)] {
            if !(value > 0.0 && value < 1.0) {
                return refuse(format!("{name} of a linear kernel on a sphere"), value, "between 0 and 1");
            }
        }
        Ok(())
    }

    /// ψ with ψ(x)ᵀψ(x') = k(x, x').
    fn sphere(&self) -> Sphere {
        let g = HALF * (self.equator * self.lengthscales.iter().map(|l| 1.0 / (l * l)).sum::<f64>()).sqrt();
        Sphere {
            inputs: (0..self.lengthscales.len()).collect(),
            centre: vec![HALF; self.lengthscales.len()],
            rates: self.lengthscales.iter().map(|l| 1.0 / (l * g)).collect(),
            constant: (self.variance * self.constant).sqrt(),
            slope: (self.variance * (1.0 - self.constant)).sqrt(),
        }
    }

    /// Adds the gradient through x̃ of one argument's points, given q = ∂loss/∂ψ, [n, d + 2].
    fn add_through_points(&self, sphere: &Sphere, x: MatRef<'_>, q: &Mat, gradient: &mut [f64]) {
        let d = self.lengthscales.len();
        let (mut point, mut slopes, mut own) = (vec![0.0; d], vec![0.0; d], vec![0.0; d + 2]);
        let mut elasticities = vec![0.0; d];
        for i in 0..x.nrows() {
            own.iter_mut().enumerate().for_each(|(m, own)| *own = q[(i, m)]);
            sphere.pull(x, i, &own, &mut point, &mut slopes);
            elasticities.iter_mut().zip(slopes.iter().zip(&point)).for_each(|(e, (slope, x))| *e += slope * x);
        }
        // ∂x̃ₗ/∂log ℓₘ = (wₘ − δₗₘ) x̃ₗ with w = ℓ⁻²/Σℓ⁻²,   ∂x̃ₗ/∂logit a = −½ (1 − a) x̃ₗ
        let (total, weights) = (elasticities.iter().sum::<f64>(), self.lengthscales.iter().map(|l| 1.0 / (l * l)));
        let weight: f64 = weights.clone().sum();
        let slots = gradient[1..].iter_mut().zip(weights.zip(&elasticities));
        slots.for_each(|(slot, (w, e))| *slot += w / weight * total - e);
        gradient[d + 1] -= 0.5 * (1.0 - self.equator) * total;
    }
}

impl Covariance for LinearSphere {
    fn dimension(&self) -> Option<usize> {
        Some(self.lengthscales.len())
    }

    fn roles(&self) -> Vec<Role> {
        let lengthscales = self.lengthscales.iter().map(|_| Role::Lengthscale);
        std::iter::once(Role::Variance).chain(lengthscales).chain([Role::Share; 2]).collect()
    }

    fn inputs(&self) -> Vec<Option<usize>> {
        std::iter::once(None).chain((0..self.lengthscales.len()).map(Some)).chain([None; 2]).collect()
    }

    fn parameters(&self) -> Vec<f64> {
        let logit = |share: f64| share.ln() - (1.0 - share).ln();
        let logarithms = std::iter::once(self.variance).chain(self.lengthscales.iter().copied()).map(f64::ln);
        logarithms.chain([self.equator, self.constant].map(logit)).collect()
    }

    fn set_parameters(&mut self, parameters: &[f64]) {
        let share = |logit: f64| 1.0 / (1.0 + (-logit).exp());
        let d = self.lengthscales.len();
        self.variance = parameters[0].exp();
        self.lengthscales.iter_mut().zip(&parameters[1..]).for_each(|(l, p)| *l = p.exp());
        (self.equator, self.constant) = (share(parameters[d + 1]), share(parameters[d + 2]));
    }

    /// Sums in the order of the coordinates, so that an element depends on its two points alone.
    fn cross(&self, a: MatRef<'_>, b: MatRef<'_>, mut out: MatMut<'_>) {
        let sphere = self.sphere();
        let (a, b) = (sphere.coordinates(a), sphere.coordinates(b));
        for j in 0..b.nrows() {
            let values = column_mut(out.as_mut(), j);
            values.fill(0.0);
            for m in 0..sphere.count() {
                let other = b[(j, m)];
                values.iter_mut().zip(column(a.as_ref(), m)).for_each(|(value, a)| *value += a * other);
            }
        }
    }

    fn diagonal(&self, x: MatRef<'_>) -> Vec<f64> {
        vec![self.variance; x.nrows()]
    }

    fn backward(&self, a: MatRef<'_>, b: MatRef<'_>, k: MatRef<'_>, g: MatRef<'_>, _: &Cache, gradient: &mut [f64]) {
        let (mut weighted, mut plain) = (0.0, 0.0);
        for j in 0..b.nrows() {
            weighted += dot(column(g, j), column(k, j));
            plain += column(g, j).iter().sum::<f64>();
        }
        // ∂k/∂log s² = k,   ∂k/∂logit b₀ = b₀ (s² − k)
        gradient[0] += weighted;
        gradient[self.lengthscales.len() + 2] += self.constant * (self.variance * plain - weighted);
        let sphere = self.sphere();
        for (x, other, g) in [(a, b, g), (b, a, g.transpose())] {
            let mut q = Mat::zeros(x.nrows(), sphere.count());
            gemm(q.as_mut(), Accumulate::Replace, 1.0, g, sphere.coordinates(other).as_ref());
            self.add_through_points(&sphere, x, &q, gradient);
        }
    }

    fn add_diagonal_gradient(&self, _: MatRef<'_>, g: &[f64], gradient: &mut [f64]) {
        gradient[0] += self.variance * g.iter().sum::<f64>();
    }

    fn add_input_gradient(&self, a: MatRef<'_>, b: MatRef<'_>, g: MatRef<'_>, mut out: MatMut<'_>) {
        let sphere = self.sphere();
        let b = sphere.coordinates(b);
        let (mut own, mut q) = (vec![0.0; b.nrows()], vec![0.0; sphere.count()]);
        for i in 0..a.nrows() {
            own.iter_mut().enumerate().for_each(|(j, own)| *own = g[(i, j)]);
            q.iter_mut().enumerate().for_each(|(m, q)| *q = dot(&own, column(b.as_ref(), m)));
            sphere.add_gradient(a, i, &q, |input, slope| out[(i, input)] += slope);
        }
    }

    /// Every coordinate equally often, in random order: in a product each must meet each of the other part.
    fn spectrum(&self, dimension: usize, count: usize, rng: &mut ChaCha8Rng) -> Result<Spectrum> {
        let sphere = self.sphere();
        let size = sphere.count();
        let first = distinct_indices(size, 1, rng)[0];
        let coordinates = distinct_indices(count, count, rng).into_iter().map(|f| Some((first + f) % size)).collect();
        let sphere = sphere.times((size as f64 / self.variance).sqrt());
        Ok(Spectrum { spheres: vec![SphereFactor { sphere, coordinates }], ..Spectrum::constant(dimension, count) })
    }

    fn exact_features(&self) -> Option<Sphere> {
        Some(self.sphere())
    }

    /// The corners of a regular simplex on the sphere, none of which is the pole that no point is projected to.
    fn spanning(&self, _: usize) -> Option<Mat> {
        let (sphere, d) = (self.sphere(), self.lengthscales.len());
        let n = (d + 1) as f64;
        let shift = ((n + 1.0).sqrt() + 1.0) / n.powf(1.5);
        let corner = |i: usize, m: usize| match i {
            _ if i > d => 1.0 / n.sqrt(),
            _ if i == m => (1.0 + 1.0 / n).sqrt() - shift,
            _ => -shift,
        };
        Some(Mat::from_fn(d + 2, d, |i, k| HALF + corner(i, k) / (1.0 + corner(i, d)) / sphere.rates[k]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel(d: usize) -> LinearSphere {
        let lengthscales = (0..d).map(|k| 0.3 + 0.2 * k as f64).collect();
        LinearSphere { variance: 1.7, lengthscales, equator: 0.3, constant: 0.2 }
    }

    #[test]
    fn the_kernel_is_its_formula() {
        let kernel = kernel(3);
        let x = Mat::from_fn(2, 3, |i, k| [[0.1, 0.7, 0.4], [0.9, 0.2, 1.3]][i][k]);
        let g = (0.3 * [0.3f64, 0.5, 0.7].iter().map(|l| (0.5 / l).powi(2)).sum::<f64>()).sqrt();
        let projected = |i: usize| {
            let t: Vec<f64> = (0..3).map(|k| (x[(i, k)] - 0.5) / ([0.3, 0.5, 0.7][k] * g)).collect();
            let square: f64 = t.iter().map(|v| v * v).sum();
            let mut p: Vec<f64> = t.iter().map(|v| 2.0 * v / (1.0 + square)).collect();
            p.push((square - 1.0) / (square + 1.0));
            p
        };
        let mut k = Mat::zeros(2, 2);
        kernel.cross(x.as_ref(), x.as_ref(), k.as_mut());
        let expected = 1.7 * (0.2 + 0.8 * dot(&projected(0), &projected(1)));
        assert!((k[(0, 1)] - expected).abs() < 1e-14, "{} {expected}", k[(0, 1)]);
        assert!((k[(1, 1)] - 1.7).abs() < 1e-14);
        // The corners of the cube are as far out as a says.
        let corner = Mat::full(1, 3, 1.0);
        let height = kernel.sphere().coordinates(corner.as_ref())[(0, 4)] / (1.7 * 0.8f64).sqrt();
        assert!((height - (1.0 / 0.3 - 1.0) / (1.0 / 0.3 + 1.0)).abs() < 1e-14);
    }

    /// b₁(1 + 1/(d + 1)) on the diagonal of the linear part, and the same number between any two corners.
    #[test]
    fn spanning_points_are_a_regular_simplex_for_any_length_scales() {
        for d in [1, 2, 5, 60] {
            let kernel = kernel(d);
            let z = kernel.spanning(d).unwrap();
            let mut k = Mat::zeros(d + 2, d + 2);
            kernel.cross(z.as_ref(), z.as_ref(), k.as_mut());
            for (i, j) in (0..(d + 2) * (d + 2)).map(|at| (at / (d + 2), at % (d + 2))) {
                let cosine = if i == j { 1.0 } else { -1.0 / (d as f64 + 1.0) };
                assert!((k[(i, j)] - 1.7 * (0.2 + 0.8 * cosine)).abs() < 1e-12, "{d}: {i} {j}");
            }
        }
    }

    #[test]
    fn points_far_away_are_at_the_pole() {
        let kernel = kernel(2);
        let x = Mat::from_fn(3, 2, |i, _| [1e10, 1e200, 1e308][i]);
        let (mut k, mut slopes) = (Mat::zeros(3, 3), Mat::zeros(3, 2));
        kernel.cross(x.as_ref(), x.as_ref(), k.as_mut());
        kernel.add_input_gradient(x.as_ref(), x.as_ref(), Mat::full(3, 3, 1.0).as_ref(), slopes.as_mut());
        for i in 0..9 {
            assert!((k[(i / 3, i % 3)] - 1.7).abs() < 1e-8 && slopes[(i / 3, i % 2)].abs() < 1e-8);
        }
    }
}
