//! Cholesky factors of covariance matrices, with a jitter ladder and blocks in parallel.
//!
//! ```text
//!     K + εI = L Lᵀ
//! ```
//!
//! ε climbs a ladder until the factor exists *and* its smallest pivot is meaningful in floating point: a pivot that is
//! only rounding error would be inverted into noise. The factorisation is right-looking over column blocks; the
//! trailing update of each block is shared out by columns (which beats threads inside one kernel call).

use super::{Accumulate, Mat, MatMut, MatRef, gemm, mirror_lower, solve_lower, syrk_lower};
use crate::error::{Error, Result};
use crate::interrupt;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor as llt;
use faer::{Par, Spec};
use rayon::prelude::*;

/// Rungs of the jitter ladder, relative to the largest diagonal element.
const LADDER: [f64; 5] = [1e-12, 1e-10, 1e-8, 1e-6, 1e-4];

/// Columns factored at a time; one block of 128 columns stays in the second-level cache.
const BLOCK: usize = 128;

/// A squared pivot below this fraction of the largest variance (times the size) is rounding error.
const PIVOT_TOLERANCE: f64 = 4.0 * f64::EPSILON;

/// L with L Lᵀ = K + jitter·I; the strict upper triangle of `l` is zero.
#[derive(Debug, Clone)]
pub struct Cholesky {
    /// The lower factor.
    pub l: Mat,
    /// What had to be added to the diagonal.
    pub jitter: f64,
}

impl Cholesky {
    /// log |K + jitter·I|.
    pub fn log_determinant(&self) -> f64 {
        2.0 * (0..self.l.nrows()).map(|i| self.l[(i, i)].ln()).sum::<f64>()
    }
}

/// Factors a symmetric matrix, adding at least `floor` to its diagonal.
///
/// The ladder above the floor is relative to the largest diagonal element: 1e-12, 1e-10, … 1e-4. The factor takes the
/// place of the matrix: its lower triangle is overwritten, and restored from the upper one for the next rung.
pub fn cholesky(mut k: Mat, floor: f64) -> Result<Cholesky> {
    let size = k.nrows();
    let diagonal: Vec<f64> = (0..size).map(|i| k[(i, i)]).collect();
    let scale = diagonal.iter().fold(0.0, |largest: f64, v| largest.max(v.abs()));
    let ladder = LADDER.iter().map(|rung| rung * scale).filter(|&jitter| jitter > floor);
    let mut last = floor;
    for jitter in std::iter::once(floor).chain(ladder) {
        last = jitter;
        (0..size).for_each(|i| k[(i, i)] = diagonal[i] + jitter);
        if factor_in_place(k.as_mut()).is_some() && well_conditioned(&k, scale) {
            clear_upper(k.as_mut());
            return Ok(Cholesky { l: k, jitter });
        }
        interrupt::poll()?;
        mirror_lower(k.as_mut().transpose_mut());
    }
    Err(Error::NotPositiveDefinite { size, jitter: last })
}

/// Factors a matrix that is positive definite by construction, such as I + AAᵀ, however large its largest eigenvalue:
/// there a pivot of 1 is no rounding error, and jitter would only distort.
pub fn cholesky_definite(mut k: Mat) -> Result<Cholesky> {
    let size = k.nrows();
    let positive = |k: &Mat| (0..size).all(|i| k[(i, i)].is_finite() && k[(i, i)] > 0.0);
    if factor_in_place(k.as_mut()).is_none() || !positive(&k) {
        interrupt::poll()?;
        return Err(Error::NotPositiveDefinite { size, jitter: 0.0 });
    }
    clear_upper(k.as_mut());
    Ok(Cholesky { l: k, jitter: 0.0 })
}

/// rhs = L⁻¹ rhs for a right-hand side that is itself lower triangular, column blocks in parallel.
pub fn solve_lower_triangle(l: MatRef<'_>, rhs: MatMut<'_>) {
    let size = l.nrows();
    rhs.par_col_chunks_mut(BLOCK).enumerate().for_each(|(block, columns)| {
        // Column j of the result is zero above row j: only the trailing square takes part.
        let start = block * BLOCK;
        let below = columns.subrows_mut(start, size - start);
        solve_lower(l.submatrix(start, start, size - start, size - start), below);
    });
}

/// L⁻¹ of a lower triangular matrix, column blocks in parallel; only a part of it when interrupted.
///
/// X_JJ = L_JJ⁻¹ and X_IJ = −L_II⁻¹ Σ_{J ≤ K < I} L_IK X_KJ, so that nearly all of it is matrix products.
pub fn invert_lower(l: MatRef<'_>) -> Mat {
    let size = l.nrows();
    let starts: Vec<usize> = (0..size).step_by(BLOCK).collect();
    let invert_block = |&start: &usize| {
        let width = BLOCK.min(size - start);
        let mut inverse = Mat::identity(width, width);
        solve_lower(l.submatrix(start, start, width, width), inverse.as_mut());
        inverse
    };
    let diagonal: Vec<Mat> = starts.par_iter().map(invert_block).collect();
    let mut inverse = Mat::zeros(size, size);
    let flag = interrupt::current();
    inverse.par_col_chunks_mut(BLOCK).enumerate().for_each(|(block, mut columns)| {
        let (start, width) = (starts[block], columns.ncols());
        columns.as_mut().subrows_mut(start, width).copy_from(&diagonal[block]);
        let mut sum = Mat::zeros(BLOCK, width);
        for (below, &row) in diagonal.iter().zip(&starts).skip(block + 1) {
            if flag.is_raised() {
                break;
            }
            let height = below.nrows();
            let (above, rest) = columns.as_mut().split_at_row_mut(row);
            let above = above.as_ref().subrows(start, row - start);
            let mut sum = sum.as_mut().subrows_mut(0, height);
            gemm(sum.as_mut(), Accumulate::Replace, -1.0, l.submatrix(row, start, height, row - start), above);
            gemm(rest.subrows_mut(0, height), Accumulate::Replace, 1.0, below.as_ref(), sum.as_ref());
        }
    });
    inverse
}

/// K⁻¹ = L⁻ᵀL⁻¹, both triangles, column blocks in parallel; only a part of it when interrupted.
pub fn inverse_from_cholesky(l: MatRef<'_>) -> Mat {
    let size = l.nrows();
    let root = invert_lower(l);
    let mut inverse = Mat::zeros(size, size);
    let flag = interrupt::current();
    inverse.par_col_chunks_mut(BLOCK).enumerate().for_each(|(block, mut columns)| {
        let (start, width) = (block * BLOCK, columns.ncols());
        for row in (start..size).step_by(BLOCK) {
            if flag.is_raised() {
                break;
            }
            let (height, rest) = (BLOCK.min(size - row), size - row);
            // Rows of L⁻¹ above `row` are zero in the columns of this tile's left factor.
            let left = root.submatrix(row, row, rest, height).transpose();
            let tile = columns.as_mut().submatrix_mut(row, 0, height, width);
            gemm(tile, Accumulate::Replace, 1.0, left, root.submatrix(row, start, rest, width));
        }
    });
    mirror_lower(inverse.as_mut());
    inverse
}

fn well_conditioned(l: &Mat, scale: f64) -> bool {
    let tolerance = PIVOT_TOLERANCE * l.nrows() as f64 * scale;
    (0..l.nrows()).all(|i| l[(i, i)].is_finite() && l[(i, i)].powi(2) > tolerance)
}

fn clear_upper(mut l: MatMut<'_>) {
    for j in 1..l.ncols() {
        l.as_mut().col_mut(j).subrows_mut(0, j).fill(0.0);
    }
}

/// Right-looking blocked factorisation of the lower triangle; `None` at a pivot that is not positive, and when interrupted.
fn factor_in_place(mut k: MatMut<'_>) -> Option<()> {
    let size = k.nrows();
    for start in (0..size).step_by(BLOCK) {
        let width = BLOCK.min(size - start);
        let rest = size - start - width;
        let (panel, mut trailing) =
            k.as_mut().submatrix_mut(start, start, size - start, size - start).split_at_col_mut(width);
        let (mut diagonal, mut below) = panel.split_at_row_mut(width);
        factor_block(diagonal.as_mut())?;
        interrupt::poll().ok()?;
        if rest == 0 {
            break;
        }
        // L₂₁ = K₂₁ L₁₁⁻ᵀ, by rows
        below.as_mut().par_row_chunks_mut(BLOCK).for_each(|rows| solve_lower(diagonal.as_ref(), rows.transpose_mut()));
        // K₂₂ −= L₂₁ L₂₁ᵀ, by columns, on and below the diagonal; a transposed copy keeps the right factor contiguous
        let left = below.as_ref();
        let right = left.transpose().to_owned();
        trailing.as_mut().subrows_mut(width, rest).par_col_chunks_mut(BLOCK).enumerate().for_each(
            |(block, columns)| {
                let top = block * BLOCK;
                let width = columns.ncols();
                let (diagonal, lower) = columns.subrows_mut(top, rest - top).split_at_row_mut(width);
                syrk_lower(diagonal, Accumulate::Add, -1.0, left.subrows(top, width));
                let height = rest - top - width;
                gemm(lower, Accumulate::Add, -1.0, left.subrows(top + width, height), right.subcols(top, width));
            },
        );
    }
    Some(())
}

/// Factors a small block on a copy: faer may write above the diagonal, which must keep the matrix for the next rung.
fn factor_block(mut block: MatMut<'_>) -> Option<()> {
    let params = Spec::<llt::LltParams, f64>::default();
    let mut buffer = MemBuffer::new(llt::cholesky_in_place_scratch::<f64>(block.nrows(), Par::Seq, params));
    let mut copy = block.as_ref().to_owned();
    llt::cholesky_in_place(copy.as_mut(), Default::default(), Par::Seq, MemStack::new(&mut buffer), params).ok()?;
    for j in 0..copy.ncols() {
        for i in j..copy.nrows() {
            block[(i, j)] = copy[(i, j)];
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A smooth kernel matrix of size n: badly conditioned for large n, as in practice.
    fn covariance(n: usize, nugget: f64) -> Mat {
        Mat::from_fn(n, n, |i, j| {
            let r = (i as f64 - j as f64) / 10.0;
            1.7 * (-r.abs()).exp() + if i == j { nugget } else { 0.0 }
        })
    }

    fn largest_difference(a: MatRef<'_>, b: MatRef<'_>) -> f64 {
        (a - b).norm_max()
    }

    #[test]
    fn factor_and_inverse_across_block_boundaries() {
        for n in [1, 2, 127, 128, 129, 300, 517] {
            let k = covariance(n, 0.1);
            let factor = cholesky(k.clone(), 0.0).unwrap();
            assert_eq!(factor.jitter, 0.0);
            let rebuilt = &factor.l * factor.l.transpose();
            assert!(largest_difference(rebuilt.as_ref(), k.as_ref()) < 1e-13 * n as f64);
            let inverse = inverse_from_cholesky(factor.l.as_ref());
            assert!(largest_difference((&inverse * &k).as_ref(), Mat::identity(n, n).as_ref()) < 1e-11);
            let naive = faer::linalg::solvers::Llt::new(k.as_ref(), faer::Side::Lower).unwrap();
            assert!((naive.L() - &factor.l).norm_max() < 1e-12);
        }
    }

    #[test]
    fn ladder_reports_the_jitter_it_used() {
        // Rank one: pivots are meaningful from the first rung that beats rounding, which grows with the size.
        for (size, jitter) in [(5, 3e-12), (300, 3e-12), (2000, 3e-10)] {
            let ones = Mat::from_fn(size, size, |_, _| 3.0);
            let factor = cholesky(ones.clone(), 0.0).unwrap();
            assert_eq!(factor.jitter, jitter, "{size}");
            assert_eq!(cholesky(ones.clone(), 1e-3).unwrap().jitter, 1e-3);
            let rebuilt = &factor.l * factor.l.transpose();
            assert!(largest_difference(rebuilt.as_ref(), ones.as_ref()) < 2.0 * jitter, "{size}");
        }
    }

    #[test]
    fn indefinite_and_non_finite_matrices_are_refused() {
        for bad in [Mat::from_fn(3, 3, |i, j| if i == j { -1.0 } else { 0.0 }), Mat::from_fn(3, 3, |_, _| f64::NAN)] {
            assert!(matches!(cholesky(bad.clone(), 0.0), Err(Error::NotPositiveDefinite { size: 3, .. })));
        }
    }

    #[test]
    fn log_determinant_of_a_diagonal() {
        let k = Mat::from_fn(3, 3, |i, j| if i == j { (i + 1) as f64 } else { 0.0 });
        assert!((cholesky(k.clone(), 0.0).unwrap().log_determinant() - 6f64.ln()).abs() < 1e-15);
    }
}
