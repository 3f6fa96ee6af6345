//! The M×M half of the sparse model: what one walk over the data leaves behind, and the slopes the next one needs.

use crate::error::Result;
use crate::linalg::{
    Cholesky, Into, Mat, cholesky, dot, gemm, gram_of_lower, lower_transposed_times, mirror_lower,
    solve_lower_transposed_vec, solve_lower_triangle, solve_lower_vec,
};
use std::f64::consts::PI;

/// Sums over the data.
pub(super) struct Sums {
    /// N.
    pub rows: usize,
    /// AAᵀ, lower triangle, [m, m].
    pub aat: Mat<f64>,
    /// AΣ^(−½)r.
    pub b: Vec<f64>,
    /// Σ log σᵢ².
    pub log_noise: f64,
    /// Σ rᵢ²/σᵢ².
    pub residual: f64,
    /// Σ kᵢᵢ/σᵢ².
    pub prior: f64,
}

/// The model conditioned on the data.
pub(super) struct State {
    pub lzz: Cholesky,
    /// L⁻¹, [m, m].
    root: Mat<f64>,
    pub lb: Cholesky,
    /// B⁻¹b.
    pub w: Vec<f64>,
    sums: Sums,
}

/// What the second walk needs.
pub(super) struct Slopes {
    /// P = L⁻ᵀ(I − B⁻¹ − wwᵀ)L⁻¹, [m, m].
    pub p: Mat<f64>,
    /// v = L⁻ᵀw.
    pub v: Vec<f64>,
    /// ∂F/∂Kzz = ½ (P − L⁻ᵀAAᵀL⁻¹), [m, m].
    pub kzz: Mat<f64>,
}

impl State {
    pub(super) fn new(lzz: Cholesky, root: Mat<f64>, mut sums: Sums) -> Result<Self> {
        mirror_lower(sums.aat.as_mut());
        let mut b = sums.aat.clone();
        (0..b.nrows()).for_each(|i| b[(i, i)] += 1.0);
        let lb = cholesky(b, 0.0)?;
        let w = solve_lower_transposed_vec(lb.l.as_ref(), &solve_lower_vec(lb.l.as_ref(), &sums.b));
        Ok(State { lzz, root, lb, w, sums })
    }

    /// F.
    pub(super) fn bound(&self) -> f64 {
        let constant = self.sums.rows as f64 * (2.0 * PI).ln();
        -0.5 * (constant + self.log_determinant() + self.quadratic() + self.weighted_trace())
    }

    /// log|Q + Σ|.
    pub(super) fn log_determinant(&self) -> f64 {
        self.sums.log_noise + self.lb.log_determinant()
    }

    /// rᵀ(Q + Σ)⁻¹r.
    pub(super) fn quadratic(&self) -> f64 {
        self.sums.residual - dot(&self.sums.b, &self.w)
    }

    /// Σ (kᵢᵢ − qᵢᵢ)/σᵢ².
    pub(super) fn weighted_trace(&self) -> f64 {
        self.sums.prior - (0..self.w.len()).map(|i| self.sums.aat[(i, i)]).sum::<f64>()
    }

    pub(super) fn slopes(&self) -> Slopes {
        let m = self.w.len();
        let root = &self.root;
        // (L L_B)⁻¹, so that P = K⁻¹ − (L L_B)⁻ᵀ(L L_B)⁻¹ − vvᵀ
        let mut joint = root.clone();
        solve_lower_triangle(self.lb.l.as_ref(), joint.as_mut());
        let v = solve_lower_transposed_vec(self.lzz.l.as_ref(), &self.w);
        let mut p = Mat::from_fn(m, m, |i, j| -v[i] * v[j]);
        gram_of_lower(p.as_mut(), Into::Add, 1.0, root.as_ref());
        gram_of_lower(p.as_mut(), Into::Add, -1.0, joint.as_ref());
        let mut kzz = p.clone();
        lower_transposed_times(kzz.as_mut(), Into::Add, -1.0, root.as_ref(), |columns| {
            // AAᵀL⁻¹ for these columns, which are zero above their own row
            let mut product = Mat::zeros(m, columns.len());
            let below = root.submatrix(columns.start, columns.start, m - columns.start, columns.len());
            let left = self.sums.aat.subcols(columns.start, m - columns.start);
            gemm(product.as_mut(), Into::Replace, 1.0, left, below);
            product
        });
        mirror_lower(p.as_mut());
        mirror_lower(kzz.as_mut());
        (0..m).for_each(|j| kzz.col_as_slice_mut(j).iter_mut().for_each(|slope| *slope *= 0.5));
        Slopes { p, v, kzz }
    }
}
