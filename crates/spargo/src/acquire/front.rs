//! What a batch improves on, as points join it one by one.
//!
//! A point under way either pushes others away ([`Penalty`]), or is believed at its means: then variances fall around it, and
//! if it is feasible there it joins the front, so that nobody improves on the same once more.

use super::{Ehvi, Fantasy, JointAcquisition, JointMerit, Output, Outputs, Penalty, Scale, Several};
use crate::error::Result;
use crate::linalg::{Mat, MatRef};
use crate::math::pareto;

/// The front, and the points under way.
#[derive(Debug, Clone)]
pub(super) struct Front<'a> {
    outputs: &'a Outputs<'a>,
    reference: Option<&'a [f64]>,
    scales: &'a [Scale],
    /// What is known or believed to be feasible, and not dominated.
    rows: Vec<Vec<f64>>,
    believers: Vec<Fantasy<'a>>,
    merit: JointMerit,
    beside: Beside,
}

/// How points under way count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Beside {
    Believed,
    Penalised,
}

impl<'a> Front<'a> {
    /// Points under way are believed.
    pub(super) fn believed(several: &Several<'a>) -> Result<Self> {
        Front::new(several, Beside::Believed)
    }

    /// Points under way push others away.
    pub(super) fn penalised(several: &Several<'a>) -> Result<Self> {
        Front::new(several, Beside::Penalised)
    }

    fn new(several: &Several<'a>, beside: Beside) -> Result<Self> {
        let Several { outputs, standing, reference, pending, .. } = *several;
        let none = Mat::zeros(0, pending.ncols());
        let believer = |output: Output<'a>| Fantasy::new(output.posterior, output.noise, none.as_ref());
        let merit = JointMerit {
            objectives: outputs.objectives.len(),
            improvement: None,
            limits: outputs.constraints.iter().map(|constraint| constraint.limits).collect(),
            penalties: Vec::new(),
        };
        let believers = outputs.all().map(believer).collect::<Result<Vec<_>>>()?;
        let (rows, scales) = (standing.front(), standing.scales.as_slice());
        let mut front = Front { outputs, reference, scales, rows, believers, merit, beside };
        front.improve()?;
        front.add(pending)?;
        Ok(front)
    }

    pub(super) fn is_penalised(&self) -> bool {
        self.beside == Beside::Penalised
    }

    pub(super) fn believers(&self) -> &[Fantasy<'a>] {
        &self.believers
    }

    pub(super) fn merit(&self) -> &JointMerit {
        &self.merit
    }

    /// What one more point is worth.
    pub(super) fn acquisition(&self) -> Result<JointAcquisition<'_>> {
        JointAcquisition::new(&self.believers, &self.merit)
    }

    /// Counts these points as under way, [points, inputs].
    pub(super) fn add(&mut self, points: MatRef<'_, f64>) -> Result<()> {
        if points.nrows() == 0 {
            return Ok(());
        }
        let objectives = self.outputs.objectives.iter().map(|objective| objective.posterior.predict(points));
        let at = objectives.collect::<Result<Vec<_>>>()?;
        let means = |row: usize| -> Vec<f64> { at.iter().map(|at| at.mean[row]).collect() };
        if self.beside == Beside::Penalised {
            let deviations = |row: usize| -> Vec<f64> { at.iter().map(|at| at.variance[row].sqrt()).collect() };
            let penalty = |row: usize| Penalty { means: means(row), deviations: deviations(row) };
            self.merit.penalties.extend((0..points.nrows()).map(penalty));
            return Ok(());
        }
        let mut feasible = vec![true; points.nrows()];
        for constraint in self.outputs.constraints {
            let means = constraint.output.posterior.mean(points)?;
            feasible.iter_mut().zip(means).for_each(|(ok, mean)| *ok &= constraint.limits.violation(mean) == 0.0);
        }
        self.rows.extend((0..points.nrows()).filter(|&row| feasible[row]).map(means));
        // What is dominated bounds no volume, and must not lower the reference.
        self.rows = pareto::front(&self.rows).into_iter().map(|row| self.rows[row].clone()).collect();
        self.believers.iter_mut().try_for_each(|believer| believer.add(points))?;
        self.improve()
    }

    fn improve(&mut self) -> Result<()> {
        let reference = match self.reference {
            Some(reference) => reference.to_vec(),
            None => (0..self.scales.len()).map(|k| reference(&self.rows, k, self.scales[k].range)).collect(),
        };
        let ehvi = Ehvi::new(&self.rows, &reference)?;
        // A reference alone says nothing of where feasible points are.
        self.merit.improvement = (!self.rows.is_empty()).then_some(ehvi);
        Ok(())
    }
}

/// A tenth of the front's range below its worst, so that its ends can be improved on too.
fn reference(front: &[Vec<f64>], objective: usize, range: f64) -> f64 {
    let scale = Scale::of(&front.iter().map(|row| row[objective]).collect::<Vec<_>>());
    // A front of one point has no range of its own.
    let range = if front.len() > 1 { scale.range } else { range };
    scale.reference - 0.1 * range
}
