//! Exact samples of a determinantal point process with M points.
//!
//! ```text
//!     P(Z) = |L_Z| / e_M(λ),   L_ij = q_i k(x_i, x_j) q_j = V diag(λ) Vᵀ        (Kulesza & Taskar 2012, section 5.2)
//! ```
//!
//! First M eigenvectors are drawn, the set J with probability Π_{J} λ_j / e_M(λ), where e_M is the elementary symmetric
//! polynomial; then points from the projection process V_J V_Jᵀ, by conditioning it on one point after another. The
//! polynomials are kept as logarithms: e_500 of a thousand eigenvalues is far outside the range of floating point.

use crate::error::{Error, Result};
use crate::kernel::Kernel;
use crate::linalg::{Eigen, Mat, MatRef, column_mut, mat_vec, norm2, row, symmetric_eigen};
use crate::rng::weighted_index;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// The most rows that can be sampled from: the eigendecomposition takes O(N³) time and O(N²) memory.
pub(super) const MOST_ROWS: usize = 8192;

/// min(M, rank L) different rows; `quality` must be neither negative nor NaN.
pub(super) fn sample(
    x: MatRef<'_>,
    kernel: &Kernel,
    quality: &[f64],
    m: usize,
    rng: &mut ChaCha8Rng,
) -> Result<Vec<usize>> {
    let n = x.nrows();
    if n > MOST_ROWS {
        return Err(Error::Unsupported {
            what: format!("a determinantal point process over {n} rows is too large to be sampled exactly"),
            remedy: format!("use at most {MOST_ROWS} rows, or the greedy search, which has no limit"),
        });
    }
    let Eigen { values, vectors } = symmetric_eigen(weighted_covariance(x, kernel, quality).as_ref())?;
    // Eigenvalues below the rounding error of the largest are not there.
    let nil = n as f64 * f64::EPSILON * values.last().copied().unwrap_or(0.0);
    let first = values.iter().position(|&value| value > nil).unwrap_or(n);
    let size = m.min(n - first);
    let drawn = draw_eigenvectors(&values[first..], size, rng);
    let columns = Mat::from_fn(n, drawn.len(), |i, j| vectors[(i, first + drawn[j])]);
    Ok(draw_points(&columns, rng))
}

fn weighted_covariance(x: MatRef<'_>, kernel: &Kernel, quality: &[f64]) -> Mat {
    let mut l = Mat::zeros(x.nrows(), x.nrows());
    kernel.cross(x, x, l.as_mut());
    let largest = quality.iter().copied().fold(0.0, f64::max);
    let scale = if largest > 0.0 { largest } else { 1.0 };
    for j in 0..x.nrows() {
        let weight = quality[j] / scale;
        column_mut(l.as_mut(), j).iter_mut().zip(quality).for_each(|(value, q)| *value *= q / scale * weight);
    }
    l
}

/// A set J of `size` indices with probability proportional to Π λ_j.
fn draw_eigenvectors(values: &[f64], size: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
    let table = log_elementary(values, size);
    let (mut drawn, mut left) = (Vec::with_capacity(size), size);
    for i in (0..values.len()).rev() {
        if left == 0 {
            break;
        }
        // P(i ∈ J | left more to draw from 0…i) = λ_i e_{left−1}(0…i−1) / e_left(0…i)
        let log_probability = values[i].ln() + table[i][left - 1] - table[i + 1][left];
        if rng.random::<f64>().ln() < log_probability {
            drawn.push(i);
            left -= 1;
        }
    }
    drawn
}

/// table[n][l] = log e_l(λ_0 … λ_{n−1}), from e_l(…, λ) = e_l(…) + λ e_{l−1}(…).
fn log_elementary(values: &[f64], size: usize) -> Vec<Vec<f64>> {
    let mut row = vec![f64::NEG_INFINITY; size + 1];
    row[0] = 0.0;
    let mut table = vec![row.clone()];
    for value in values {
        for l in (1..=size).rev() {
            row[l] = log_sum(row[l], value.ln() + row[l - 1]);
        }
        table.push(row.clone());
    }
    table
}

/// log(eᵃ + eᵇ).
fn log_sum(a: f64, b: f64) -> f64 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    if low == f64::NEG_INFINITY { high } else { high + (low - high).exp().ln_1p() }
}

/// As many rows as V has columns from the projection process with kernel V Vᵀ.
fn draw_points(v: &Mat, rng: &mut ChaCha8Rng) -> Vec<usize> {
    let (n, size) = (v.nrows(), v.ncols());
    let mut variance: Vec<f64> = (0..n).map(|i| norm2(&row(v.as_ref(), i))).collect();
    let mut factor = Mat::<f64>::zeros(n, size); // [n, drawn so far]
    let mut rows = Vec::with_capacity(size);
    for step in 0..size {
        let Some(i) = weighted_index(&variance, rng) else { break };
        // Condition V Vᵀ on row i: one column of its pivoted Cholesky factor.
        let projection = mat_vec(v.as_ref(), &row(v.as_ref(), i));
        let known = mat_vec(factor.subcols(0, step), &row(factor.subcols(0, step), i));
        let root = variance[i].sqrt();
        for (k, entry) in column_mut(factor.as_mut(), step).iter_mut().enumerate() {
            *entry = (projection[k] - known[k]) / root;
            variance[k] = (variance[k] - *entry * *entry).max(0.0);
        }
        variance[i] = 0.0;
        rows.push(i);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elementary_symmetric_polynomials_by_hand_and_out_of_range() {
        // (1 + t)(1 + 2t)(1 + 3t) = 1 + 6t + 11t² + 6t³
        let table = log_elementary(&[1.0, 2.0, 3.0], 3);
        let found: Vec<f64> = table[3].iter().map(|v| v.exp()).collect();
        for (found, expected) in found.iter().zip([1.0, 6.0, 11.0, 6.0]) {
            assert!((found - expected).abs() < 1e-13);
        }
        assert_eq!(table[1][2], f64::NEG_INFINITY);
        // e_l of n equal values is C(n, l) λˡ: here 10^3301.
        let table = log_elementary(&[1e30; 200], 100);
        let binomial: f64 = (1..=100).map(|i| ((100 + i) as f64 / i as f64).ln()).sum();
        assert!((table[200][100] / (binomial + 3000.0 * 10f64.ln()) - 1.0).abs() < 1e-13);
    }
}
