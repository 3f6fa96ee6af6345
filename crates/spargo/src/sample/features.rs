//! Random Fourier features of a kernel (Rahimi & Recht 2007), with factors for categories; exact ones where finitely many are enough.
//!
//! ```text
//!     φ_f(x) = √(2s²/F) cos(ω_fᵀx + Σⱼ h_jf(xⱼ) + b_f) Πⱼ g_jf(xⱼ) Πₛ ψ_sf(x),    (ω, g, h, ψ) ~ spectrum of k,  b ~ U[0, 2π),   E φ(x)ᵀφ(x') = k(x, x'),
//! ```
//!
//! where s² = k(x, x). The frequencies are those of the unscaled inputs: length scales are part of ω. Inputs without
//! categories have no g, those without descriptors no h. The coordinates of linear kernels on a sphere, alone or as parts of a sum, are features by themselves, and
//! follow the random ones.

use crate::error::{Error, Result};
use crate::kernel::{Factors, Kernel, Sphere, SphereFactor, category};
use crate::linalg::vcos::cos_turns_in_place;
use crate::linalg::{Accumulate, Mat, MatMut, MatRef, column, column_mut, dot, gemm};
use crate::rng::uniform;
use rand_chacha::ChaCha8Rng;
use std::f64::consts::TAU;

/// F random features, and exact ones; angles are kept in turns, so that reducing them is exact.
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
    /// h/2π.
    shifts: Vec<Factors>,
    /// ψ of random features.
    spheres: Vec<SphereFactor>,
    /// Exact features.
    exact: Vec<Sphere>,
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
        let amplitude = (2.0 * variance / count as f64).sqrt();
        let (shifts, spheres, exact) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Features { turns, phases, amplitude, factors: Vec::new(), shifts, spheres, exact })
    }

    /// No features, of points with so many inputs.
    pub fn none(dimension: usize) -> Self {
        let (turns, phases, factors) = (Mat::zeros(dimension, 0), Vec::new(), Vec::new());
        Features { turns, phases, amplitude: 0.0, factors, shifts: Vec::new(), spheres: Vec::new(), exact: Vec::new() }
    }

    /// These features times factors for the categories of some inputs.
    pub fn with_factors(self, factors: Vec<Factors>) -> Result<Self> {
        self.check_factors(&factors)?;
        Ok(Features { factors, ..self })
    }

    /// These features with the angles of their waves shifted, in radians, for the categories of some inputs.
    pub fn with_shifts(self, mut shifts: Vec<Factors>) -> Result<Self> {
        self.check_factors(&shifts)?;
        for Factors { values, .. } in &mut shifts {
            (0..values.ncols()).for_each(|f| column_mut(values.as_mut(), f).iter_mut().for_each(|shift| *shift /= TAU));
        }
        Ok(Features { shifts, ..self })
    }

    fn check_factors(&self, factors: &[Factors]) -> Result<()> {
        for Factors { input, values } in factors {
            if values.ncols() != self.waves() || values.nrows() == 0 {
                let what = "each category's list of factors".into();
                return Err(Error::Shape { what, found: values.ncols(), expected: self.waves() });
            }
            if *input >= self.dimension() {
                let must = format!("below the number of inputs, {}", self.dimension());
                return Err(Error::Parameter { name: "an input with factors".into(), value: *input as f64, must });
            }
        }
        Ok(())
    }

    /// Draws `count` random features of this kernel for points with `dimension` inputs, the whole spectrum, then all phases; none
    /// for what has exact features.
    pub fn draw(kernel: &Kernel, dimension: usize, count: usize, rng: &mut ChaCha8Rng) -> Result<Self> {
        kernel.check(dimension)?;
        let (exact, rest) = kernel.split_exact();
        let Some(kernel) = rest else {
            return Ok(Features { exact, ..Features::none(dimension) });
        };
        let spectrum = kernel.spectrum(dimension, count, rng)?;
        let phases: Vec<f64> = (0..count).map(|_| TAU * uniform(rng)).collect();
        let variance = kernel.diagonal(Mat::zeros(1, dimension).as_ref())[0];
        let features = Features::new(spectrum.frequencies.as_ref(), &phases, variance)?
            .with_factors(spectrum.factors)?
            .with_shifts(spectrum.shifts)?;
        Ok(Features { spheres: spectrum.spheres, exact, ..features })
    }

    /// The number of features, random and exact.
    pub fn count(&self) -> usize {
        self.waves() + self.exact.iter().map(Sphere::count).sum::<usize>()
    }

    /// F, the number of random features.
    fn waves(&self) -> usize {
        self.phases.len()
    }

    /// d.
    pub fn dimension(&self) -> usize {
        self.turns.nrows()
    }

    /// Φ, the features of each row of x, [n, count].
    pub fn matrix(&self, x: MatRef<'_>) -> Mat {
        let mut features = Mat::zeros(x.nrows(), self.count());
        let (mut waves, mut exact) = features.as_mut().split_at_col_mut(self.waves());
        for (f, phase) in self.phases.iter().enumerate() {
            column_mut(waves.as_mut(), f).fill(*phase);
        }
        gemm(waves.as_mut(), Accumulate::Add, 1.0, x, self.turns.as_ref());
        self.shifts.iter().for_each(|shifts| per_category(shifts, x, waves.as_mut(), |angle, shift| *angle += shift));
        (0..self.waves()).for_each(|f| cos_turns_in_place(column_mut(waves.as_mut(), f), self.amplitude));
        self.factors.iter().for_each(|factors| per_category(factors, x, waves.as_mut(), |wave, g| *wave *= g));
        for SphereFactor { sphere, coordinates } in &self.spheres {
            let own = sphere.coordinates(x);
            for (f, &coordinate) in coordinates.iter().enumerate().filter_map(|(f, m)| Some((f, m.as_ref()?))) {
                let rows = column_mut(waves.as_mut(), f).iter_mut().zip(column(own.as_ref(), coordinate));
                rows.for_each(|(wave, own)| *wave *= own);
            }
        }
        let mut first = 0;
        for sphere in &self.exact {
            exact.as_mut().subcols_mut(first, sphere.count()).copy_from(sphere.coordinates(x));
            first += sphere.count();
        }
        features
    }

    /// Adds φ(xᵢ)ᵀgᵢ to `values` and its gradient in xᵢ to row i of `gradient`, [n, d], with gᵢ column `columns[i]` of g, [count, ·].
    pub fn add_value_gradient(
        &self,
        x: MatRef<'_>,
        g: MatRef<'_>,
        columns: &[usize],
        values: &mut [f64],
        mut gradient: MatMut<'_>,
    ) {
        self.add_exact(x, g, columns, values, gradient.as_mut());
        if self.waves() == 0 {
            return;
        }
        let mut angles = self.angles(x);
        let mut waves = vec![0.0; self.waves()];
        for (i, &own) in columns.iter().enumerate() {
            let (angles, g) = (column_mut(angles.as_mut(), i), &column(g, own)[..self.waves()]);
            waves.copy_from_slice(angles);
            cos_turns_in_place(&mut waves, self.amplitude);
            let of_categories = self.factors_of(x, i);
            multiply_one(&of_categories, &mut waves);
            let on_spheres = self.on_spheres(x, i);
            self.add_sphere_gradient(x, i, (&waves, g, &on_spheres), gradient.as_mut());
            on_spheres.iter().for_each(|own| waves.iter_mut().zip(own).for_each(|(wave, own)| *wave *= own));
            values[i] += dot(&waves, g);
            // ∂cos(2πt)/∂t = 2π cos(2π(t + ¼))
            angles.iter_mut().for_each(|turns| *turns += 0.25);
            cos_turns_in_place(angles, TAU * self.amplitude);
            multiply_one(&of_categories, angles);
            on_spheres.iter().for_each(|own| angles.iter_mut().zip(own).for_each(|(slope, own)| *slope *= own));
            angles.iter_mut().zip(g).for_each(|(slope, g)| *slope *= g);
        }
        gemm(gradient, Accumulate::Add, 1.0, angles.transpose(), self.turns.transpose());
    }

    /// Adds φ(xᵢ)ᵀgᵢ to `values`: the numbers of [`add_value_gradient`](Self::add_value_gradient).
    pub fn add_values(&self, x: MatRef<'_>, g: MatRef<'_>, columns: &[usize], values: &mut [f64]) {
        self.add_exact_values(x, g, columns, values);
        if self.waves() == 0 || x.nrows() == 0 {
            return;
        }
        let mut angles = self.angles(x);
        for (i, &own) in columns.iter().enumerate() {
            let waves = column_mut(angles.as_mut(), i);
            cos_turns_in_place(waves, self.amplitude);
            multiply_one(&self.factors_of(x, i), waves);
            self.on_spheres(x, i).iter().for_each(|own| waves.iter_mut().zip(own).for_each(|(wave, own)| *wave *= own));
            values[i] += dot(waves, &column(g, own)[..self.waves()]);
        }
    }

    /// ωᵀx + b in turns, [F, n]: a point is a column, alongside those of g.
    fn angles(&self, x: MatRef<'_>) -> Mat {
        let mut angles = Mat::from_fn(self.waves(), x.nrows(), |f, _| self.phases[f]);
        gemm(angles.as_mut(), Accumulate::Add, 1.0, self.turns.transpose(), x.transpose());
        for (i, Factors { input, values }) in (0..x.nrows()).flat_map(|i| self.shifts.iter().map(move |own| (i, own))) {
            let category = category(x[(i, *input)], values.nrows());
            column_mut(angles.as_mut(), i)
                .iter_mut()
                .enumerate()
                .for_each(|(f, angle)| *angle += values[(category, f)]);
        }
        angles
    }

    /// Adds what the exact features contribute to values and gradients.
    fn add_exact(&self, x: MatRef<'_>, g: MatRef<'_>, columns: &[usize], values: &mut [f64], mut gradient: MatMut<'_>) {
        self.add_exact_values(x, g, columns, values);
        let mut first = self.waves();
        for sphere in &self.exact {
            for (i, &own) in columns.iter().enumerate() {
                let g = &column(g, own)[first..first + sphere.count()];
                sphere.add_gradient(x, i, g, |input, slope| gradient[(i, input)] += slope);
            }
            first += sphere.count();
        }
    }

    /// Adds what the exact features contribute to values.
    fn add_exact_values(&self, x: MatRef<'_>, g: MatRef<'_>, columns: &[usize], values: &mut [f64]) {
        let mut first = self.waves();
        for sphere in &self.exact {
            let coordinates = sphere.coordinates(x);
            for (i, &own) in columns.iter().enumerate() {
                let g = &column(g, own)[first..first + sphere.count()];
                values[i] += g.iter().enumerate().map(|(m, g)| g * coordinates[(i, m)]).sum::<f64>();
            }
            first += sphere.count();
        }
    }

    /// The coordinate of each feature of point i on each sphere.
    fn on_spheres(&self, x: MatRef<'_>, i: usize) -> Vec<Vec<f64>> {
        let of_features = |SphereFactor { sphere, coordinates }: &SphereFactor| {
            let own = sphere.coordinates(x.subrows(i, 1));
            coordinates.iter().map(|m| m.map_or(1.0, |m| own[(0, m)])).collect::<Vec<f64>>()
        };
        self.spheres.iter().map(of_features).collect()
    }

    /// Adds the gradient through the coordinates on spheres of point i, `all` of them.
    fn add_sphere_gradient(
        &self,
        x: MatRef<'_>,
        i: usize,
        (waves, g, all): (&[f64], &[f64], &[Vec<f64>]),
        mut gradient: MatMut<'_>,
    ) {
        for (s, SphereFactor { sphere, coordinates }) in self.spheres.iter().enumerate() {
            let mut q = vec![0.0; sphere.count()];
            for (f, &m) in coordinates.iter().enumerate().filter_map(|(f, m)| Some((f, m.as_ref()?))) {
                let others = all.iter().enumerate().filter(|&(other, _)| other != s).map(|(_, own)| own[f]);
                q[m] += waves[f] * g[f] * others.product::<f64>();
            }
            sphere.add_gradient(x, i, &q, |input, slope| gradient[(i, input)] += slope);
        }
    }

    /// The factors of each category of point i.
    fn factors_of(&self, x: MatRef<'_>, i: usize) -> Vec<Vec<f64>> {
        let of = |Factors { input, values }: &Factors| {
            let category = category(x[(i, *input)], values.nrows());
            (0..values.ncols()).map(|f| values[(category, f)]).collect()
        };
        self.factors.iter().map(of).collect()
    }
}

/// Multiplies the waves of a point by the factors of its categories.
fn multiply_one(factors: &[Vec<f64>], waves: &mut [f64]) {
    factors.iter().for_each(|own| waves.iter_mut().zip(own).for_each(|(wave, own)| *wave *= own));
}

/// Changes row i of the waves by the numbers of the category that point i has.
fn per_category(
    Factors { input, values }: &Factors,
    x: MatRef<'_>,
    mut waves: MatMut<'_>,
    change: impl Fn(&mut f64, f64),
) {
    let categories: Vec<usize> = (0..x.nrows()).map(|i| category(x[(i, *input)], values.nrows())).collect();
    for f in 0..waves.ncols() {
        let factors = column(values.as_ref(), f);
        let rows = column_mut(waves.as_mut(), f).iter_mut().zip(&categories);
        rows.for_each(|(wave, &category)| change(wave, factors[category]));
    }
}
