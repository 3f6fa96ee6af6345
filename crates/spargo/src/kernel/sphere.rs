//! The inverse stereographic projection of some inputs onto a sphere, whose coordinates are exact features of a linear kernel there.
//!
//! ```text
//!     x̃ = (x − c) ∘ r,     p(x) = [2x̃, |x̃|² − 1] / (1 + |x̃|²),     |p| = 1,     ψ(x) = [κ, λ p(x)]
//! ```

use crate::linalg::{Mat, MatRef, column_mut};

/// Coordinates before the projection are cut off here: their squares must not overflow.
const FARTHEST: f64 = 1e150;

/// ψ, with as many coordinates as there are inputs, and two more.
#[derive(Debug, Clone, PartialEq)]
pub struct Sphere {
    /// The columns that hold the inputs.
    pub(super) inputs: Vec<usize>,
    /// c, one per input.
    pub(super) centre: Vec<f64>,
    /// r, one per input.
    pub(super) rates: Vec<f64>,
    /// κ.
    pub(super) constant: f64,
    /// λ.
    pub(super) slope: f64,
}

impl Sphere {
    /// The number of coordinates.
    pub fn count(&self) -> usize {
        self.inputs.len() + 2
    }

    /// ψ of each row of x, [n, count].
    pub fn coordinates(&self, x: MatRef<'_>) -> Mat {
        let mut out = Mat::zeros(x.nrows(), self.count());
        let last = self.inputs.len() + 1;
        column_mut(out.as_mut(), 0).fill(self.constant);
        for (k, &input) in self.inputs.iter().enumerate() {
            for i in 0..x.nrows() {
                let v = self.scaled(k, x[(i, input)]);
                out[(i, k + 1)] = v;
                out[(i, last)] += v * v;
            }
        }
        for i in 0..x.nrows() {
            let share = 1.0 / (1.0 + out[(i, last)]);
            (1..last).for_each(|k| out[(i, k)] *= 2.0 * self.slope * share);
            out[(i, last)] = self.slope * (1.0 - 2.0 * share);
        }
        out
    }

    /// Σₘ qₘ ∂ψₘ/∂x̃ at row i of x, one per input into `slopes`; `point` is x̃ then.
    pub(super) fn pull(&self, x: MatRef<'_>, i: usize, q: &[f64], point: &mut [f64], slopes: &mut [f64]) {
        let mut square = 0.0;
        for (k, (point, &input)) in point.iter_mut().zip(&self.inputs).enumerate() {
            *point = self.scaled(k, x[(i, input)]);
            square += *point * *point;
        }
        let share = 1.0 / (1.0 + square);
        let along: f64 = point.iter().zip(&q[1..]).map(|(x, q)| q * (x * share)).sum();
        let radial = 4.0 * (q[q.len() - 1] * share - along);
        for ((slope, x), q) in slopes.iter_mut().zip(point).zip(&q[1..]) {
            *slope = self.slope * (2.0 * q * share + radial * (*x * share));
        }
    }

    /// Adds Σₘ qₘ ∂ψₘ/∂x at row i of x to `add`, which is called with (input, slope).
    pub fn add_gradient(&self, x: MatRef<'_>, i: usize, q: &[f64], mut add: impl FnMut(usize, f64)) {
        let (mut point, mut slopes) = (vec![0.0; self.inputs.len()], vec![0.0; self.inputs.len()]);
        self.pull(x, i, q, &mut point, &mut slopes);
        slopes.iter().enumerate().for_each(|(k, slope)| add(self.inputs[k], slope * self.rates[k]));
    }

    /// ψ times a factor.
    pub(super) fn times(self, factor: f64) -> Self {
        Sphere { constant: self.constant * factor, slope: self.slope * factor, ..self }
    }

    /// The same ψ of points of more inputs, of which it reads only these.
    pub(super) fn spread_over(mut self, inputs: &[usize]) -> Self {
        self.inputs.iter_mut().for_each(|input| *input = inputs[*input]);
        self
    }

    /// x̃ of one input.
    fn scaled(&self, k: usize, x: f64) -> f64 {
        ((x - self.centre[k]) * self.rates[k]).clamp(-FARTHEST, FARTHEST)
    }
}
