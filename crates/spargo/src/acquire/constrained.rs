//! Sampled constraints: each batch element has a path per constraint, and must satisfy its bounds.
//!
//! ```text
//!     v(x) = u(x)            if V(x) = 0 and u(x) ≥ 0
//!            u/(1 − u)       if V(x) = 0 and u(x) < 0,  between −1 and 0
//!            −1 − V(x)       otherwise,                 V(x) = Σ_c (how far path c is out of its limits)/s_c
//! ```
//!
//! So an element prefers whatever is feasible to what is not, among the feasible the largest u, and among the others the
//! smallest total violation (as Eriksson & Poloczek 2021 choose among candidates). A maximiser always exists. Squeezing u
//! below 0 moves no maximiser, and makes −1 a floor without a look at the pool. u is 0 at the worst that is known, in
//! units of the range, and s_c is the spread of constraint c, so both branches have slopes of the same order.

use super::ConstraintBounds;
use crate::error::Result;
use crate::linalg::{Mat, MatRef, column, column_mut};
use crate::optim::BatchedObjective;
use crate::sample::Paths;
use rayon::prelude::*;

/// A constraint as each element of an acquisition function sees it.
#[derive(Debug, Clone)]
pub struct SampledConstraint {
    /// One path per element.
    pub paths: Paths,
    /// What they may be.
    pub bounds: ConstraintBounds,
    /// s, positive.
    pub deviation: f64,
}

/// An acquisition function that counts where its elements' constraints hold.
#[derive(Debug, Clone)]
pub struct ConstrainedObjective<A> {
    /// u, 0 at the worst that is known.
    pub acquisition: A,
    /// What must hold; none changes nothing but the squeeze.
    pub constraints: Vec<SampledConstraint>,
}

impl<A: BatchedObjective> BatchedObjective for ConstrainedObjective<A> {
    fn elements(&self) -> usize {
        self.acquisition.elements()
    }

    fn score(&self, pool: MatRef<'_>) -> Result<Mat> {
        let mut scores = self.acquisition.score(pool)?;
        let mut violations = Mat::zeros(scores.nrows(), scores.ncols());
        for SampledConstraint { paths, bounds, deviation } in &self.constraints {
            let values = paths.values(pool)?;
            violations.par_col_chunks_mut(1).zip(values.par_col_chunks(1)).for_each(|(violations, values)| {
                let pairs = column_mut(violations, 0).iter_mut().zip(column(values, 0));
                pairs.for_each(|(violation, &value)| *violation += bounds.violation(value) / deviation);
            });
        }
        scores.par_col_chunks_mut(1).zip(violations.par_col_chunks(1)).for_each(|(scores, violations)| {
            let pairs = column_mut(scores, 0).iter_mut().zip(column(violations, 0));
            pairs.for_each(|(score, &violation)| *score = value(*score, violation));
        });
        Ok(scores)
    }

    /// The gradient of the branch that a point is on.
    fn value_gradient(&self, elements: &[usize], points: MatRef<'_>) -> Result<(Vec<f64>, Mat)> {
        let (mut values, mut gradient) = self.acquisition.value_gradient(elements, points)?;
        let mut violations = vec![0.0; points.nrows()];
        let mut out = Mat::<f64>::zeros(points.nrows(), points.ncols());
        for SampledConstraint { paths, bounds, deviation } in &self.constraints {
            let (at, slopes) = paths.value_gradient(elements, points)?;
            for (i, &at) in at.iter().enumerate() {
                violations[i] += bounds.violation(at) / deviation;
                let slope = bounds.violation_slope(at) / deviation;
                (0..points.ncols()).for_each(|k| out[(i, k)] += slope * slopes[(i, k)]);
            }
        }
        for (i, u) in values.iter_mut().enumerate() {
            let slope = slope(*u);
            let feasible = violations[i] == 0.0;
            for k in 0..points.ncols() {
                gradient[(i, k)] = if feasible { slope * gradient[(i, k)] } else { -out[(i, k)] };
            }
            *u = value(*u, violations[i]);
        }
        Ok((values, gradient))
    }
}

/// v.
pub(super) fn value(u: f64, violation: f64) -> f64 {
    if violation > 0.0 {
        -1.0 - violation
    } else if u < 0.0 {
        // Not u/(1 − u): that is NaN at −∞.
        1.0 / (1.0 - u) - 1.0
    } else {
        u
    }
}

/// ∂v/∂u where nothing is violated.
pub(super) fn slope(u: f64) -> f64 {
    if u < 0.0 { (1.0 - u).powi(-2) } else { 1.0 }
}
