//! Acquisition functions: the value of one more evaluation, given the posterior moments of the outputs there.
//!
//! ```text
//!     α(x) = a(m₁(x), …, m_K(x)) + b(m₁(x), …, m_K(x); pending),      m_k = (mean, variance, conditional variance) of f_k
//! ```
//!
//! Objectives come first, then constrained outputs. Each function has a file of its own.

use super::Context;
use super::failure::SuccessWeighting;
use super::greedy::SHORTLIST;
use crate::error::Result;
use crate::linalg::MatRef;
use std::fmt::Debug;

/// Derivatives are capped here: larger ones help no search, and their products must not overflow.
const STEEPEST: f64 = 1e100;

/// Posterior moments of one output at one point; also the derivatives of an acquisition function in them.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Moments {
    /// E f.
    pub mean: f64,
    /// Var f.
    pub variance: f64,
    /// Var f given outcomes at the pending points.
    pub conditional: f64,
}

impl Moments {
    /// Moments, as derivatives, that are finite.
    pub(super) fn capped(self) -> Self {
        let cap = |slope: f64| slope.clamp(-STEEPEST, STEEPEST);
        Moments { mean: cap(self.mean), variance: cap(self.variance), conditional: cap(self.conditional) }
    }
}

/// α: the value of one more evaluation at a point.
///
/// Values are finite for all finite moments.
pub trait AcquisitionFunction: Debug + Sync {
    /// a, the part of α that pending points do not change.
    fn alone(&self, _at: &[Moments]) -> f64 {
        0.0
    }

    /// b, the part of α that pending points change.
    fn given_pending(&self, at: &[Moments]) -> f64;

    /// b once one more point is pending, from the value `_before`.
    fn given_one_more(&self, _before: f64, at: &[Moments]) -> f64 {
        self.given_pending(at)
    }

    /// α.
    fn value(&self, at: &[Moments]) -> f64 {
        self.alone(at) + self.given_pending(at)
    }

    /// ∂α/∂(moments of every output), finite.
    fn gradient(&self, at: &[Moments], out: &mut [Moments]);

    /// How a probability of success enters: α is a logarithm, unless this says otherwise.
    fn weighting(&self) -> SuccessWeighting {
        SuccessWeighting::Logarithm
    }

    /// Whether pending points are fantasised, so that variances fall around them.
    fn fantasises(&self) -> bool {
        true
    }

    /// Rows of a table of candidates that are scored again for every point of a batch.
    fn shortlist(&self) -> usize {
        SHORTLIST
    }

    /// Takes points, [points, inputs], as pending from now on.
    fn add_pending(&mut self, _context: &Context<'_>, _points: MatRef<'_>) -> Result<()> {
        Ok(())
    }
}
