//! The M×M half of the variational model: what a pass over the data needs, and what follows from what it leaves behind.

use super::Variational;
use crate::linalg::{
    Accumulate, Mat, MatRef, column_mut, gemm_parallel, mirror_lower, solve_lower_transposed_vec, unwhiten,
};

/// Sums over the data, all times N/batch.
pub(super) struct Sums {
    /// Σ Eᵢ.
    pub expectation: f64,
    /// b = Ag.
    pub b: Vec<f64>,
    /// C = AHAᵀ, both triangles once the pass is over, [m, m].
    pub c: Mat,
}

/// What the pass needs for ∂ELBO/∂Kzx = v gᵀ + P Kzx H.
pub(super) struct Slopes {
    /// P = −2 L⁻ᵀQL⁻¹, [m, m].
    pub p: Mat,
    /// v = L⁻ᵀw.
    pub v: Vec<f64>,
}

impl Slopes {
    pub(super) fn new(l: MatRef<'_>, q: &Variational) -> Self {
        let mut p = unwhiten(l, unexplained(q).as_ref());
        (0..q.len()).for_each(|j| column_mut(p.as_mut(), j).iter_mut().for_each(|p| *p *= -2.0));
        Slopes { p, v: solve_lower_transposed_vec(l, q.mu()) }
    }
}

impl Sums {
    /// ∂ELBO/∂w = b − w and ∂ELBO/∂S = lower(2CS − S) + diag(1/Sⱼⱼ).
    pub(super) fn variational_gradient(&self, q: &Variational) -> (Vec<f64>, Mat) {
        let mu = self.b.iter().zip(q.mu()).map(|(b, w)| b - w).collect();
        let s = q.sqrt();
        let mut cs = Mat::zeros(q.len(), q.len());
        gemm_parallel(cs.as_mut(), Accumulate::Replace, 1.0, self.c.as_ref(), s);
        let sqrt = Mat::from_fn(q.len(), q.len(), |i, j| match i.cmp(&j) {
            std::cmp::Ordering::Less => 0.0,
            std::cmp::Ordering::Equal => 2.0 * cs[(i, j)] - s[(i, j)] + 1.0 / s[(i, j)],
            std::cmp::Ordering::Greater => 2.0 * cs[(i, j)] - s[(i, j)],
        });
        (mu, sqrt)
    }

    /// ∂ELBO/∂Kzz = −½ L⁻ᵀ sym(X) L⁻¹ with X = wbᵀ − 2QC.
    pub(super) fn kzz_slope(&self, l: MatRef<'_>, q: &Variational) -> Mat {
        let m = q.len();
        // −½X
        let mut x = Mat::from_fn(m, m, |i, j| -0.5 * q.mu()[i] * self.b[j]);
        gemm_parallel(x.as_mut(), Accumulate::Add, 1.0, unexplained(q).as_ref(), self.c.as_ref());
        mirror_lower(x.as_mut());
        unwhiten(l, x.as_ref())
    }
}

/// Q = I − SSᵀ, [m, m].
fn unexplained(q: &Variational) -> Mat {
    let mut unexplained = Mat::identity(q.len(), q.len());
    gemm_parallel(unexplained.as_mut(), Accumulate::Add, -1.0, q.sqrt(), q.sqrt().transpose());
    unexplained
}
