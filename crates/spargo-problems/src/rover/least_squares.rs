//! Least squares by the singular value decomposition.
//!
//! ```text
//!     x = V Σ⁺ Uᵀ b,     A = U Σ Vᵀ
//! ```

use spargo::linalg::{Mat, MatRef};
use spargo::{Error, Result};

/// The shortest x, [k, r], among those that minimise |A x − b| for a tall A, [n, k], and b, [n, r].
///
/// Singular values below rounding, that is n ε of the largest, count as nil.
pub(super) fn least_squares(a: MatRef<'_>, b: MatRef<'_>) -> Result<Mat> {
    let (n, k) = (a.nrows(), a.ncols());
    let refuse = || Error::Unsupported {
        what: format!("the singular value decomposition of this {n}×{k} matrix does not converge"),
        remedy: "check it for extreme or non-finite values".into(),
    };
    // As with eigenvalues, the iteration of a matrix with a NaN need not end.
    if (0..k).any(|j| (0..n).any(|i| !a[(i, j)].is_finite())) {
        return Err(refuse());
    }
    let svd = a.thin_svd().map_err(|_| refuse())?;
    let singular = svd.S().column_vector();
    let least = singular[0] * f64::EPSILON * n as f64;
    let projected = svd.U().transpose() * b; // [k, r]
    let solved =
        Mat::from_fn(k, b.ncols(), |i, j| if singular[i] > least { projected[(i, j)] / singular[i] } else { 0.0 });
    Ok(svd.V() * solved)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn residuals_are_orthogonal_to_the_columns() {
        let a = Mat::from_fn(20, 4, |i, j| ((i * (j + 2)) as f64).sin());
        let b = Mat::from_fn(20, 2, |i, j| ((i + 3 * j) as f64).cos());
        let x = least_squares(a.as_ref(), b.as_ref()).unwrap();
        assert!((a.transpose() * (&a * &x - &b)).norm_max() < 1e-13);
    }

    #[test]
    fn of_many_solutions_the_shortest() {
        // Two equal columns share the coefficient.
        let a = Mat::from_fn(5, 2, |i, _| 1.0 + i as f64);
        let b = Mat::from_fn(5, 1, |i, _| 6.0 * (1.0 + i as f64));
        let x = least_squares(a.as_ref(), b.as_ref()).unwrap();
        assert!((x[(0, 0)] - 3.0).abs() < 1e-13 && (x[(1, 0)] - 3.0).abs() < 1e-13);
    }

    #[test]
    fn refuses_a_nan() {
        let a = Mat::from_fn(3, 2, |i, j| if i + j == 2 { f64::NAN } else { 1.0 });
        assert!(matches!(least_squares(a.as_ref(), a.as_ref()), Err(Error::Unsupported { .. })));
    }
}
