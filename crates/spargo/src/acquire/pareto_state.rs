//! Observed points by their posterior means: feasibility, the Pareto front, and the scale of each objective.

use super::Scale;
use super::context::{Constraint, OutputModel, check_outputs};
use crate::allocate::quality::moments;
use crate::error::{Error, Result};
use crate::linalg::MatRef;
use crate::math::pareto;

/// Infeasible points around which a feasible one is sought.
const NEXT_TO_FEASIBLE: usize = 20;

/// The observed points by their posterior means: what each objective is there, and which points are best.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ParetoState {
    /// For each point the mean of each objective.
    pub means: Vec<Vec<f64>>,
    /// The total constraint violation of each point, in standard deviations of each output's means.
    pub violations: Vec<f64>,
    /// Rows of the incumbents: the Pareto front of the feasible points, or the least infeasible points if none is feasible.
    pub incumbents: Vec<usize>,
    /// From the worst to the best of each objective.
    pub scales: Vec<Scale>,
    /// The standard deviation of each constrained output's means.
    pub deviations: Vec<f64>,
}

impl ParetoState {
    /// Of these points, [points, inputs]; at least one.
    pub fn new(objectives: &[OutputModel<'_>], constraints: &[Constraint<'_>], observed: MatRef<'_>) -> Result<Self> {
        check_outputs(objectives, constraints)?;
        if observed.nrows() == 0 {
            return Err(Error::Empty { what: "the list of observed points".into() });
        }
        let at_points = |output: &OutputModel<'_>| output.posterior.mean(observed);
        let objectives = objectives.iter().map(at_points).collect::<Result<Vec<_>>>()?;
        let constrained = constraints.iter().map(|c| at_points(&c.output)).collect::<Result<Vec<_>>>()?;
        let deviations: Vec<f64> = constrained.iter().map(|means| deviation(means)).collect();
        let violation = |row: usize| -> f64 {
            let parts = constraints.iter().zip(&constrained).zip(&deviations);
            parts.map(|((constraint, means), deviation)| constraint.bounds.violation(means[row]) / deviation).sum()
        };
        let violations: Vec<f64> = (0..observed.nrows()).map(violation).collect();
        let means: Vec<Vec<f64>> =
            (0..observed.nrows()).map(|row| objectives.iter().map(|means| means[row]).collect()).collect();
        let incumbents = incumbents(&means, &violations);
        let scales = objectives.iter().map(|means| Scale::of(means)).collect();
        Ok(ParetoState { means, violations, incumbents, scales, deviations })
    }

    /// Whether some observed point is feasible.
    pub fn is_feasible(&self) -> bool {
        self.violations.contains(&0.0)
    }

    /// At most `count` of these incumbents, evenly from one end of the front to the other by the first objective; if nothing is
    /// feasible, evenly in their order.
    pub(crate) fn thinned(&self, mut rows: Vec<usize>, count: usize) -> Vec<usize> {
        if rows.len() <= count {
            return rows;
        }
        if self.is_feasible() {
            rows.sort_by(|&i, &j| self.means[i][0].total_cmp(&self.means[j][0]));
        }
        (0..count).map(|i| rows[i * (rows.len() - 1) / (count - 1)]).collect()
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
    if rows.len() == means.len() {
        return pareto::front(means);
    }
    let feasible: Vec<Vec<f64>> = rows.iter().map(|&row| means[row].clone()).collect();
    pareto::front(&feasible).into_iter().map(|i| rows[i]).collect()
}

/// The standard deviation; 1 if all values are the same.
fn deviation(values: &[f64]) -> f64 {
    let (_, deviation) = moments(values);
    if deviation > 0.0 { deviation } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinned_fronts_keep_both_ends() {
        let means: Vec<Vec<f64>> = [3.0, 0.0, 4.0, 1.0, 2.0].iter().map(|&f| vec![f, -f]).collect();
        let of = |violation: f64| {
            let violations = vec![violation; means.len()];
            let incumbents = incumbents(&means, &violations);
            ParetoState { means: means.clone(), violations, incumbents, scales: Vec::new(), deviations: Vec::new() }
        };
        let feasible = of(0.0);
        assert_eq!(feasible.thinned(feasible.incumbents.clone(), 3), [1, 4, 2]);
        assert_eq!(feasible.thinned(feasible.incumbents.clone(), 5), [0, 1, 2, 3, 4]);
        assert_eq!(of(1.0).thinned(vec![0, 1, 2, 3, 4], 3), [0, 2, 4]);
    }
}
