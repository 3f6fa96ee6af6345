//! The collapsed sparse Gaussian process (Titsias 2009): the optimal q(u) in closed form, Θ(NM²), rows in blocks.
//!
//! With A = L⁻¹KzxΣ^(−½), B = I + AAᵀ, r = y − μ, b = AΣ^(−½)r and w = B⁻¹b:
//!
//! ```text
//!     F = −½ [ N log 2π + Σ log σᵢ² + log|B| + Σ rᵢ²/σᵢ² − bᵀw + Σ kᵢᵢ/σᵢ² − tr AAᵀ ]
//! ```
//!
//! F depends on A only up to a rotation from the left, which makes its gradients short. With v = L⁻ᵀw and
//! P = L⁻ᵀ(I − B⁻¹ − wwᵀ)L⁻¹:
//!
//! ```text
//!     ∂F/∂Kzx = (P Kzx + v rᵀ) Σ⁻¹           ∂F/∂Kzz = ½ (P − L⁻ᵀAAᵀL⁻¹)
//!     ∂F/∂log σᵢ² = ½ (rᵢ² + kᵢᵢ)/σᵢ² − ½ − ½ kᵢᵀ(∂F/∂Kzx)ᵢ − ½ rᵢ kᵢᵀv/σᵢ²
//!     ∂F/∂μ = Σᵢ (rᵢ − kᵢᵀv)/σᵢ²
//! ```
//!
//! Two passes over the data, the first for AAᵀ and b, the second for the gradient; Kzx is evaluated again in the second,
//! so that memory stays at M² and a few blocks at any N.

mod collapsed;
mod passes;
mod state;

pub use collapsed::Collapsed;
use state::State;

use super::params::Hyperparameters;
use super::{Evaluation, Inferred};
use crate::data::{Dataset, check_finite};
use crate::error::{Error, Result};
use crate::interrupt;
use crate::linalg::{Mat, MatRef};

/// The least amount that is added to the diagonal of Kzz.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Jitter {
    /// So much.
    Fixed(f64),
    /// So much of the signal variance, and moving with it: its part in the gradient is counted.
    Relative(f64),
}

impl Default for Jitter {
    /// Keeps near-duplicates among the inducing points harmless.
    fn default() -> Self {
        Jitter::Relative(1e-8)
    }
}

impl Jitter {
    /// In units of the kernel.
    pub(super) fn amount(self, hyper: &Hyperparameters, z: MatRef<'_>) -> f64 {
        match self {
            Jitter::Fixed(amount) => amount,
            Jitter::Relative(share) => share * hyper.kernel.diagonal(z.subrows(0, 1))[0],
        }
    }

    /// Adds what the kernel's parameters change through the jitter: `used` is in Kzz, and `slope` is ∂F/∂Kzz.
    pub(super) fn add_gradient(
        self,
        hyper: &Hyperparameters,
        z: MatRef<'_>,
        used: f64,
        slope: &Mat,
        gradient: &mut [f64],
    ) {
        let Jitter::Relative(_) = self else { return };
        let first = z.subrows(0, 1);
        let share = used / hyper.kernel.diagonal(first)[0];
        let trace: f64 = (0..slope.nrows()).map(|i| slope[(i, i)]).sum();
        hyper.kernel.add_diagonal_gradient(first, &[share * trace], gradient);
    }
}

/// The model at given hyperparameters and inducing points; its methods are what can be asked of it.
#[derive(Debug, Clone, Copy)]
pub struct Sgpr<'a> {
    /// θ.
    pub hyper: &'a Hyperparameters,
    /// D.
    pub data: &'a Dataset,
    /// Z, [m, d].
    pub z: MatRef<'a>,
    /// Least amount to add to the diagonal of Kzz.
    pub jitter: Jitter,
}

impl<'a> Sgpr<'a> {
    /// The model with the default jitter.
    pub fn new(hyper: &'a Hyperparameters, data: &'a Dataset, z: MatRef<'a>) -> Result<Self> {
        hyper.check(data.dimension())?;
        if z.nrows() == 0 {
            return Err(Error::Empty { what: "the list of inducing points".into() });
        }
        if z.ncols() != data.dimension() {
            let what = "each inducing point".into();
            return Err(Error::Shape { what, found: z.ncols(), expected: data.dimension() });
        }
        check_finite("an inducing point", z)?;
        Ok(Sgpr { hyper, data, z, jitter: Jitter::default() })
    }

    /// The collapsed bound F ≤ log p(y).
    pub fn bound(&self) -> Result<f64> {
        Ok(self.condition()?.bound())
    }

    /// The bound and its gradient in θ.
    pub fn bound_gradient(&self) -> Result<Evaluation> {
        let (lzz, root, sums) = self.sums()?;
        self.gradient_at(&State::new(lzz, root, sums)?)
    }

    /// The bound and its gradient in θ, with the sums from which the posterior at these θ follows.
    pub(super) fn bound_gradient_and_sums(&self) -> Result<(Evaluation, Collapsed)> {
        let sums = Collapsed::new(self)?;
        Ok((self.gradient_at(&sums.state()?)?, sums))
    }

    fn gradient_at(&self, state: &State) -> Result<Evaluation> {
        let slopes = state.slopes();
        let mut gradient = self.data_gradient(&slopes);
        let kzz = self.hyper.kernel.gram_gradient(self.z, slopes.kzz.as_ref());
        gradient.iter_mut().zip(kzz).for_each(|(total, part)| *total += part);
        let parameters = self.hyper.kernel.roles().len();
        let of_kernel = &mut gradient[..parameters];
        self.jitter.add_gradient(self.hyper, self.z, state.lzz.jitter, &slopes.kzz, of_kernel);
        interrupt::poll()?;
        Ok(Evaluation { value: state.bound(), gradient })
    }

    /// The posterior with the optimal q(u), and the bound.
    pub fn infer(&self) -> Result<Inferred> {
        Collapsed::new(self)?.infer()
    }
}
