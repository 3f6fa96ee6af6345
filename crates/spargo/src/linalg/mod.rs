//! Dense linear algebra: the only module that talks to faer.
//!
//! Everything here is sequential unless its name says otherwise: callers parallelise over blocks of data rows, which
//! scales better than threads inside one product. Matrices are column-major; points are rows.

mod cholesky;
pub mod column_major;
mod eigen;
mod points;
pub mod vcos;
pub mod vexp;

pub use cholesky::{Cholesky, cholesky, cholesky_definite, inverse_from_cholesky, invert_lower, solve_lower_triangle};
pub use eigen::{Eigen, symmetric_eigen};
pub use faer::RowMut;
pub(crate) use points::{PointKey, PointMap, point_key};

use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::linalg::{matmul, triangular_solve};
use faer::{Accum, Par};
use rayon::prelude::*;

/// Triangles of this size are multiplied as squares.
const TRIANGLE: usize = 48;

/// Rows and columns of a tile that is mirrored at a time.
const TILE: usize = 32;

/// A matrix, of numbers unless it says otherwise.
pub type Mat<T = f64> = faer::Mat<T>;

/// A view of a matrix.
pub type MatRef<'a, T = f64> = faer::MatRef<'a, T>;

/// A mutable view of a matrix.
pub type MatMut<'a, T = f64> = faer::MatMut<'a, T>;

/// Whether a product replaces its destination or is added to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accumulate {
    /// out = α·a·b
    Replace,
    /// out += α·a·b
    Add,
}

impl From<Accumulate> for Accum {
    fn from(accumulate: Accumulate) -> Self {
        match accumulate {
            Accumulate::Replace => Accum::Replace,
            Accumulate::Add => Accum::Add,
        }
    }
}

/// α·a·b into `out`.
pub fn gemm(out: MatMut<'_>, accumulate: Accumulate, alpha: f64, a: MatRef<'_>, b: MatRef<'_>) {
    matmul::matmul(out, accumulate.into(), a, b, alpha, Par::Seq);
}

/// α·a·b into `out`, its columns shared out among the threads of the pool.
pub fn gemm_parallel(out: MatMut<'_>, accumulate: Accumulate, alpha: f64, a: MatRef<'_>, b: MatRef<'_>) {
    let width = out.ncols().div_ceil(rayon::current_num_threads()).max(1);
    out.par_col_chunks_mut(width).zip(b.par_col_chunks(width)).for_each(|(out, b)| gemm(out, accumulate, alpha, a, b));
}

/// The lower triangle of α·a·aᵀ into that of `out`; the strict upper triangle is left alone.
pub fn syrk_lower(out: MatMut<'_>, accumulate: Accumulate, alpha: f64, a: MatRef<'_>) {
    product_lower(out, accumulate, alpha, a, a);
}

/// The lower triangle of α·a·bᵀ into that of `out`; the strict upper triangle is left alone.
pub fn product_lower(out: MatMut<'_>, accumulate: Accumulate, alpha: f64, a: MatRef<'_>, b: MatRef<'_>) {
    let (whole, lower) = (BlockStructure::Rectangular, BlockStructure::TriangularLower);
    triangular::matmul(out, lower, accumulate.into(), a, whole, b.transpose(), whole, alpha, Par::Seq);
}

/// The lower triangle of α·LᵀL into that of `out`, for a lower triangular L.
pub fn gram_of_lower(out: MatMut<'_>, accumulate: Accumulate, alpha: f64, l: MatRef<'_>) {
    let (lower, upper) = (BlockStructure::TriangularLower, BlockStructure::TriangularUpper);
    triangular::matmul(out, lower, accumulate.into(), l.transpose(), upper, l, lower, alpha, Par::Seq);
}

/// The lower triangle of LᵀSL, for a lower triangular L and a symmetric S.
pub fn congruence(l: MatRef<'_>, s: MatRef<'_>) -> Mat {
    let (whole, lower, upper) =
        (BlockStructure::Rectangular, BlockStructure::TriangularLower, BlockStructure::TriangularUpper);
    let mut half = Mat::zeros(s.nrows(), s.ncols());
    triangular::matmul(&mut half, whole, Accum::Replace, s, whole, l, lower, 1.0, Par::Seq);
    let mut out = Mat::zeros(s.nrows(), s.ncols());
    triangular::matmul(&mut out, lower, Accum::Replace, l.transpose(), upper, &half, whole, 1.0, Par::Seq);
    out
}

/// out = Lᵀb for a lower triangular L, at half the price of a full product.
pub fn lower_transposed_product(out: MatMut<'_>, l: MatRef<'_>, b: MatRef<'_>) {
    let (whole, upper) = (BlockStructure::Rectangular, BlockStructure::TriangularUpper);
    triangular::matmul(out, whole, Accum::Replace, l.transpose(), upper, b, whole, 1.0, Par::Seq);
}

/// L⁻ᵀ D L⁻¹ for a symmetric D, columns in parallel.
pub fn unwhiten(l: MatRef<'_>, d: MatRef<'_>) -> Mat {
    let mut half = d.to_owned();
    solve_lower_transposed_parallel(l, half.as_mut());
    // D is symmetric, so L⁻ᵀ(L⁻ᵀD)ᵀ = L⁻ᵀDL⁻¹
    let mut whole = half.transpose().to_owned();
    solve_lower_transposed_parallel(l, whole.as_mut());
    whole
}

/// rhs = L⁻ᵀ rhs, its columns shared out among the threads of the pool.
pub fn solve_lower_transposed_parallel(l: MatRef<'_>, rhs: MatMut<'_>) {
    let width = rhs.ncols().div_ceil(rayon::current_num_threads()).max(1);
    rhs.par_col_chunks_mut(width).for_each(|columns| solve_lower_transposed(l, columns));
}

/// x·u into `out` for an upper triangular u: halves, so that little of its zero part is multiplied.
pub fn times_upper(mut out: MatMut<'_>, accumulate: Accumulate, x: MatRef<'_>, u: MatRef<'_>) {
    let size = u.ncols();
    if size <= TRIANGLE {
        return gemm(out, accumulate, 1.0, x, u);
    }
    let half = (size / 2).next_multiple_of(8);
    let (left, right) = (x.subcols(0, half), x.subcols(half, size - half));
    times_upper(out.as_mut().subcols_mut(0, half), accumulate, left, u.submatrix(0, 0, half, half));
    let mut out = out.subcols_mut(half, size - half);
    gemm(out.as_mut(), accumulate, 1.0, left, u.submatrix(0, half, half, size - half));
    times_upper(out, Accumulate::Add, right, u.submatrix(half, half, size - half, size - half));
}

/// rhs = L⁻¹ rhs.
pub fn solve_lower(l: MatRef<'_>, rhs: MatMut<'_>) {
    triangular_solve::solve_lower_triangular_in_place(l, rhs, Par::Seq);
}

/// rhs = L⁻ᵀ rhs.
pub fn solve_lower_transposed(l: MatRef<'_>, rhs: MatMut<'_>) {
    triangular_solve::solve_upper_triangular_in_place(l.transpose(), rhs, Par::Seq);
}

/// L⁻¹ v for a single vector.
pub fn solve_lower_vec(l: MatRef<'_>, v: &[f64]) -> Vec<f64> {
    let mut out = v.to_vec();
    let rows = out.len();
    solve_lower(l, MatMut::from_column_major_slice_mut(&mut out, rows, 1));
    out
}

/// L⁻ᵀ v for a single vector.
pub fn solve_lower_transposed_vec(l: MatRef<'_>, v: &[f64]) -> Vec<f64> {
    let mut out = v.to_vec();
    let rows = out.len();
    solve_lower_transposed(l, MatMut::from_column_major_slice_mut(&mut out, rows, 1));
    out
}

/// a·v.
pub fn mat_vec(a: MatRef<'_>, v: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; a.nrows()];
    add_mat_vec(&mut out, a, v);
    out
}

/// out += a·v.
pub fn add_mat_vec(out: &mut [f64], a: MatRef<'_>, v: &[f64]) {
    let rows = out.len();
    let out = MatMut::from_column_major_slice_mut(out, rows, 1);
    gemm(out, Accumulate::Add, 1.0, a, MatRef::from_column_major_slice(v, v.len(), 1));
}

/// Copies the strict lower triangle over the upper one, in tiles that fit the first-level cache.
pub fn mirror_lower(mut a: MatMut<'_>) {
    let size = a.ncols();
    for left in (0..size).step_by(TILE) {
        for top in (left..size).step_by(TILE) {
            for j in left..(left + TILE).min(size) {
                for i in top.max(j + 1)..(top + TILE).min(size) {
                    a[(j, i)] = a[(i, j)];
                }
            }
        }
    }
}

/// aᵀb, with eight independent partial sums so that it vectorises.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (long, rest) = a.as_chunks::<8>();
    let (other, other_rest) = b.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for (a, b) in long.iter().zip(other) {
        sums.iter_mut().zip(a.iter().zip(b)).for_each(|(sum, (a, b))| *sum += a * b);
    }
    sums.iter().sum::<f64>() + rest.iter().zip(other_rest).map(|(a, b)| a * b).sum::<f64>()
}

/// outᵢ += Σⱼ aᵢⱼbᵢⱼ.
pub fn add_row_dots(out: &mut [f64], a: MatRef<'_>, b: MatRef<'_>) {
    for j in 0..a.ncols() {
        out.iter_mut().zip(column(a, j)).zip(column(b, j)).for_each(|((out, a), b)| *out += a * b);
    }
}

/// |a|².
pub fn norm2(a: &[f64]) -> f64 {
    dot(a, a)
}

/// A column as a slice: every matrix that the library makes is column-major with unit row stride; views of the user's
/// are copied before they come here.
pub fn column<'a>(a: MatRef<'a>, j: usize) -> &'a [f64] {
    match a.col(j).try_as_col_major() {
        Some(column) => column.as_slice(),
        None => unreachable!("matrices of this library have contiguous columns"),
    }
}

/// A column as a mutable slice.
pub fn column_mut<'a>(a: MatMut<'a>, j: usize) -> &'a mut [f64] {
    match a.col_mut(j).try_as_col_major_mut() {
        Some(column) => column.as_slice_mut(),
        None => unreachable!("matrices of this library have contiguous columns"),
    }
}

/// The rows of `a` with the given numbers, in that order.
pub fn select_rows(a: MatRef<'_>, rows: &[usize]) -> Mat {
    Mat::from_fn(rows.len(), a.ncols(), |i, k| a[(rows[i], k)])
}

/// Row i of `a`.
pub fn row(a: MatRef<'_>, i: usize) -> Vec<f64> {
    a.row(i).iter().copied().collect()
}

/// The indices of the largest values, so many, as [`sorted_by_value`] has them first: no sort of all of them.
pub fn largest_by_value(values: &[f64], count: usize) -> Vec<usize> {
    let before = |i: &usize, j: &usize| values[*j].total_cmp(&values[*i]).then(i.cmp(j));
    let mut order: Vec<usize> = (0..values.len()).collect();
    if count < order.len() {
        order.select_nth_unstable_by(count, before);
        order.truncate(count);
    }
    order.sort_unstable_by(before);
    order
}

/// The indices of the values, the largest value first.
pub fn sorted_by_value(values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&i, &j| values[j].total_cmp(&values[i]));
    order
}
