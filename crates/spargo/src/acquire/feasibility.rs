//! Acquisition functions times the probability that all constraints hold.
//!
//! ```text
//!     α_c(x) = α(x) + Σ_c log P(f_c(x) satisfies its bounds)          (α a logarithm)
//! ```

use super::failure::SuccessWeighting;
use super::function::{AcquisitionFunction, Moments};
use super::{ConstraintBounds, Context};
use crate::error::Result;
use crate::linalg::MatRef;

/// An acquisition function of the objectives, weighted by the probability of feasibility.
#[derive(Debug)]
pub struct FeasibilityWeighted<A> {
    function: A,
    objectives: usize,
    bounds: Vec<ConstraintBounds>,
}

impl<A: AcquisitionFunction> FeasibilityWeighted<A> {
    /// The function with the constraints of a context; without any it stays as it is.
    pub fn new(function: A, context: &Context<'_>) -> Self {
        let bounds = context.constraints.iter().map(|constraint| constraint.bounds).collect();
        FeasibilityWeighted { function, objectives: context.objectives.len(), bounds }
    }

    fn log_probability(&self, at: &[Moments]) -> f64 {
        let constrained = self.bounds.iter().zip(&at[self.objectives..]);
        constrained.map(|(bounds, at)| bounds.log_probability(at.mean, at.conditional)).sum()
    }
}

impl<A: AcquisitionFunction> AcquisitionFunction for FeasibilityWeighted<A> {
    fn alone(&self, at: &[Moments]) -> f64 {
        // Without fantasies no variance changes.
        let constant = if self.function.fantasises() { 0.0 } else { self.log_probability(at) };
        self.function.alone(at) + constant
    }

    fn given_pending(&self, at: &[Moments]) -> f64 {
        let changing = if self.function.fantasises() { self.log_probability(at) } else { 0.0 };
        self.function.given_pending(at) + changing
    }

    fn given_one_more(&self, before: f64, at: &[Moments]) -> f64 {
        if self.function.fantasises() { self.given_pending(at) } else { self.function.given_one_more(before, at) }
    }

    fn gradient(&self, at: &[Moments], out: &mut [Moments]) {
        self.function.gradient(at, out);
        let constrained = self.bounds.iter().zip(&at[self.objectives..]).zip(&mut out[self.objectives..]);
        for ((bounds, at), out) in constrained {
            let (mean, conditional) = bounds.log_probability_slopes(at.mean, at.conditional);
            *out = Moments { mean, variance: 0.0, conditional }.capped();
        }
    }

    fn weighting(&self) -> SuccessWeighting {
        self.function.weighting()
    }

    fn fantasises(&self) -> bool {
        self.function.fantasises()
    }

    fn shortlist(&self) -> usize {
        self.function.shortlist()
    }

    fn add_pending(&mut self, context: &Context<'_>, points: MatRef<'_>) -> Result<()> {
        self.function.add_pending(context, points)
    }
}
