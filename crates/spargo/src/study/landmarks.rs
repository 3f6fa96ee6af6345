//! The points of a front that people look at first: the best of each objective, and the knee between them.

use super::{Config, ParetoPoint};
use crate::math::pareto;

/// A few points of a front, by their places in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FrontLandmarks {
    /// The best point of each objective, with the number of its output.
    pub ends: Vec<(usize, usize)>,
    /// The point that gives up least of what is best in any objective; `None` if the front is empty.
    pub knee: Option<usize>,
}

impl Config {
    /// The ends and the knee of a front of several objectives.
    pub fn landmarks(&self, front: &[ParetoPoint]) -> FrontLandmarks {
        let (objectives, _) = self.objectives_and_constraints();
        let value = |point: &ParetoPoint, k: usize| self.outputs[k].goal.sign() * point.values[k];
        let best = |k: usize| {
            let better = |&i: &usize, &j: &usize| value(&front[i], k).total_cmp(&value(&front[j], k)).then(j.cmp(&i));
            (0..front.len()).max_by(better).map(|place| (k, place))
        };
        let points: Vec<Vec<f64>> =
            front.iter().map(|point| objectives.iter().map(|&k| value(point, k)).collect()).collect();
        FrontLandmarks { ends: objectives.iter().filter_map(|&k| best(k)).collect(), knee: pareto::knee(&points) }
    }
}
