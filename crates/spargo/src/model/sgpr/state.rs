//! The M×M half of the sparse model: what one pass over the data leaves behind, and the slopes the next one needs.

use crate::error::Result;
use crate::linalg::{
    Accumulate, Cholesky, Mat, cholesky_definite, congruence, dot, gram_of_lower, mirror_lower,
    solve_lower_transposed_vec, solve_lower_triangle, solve_lower_vec,
};
use std::f64::consts::PI;

/// Sums over the data.
#[derive(Debug, Clone)]
pub(super) struct Sums {
    /// N.
    pub rows: usize,
    /// AAᵀ, lower triangle, [m, m].
    pub aat: Mat,
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
    root: Mat,
    pub lb: Cholesky,
    /// B⁻¹b.
    pub w: Vec<f64>,
    sums: Sums,
}

/// What the second pass needs.
pub(super) struct Slopes {
    /// P = L⁻ᵀ(I − B⁻¹ − wwᵀ)L⁻¹, [m, m].
    pub p: Mat,
    /// v = L⁻ᵀw.
    pub v: Vec<f64>,
    /// ∂F/∂Kzz = ½ (P − L⁻ᵀAAᵀL⁻¹), [m, m].
    pub kzz: Mat,
}

impl State {
    pub(super) fn new(lzz: Cholesky, root: Mat, mut sums: Sums) -> Result<Self> {
        mirror_lower(sums.aat.as_mut());
        let mut b = sums.aat.clone();
        (0..b.nrows()).for_each(|i| b[(i, i)] += 1.0);
        let lb = cholesky_definite(b)?;
        let w = solve_lower_transposed_vec(lb.l.as_ref(), &solve_lower_vec(lb.l.as_ref(), &sums.b));
        Ok(State { lzz, root, lb, w, sums })
    }

    /// F.
    pub(super) fn bound(&self) -> f64 {
        let constant = self.sums.rows as f64 * (2.0 * PI).ln();
        -0.5 * (constant + self.log_determinant() + self.quadratic() + self.weighted_trace())
    }

    /// log|Q + Σ|.
    fn log_determinant(&self) -> f64 {
        self.sums.log_noise + self.lb.log_determinant()
    }

    /// rᵀ(Q + Σ)⁻¹r.
    fn quadratic(&self) -> f64 {
        self.sums.residual - dot(&self.sums.b, &self.w)
    }

    /// Σ (kᵢᵢ − qᵢᵢ)/σᵢ².
    fn weighted_trace(&self) -> f64 {
        self.sums.prior - (0..self.w.len()).map(|i| self.sums.aat[(i, i)]).sum::<f64>()
    }

    pub(super) fn slopes(&self) -> Slopes {
        let v = solve_lower_transposed_vec(self.lzz.l.as_ref(), &self.w);
        // Two chains of M³ flops in parallel: each step of them is too short to be shared out.
        let unwhitened = || congruence(self.root.as_ref(), self.sums.aat.as_ref()); // L⁻ᵀAAᵀL⁻¹
        let (mut p, mut kzz) = rayon::join(|| self.p(&v), unwhitened);
        for j in 0..v.len() {
            let column = kzz.col_as_slice_mut(j).iter_mut().zip(p.col_as_slice(j));
            column.for_each(|(k, p)| *k = 0.5 * (p - *k));
        }
        mirror_lower(p.as_mut());
        mirror_lower(kzz.as_mut());
        Slopes { p, v, kzz }
    }

    /// The lower triangle of P = K⁻¹ − (L L_B)⁻ᵀ(L L_B)⁻¹ − vvᵀ
    fn p(&self, v: &[f64]) -> Mat {
        let mut joint = self.root.clone();
        solve_lower_triangle(self.lb.l.as_ref(), joint.as_mut()); // (L L_B)⁻¹
        let mut p = Mat::from_fn(v.len(), v.len(), |i, j| -v[i] * v[j]);
        gram_of_lower(p.as_mut(), Accumulate::Add, 1.0, self.root.as_ref());
        gram_of_lower(p.as_mut(), Accumulate::Add, -1.0, joint.as_ref());
        p
    }
}
