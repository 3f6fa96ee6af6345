//! Covariances between points, and gradients: what takes k(Z, x) through L⁻ᵀ(I − WWᵀ)L⁻¹.
//!
//! ```text
//!     cov(x, p) = k(x, p) − k(x, Z) h(p),     h(p) = L⁻ᵀ(I − WWᵀ)L⁻¹ k(Z, p),     ∂var(x)/∂k(Z, x) = −2 h(x)
//! ```
//!
//! With h(p) at hand a covariance with p costs M per point, not M².

use super::{InducingCovariance, Posterior};
use crate::error::Result;
use crate::linalg::{Accumulate, Mat, MatRef, gemm, mirror_lower, solve_lower, solve_lower_transposed, syrk_lower};

/// What values and gradients at a few points have in common.
pub(crate) struct Local {
    /// k(Z, x), [m, n].
    pub kzx: Mat,
    /// h(x), [m, n].
    pub weights: Mat,
    /// E f(xᵢ).
    pub mean: Vec<f64>,
    /// Var f(xᵢ) ≥ 0.
    pub variance: Vec<f64>,
}

impl Posterior {
    /// Joint covariance of f at the rows of x, [n, n].
    pub fn covariance(&self, x: MatRef<'_>) -> Result<Mat> {
        self.check(x)?;
        let a = self.whitened_cross(x);
        let mut covariance = self.kernel.matrix(x, x);
        syrk_lower(covariance.as_mut(), Accumulate::Add, -1.0, a.transpose());
        if let Some(projected) = self.projected(&a) {
            syrk_lower(covariance.as_mut(), Accumulate::Add, 1.0, projected.transpose());
        }
        mirror_lower(covariance.as_mut());
        Ok(covariance)
    }

    /// Mean, variance and h at rows that were checked before, by one thread.
    pub(crate) fn local(&self, x: MatRef<'_>) -> Local {
        let kzx = self.kernel.matrix(self.z(), x);
        let mut a = kzx.clone();
        solve_lower(self.l(), a.as_mut());
        let projected = self.projected(&a);
        let variance = self.variance_from_cross(x, &a, projected.as_ref());
        let mean = self.mean_from_cross(&a);
        // h = L⁻ᵀ(a − W Wᵀa)
        if let (InducingCovariance::Root(root), Some(projected)) = (&self.spread, projected) {
            gemm(a.as_mut(), Accumulate::Add, -1.0, root.as_ref(), projected.as_ref());
        }
        solve_lower_transposed(self.l(), a.as_mut());
        Local { kzx, weights: a, mean, variance }
    }
}
