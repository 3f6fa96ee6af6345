//! The model's optimum, evaluated or not.
//!
//! ```text
//!     x* = argmax_x μ(x)   over the whole space, where the means of all constraints are within their bounds
//! ```
//!
//! μ is the posterior mean of the model of all trials. Where evaluations keep failing it counts for less, as it does when points are
//! chosen. The best trial by μ is a candidate too, so no trial is better.

use super::Study;
use super::choose::Chooser;
use super::insight::CrediblePrediction;
use super::model::Models;
use super::proposal::stacked;
use super::rows::candidate_rows;
use crate::acquire::optimizer::{AcquisitionOptimizer, Excluded};
use crate::acquire::{ParetoState, PosteriorMean, greedy};
use crate::error::{Error, Result};
use crate::linalg::{Mat, row, select_rows, sorted_by_value};
use crate::model::Prediction;
use crate::rng::StepRng;
use crate::space::Point;
use serde::{Deserialize, Serialize};

/// No ask has this number: the search is the same whatever was asked for, so its answer moves only as the models do.
const STEP: u64 = 0;

/// The best point of the space by the model of all trials, evaluated or not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Anywhere {
    /// Where it is.
    pub point: Point,
    /// The row of the table of candidates that it is, if there is such a table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<u64>,
    /// The posterior mean there, in the user's units.
    pub mean: f64,
    /// The central 95 % of the posterior, without the noise.
    pub interval: (f64, f64),
    /// The first trial with all of its outputs at that very point; `None` if there was no evaluation.
    pub trial: Option<u64>,
    /// Whether it satisfies all constraints by the models' means; if not, no point that does was found, and it is the one that
    /// violates them least.
    pub feasible: bool,
}

impl Study {
    /// The point of the space where the posterior mean of the only objective is best, among those that satisfy all constraints by
    /// the models' means; `None` where [`best`](Self::best) is.
    ///
    /// No trial has a better mean by the same model, that of all trials, in its own units; by local models one may.
    pub fn best_anywhere(&mut self) -> Result<Option<Anywhere>> {
        let (objectives, _) = self.config.objectives_and_constraints();
        let &[objective] = objectives.as_slice() else { return Ok(None) };
        let Some(models) = self.models_of_observed()? else { return Ok(None) };
        let (records, _) = self.outcomes();
        if records.is_empty() {
            return Ok(None);
        }
        let evaluated = self.table.rows(&records);
        let candidates = stacked(evaluated.as_ref(), self.best_by_mean(&models)?.as_ref());
        let (best, feasible) = self.first_by_means(&models, &candidates)?;
        let x = row(candidates.as_ref(), best);
        let same = (0..records.len()).find(|&i| row(evaluated.as_ref(), i) == x);
        let trial = same.map(|i| self.trial_of(records[i]));
        let point = trial.as_ref().map_or_else(|| self.config.space.decode(&x), |trial| Ok(trial.point.clone()))?;
        let row = match &trial {
            Some(trial) => trial.row,
            None => candidate_rows(&self.config.space, &self.history, [&point], &[]).pop().flatten(),
        };
        let model = &models.outputs[objective];
        let Prediction { mean, variance } =
            model.posterior.predict(select_rows(candidates.as_ref(), &[best]).as_ref())?;
        let sign = self.config.outputs[objective].goal.sign();
        let CrediblePrediction { mean, interval } = CrediblePrediction::new(&model.units, sign, mean[0], variance[0]);
        Ok(Some(Anywhere { point, row, mean, interval, trial: trial.map(|trial| trial.id), feasible }))
    }

    /// Where a search of the whole space finds the posterior mean best, [1, inputs].
    fn best_by_mean(&self, models: &Models) -> Result<Mat> {
        let table = &self.table;
        let observed = table.rows(&self.observed_records());
        let (failed, pending) = (table.rows(&self.failed_records()), table.rows(&[]));
        let (observed, failed, pending) = (observed.as_ref(), failed.as_ref(), pending.as_ref());
        let rng = StepRng { seed: self.config.seed, step: STEP };
        let (config, local, kept, all, is_all_seen, shortlisted) = (&self.config, None, None, None, false, observed);
        Chooser { config, models, local, kept, all, observed, shortlisted, is_all_seen, failed, pending, rng }
            .best_by_mean()
    }

    /// The first of the best of these points by the models' means, and whether it is feasible.
    fn first_by_means(&self, models: &Models, points: &Mat) -> Result<(usize, bool)> {
        let (objectives, constraints) = self.config.acquired(&models.outputs);
        let ParetoState { means, violations, .. } = ParetoState::new(&objectives, &constraints, points.as_ref())?;
        let means: Vec<f64> = means.iter().map(|means| means[0]).collect();
        let best = sorted_by_value(&means).into_iter().min_by(|&i, &j| violations[i].total_cmp(&violations[j]));
        let best = best.ok_or_else(|| Error::Empty { what: "the list of points".into() })?;
        Ok((best, violations[best] == 0.0))
    }
}

impl Chooser<'_> {
    /// The point of the space with the best posterior mean, [1, inputs].
    fn best_by_mean(&self) -> Result<Mat> {
        let (objectives, constraints) = self.config.acquired(&self.models.outputs);
        let pareto = ParetoState::new(&objectives, &constraints, self.observed)?;
        let incumbents = select_rows(self.observed, &self.incumbents(&pareto, None, false));
        let (space, options) = (&self.config.space, &self.config.acquisition);
        let optimizer = AcquisitionOptimizer::new(space, incumbents.as_ref(), options, self.rng)?;
        let context = self.context(&objectives, &constraints, &pareto, &optimizer);
        greedy(&context, &mut PosteriorMean::of(&context), 1, &mut Excluded::nothing())
    }
}
