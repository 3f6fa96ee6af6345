//! Stationary kernels with one length scale per input (ARD).
//!
//! ```text
//!     k(x, x') = s² g(r²),   r² = Σₖ (xₖ − x'ₖ)² / ℓₖ²
//! ```
//!
//! A family is one arm of [`Family::profile`], g and its slope g′ as functions of r², and one of its spectral density,
//! from which [`Covariance::spectrum`] draws ω = ρn/ℓ with n ~ N(0, I) and a random ρ. Distances are summed from
//! differences, not expanded into a product: it costs little at these dimensions, and coinciding points (every inducing
//! point is one) give exactly k = s². Of no inputs at all it is the constant s².

mod simd;

use super::{Cache, Covariance, Role, Spectrum, sized};
use crate::error::{Error, Result};
use crate::linalg::vexp::{exp_decay, fma};
use crate::linalg::{Mat, MatMut, MatRef, column, column_mut};
use crate::rng::normal;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// Below this many points, loops run over the points of the other argument.
const FEW: usize = 16;

/// The shape g(r²) of a stationary kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Family {
    /// exp(−r²/2): infinitely smooth.
    Rbf,
    /// exp(−r): continuous, nowhere differentiable.
    Matern12,
    /// (1 + √3 r) exp(−√3 r): once differentiable.
    Matern32,
    /// (1 + √5 r + 5r²/3) exp(−√5 r): twice differentiable.
    Matern52,
}

impl Family {
    /// Every family, for tests and help texts.
    pub const ALL: [Family; 4] = [Family::Rbf, Family::Matern12, Family::Matern32, Family::Matern52];

    /// (g, g′) at r², to be inlined where the family is a constant.
    #[inline(always)]
    fn profile<const FMA: bool>(self, r2: f64) -> (f64, f64) {
        // Points so far apart that r² overflows have no covariance: ∞·0 would be NaN.
        let r2 = if r2 > 1e300 { 1e300 } else { r2 };
        match self {
            Family::Rbf => {
                let g = exp_decay::<FMA>(-0.5 * r2);
                (g, -0.5 * g)
            }
            Family::Matern12 => {
                // g′ is infinite at r = 0, where it only ever meets a zero difference: any finite value will do.
                let r = r2.sqrt().max(1e-150);
                let g = exp_decay::<FMA>(-r);
                (g, -0.5 * g / r)
            }
            Family::Matern32 => {
                let s = (3.0 * r2).sqrt();
                let e = exp_decay::<FMA>(-s);
                (fma::<FMA>(s, e, e), -1.5 * e)
            }
            Family::Matern52 => {
                let s = (5.0 * r2).sqrt();
                let e = exp_decay::<FMA>(-s);
                let linear = fma::<FMA>(s, e, e);
                (fma::<FMA>(r2 * (5.0 / 3.0), e, linear), (-5.0 / 6.0) * linear)
            }
        }
    }

    /// ρ, the random scale of a frequency ρn: the spectral density of a Matérn-ν is a multivariate Student-t with 2ν degrees
    /// of freedom, so one ρ is shared by all inputs (a draw per input would give a product of one-dimensional kernels).
    fn spectral_scale(self, rng: &mut ChaCha8Rng) -> f64 {
        match self {
            Family::Rbf => 1.0,
            Family::Matern12 => student_scale(1, rng),
            Family::Matern32 => student_scale(3, rng),
            Family::Matern52 => student_scale(5, rng),
        }
    }
}

/// √(ν'/χ²) with a χ² of ν' degrees of freedom.
fn student_scale(degrees: usize, rng: &mut ChaCha8Rng) -> f64 {
    let chi2: f64 = (0..degrees).map(|_| normal(rng).powi(2)).sum();
    // A normal draw of 0 is possible, an infinite frequency is not.
    (degrees as f64 / chi2.max(1e-30)).sqrt()
}

/// s² g(r²) with ARD length scales.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stationary {
    /// g.
    pub family: Family,
    /// s².
    pub variance: f64,
    /// ℓ, one per input.
    pub lengthscales: Vec<f64>,
}

impl Stationary {
    pub(super) fn check(&self, dimension: usize) -> Result<()> {
        if self.lengthscales.len() != dimension {
            let what = "the kernel's list of length scales".into();
            return Err(Error::Shape { what, found: self.lengthscales.len(), expected: dimension });
        }
        let named = self.lengthscales.iter().enumerate().map(|(k, &l)| (format!("lengthscale of input {k}"), l));
        for (name, value) in std::iter::once(("kernel variance".to_string(), self.variance)).chain(named) {
            if !(value.is_finite() && value > 0.0) {
                return Err(Error::Parameter { name, value, must: "positive and finite".into() });
            }
        }
        Ok(())
    }

    /// x with every input in units of its length scale.
    fn scaled(&self, x: MatRef<'_>) -> Mat {
        let mut scaled = Mat::zeros(x.nrows(), x.ncols());
        for (k, l) in self.lengthscales.iter().enumerate() {
            // The user's view may have its points, not its inputs, contiguous: no slices of it.
            column_mut(scaled.as_mut(), k).iter_mut().zip(x.col(k).iter()).for_each(|(out, x)| *out = x / l);
        }
        scaled
    }

    /// k(a, b) of a few points a: the same numbers as of many, by loops over the points of b.
    fn cross_few(&self, a: MatRef<'_>, b: MatRef<'_>, mut out: MatMut<'_>) {
        let b = self.scaled(b);
        let (mut values, mut point) = (vec![0.0; b.nrows()], vec![0.0; b.ncols()]);
        for i in 0..a.nrows() {
            self.scale_row(a, i, &mut point);
            simd::squared_distances(b.as_ref(), &point, &mut values);
            simd::profile(self.family, self.variance, &mut values);
            values.iter().enumerate().for_each(|(j, value)| out[(i, j)] = *value);
        }
    }

    /// Adds Σⱼ gᵢⱼ ∂k(aᵢ, bⱼ)/∂aᵢ of a few points a: the same numbers as of many, by loops over the points of b.
    fn add_input_gradient_of_few(&self, a: MatRef<'_>, b: MatRef<'_>, g: MatRef<'_>, mut out: MatMut<'_>) {
        let b = self.scaled(b);
        let (mut values, mut slopes) = (vec![0.0; b.nrows()], vec![0.0; b.nrows()]);
        let mut point = vec![0.0; b.ncols()];
        let factors: Vec<f64> = self.lengthscales.iter().map(|l| 2.0 / l).collect();
        for i in 0..a.nrows() {
            self.scale_row(a, i, &mut point);
            simd::squared_distances(b.as_ref(), &point, &mut values);
            simd::profile_and_slope(self.family, self.variance, &mut values, &mut slopes);
            // Two inputs at a time: each sum is a chain of additions, in the order in which it is made for many points.
            for k in (0..point.len()).step_by(2) {
                let other = (k + 1).min(point.len() - 1);
                let (mut sum, mut other_sum) = (out[(i, k)], out[(i, other)]);
                let columns = column(b.as_ref(), k).iter().zip(column(b.as_ref(), other));
                for ((j, slope), (centre, other_centre)) in slopes.iter().enumerate().zip(columns) {
                    let g = g[(i, j)];
                    sum += factors[k] * g * slope * (point[k] - centre);
                    other_sum += factors[other] * g * slope * (point[other] - other_centre);
                }
                (out[(i, other)], out[(i, k)]) = (other_sum, sum);
            }
        }
    }

    /// Row j of b in units of the length scales.
    fn scale_row(&self, b: MatRef<'_>, j: usize, point: &mut [f64]) {
        point.iter_mut().zip(&self.lengthscales).enumerate().for_each(|(k, (p, l))| *p = b[(j, k)] / l);
    }
}

impl Covariance for Stationary {
    fn dimension(&self) -> Option<usize> {
        Some(self.lengthscales.len())
    }

    fn roles(&self) -> Vec<Role> {
        let lengthscales = self.lengthscales.iter().map(|_| Role::Lengthscale);
        std::iter::once(Role::Variance).chain(lengthscales).collect()
    }

    fn inputs(&self) -> Vec<Option<usize>> {
        std::iter::once(None).chain((0..self.lengthscales.len()).map(Some)).collect()
    }

    fn parameters(&self) -> Vec<f64> {
        std::iter::once(self.variance).chain(self.lengthscales.iter().copied()).map(f64::ln).collect()
    }

    fn set_parameters(&mut self, parameters: &[f64]) {
        self.variance = parameters[0].exp();
        self.lengthscales.iter_mut().zip(&parameters[1..]).for_each(|(l, p)| *l = p.exp());
    }

    fn cross(&self, a: MatRef<'_>, b: MatRef<'_>, mut out: MatMut<'_>) {
        if a.nrows() < b.nrows().min(FEW) {
            return self.cross_few(a, b, out);
        }
        let a = self.scaled(a);
        let mut point = vec![0.0; a.ncols()];
        for j in 0..b.nrows() {
            self.scale_row(b, j, &mut point);
            let values = column_mut(out.as_mut(), j);
            simd::squared_distances(a.as_ref(), &point, values);
            simd::profile(self.family, self.variance, values);
        }
    }

    fn diagonal(&self, x: MatRef<'_>) -> Vec<f64> {
        vec![self.variance; x.nrows()]
    }

    fn forward(&self, a: MatRef<'_>, b: MatRef<'_>, mut out: MatMut<'_>, cache: &mut Cache) {
        let a = self.scaled(a);
        let mut slopes = sized(&mut cache.slopes, a.nrows(), b.nrows());
        let mut point = vec![0.0; a.ncols()];
        for j in 0..b.nrows() {
            self.scale_row(b, j, &mut point);
            let values = column_mut(out.as_mut(), j);
            simd::squared_distances(a.as_ref(), &point, values);
            simd::profile_and_slope(self.family, self.variance, values, column_mut(slopes.as_mut(), j));
        }
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
        let a = self.scaled(a);
        let mut squares = vec![0.0; a.ncols()];
        let (mut weights, mut point) = (vec![0.0; a.nrows()], vec![0.0; a.ncols()]);
        for j in 0..b.nrows() {
            self.scale_row(b, j, &mut point);
            let slopes = &column(cache.slopes.as_ref(), j)[..a.nrows()];
            // ∂k/∂log s² = k,  ∂k/∂log ℓₖ = −2 (∂k/∂r²) (aₖ − bₖ)²/ℓₖ²
            gradient[0] += simd::weigh(column(g, j), column(k, j), slopes, &mut weights);
            simd::add_weighted_squares(a.as_ref(), &point, &weights, &mut squares);
        }
        gradient[1..].iter_mut().zip(&squares).for_each(|(out, square)| *out -= 2.0 * square);
    }

    fn add_diagonal_gradient(&self, _: MatRef<'_>, g: &[f64], gradient: &mut [f64]) {
        gradient[0] += self.variance * g.iter().sum::<f64>();
    }

    fn add_input_gradient(&self, a: MatRef<'_>, b: MatRef<'_>, g: MatRef<'_>, mut out: MatMut<'_>) {
        if a.nrows() < b.nrows().min(FEW) {
            return self.add_input_gradient_of_few(a, b, g, out);
        }
        let a = self.scaled(a);
        let (mut values, mut slopes) = (vec![0.0; a.nrows()], vec![0.0; a.nrows()]);
        let mut point = vec![0.0; a.ncols()];
        for j in 0..b.nrows() {
            self.scale_row(b, j, &mut point);
            simd::squared_distances(a.as_ref(), &point, &mut values);
            simd::profile_and_slope(self.family, self.variance, &mut values, &mut slopes);
            for (k, &centre) in point.iter().enumerate() {
                // ∂k/∂aₖ = 2 (∂k/∂r²) (aₖ − bₖ)/ℓₖ²
                let factor = 2.0 / self.lengthscales[k];
                let rows = column_mut(out.as_mut(), k).iter_mut().zip(column(a.as_ref(), k));
                let rows = rows.zip(column(g, j).iter().zip(&slopes));
                rows.for_each(|((out, x), (g, slope))| *out += factor * g * slope * (x - centre));
            }
        }
    }

    fn spectrum(&self, dimension: usize, count: usize, rng: &mut ChaCha8Rng) -> Result<Spectrum> {
        let mut spectrum = Spectrum::constant(dimension, count);
        for f in 0..count {
            let scale = self.family.spectral_scale(rng);
            let inputs = column_mut(spectrum.frequencies.as_mut(), f).iter_mut().zip(&self.lengthscales);
            inputs.for_each(|(omega, l)| *omega = scale * normal(rng) / l);
        }
        Ok(spectrum)
    }
}
