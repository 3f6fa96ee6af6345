//! The stochastic variational Gaussian process (Hensman et al. 2013, 2015): any likelihood, any number of rows.
//!
//! The inducing variables are whitened, u = μ + Lv with LLᵀ = Kzz, and q(v) = N(w, SSᵀ). With A = L⁻¹Kzx:
//!
//! ```text
//!     ELBO = Σᵢ Eᵢ(mᵢ, vᵢ) − KL,     mᵢ = μ + aᵢᵀw,   vᵢ = kᵢᵢ − |aᵢ|² + |Sᵀaᵢ|²,   Eᵢ = E log p(yᵢ | f), f ~ N(mᵢ, vᵢ)
//!     KL   = ½ (|w|² + |S|² − M − 2 Σⱼ log Sⱼⱼ)
//! ```
//!
//! A batch of rows stands for all N of them when its sum is multiplied by N/batch. With gᵢ = ∂E/∂mᵢ, hᵢ = ∂E/∂vᵢ (both
//! times that weight), H = diag(h), b = Ag, C = AHAᵀ and Q = I − SSᵀ:
//!
//! ```text
//!     ∂ELBO/∂w   = b − w                        ∂ELBO/∂S   = lower(2CS − S) + diag(1/Sⱼⱼ)
//!     ∂ELBO/∂Kzx = L⁻ᵀw gᵀ − 2 L⁻ᵀQL⁻¹ Kzx H    ∂ELBO/∂Kzz = −½ L⁻ᵀ sym(X) L⁻¹,   X = wbᵀ − 2QC
//! ```
//!
//! where sym mirrors the lower triangle. The last one is the reverse mode of the Cholesky factorisation (Murray 2016),
//! ½ L⁻ᵀ sym(LᵀL̄) L⁻¹, at L̄ = −lower(L⁻ᵀX): what `lower` cuts off, Lᵀ keeps above the diagonal, where sym does not look.
//!
//! Everything the rows contribute is known before they are visited, so value and gradient are one pass over the data.

mod natural;
mod passes;
mod state;
mod variational;

pub use variational::Variational;

use super::Likelihood;
use super::params::Hyperparameters;
use super::posterior::{InducingCovariance, Posterior};
use super::sgpr::{Jitter, Sgpr};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::interrupt;
use crate::linalg::{Cholesky, Mat, MatRef, cholesky};

/// The model at given hyperparameters and inducing points; its methods are what can be asked of it, for any q.
#[derive(Debug, Clone)]
pub struct Svgp<'a> {
    hyper: &'a Hyperparameters,
    data: &'a Dataset,
    z: MatRef<'a>, // [m, d]
    likelihood: Likelihood,
    lzz: Cholesky,
    jitter: Jitter,
    /// N/batch.
    weight: f64,
}

/// The ELBO and its gradient.
#[derive(Debug, Clone)]
pub struct ElboGradient {
    /// The ELBO.
    pub value: f64,
    /// ∂/∂θ; the element of the noise is 0 for likelihoods without one.
    pub theta: Vec<f64>,
    /// ∂/∂w.
    pub mu: Vec<f64>,
    /// ∂/∂S, lower triangular, [m, m].
    pub sqrt: Mat,
}

impl<'a> Svgp<'a> {
    /// The model with the collapsed model's default jitter.
    pub fn new(hyper: &'a Hyperparameters, data: &'a Dataset, z: MatRef<'a>, likelihood: Likelihood) -> Result<Self> {
        Self::with_jitter(hyper, data, z, likelihood, Jitter::default())
    }

    /// The model with at least this much added to the diagonal of Kzz.
    pub fn with_jitter(
        hyper: &'a Hyperparameters,
        data: &'a Dataset,
        z: MatRef<'a>,
        likelihood: Likelihood,
        jitter: Jitter,
    ) -> Result<Self> {
        // The collapsed model asks the same of kernel, data and inducing points.
        Sgpr::new(hyper, data, z)?;
        likelihood.check(data)?;
        let lzz = cholesky(hyper.kernel.matrix(z, z), jitter.amount(hyper, z))?;
        Ok(Svgp { hyper, data, z, likelihood, lzz, jitter, weight: 1.0 })
    }

    /// This model for rows that are a batch out of `rows`.
    pub fn out_of(self, rows: usize) -> Self {
        let weight = rows as f64 / self.data.len() as f64;
        Svgp { weight, ..self }
    }

    /// The evidence lower bound: at most log p(y).
    pub fn elbo(&self, q: &Variational) -> Result<f64> {
        self.check(q)?;
        let elbo = self.sums(q).expectation - q.kl();
        interrupt::poll()?;
        Ok(elbo)
    }

    /// The bound and its gradient in θ, w and S.
    pub fn elbo_gradient(&self, q: &Variational) -> Result<ElboGradient> {
        self.check(q)?;
        let (sums, theta) = self.sums_and_gradient(q);
        interrupt::poll()?;
        let (mu, sqrt) = sums.variational_gradient(q);
        Ok(ElboGradient { value: sums.expectation - q.kl(), theta, mu, sqrt })
    }

    /// f given q.
    pub fn posterior(&self, q: &Variational) -> Result<Posterior> {
        self.check(q)?;
        let (kernel, z, lzz) = (self.hyper.kernel.clone(), self.z.to_owned(), self.lzz.clone());
        let root = InducingCovariance::Root(q.sqrt().to_owned());
        Ok(Posterior::new(kernel, self.hyper.mean, z, lzz, q.mu().to_vec(), root))
    }

    fn check(&self, q: &Variational) -> Result<()> {
        if q.len() != self.z.nrows() {
            let what = "the mean of q(u)".into();
            return Err(Error::Shape { what, found: q.len(), expected: self.z.nrows() });
        }
        Ok(())
    }
}
