//! What one more evaluation is worth by several outputs, each with a posterior of its own: a sum of logarithms.
//!
//! ```text
//!     u(x) = log EHVI(x) + Σ_c log P(f_c(x) is within limits) + Σ_i log[(2/π) atan d_i(x)]
//! ```
//!
//! Objectives come first, then constrained outputs. Where there is no front to improve on the first term is left out.

use super::fantasy::{BLOCK, Fantasy, FantasyTerms};
use super::merit::{Moments, Slopes};
use super::{ConstraintBounds, Ehvi, Penalty};
use crate::error::{Error, Result};
use crate::linalg::{Mat, MatRef};
use crate::optim::{BatchedObjective, check_elements};
use rayon::prelude::*;

/// u, as a function of what is believed about the outputs at one point.
#[derive(Debug, Clone, PartialEq)]
pub struct JointMerit {
    /// The number of objectives.
    pub objectives: usize,
    /// What the objectives could improve on, if anything is feasible.
    pub improvement: Option<Ehvi>,
    /// What the other outputs may be.
    pub limits: Vec<ConstraintBounds>,
    /// Points under way that push others away.
    pub penalties: Vec<Penalty>,
}

impl JointMerit {
    /// u, for the moments of each output: finite, if they are.
    pub fn value(&self, at: &[Moments]) -> f64 {
        self.gain(at) + self.penalties.iter().map(|penalty| penalty.value(&self.means(at))).sum::<f64>()
    }

    /// u without the penalties.
    pub(super) fn gain(&self, at: &[Moments]) -> f64 {
        let (objectives, others) = at.split_at(self.objectives);
        let within = self.limits.iter().zip(others).map(|(limits, at)| limits.log_probability(at.mean, at.conditional));
        self.improvement.as_ref().map_or(0.0, |ehvi| ehvi.value(objectives)) + within.sum::<f64>()
    }

    /// The slopes of u in the moments of each output.
    pub fn slopes(&self, at: &[Moments]) -> Vec<Slopes> {
        let (objectives, others) = at.split_at(self.objectives);
        let improvement = match &self.improvement {
            Some(ehvi) => ehvi.slopes(objectives),
            None => vec![(0.0, 0.0); self.objectives],
        };
        let within = self.limits.iter().zip(others).map(|(limits, at)| {
            let (mean, conditional) = limits.log_probability_slopes(at.mean, at.conditional);
            (mean, conditional)
        });
        let slopes = improvement.into_iter().chain(within);
        let mut slopes: Vec<Slopes> =
            slopes.map(|(mean, conditional)| Slopes { mean, variance: 0.0, conditional }.capped()).collect();
        let means = self.means(at);
        for penalty in &self.penalties {
            let more = penalty.slopes(&means).into_iter().map(|mean| mean.clamp(-1e100, 1e100));
            slopes.iter_mut().zip(more).for_each(|(slopes, mean)| slopes.mean += mean);
        }
        slopes
    }

    fn means(&self, at: &[Moments]) -> Vec<f64> {
        at[..self.objectives].iter().map(|at| at.mean).collect()
    }
}

/// The joint merit of one more point beside those believed: a acquisition function with one element.
#[derive(Debug, Clone, Copy)]
pub struct JointAcquisition<'a> {
    believers: &'a [Fantasy<'a>],
    merit: &'a JointMerit,
}

impl<'a> JointAcquisition<'a> {
    /// One believer for each output that the merit is about.
    pub fn new(believers: &'a [Fantasy<'a>], merit: &'a JointMerit) -> Result<Self> {
        let outputs = merit.objectives + merit.limits.len();
        if believers.len() != outputs {
            let what = "the list of believers".into();
            return Err(Error::Shape { what, found: believers.len(), expected: outputs });
        }
        Ok(JointAcquisition { believers, merit })
    }
}

impl BatchedObjective for JointAcquisition<'_> {
    fn elements(&self) -> usize {
        1
    }

    fn score(&self, pool: MatRef<'_, f64>) -> Result<Mat<f64>> {
        let moments = self.believers.iter().map(|believer| believer.moments(pool)).collect::<Result<Vec<_>>>()?;
        let values = map_points(&moments, |at| self.merit.value(at));
        Ok(Mat::from_fn(pool.nrows(), 1, |i, _| values[i]))
    }

    fn value_gradient(&self, elements: &[usize], points: MatRef<'_, f64>) -> Result<(Vec<f64>, Mat<f64>)> {
        check_elements(elements, points.nrows(), 1)?;
        self.believers.iter().try_for_each(|believer| believer.check(points))?;
        let (mut values, mut gradient) = (vec![0.0; points.nrows()], Mat::zeros(points.nrows(), points.ncols()));
        // Climbs are few: every thread gets its share.
        let share = points.nrows().div_ceil(rayon::current_num_threads()).clamp(1, BLOCK);
        let outputs = values.par_chunks_mut(share).zip(gradient.par_row_chunks_mut(share));
        points.par_row_chunks(share).zip(outputs).for_each(|(x, (values, mut gradient))| {
            let nearby: Vec<FantasyTerms> = self.believers.iter().map(|believer| believer.nearby(x)).collect();
            let at = |i: usize| nearby.iter().map(|nearby| nearby.moments[i]).collect::<Vec<_>>();
            values.iter_mut().enumerate().for_each(|(i, value)| *value = self.merit.value(&at(i)));
            let slopes: Vec<Vec<Slopes>> = (0..x.nrows()).map(|i| self.merit.slopes(&at(i))).collect();
            for (output, (believer, nearby)) in self.believers.iter().zip(nearby).enumerate() {
                let own: Vec<Slopes> = slopes.iter().map(|slopes| slopes[output]).collect();
                believer.add_gradient(x, nearby, &own, gradient.as_mut());
            }
        });
        Ok((values, gradient))
    }
}

/// A number for each point, from its moments by each output.
pub(super) fn map_points(moments: &[Vec<Moments>], number: impl Fn(&[Moments]) -> f64 + Sync) -> Vec<f64> {
    let points = moments.first().map_or(0, Vec::len);
    let at = |i: usize| moments.iter().map(|moments| moments[i]).collect::<Vec<_>>();
    (0..points).into_par_iter().with_min_len(64).map(|i| number(&at(i))).collect()
}
