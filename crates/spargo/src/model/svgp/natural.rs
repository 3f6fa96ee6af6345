//! Natural gradient steps for q (Salimbeni, Eleftheriadis & Hensman 2018): ascent in the geometry of distributions.
//!
//! In the natural parameters Λ = (SSᵀ)⁻¹ and s = Λw the step of length ρ is a convex combination:
//!
//! ```text
//!     Λ ← (1 − ρ) Λ + ρ (I − 2C)          s ← (1 − ρ) s + ρ (b − 2Cw)
//! ```
//!
//! For a Gaussian likelihood the right-hand side does not depend on q: one step of length 1 is exact. For a log-concave
//! one C is negative semidefinite, so Λ stays positive definite, and steps of length 1 are halved until the bound rises.

use super::state::Sums;
use super::{Svgp, Variational};
use crate::error::Result;
use crate::linalg::{Into, Mat, gram_of_lower, invert_lower, mat_vec, mirror_lower};
use serde::{Deserialize, Serialize};

/// How natural gradient steps are taken.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Natural {
    /// ρ where steps alternate with Adam's; the smaller the batch, the smaller it must be.
    pub step: f64,
    /// Limit on the steps to the optimal q at one θ.
    pub max_steps: usize,
    /// q is optimal once a step gains less than this, in nats per row.
    pub tolerance: f64,
}

impl Default for Natural {
    fn default() -> Self {
        Natural { step: 0.1, max_steps: 50, tolerance: 1e-10 }
    }
}

impl Svgp<'_> {
    /// q after one natural gradient step of length `step`, from 0 (none) to 1.
    pub fn natural_step(&self, q: &Variational, step: f64) -> Result<Variational> {
        self.check(q)?;
        advance(q, &self.sums(q), step)
    }

    /// The q that maximises the bound, by steps from `start`.
    pub fn optimal(&self, start: &Variational, options: &Natural) -> Result<Variational> {
        if self.likelihood.is_conjugate() {
            return self.natural_step(start, 1.0);
        }
        self.check(start)?;
        let enough = options.tolerance * self.weight * self.data.len() as f64;
        let mut now = Candidate::new(self, start.clone());
        for _ in 0..options.max_steps {
            let Some(next) = self.ascend(&now) else { break };
            let gain = next.elbo - now.elbo;
            now = next;
            if gain < enough {
                break;
            }
        }
        Ok(now.q)
    }

    /// The longest of the steps 1, ½, ¼, … that does not lower the bound; none once rounding is all there is to gain.
    fn ascend(&self, now: &Candidate) -> Option<Candidate> {
        let steps = (0..HALVINGS).map(|halvings| 0.5f64.powi(halvings));
        let mut candidates = steps.filter_map(|step| advance(&now.q, &now.sums, step).ok());
        candidates.find_map(|q| {
            let next = Candidate::new(self, q);
            // A start at which the bound is not finite is left for anything that is.
            (next.elbo >= now.elbo || (next.elbo.is_finite() && !now.elbo.is_finite())).then_some(next)
        })
    }
}

/// Steps shorter than 2⁻¹⁰ are not tried.
const HALVINGS: i32 = 11;

/// A q with its bound and the sums the next step needs: one walk over the data.
struct Candidate {
    q: Variational,
    sums: Sums,
    elbo: f64,
}

impl Candidate {
    fn new(model: &Svgp<'_>, q: Variational) -> Self {
        let sums = model.sums(&q);
        let elbo = sums.expectation - q.kl();
        Candidate { q, sums, elbo }
    }
}

fn advance(q: &Variational, sums: &Sums, step: f64) -> Result<Variational> {
    let m = q.len();
    let mut old = Mat::zeros(m, m); // Λ, [m, m]
    gram_of_lower(old.as_mut(), Into::Replace, 1.0, invert_lower(q.sqrt()).as_ref());
    mirror_lower(old.as_mut());
    let (old_shift, cw) = (mat_vec(old.as_ref(), q.mu()), mat_vec(sums.c.as_ref(), q.mu()));
    let identity = |i, j| if i == j { 1.0 } else { 0.0 };
    let precision =
        Mat::from_fn(m, m, |i, j| (1.0 - step) * old[(i, j)] + step * (identity(i, j) - 2.0 * sums.c[(i, j)]));
    let shift: Vec<f64> = (0..m).map(|i| (1.0 - step) * old_shift[i] + step * (sums.b[i] - 2.0 * cw[i])).collect();
    Variational::from_precision(precision.as_ref(), &shift)
}
