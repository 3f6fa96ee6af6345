//! Sums and products of kernels.
//!
//! ```text
//!     k = Σᵢ kᵢ :  ∂loss/∂Kᵢ = G            k = Πᵢ kᵢ :  ∂loss/∂Kᵢ = G ∘ Πⱼ≠ᵢ Kⱼ
//! ```
//!
//! The spectral density of a sum is the mixture of its parts' with weights kᵢ(x, x), that of a product their convolution.

use super::{Covariance, Kernel, Role, Tape, sized};
use crate::error::{Error, Result};
use crate::linalg::{Mat, MatMut, MatRef, column, column_mut};
use crate::rng::{distinct_indices, uniform};
use rand_chacha::ChaCha8Rng;

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

pub(super) fn sum_record(
    parts: &[Kernel],
    a: MatRef<'_, f64>,
    b: MatRef<'_, f64>,
    out: MatMut<'_, f64>,
    tape: &mut Tape,
) {
    record(parts, a, b, out, tape, |total, part| *total += part);
}

pub(super) fn product_record(
    parts: &[Kernel],
    a: MatRef<'_, f64>,
    b: MatRef<'_, f64>,
    out: MatMut<'_, f64>,
    tape: &mut Tape,
) {
    record(parts, a, b, out, tape, |total, part| *total *= part);
}

pub(super) fn sum_replay(
    parts: &[Kernel],
    a: MatRef<'_, f64>,
    b: MatRef<'_, f64>,
    g: MatRef<'_, f64>,
    tape: &Tape,
    gradient: &mut [f64],
) {
    for ((part, gradient), (k, tape)) in with_gradients(parts, gradient).zip(&tape.parts) {
        part.replay(a, b, k.submatrix(0, 0, g.nrows(), g.ncols()), g, tape, gradient);
    }
}

pub(super) fn product_replay(
    parts: &[Kernel],
    a: MatRef<'_, f64>,
    b: MatRef<'_, f64>,
    g: MatRef<'_, f64>,
    tape: &Tape,
    gradient: &mut [f64],
) {
    let factors: Vec<MatRef<'_, f64>> =
        tape.parts.iter().map(|(k, _)| k.submatrix(0, 0, g.nrows(), g.ncols())).collect();
    for (i, ((part, gradient), (_, tape))) in with_gradients(parts, gradient).zip(&tape.parts).enumerate() {
        part.replay(a, b, factors[i], all_but(i, &factors, g).as_ref(), tape, gradient);
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
    let factors: Vec<Mat<f64>> = parts.iter().map(|part| part.matrix(a, b)).collect();
    let factors: Vec<MatRef<'_, f64>> = factors.iter().map(Mat::as_ref).collect();
    for (i, part) in parts.iter().enumerate() {
        part.add_input_gradient(a, b, all_but(i, &factors, g).as_ref(), out.as_mut());
    }
}

/// The parts' frequencies side by side, each part with its share of the count, in random order: in a product of sums every
/// part of one must meet every part of the other.
pub(super) fn sum_frequencies(parts: &[Kernel], count: usize, rng: &mut ChaCha8Rng) -> Result<Mat<f64>> {
    let shares = shares(&proportions(parts)?, count, uniform(rng));
    let mut columns = distinct_indices(count, count, rng).into_iter();
    let mut omega = Mat::zeros(dimension(parts).unwrap_or(0), count);
    for (part, share) in parts.iter().zip(shares) {
        let own = part.frequencies(share, rng)?;
        for (f, column) in columns.by_ref().take(share).enumerate() {
            omega.col_mut(column).copy_from(own.col(f));
        }
    }
    Ok(omega)
}

/// cos α cos β averages to cos(α + β) when β is symmetric around 0: the frequencies of a product are sums.
pub(super) fn product_frequencies(parts: &[Kernel], count: usize, rng: &mut ChaCha8Rng) -> Result<Mat<f64>> {
    let mut omega = Mat::zeros(dimension(parts).unwrap_or(0), count);
    for part in parts {
        omega += part.frequencies(count, rng)?;
    }
    Ok(omega)
}

/// kᵢ(x, x) of each part relative to their sum; for kernels with frequencies it is the same at every x.
fn proportions(parts: &[Kernel]) -> Result<Vec<f64>> {
    let origin = Mat::zeros(1, dimension(parts).unwrap_or(0));
    let variances: Vec<f64> = parts.iter().flat_map(|part| part.diagonal(origin.as_ref())).collect();
    let total: f64 = variances.iter().sum();
    if !(total > 0.0 && total.is_finite()) {
        let (name, must) = ("the variance of a sum of kernels".into(), "positive and finite".into());
        return Err(Error::Parameter { name, value: total, must });
    }
    Ok(variances.into_iter().map(|variance| variance / total).collect())
}

/// Shares of `count` whose expectations over a uniform `offset` are exactly count·weight (systematic sampling).
fn shares(weights: &[f64], count: usize, offset: f64) -> Vec<usize> {
    let mut given = 0;
    let mut cumulative = 0.0;
    let mut upto = |weight: f64| {
        cumulative += weight;
        // The number of marks offset, offset + 1, … below count·cumulative.
        let end = (count as f64 * cumulative - offset).ceil().max(0.0) as usize;
        let share = end.min(count) - given;
        given += share;
        share
    };
    let mut shares: Vec<usize> = weights.iter().map(|&weight| upto(weight)).collect();
    // Rounding in the last sum may leave one mark over.
    if let Some(last) = shares.last_mut() {
        *last += count - given;
    }
    shares
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

/// Evaluates every part on its own and joins them; the parts' matrices stay on the tape.
fn record(
    parts: &[Kernel],
    a: MatRef<'_, f64>,
    b: MatRef<'_, f64>,
    mut out: MatMut<'_, f64>,
    tape: &mut Tape,
    join: impl Fn(&mut f64, f64),
) {
    tape.parts.resize_with(parts.len(), || (Mat::new(), Tape::default()));
    for (i, (part, (k, tape))) in parts.iter().zip(&mut tape.parts).enumerate() {
        let mut k = sized(k, a.nrows(), b.nrows());
        part.record(a, b, k.as_mut(), tape);
        match i {
            0 => out.copy_from(k),
            _ => join_columns(out.as_mut(), k.as_ref(), &join),
        }
    }
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
        join_columns(out.as_mut(), part.matrix(a, b).as_ref(), &join);
    }
}

fn join_columns(mut out: MatMut<'_, f64>, other: MatRef<'_, f64>, join: impl Fn(&mut f64, f64)) {
    for j in 0..other.ncols() {
        column_mut(out.as_mut(), j).iter_mut().zip(column(other, j)).for_each(|(o, &k)| join(o, k));
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

/// G ∘ Πⱼ≠ᵢ Kⱼ. No division by Kᵢ, which may be zero.
fn all_but(i: usize, factors: &[MatRef<'_, f64>], g: MatRef<'_, f64>) -> Mat<f64> {
    let mut own = g.to_owned();
    for (_, factor) in factors.iter().enumerate().filter(|&(j, _)| j != i) {
        join_columns(own.as_mut(), *factor, |g, k| *g *= k);
    }
    own
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Family;
    use crate::rng::{Purpose, stream};

    #[test]
    fn shares_add_up_and_are_right_on_average() {
        let weights = [0.13, 0.0, 0.57, 0.3];
        for count in [0, 1, 2, 7, 1000] {
            let all: Vec<Vec<usize>> = (0..1000).map(|i| shares(&weights, count, (i as f64 + 0.5) / 1000.0)).collect();
            assert!(all.iter().all(|shares| shares.iter().sum::<usize>() == count));
            for (part, weight) in weights.iter().enumerate() {
                let mean = all.iter().map(|shares| shares[part] as f64).sum::<f64>() / 1000.0;
                assert!((mean - count as f64 * weight).abs() <= 2e-3, "{count}: {mean}");
            }
        }
    }

    /// (a + b)(c + d) has the four products in its spectrum; paired in order, a would only ever meet c.
    #[test]
    fn a_product_of_sums_mixes_all_pairs() {
        let leaf = |lengthscale| Kernel::stationary(Family::Rbf, 1.0, lengthscale, 1);
        let sum = || Kernel::Sum(vec![leaf(1.0), leaf(1e-3)]);
        let omega = Kernel::Product(vec![sum(), sum()]);
        let omega = omega.frequencies(4000, &mut stream(0, Purpose::Frequencies, 0, 0)).unwrap();
        let slow = (0..4000).filter(|&f| omega[(0, f)].abs() < 10.0).count() as f64;
        // A quarter is slow twice (and a hundredth of the others by chance); five standard deviations of a binomial count.
        assert!((slow - 1015.0).abs() < 5.0 * 750f64.sqrt(), "{slow}");
    }
}
