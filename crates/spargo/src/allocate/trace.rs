//! What the inducing points leave unexplained at the data.
//!
//! ```text
//!     t(Z) = Σ_i σ²(x_i | Z),   t^q(Z) = Σ_i q(x_i)² σ²(x_i | Z),   σ²(x | Z) = k(x, x) − |L⁻¹ k(Z, x)|²,  L Lᵀ = K_ZZ
//! ```
//!
//! t/(2s²) ≤ E KL[Q‖P] ≤ t/s² for noise variance s² (Burt et al. 2020): the smaller the better.

use crate::error::{Result, check_length};
use crate::kernel::Kernel;
use crate::linalg::{Mat, MatRef, cholesky, column, norm2, solve_lower};
use rayon::prelude::*;

/// Rows per task.
const BLOCK: usize = 256;

/// The trace terms of a set of inducing points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trace {
    /// t(Z).
    pub plain: f64,
    /// t^q(Z).
    pub weighted: f64,
}

/// The trace terms of Z at the data x, with the quality of every row of x.
pub fn trace(z: MatRef<'_>, x: MatRef<'_>, kernel: &Kernel, quality: &[f64]) -> Result<Trace> {
    check_length("the list of qualities", quality.len(), x.nrows())?;
    let variance = conditional_variance(z, x, kernel)?;
    let weighted = variance.iter().zip(quality).map(|(v, q)| q * q * v).sum();
    Ok(Trace { plain: variance.iter().sum(), weighted })
}

/// σ²(x_i | Z) of every row of x.
pub fn conditional_variance(z: MatRef<'_>, x: MatRef<'_>, kernel: &Kernel) -> Result<Vec<f64>> {
    let mut kzz = Mat::zeros(z.nrows(), z.nrows());
    kernel.cross(z, z, kzz.as_mut());
    let factor = cholesky(kzz, 0.0)?;
    let blocks = x.par_row_chunks(BLOCK).map(|rows| {
        let mut a = Mat::zeros(z.nrows(), rows.nrows()); // L⁻¹ k(Z, x), [m, block]
        kernel.cross(z, rows, a.as_mut());
        solve_lower(factor.l.as_ref(), a.as_mut());
        let prior = kernel.diagonal(rows).into_iter().enumerate();
        prior.map(|(i, prior)| (prior - norm2(column(a.as_ref(), i))).max(0.0)).collect::<Vec<_>>()
    });
    Ok(blocks.collect::<Vec<_>>().concat())
}
