//! Covariances between points, and gradients: what takes k(Z, x) through L⁻ᵀ(I − WWᵀ)L⁻¹.
//!
//! ```text
//!     cov(x, p) = k(x, p) − k(x, Z) h(p),     h(p) = L⁻ᵀ(I − WWᵀ)L⁻¹ k(Z, p),     ∂var(x)/∂k(Z, x) = −2 h(x)
//! ```
//!
//! With h(p) at hand a covariance with p costs M per point, not M².

use super::{BLOCK, InducingCovariance, Posterior};
use crate::error::Result;
use crate::linalg::{Accumulate, Mat, MatRef, gemm, mirror_lower, solve_lower, solve_lower_transposed, syrk_lower};
use rayon::prelude::*;

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

    /// h(p), so that cov(x, p) = k(x, p) − k(x, Z) h(p), [m, p].
    pub fn covariance_weights(&self, p: MatRef<'_>) -> Result<Mat> {
        self.check(p)?;
        let mut weights = Mat::zeros(self.z.nrows(), p.nrows());
        weights.par_col_chunks_mut(BLOCK).zip(p.par_row_chunks(BLOCK)).for_each(|(mut weights, p)| {
            weights.copy_from(self.local(p).weights);
        });
        Ok(weights)
    }

    /// ∂mean(xᵢ)/∂xᵢ, [n, d].
    pub fn mean_gradient(&self, x: MatRef<'_>) -> Result<Mat> {
        self.check(x)?;
        let g = Mat::from_fn(x.nrows(), self.weights.len(), |_, j| self.weights[j]);
        Ok(self.pull_back(x, g.as_ref()))
    }

    /// ∂var(xᵢ)/∂xᵢ, [n, d], for kernels whose k(x, x) does not depend on x.
    pub fn variance_gradient(&self, x: MatRef<'_>) -> Result<Mat> {
        let weights = self.covariance_weights(x)?;
        let g = Mat::from_fn(weights.ncols(), weights.nrows(), |i, j| -2.0 * weights[(j, i)]);
        Ok(self.pull_back(x, g.as_ref()))
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

    /// Σⱼ gᵢⱼ ∂k(xᵢ, zⱼ)/∂xᵢ.
    fn pull_back(&self, x: MatRef<'_>, g: MatRef<'_>) -> Mat {
        let mut out = Mat::zeros(x.nrows(), x.ncols());
        self.kernel.add_input_gradient(x, self.z(), g, out.as_mut());
        out
    }
}
