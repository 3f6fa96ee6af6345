//! The logarithm of the expected hypervolume improvement, with pending points fantasised.
//!
//! ```text
//!     α(x) = log EHVI(x; front ∪ {means of pending points believed feasible})
//! ```
//!
//! A pending point lowers the variance around it and joins the front at its posterior means, so that no two points of a batch
//! improve on the same part of the front.

use super::function::{AcquisitionFunction, Moments};
use super::{Context, Ehvi, Scale};
use crate::error::Result;
use crate::linalg::MatRef;
use crate::math::pareto;

/// How far below the front the reference point lies, in ranges of the front: so its ends can be improved on, too.
const BELOW: f64 = 0.1;

/// log EHVI of two or three objectives.
#[derive(Debug, Clone, PartialEq)]
pub struct LogEhvi {
    /// Objectives at the points that are observed, or pending and believed, to be feasible and not dominated.
    front: Vec<Vec<f64>>,
    /// The range of each objective, for a front of a single point.
    ranges: Vec<f64>,
    improvement: Ehvi,
}

impl LogEhvi {
    /// The improvement on the front of the observed points, of which at least one must be feasible.
    pub fn of(context: &Context<'_>) -> Result<Self> {
        let (front, ranges) =
            (context.pareto.front(), context.pareto.scales.iter().map(|s| s.range).collect::<Vec<_>>());
        let improvement = improvement(&front, &ranges)?;
        Ok(LogEhvi { front, ranges, improvement })
    }
}

impl AcquisitionFunction for LogEhvi {
    fn given_pending(&self, at: &[Moments]) -> f64 {
        self.improvement.value(at)
    }

    fn gradient(&self, at: &[Moments], out: &mut [Moments]) {
        self.improvement.gradient(at, out);
    }

    fn add_pending(&mut self, context: &Context<'_>, points: MatRef<'_>) -> Result<()> {
        if points.nrows() == 0 {
            return Ok(());
        }
        let means = context.outputs().map(|output| output.posterior.mean(points)).collect::<Result<Vec<_>>>()?;
        let (objectives, constrained) = means.split_at(context.objectives.len());
        let satisfies = |row: usize| {
            let mut bounds = context.constraints.iter().zip(constrained);
            bounds.all(|(constraint, means)| constraint.bounds.violation(means[row]) == 0.0)
        };
        let feasible = (0..points.nrows()).filter(|&row| satisfies(row));
        self.front.extend(feasible.map(|row| objectives.iter().map(|means| means[row]).collect::<Vec<f64>>()));
        // Dominated points bound no volume, and must not lower the reference.
        self.front = pareto::front(&self.front).into_iter().map(|row| self.front[row].clone()).collect();
        self.improvement = improvement(&self.front, &self.ranges)?;
        Ok(())
    }
}

/// The improvement on a front, above a reference point a little below it.
pub(super) fn improvement(front: &[Vec<f64>], ranges: &[f64]) -> Result<Ehvi> {
    let reference = |k: usize| {
        let scale = Scale::of(&front.iter().map(|row| row[k]).collect::<Vec<_>>());
        // A front of a single point has no range of its own.
        let range = if front.len() > 1 { scale.range } else { ranges[k] };
        scale.reference - BELOW * range
    };
    Ehvi::new(front, &(0..ranges.len()).map(reference).collect::<Vec<_>>())
}
