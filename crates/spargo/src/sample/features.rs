//! Random Fourier features of a kernel (Rahimi & Recht 2007), with factors for categories.
//!
//! ```text
//!     φ_f(x) = √(2s²/F) cos(ω_fᵀx + b_f) Πⱼ g_jf(xⱼ),    (ω, g) ~ spectrum of k,  b ~ U[0, 2π),   E φ(x)ᵀφ(x') = k(x, x'),
//! ```
//!
//! where s² = k(x, x). The frequencies are those of the unscaled inputs: length scales are part of ω. Inputs without
//! categories have no g.

use crate::error::{Error, Result};
use crate::kernel::{Factors, Kernel, category};
use crate::linalg::vcos::cos_turns_in_place;
use crate::linalg::{Accumulate, Mat, MatMut, MatRef, column, column_mut, dot, gemm};
use crate::rng::uniform;
use rand_chacha::ChaCha8Rng;
use std::f64::consts::TAU;

/// F features; angles are kept in turns, so that reducing them is exact.
#[derive(Debug, Clone)]
pub struct Features {
    /// ω/2π, [d, F].
    turns: Mat,
    /// b/2π.
    phases: Vec<f64>,
    /// √(2s²/F).
    amplitude: f64,
    /// g.
    factors: Vec<Factors>,
}

impl Features {
    /// Features with frequencies ω, [d, F], and phases b in radians, of a kernel with variance s².
    pub fn new(frequencies: MatRef<'_>, phases: &[f64], variance: f64) -> Result<Self> {
        let count = frequencies.ncols();
        if count == 0 {
            return Err(Error::Empty { what: "the list of frequencies".into() });
        }
        if phases.len() != count {
            return Err(Error::Shape { what: "the list of phases".into(), found: phases.len(), expected: count });
        }
        let turns = Mat::from_fn(frequencies.nrows(), count, |k, f| frequencies[(k, f)] / TAU);
        let phases = phases.iter().map(|b| b / TAU).collect();
        Ok(Features { turns, phases, amplitude: (2.0 * variance / count as f64).sqrt(), factors: Vec::new() })
    }

    /// These features times factors for the categories of some inputs.
    pub fn with_factors(self, factors: Vec<Factors>) -> Result<Self> {
        for Factors { input, values } in &factors {
            if values.ncols() != self.count() || values.nrows() == 0 {
                let what = "each category's list of factors".into();
                return Err(Error::Shape { what, found: values.ncols(), expected: self.count() });
            }
            if *input >= self.dimension() {
                let must = format!("below the number of inputs, {}", self.dimension());
                return Err(Error::Parameter { name: "an input with factors".into(), value: *input as f64, must });
            }
        }
        Ok(Features { factors, ..self })
    }

    /// Draws `count` features of this kernel for points with `dimension` inputs: the whole spectrum, then all phases.
    pub fn draw(kernel: &Kernel, dimension: usize, count: usize, rng: &mut ChaCha8Rng) -> Result<Self> {
        kernel.check(dimension)?;
        let spectrum = kernel.spectrum(dimension, count, rng)?;
        let phases: Vec<f64> = (0..count).map(|_| TAU * uniform(rng)).collect();
        let variance = kernel.diagonal(Mat::zeros(1, dimension).as_ref())[0];
        Features::new(spectrum.frequencies.as_ref(), &phases, variance)?.with_factors(spectrum.factors)
    }

    /// F.
    pub fn count(&self) -> usize {
        self.phases.len()
    }

    /// d.
    pub fn dimension(&self) -> usize {
        self.turns.nrows()
    }

    /// Φ, the features of each row of x, [n, F].
    pub fn matrix(&self, x: MatRef<'_>) -> Mat {
        let mut waves = Mat::zeros(x.nrows(), self.count());
        for (f, phase) in self.phases.iter().enumerate() {
            column_mut(waves.as_mut(), f).fill(*phase);
        }
        gemm(waves.as_mut(), Accumulate::Add, 1.0, x, self.turns.as_ref());
        (0..self.count()).for_each(|f| cos_turns_in_place(column_mut(waves.as_mut(), f), self.amplitude));
        self.factors.iter().for_each(|factors| multiply(factors, x, waves.as_mut()));
        waves
    }

    /// Adds φ(xᵢ)ᵀgᵢ to `values` and its gradient in xᵢ to row i of `gradient`, [n, d], with gᵢ column `columns[i]` of g, [F, ·].
    pub fn add_value_gradient(
        &self,
        x: MatRef<'_>,
        g: MatRef<'_>,
        columns: &[usize],
        values: &mut [f64],
        gradient: MatMut<'_>,
    ) {
        // A point is a column here: long ones, alongside those of g.
        let mut angles = Mat::from_fn(self.count(), x.nrows(), |f, _| self.phases[f]); // [F, n]
        gemm(angles.as_mut(), Accumulate::Add, 1.0, self.turns.transpose(), x.transpose());
        let mut waves = vec![0.0; self.count()];
        for (i, &own) in columns.iter().enumerate() {
            let (angles, g) = (column_mut(angles.as_mut(), i), column(g, own));
            waves.copy_from_slice(angles);
            cos_turns_in_place(&mut waves, self.amplitude);
            self.multiply_one(x, i, &mut waves);
            values[i] += dot(&waves, g);
            // ∂cos(2πt)/∂t = 2π cos(2π(t + ¼))
            angles.iter_mut().for_each(|turns| *turns += 0.25);
            cos_turns_in_place(angles, TAU * self.amplitude);
            self.multiply_one(x, i, angles);
            angles.iter_mut().zip(g).for_each(|(slope, g)| *slope *= g);
        }
        gemm(gradient, Accumulate::Add, 1.0, angles.transpose(), self.turns.transpose());
    }

    /// Multiplies the waves of point i by the factors of its categories.
    fn multiply_one(&self, x: MatRef<'_>, i: usize, waves: &mut [f64]) {
        for Factors { input, values } in &self.factors {
            let category = category(x[(i, *input)], values.nrows());
            waves.iter_mut().enumerate().for_each(|(f, wave)| *wave *= values[(category, f)]);
        }
    }
}

/// Multiplies row i of the waves by the factors of the category that point i has.
fn multiply(Factors { input, values }: &Factors, x: MatRef<'_>, mut waves: MatMut<'_>) {
    let categories: Vec<usize> = (0..x.nrows()).map(|i| category(x[(i, *input)], values.nrows())).collect();
    for f in 0..waves.ncols() {
        let factors = column(values.as_ref(), f);
        let rows = column_mut(waves.as_mut(), f).iter_mut().zip(&categories);
        rows.for_each(|(wave, &category)| *wave *= factors[category]);
    }
}
