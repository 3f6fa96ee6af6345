//! The posterior mean of one objective, where the means of all constraints are within their bounds: the best by all that is known.
//!
//! ```text
//!     α(x) = u(x)            if V(x) = 0 and u(x) ≥ 0,       u(x) = μ(x) − min over the observed points of μ
//!            u/(1 − u)       if V(x) = 0 and u(x) < 0
//!            −1 − V(x)       otherwise,                      V(x) = Σ_c (how far μ_c(x) is out of its bounds)/s_c
//! ```
//!
//! Nothing is learned at its maximiser that would not be known: it is a recommendation, not an evaluation to make. Means decide on
//! feasibility, as they do among trials; a probability of it would be traded for a larger mean of the objective.

use super::constrained::{slope, value};
use super::failure::SuccessWeighting;
use super::function::{AcquisitionFunction, Moments};
use super::{ConstraintBounds, Context};

/// The posterior mean of the only objective, where constraints are satisfied by their means.
#[derive(Debug, Clone, PartialEq)]
pub struct PosteriorMean {
    /// The smallest mean of the objective at the observed points.
    worst: f64,
    /// Bounds and s of each constraint.
    constraints: Vec<(ConstraintBounds, f64)>,
}

impl PosteriorMean {
    /// With the constraints of a context.
    pub fn of(context: &Context<'_>) -> Self {
        let worst = context.pareto.means.iter().map(|means| means[0]).fold(f64::MAX, f64::min);
        let bounds = context.constraints.iter().map(|constraint| constraint.bounds);
        PosteriorMean { worst, constraints: bounds.zip(context.pareto.deviations.iter().copied()).collect() }
    }

    /// u.
    fn above_worst(&self, at: &[Moments]) -> f64 {
        (at[0].mean - self.worst).clamp(f64::MIN, f64::MAX)
    }

    /// V.
    fn violation(&self, at: &[Moments]) -> f64 {
        let constrained = self.constraints.iter().zip(&at[1..]);
        constrained.map(|((bounds, s), at)| bounds.violation(at.mean) / s).sum::<f64>().min(f64::MAX)
    }
}

impl AcquisitionFunction for PosteriorMean {
    fn alone(&self, at: &[Moments]) -> f64 {
        value(self.above_worst(at), self.violation(at))
    }

    fn given_pending(&self, _at: &[Moments]) -> f64 {
        0.0
    }

    fn gradient(&self, at: &[Moments], out: &mut [Moments]) {
        let is_feasible = self.violation(at) == 0.0;
        let by_mean = |mean: f64| Moments { mean, ..Moments::default() }.capped();
        out[0] = by_mean(if is_feasible { slope(self.above_worst(at)) } else { 0.0 });
        for (((bounds, s), at), out) in self.constraints.iter().zip(&at[1..]).zip(&mut out[1..]) {
            *out = by_mean(-bounds.violation_slope(at.mean) / s);
        }
    }

    fn weighting(&self) -> SuccessWeighting {
        SuccessWeighting::Above { baseline: 0.0 }
    }

    fn fantasises(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Constraints of at least 0 and at most 1, in units of 2 and 4.
    fn constrained() -> PosteriorMean {
        let constraints = vec![(ConstraintBounds::at_least(0.0), 2.0), (ConstraintBounds::at_most(1.0), 4.0)];
        PosteriorMean { worst: -0.5, constraints }
    }

    fn at(means: [f64; 3]) -> [Moments; 3] {
        means.map(|mean| Moments { mean, variance: 0.3, conditional: 0.2 })
    }

    #[test]
    fn the_worst_of_what_is_feasible_is_better_than_what_is_not() {
        let value = |means: [f64; 3]| constrained().value(&at(means));
        assert_eq!([value([1.5, 0.1, 0.9]), value([-1.5, 0.1, 0.9])], [2.0, -0.5]);
        assert_eq!([value([9.0, -1.0, 0.9]), value([9.0, -1.0, 3.0])], [-1.5, -2.0]);
        assert!(value([-1e300, 0.0, 1.0]) >= -1.0 && value([f64::MAX, -f64::MAX, f64::MAX]).is_finite());
    }

    #[test]
    fn slopes_agree_with_central_differences() {
        for means in [[1.5, 0.1, 0.9], [-1.5, 0.1, 0.9], [9.0, -1.0, 0.9], [9.0, -1.0, 3.0], [0.0, 1.0, 3.0]] {
            let (function, mut out) = (constrained(), [Moments::default(); 3]);
            function.gradient(&at(means), &mut out);
            for k in 0..3 {
                let moved = |h: f64| {
                    let mut means = means;
                    means[k] += h;
                    function.value(&at(means))
                };
                let expected = (moved(1e-5) - moved(-1e-5)) / 2e-5;
                assert!((out[k].mean - expected).abs() < 1e-8, "{means:?}, {k}: {} {expected}", out[k].mean);
                assert_eq!((out[k].variance, out[k].conditional), (0.0, 0.0));
            }
        }
    }
}
