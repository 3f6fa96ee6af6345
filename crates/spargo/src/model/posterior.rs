//! The one posterior that every model returns, so that prediction, sampling and acquisition are written once.
//!
//! With a(x) = L⁻¹ k(Z, x):
//!
//! ```text
//!     mean(x)    = μ + a(x)ᵀ w
//!     cov(x, x') = k(x, x') − a(x)ᵀ a(x') + (Wᵀ a(x))ᵀ (Wᵀ a(x'))
//!
//!     model             L                 w                   W
//!     exact (Z = X)     chol(Kxx + Σ)     L⁻¹(y − μ)          0
//!     sparse (SGPR)     chol(Kzz)         B⁻¹AΣ^(−½)(y − μ)   L_B⁻ᵀ      A = L⁻¹KzxΣ^(−½),  B = I + AAᵀ = L_B L_Bᵀ
//!     weight space      the same, with Z that span the kernel: exact
//!     SVGP, whitened    chol(Kzz)         q_mu                q_sqrt
//! ```

mod joint;

pub(crate) use joint::Local;

use super::params::Hyperparameters;
use crate::data::check_finite;
use crate::error::{Error, Result};
use crate::interrupt;
use crate::kernel::Kernel;
use crate::linalg::{Accumulate, Cholesky, Mat, MatRef, column, gemm, norm2, solve_lower, solve_lower_transposed_vec};
use rayon::prelude::*;

/// Rows predicted at a time: a block of 512 against 500 inducing points is 2 MB.
const BLOCK: usize = 512;

/// What is left uncertain about f at Z.
#[derive(Debug, Clone)]
pub enum InducingCovariance {
    /// Exact GP: f at Z = X was observed with these noise standard deviations.
    Noise(Vec<f64>),
    /// Sparse GP: W, a root of the covariance of the whitened inducing variables, [m, m].
    Root(Mat),
}

/// A Gaussian process conditioned on data, exactly or through inducing variables.
#[derive(Debug, Clone)]
pub struct Posterior {
    kernel: Kernel,
    mean: f64,
    z: Mat, // [m, d]
    l: Mat, // [m, m]
    w: Vec<f64>,
    spread: InducingCovariance,
    /// L⁻ᵀw.
    weights: Vec<f64>,
    jitter: f64,
    /// Whether f at Z determines f.
    spanned: bool,
}

/// Means and variances of f at a list of points; add the noise for those of an observation.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// E f(xᵢ).
    pub mean: Vec<f64>,
    /// Var f(xᵢ) ≥ 0.
    pub variance: Vec<f64>,
}

impl Posterior {
    /// Puts the parts together; models are the ones to call this.
    pub(super) fn new(
        kernel: Kernel,
        mean: f64,
        z: Mat,
        factor: Cholesky,
        w: Vec<f64>,
        spread: InducingCovariance,
    ) -> Self {
        let weights = solve_lower_transposed_vec(factor.l.as_ref(), &w);
        Posterior { kernel, mean, z, l: factor.l, w, spread, weights, jitter: factor.jitter, spanned: false }
    }

    /// The same posterior, of which it is known that f at Z determines f.
    pub(super) fn with_spanning_points(self) -> Self {
        Posterior { spanned: true, ..self }
    }

    /// p(f) itself, over this many inputs: the posterior given no data.
    pub(crate) fn prior(hyper: &Hyperparameters, inputs: usize) -> Self {
        let factor = Cholesky { l: Mat::zeros(0, 0), jitter: 0.0 };
        let spread = InducingCovariance::Noise(Vec::new());
        Posterior::new(hyper.kernel.clone(), hyper.mean, Mat::zeros(0, inputs), factor, Vec::new(), spread)
    }

    /// Whether no data are behind it.
    pub(crate) fn is_prior(&self) -> bool {
        self.z.nrows() == 0
    }

    /// Whether f at the inducing points determines f everywhere, so that it is exact with few of them.
    pub fn is_spanned(&self) -> bool {
        self.spanned
    }

    /// The kernel it was computed with.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// μ, the constant prior mean.
    pub fn prior_mean(&self) -> f64 {
        self.mean
    }

    /// The inducing points (all data for the exact GP), [m, d].
    pub fn z(&self) -> MatRef<'_> {
        self.z.as_ref()
    }

    /// L, [m, m].
    pub fn l(&self) -> MatRef<'_> {
        self.l.as_ref()
    }

    /// w, the whitened mean.
    pub fn w(&self) -> &[f64] {
        &self.w
    }

    /// L⁻ᵀw: mean(x) = μ + k(x, Z)·weights.
    pub fn mean_weights(&self) -> &[f64] {
        &self.weights
    }

    /// What is left uncertain at Z.
    pub fn inducing_covariance(&self) -> &InducingCovariance {
        &self.spread
    }

    /// The jitter that was added to the diagonal under L.
    pub fn jitter(&self) -> f64 {
        self.jitter
    }

    /// Mean and variance of f at each row of x.
    pub fn predict(&self, x: MatRef<'_>) -> Result<Prediction> {
        self.check(x)?;
        let blocks = self.blocks(x, |block| {
            let a = self.whitened_cross(block);
            let projected = self.projected(&a);
            (self.mean_from_cross(&a), self.variance_from_cross(block, &a, projected.as_ref()))
        })?;
        let (mean, variance): (Vec<_>, Vec<_>) = blocks.into_iter().unzip();
        Ok(Prediction { mean: mean.concat(), variance: variance.concat() })
    }

    /// Mean of f at each row of x.
    pub fn mean(&self, x: MatRef<'_>) -> Result<Vec<f64>> {
        self.check(x)?;
        // One matrix per thread: a new one per block would be cleared, page by page, for nothing.
        let new = || Mat::zeros(BLOCK.min(x.nrows()), self.z.nrows());
        let blocks = self.blocks_with(x, new, |kxz, block| {
            let mut kxz = kxz.as_mut().subrows_mut(0, block.nrows());
            self.kernel.cross(block, self.z(), kxz.as_mut());
            crate::linalg::mat_vec(kxz.as_ref(), &self.weights).into_iter().map(|v| self.mean + v).collect::<Vec<_>>()
        })?;
        Ok(blocks.concat())
    }

    /// Refuses points of another dimension and points that are not finite.
    pub(crate) fn check(&self, x: MatRef<'_>) -> Result<()> {
        if x.ncols() != self.z.ncols() {
            let what = "each point to predict at".into();
            return Err(Error::Shape { what, found: x.ncols(), expected: self.z.ncols() });
        }
        check_finite("a point to predict at", x)
    }

    /// Runs `work` on blocks of rows in parallel; results come in order.
    fn blocks<T: Send>(&self, x: MatRef<'_>, work: impl Fn(MatRef<'_>) -> T + Sync) -> Result<Vec<T>> {
        self.blocks_with(x, || (), |(), block| work(block))
    }

    /// Runs `work` on blocks of rows in parallel, with scratch that blocks share; results come in order.
    fn blocks_with<S, T: Send>(
        &self,
        x: MatRef<'_>,
        scratch: impl Fn() -> S + Sync + Send,
        work: impl Fn(&mut S, MatRef<'_>) -> T + Sync,
    ) -> Result<Vec<T>> {
        let starts: Vec<usize> = (0..x.nrows()).step_by(BLOCK).collect();
        let flag = interrupt::current();
        let one = |scratch: &mut S, start: usize| {
            flag.check().map(|()| work(scratch, x.subrows(start, BLOCK.min(x.nrows() - start))))
        };
        starts.into_par_iter().map_init(scratch, one).collect()
    }

    /// a = L⁻¹ k(Z, x), [m, n].
    fn whitened_cross(&self, x: MatRef<'_>) -> Mat {
        let mut a = self.kernel.matrix(self.z(), x);
        solve_lower(self.l(), a.as_mut());
        a
    }

    fn mean_from_cross(&self, a: &Mat) -> Vec<f64> {
        (0..a.ncols()).map(|j| self.mean + crate::linalg::dot(a.col_as_slice(j), &self.w)).collect()
    }

    /// Wᵀa, [m, n]; nothing where W = 0.
    fn projected(&self, a: &Mat) -> Option<Mat> {
        let InducingCovariance::Root(root) = &self.spread else { return None };
        let mut projected = Mat::zeros(a.nrows(), a.ncols());
        gemm(projected.as_mut(), Accumulate::Replace, 1.0, root.transpose(), a.as_ref());
        Some(projected)
    }

    /// k(x, x) − |a|² + |Wᵀa|² for each row of x.
    fn variance_from_cross(&self, x: MatRef<'_>, a: &Mat, projected: Option<&Mat>) -> Vec<f64> {
        let mut variance = self.kernel.diagonal(x);
        for (j, v) in variance.iter_mut().enumerate() {
            let left = projected.map_or(0.0, |projected| norm2(column(projected.as_ref(), j)));
            *v = positive_part(*v - (norm2(column(a.as_ref(), j)) - left));
        }
        variance
    }
}

/// max(v, 0), but NaN stays NaN: it must not pass for certainty.
fn positive_part(v: f64) -> f64 {
    if v < 0.0 { 0.0 } else { v }
}
