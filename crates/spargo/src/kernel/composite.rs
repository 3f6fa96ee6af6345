//! Sums and products of kernels.
//!
//! ```text
//!     k = Σᵢ kᵢ :  ∂loss/∂Kᵢ = G            k = Πᵢ kᵢ :  ∂loss/∂Kᵢ = G ∘ Πⱼ≠ᵢ Kⱼ
//! ```

use super::{Covariance, Kernel, Role};
use crate::linalg::{Mat, MatMut, MatRef, column, column_mut};

pub(super) fn dimension(parts: &[Kernel]) -> Option<usize> {
    parts.iter().find_map(Kernel::dimension)
}

pub(super) fn roles(parts: &[Kernel]) -> Vec<Role> {
    parts.iter().flat_map(Kernel::roles).collect()
}

pub(super) fn parameters(parts: &[Kernel]) -> Vec<f64> {
    parts.iter().flat_map(Kernel::parameters).collect()
}

pub(super) fn set_parameters(parts: &mut [Kernel], mut theta: &[f64]) {
    for part in parts {
        let (own, rest) = theta.split_at(part.roles().len());
        part.set_parameters(own);
        theta = rest;
    }
}

pub(super) fn sum_cross(parts: &[Kernel], a: MatRef<'_, f64>, b: MatRef<'_, f64>, out: MatMut<'_, f64>) {
    combine(parts, a, b, out, |total, part| *total += part);
}

pub(super) fn product_cross(parts: &[Kernel], a: MatRef<'_, f64>, b: MatRef<'_, f64>, out: MatMut<'_, f64>) {
    combine(parts, a, b, out, |total, part| *total *= part);
}

pub(super) fn sum_diagonal(parts: &[Kernel], x: MatRef<'_, f64>) -> Vec<f64> {
    combine_diagonals(parts, x, |total, part| *total += part)
}

pub(super) fn product_diagonal(parts: &[Kernel], x: MatRef<'_, f64>) -> Vec<f64> {
    combine_diagonals(parts, x, |total, part| *total *= part)
}

pub(super) fn sum_parameter_gradient(
    parts: &[Kernel],
    a: MatRef<'_, f64>,
    b: MatRef<'_, f64>,
    g: MatRef<'_, f64>,
    gradient: &mut [f64],
) {
    for (part, gradient) in with_gradients(parts, gradient) {
        part.add_parameter_gradient(a, b, g, gradient);
    }
}

pub(super) fn product_parameter_gradient(
    parts: &[Kernel],
    a: MatRef<'_, f64>,
    b: MatRef<'_, f64>,
    g: MatRef<'_, f64>,
    gradient: &mut [f64],
) {
    let own = gradients_of_factors(parts, a, b, g);
    for ((part, gradient), g) in with_gradients(parts, gradient).zip(&own) {
        part.add_parameter_gradient(a, b, g.as_ref(), gradient);
    }
}

pub(super) fn sum_diagonal_gradient(parts: &[Kernel], x: MatRef<'_, f64>, g: &[f64], gradient: &mut [f64]) {
    for (part, gradient) in with_gradients(parts, gradient) {
        part.add_diagonal_gradient(x, g, gradient);
    }
}

pub(super) fn product_diagonal_gradient(parts: &[Kernel], x: MatRef<'_, f64>, g: &[f64], gradient: &mut [f64]) {
    let diagonals: Vec<Vec<f64>> = parts.iter().map(|part| part.diagonal(x)).collect();
    for (i, (part, gradient)) in with_gradients(parts, gradient).enumerate() {
        let others = diagonals.iter().enumerate().filter(|&(j, _)| j != i);
        let mut own = g.to_vec();
        others.for_each(|(_, other)| own.iter_mut().zip(other).for_each(|(g, k)| *g *= k));
        part.add_diagonal_gradient(x, &own, gradient);
    }
}

pub(super) fn sum_input_gradient(
    parts: &[Kernel],
    a: MatRef<'_, f64>,
    b: MatRef<'_, f64>,
    g: MatRef<'_, f64>,
    mut out: MatMut<'_, f64>,
) {
    parts.iter().for_each(|part| part.add_input_gradient(a, b, g, out.as_mut()));
}

pub(super) fn product_input_gradient(
    parts: &[Kernel],
    a: MatRef<'_, f64>,
    b: MatRef<'_, f64>,
    g: MatRef<'_, f64>,
    mut out: MatMut<'_, f64>,
) {
    for (part, g) in parts.iter().zip(gradients_of_factors(parts, a, b, g)) {
        part.add_input_gradient(a, b, g.as_ref(), out.as_mut());
    }
}

/// Each part beside its own stretch of the gradient.
fn with_gradients<'a>(
    parts: &'a [Kernel],
    mut gradient: &'a mut [f64],
) -> impl Iterator<Item = (&'a Kernel, &'a mut [f64])> {
    parts.iter().map(move |part| {
        let (own, rest) = std::mem::take(&mut gradient).split_at_mut(part.roles().len());
        gradient = rest;
        (part, own)
    })
}

fn combine(
    parts: &[Kernel],
    a: MatRef<'_, f64>,
    b: MatRef<'_, f64>,
    mut out: MatMut<'_, f64>,
    join: impl Fn(&mut f64, f64),
) {
    let Some((first, rest)) = parts.split_first() else { return };
    first.cross(a, b, out.as_mut());
    for part in rest {
        let other = part.matrix(a, b);
        for j in 0..other.ncols() {
            column_mut(out.as_mut(), j).iter_mut().zip(other.col_as_slice(j)).for_each(|(o, &k)| join(o, k));
        }
    }
}

fn combine_diagonals(parts: &[Kernel], x: MatRef<'_, f64>, join: impl Fn(&mut f64, f64)) -> Vec<f64> {
    let Some((first, rest)) = parts.split_first() else { return Vec::new() };
    let mut total = first.diagonal(x);
    for part in rest {
        total.iter_mut().zip(part.diagonal(x)).for_each(|(o, k)| join(o, k));
    }
    total
}

/// G ∘ Πⱼ≠ᵢ Kⱼ for every i. No division by Kᵢ, which may be zero.
fn gradients_of_factors(parts: &[Kernel], a: MatRef<'_, f64>, b: MatRef<'_, f64>, g: MatRef<'_, f64>) -> Vec<Mat<f64>> {
    let factors: Vec<Mat<f64>> = parts.iter().map(|part| part.matrix(a, b)).collect();
    let all_but = |i: usize| {
        let mut own = g.to_owned();
        for (_, factor) in factors.iter().enumerate().filter(|&(j, _)| j != i) {
            for j in 0..own.ncols() {
                let k = column(factor.as_ref(), j);
                own.col_as_slice_mut(j).iter_mut().zip(k).for_each(|(g, k)| *g *= k);
            }
        }
        own
    };
    (0..parts.len()).map(all_but).collect()
}
