//! Several outputs of one evaluation, and where the observed points stand by them.

use super::{ConstraintBounds, Scale};
use crate::error::{Error, Result};
use crate::linalg::MatRef;
use crate::math::pareto;
use crate::model::Posterior;

/// One output, independent of the others given the data; objectives are to be maximised.
#[derive(Debug, Clone, Copy)]
pub struct Output<'a> {
    /// f given the data.
    pub posterior: &'a Posterior,
    /// σ², the noise variance of an observation.
    pub noise: f64,
}

/// An output that must keep within limits.
#[derive(Debug, Clone, Copy)]
pub struct Constraint<'a> {
    /// The output.
    pub output: Output<'a>,
    /// What it may be, in the posterior's units.
    pub limits: ConstraintBounds,
}

/// Everything that an evaluation tells.
#[derive(Debug, Clone, Copy)]
pub struct Outputs<'a> {
    /// What is to be maximised; at least one.
    pub objectives: &'a [Output<'a>],
    /// What must hold.
    pub constraints: &'a [Constraint<'a>],
}

/// How the observed points stand, by their posterior means.
#[derive(Debug, Clone, PartialEq)]
pub struct ParetoState {
    /// For each point the mean of each objective.
    pub means: Vec<Vec<f64>>,
    /// By how much each point violates the constraints in all, each in units of its spread.
    pub violations: Vec<f64>,
    /// The rows that matter most: those on the front of the feasible ones, or if none is feasible those next to it.
    pub incumbents: Vec<usize>,
    /// From the worst to the best of each objective.
    pub scales: Vec<Scale>,
    /// The standard deviation of each constrained output's means.
    pub spreads: Vec<f64>,
}

impl<'a> Outputs<'a> {
    /// Objectives first, then what is constrained.
    pub fn all(&self) -> impl Iterator<Item = Output<'a>> {
        self.objectives.iter().copied().chain(self.constraints.iter().map(|constraint| constraint.output))
    }

    /// Refuses an empty list of objectives, outputs of different inputs, and limits that nothing keeps.
    pub fn check(&self) -> Result<()> {
        let Some(first) = self.objectives.first() else {
            return Err(Error::Empty { what: "the list of objectives".into() });
        };
        let inputs = first.posterior.z().ncols();
        if let Some(other) = self.all().find(|output| output.posterior.z().ncols() != inputs) {
            let (what, found) = ("the inputs of an output".into(), other.posterior.z().ncols());
            return Err(Error::Shape { what, found, expected: inputs });
        }
        self.constraints.iter().try_for_each(|constraint| constraint.limits.check())
    }
}

impl ParetoState {
    /// Of these points, [points, inputs]; at least one.
    pub fn new(outputs: &Outputs<'_>, observed: MatRef<'_, f64>) -> Result<Self> {
        outputs.check()?;
        if observed.nrows() == 0 {
            return Err(Error::Empty { what: "the list of observed points".into() });
        }
        let at_points = |output: &Output<'_>| output.posterior.mean(observed);
        let objectives = outputs.objectives.iter().map(at_points).collect::<Result<Vec<_>>>()?;
        let constrained = outputs.constraints.iter().map(|c| at_points(&c.output)).collect::<Result<Vec<_>>>()?;
        let spreads: Vec<f64> = constrained.iter().map(|means| spread(means)).collect();
        let violation = |row: usize| {
            let parts = outputs.constraints.iter().zip(&constrained).zip(&spreads);
            parts.map(|((constraint, means), spread)| constraint.limits.violation(means[row]) / spread).sum::<f64>()
        };
        let violations: Vec<f64> = (0..observed.nrows()).map(violation).collect();
        let means: Vec<Vec<f64>> =
            (0..observed.nrows()).map(|row| objectives.iter().map(|means| means[row]).collect()).collect();
        let incumbents = incumbents(&means, &violations);
        let scales = objectives.iter().map(|means| Scale::of(means)).collect();
        Ok(ParetoState { means, violations, incumbents, scales, spreads })
    }

    /// Whether some observed point is feasible.
    pub fn is_feasible(&self) -> bool {
        self.violations.contains(&0.0)
    }

    /// The means of the feasible points that no other one dominates.
    pub fn front(&self) -> Vec<Vec<f64>> {
        let feasible = self.incumbents.iter().filter(|&&row| self.violations[row] == 0.0);
        feasible.map(|&row| self.means[row].clone()).collect()
    }
}

fn incumbents(means: &[Vec<f64>], violations: &[f64]) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..means.len()).filter(|&row| violations[row] == 0.0).collect();
    if rows.is_empty() {
        rows.extend(0..means.len());
        rows.sort_by(|&i, &j| violations[i].total_cmp(&violations[j]));
        rows.truncate(NEXT_TO_FEASIBLE);
        return rows;
    }
    let feasible: Vec<Vec<f64>> = rows.iter().map(|&row| means[row].clone()).collect();
    pareto::front(&feasible).into_iter().map(|i| rows[i]).collect()
}

/// Points around which one looks for a feasible one.
const NEXT_TO_FEASIBLE: usize = 20;

/// The standard deviation, in units of the range so that squares neither overflow nor vanish; 1 if all are the same.
fn spread(values: &[f64]) -> f64 {
    let Scale { reference, range } = Scale::of(values);
    let parts = || values.iter().map(|value| (value - reference) / range);
    let mean = parts().sum::<f64>() / values.len() as f64;
    let variance = parts().map(|part| (part - mean).powi(2)).sum::<f64>() / values.len() as f64;
    if variance > 0.0 { range * variance.sqrt() } else { 1.0 }
}
