//! Eigenvalues and eigenvectors of symmetric matrices.
//!
//! ```text
//!     A = V diag(λ) Vᵀ
//! ```

use super::{Mat, MatRef};
use crate::error::{Error, Result};
use faer::Side;

/// λ in increasing order, and V with an eigenvector a column.
#[derive(Debug, Clone)]
pub struct Eigen {
    /// λ.
    pub values: Vec<f64>,
    /// V.
    pub vectors: Mat,
}

/// Decomposes a symmetric matrix given by its lower triangle.
pub fn symmetric_eigen(a: MatRef<'_>) -> Result<Eigen> {
    let size = a.nrows();
    let refuse = || Error::Unsupported {
        what: format!("the eigendecomposition of this {size}×{size} matrix does not converge"),
        remedy: "check the kernel's parameters for extreme or non-finite values".into(),
    };
    // The iteration of a matrix with a NaN never ends.
    if (0..size).any(|j| (j..size).any(|i| !a[(i, j)].is_finite())) {
        return Err(refuse());
    }
    let eigen = a.self_adjoint_eigen(Side::Lower).map_err(|_| refuse())?;
    Ok(Eigen { values: eigen.S().column_vector().iter().copied().collect(), vectors: eigen.U().to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rebuilds_the_matrix_and_sorts_its_values() {
        let a = Mat::from_fn(40, 40, |i, j| (-((i as f64 - j as f64) / 6.0).powi(2)).exp());
        let Eigen { values, vectors } = symmetric_eigen(a.as_ref()).unwrap();
        assert!(values.windows(2).all(|pair| pair[0] <= pair[1]));
        let scaled = Mat::from_fn(40, 40, |i, j| vectors[(i, j)] * values[j]);
        assert!((&scaled * vectors.transpose() - &a).norm_max() < 1e-13);
        assert!((vectors.transpose() * &vectors - Mat::<f64>::identity(40, 40)).norm_max() < 1e-13);
    }

    #[test]
    fn refuses_a_nan() {
        let a = Mat::from_fn(3, 3, |i, j| if i + j == 3 { f64::NAN } else { 1.0 });
        assert!(matches!(symmetric_eigen(a.as_ref()), Err(Error::Unsupported { .. })));
    }
}
