//! The loop and its memory: points are asked for, outcomes are told, and nothing that was told is ever lost.
//!
//! ```text
//!     ask:   history ─▶ model (Z, θ̂, posterior) ─▶ batch ─▶ committed with what the next step needs
//!     tell:  outcomes ─▶ history
//! ```
//!
//! A step is a function of the settings, the state that the last ask committed, and the history. So a study that is
//! killed at any instant and opened again asks for the batch that it would have asked for anyway.

mod ask;
mod auto;
mod choose;
mod config;
mod design;
mod fronts;
mod goal;
mod insight;
mod json;
mod local;
mod model;
mod observations;
mod open;
mod refit;
mod replicate;
mod report;
mod state;
pub mod storage;
mod tell;
mod trial;

pub use config::{Config, ModelOptions, NoiseBound, OutcomeTransformChoice, Replicates, TrustRegionOptions};
pub use fronts::{Fronts, ParetoPoint};
pub use goal::{Goal, Output};
pub use insight::{CrediblePrediction, LeaveOneOut};
pub use local::LocalModelOptions;
pub use model::ModelReport;
pub use refit::Refit;
pub use report::{Best, Estimate, Observation, StepReport};
pub use storage::{History, Record, Told};
pub use trial::{Outcome, Trial};

use crate::data::OutcomeTransform;
use crate::error::{Error, Result};
use crate::interrupt;
use crate::model::{Hyperparameters, Posterior, Prediction};
use crate::space::Point;
use json::from_json;
use local::Local;
use model::Models;
use observations::Observations;
use state::StepState;
use std::sync::Arc;
use storage::Storage;

/// A study: ask for points, tell their outcomes.
#[derive(Debug)]
pub struct Study {
    config: Config,
    storage: Box<dyn Storage>,
    history: History,
    /// The history as models see it.
    table: Observations,
    /// The last models, with the state they started from and the last tell they have seen.
    models: Option<(Key, Arc<Models>)>,
}

/// What a model was made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Key {
    /// The number of asks before it.
    ask: u64,
    /// The last tell it has seen.
    seen: u64,
}

impl Study {
    /// Its settings.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Trials, outcomes and the state of the last ask, as of the last ask, tell or [`refresh`](Self::refresh).
    pub fn history(&self) -> &History {
        &self.history
    }

    /// The trial with this number and its outcome, as of the last ask, tell or [`refresh`](Self::refresh).
    pub fn trial(&self, id: u64) -> Option<&Record> {
        self.history.record(id)
    }

    /// The best evaluated point by what models believe, and the best outcome, of those that keep to all limits; `None` if there are
    /// none yet, or if there is no single objective.
    pub fn best(&mut self) -> Result<Option<Best>> {
        self.refresh()?;
        let (objectives, _) = self.config.objectives_and_constraints();
        let (&[objective], false) = (objectives.as_slice(), self.table.observed().is_empty()) else { return Ok(None) };
        let models = self.models()?;
        let model = &models.outputs[objective];
        let x = self.table.rows(self.table.observed());
        let means = model.posterior.mean(x.as_ref())?;
        let believed = self.within(&self.believed_outcomes(&models, x.as_ref())?);
        let Some(row) = best_among(&means, &believed) else { return Ok(None) };
        let sign = self.config.outputs[objective].goal.sign();
        let (row, CrediblePrediction { mean, interval }) = match self.local(&models)? {
            Some(local) => {
                (local.row, CrediblePrediction::new(&local.teller.units, sign, local.belief.0, local.belief.1))
            }
            None => {
                let Prediction { mean, variance } = model.posterior.predict(x.as_ref().subrows(row, 1))?;
                (row, CrediblePrediction::new(&model.units, sign, mean[0], variance[0]))
            }
        };
        let believed = Estimate { trial: self.trial_of(self.table.observed()[row]), mean, interval };
        let outcomes: Vec<&[f64]> = (0..self.config.outputs.len()).map(|k| self.table.outcomes(k)).collect();
        let Some(row) = best_among(outcomes[objective], &self.within(&outcomes)) else { return Ok(None) };
        let value = sign * outcomes[objective][row];
        let observed = Observation { trial: self.trial_of(self.table.observed()[row]), value };
        Ok(Some(Best { believed, observed }))
    }

    /// The evaluated points that no other one beats in every objective, by their outcomes and by posterior means, among
    /// those that keep to all limits.
    pub fn fronts(&mut self) -> Result<Fronts> {
        self.refresh()?;
        if self.table.observed().is_empty() {
            return Ok(Fronts::default());
        }
        let models = self.models()?;
        let x = self.table.rows(self.table.observed());
        let believed = self.believed_outcomes(&models, x.as_ref())?;
        let observed: Vec<&[f64]> = (0..self.config.outputs.len()).map(|k| self.table.outcomes(k)).collect();
        Ok(Fronts { believed: self.front(&believed)?, observed: self.front(&observed)? })
    }

    /// Means and variances of an output without noise, at points in the user's units; of a class, of its latent function.
    pub fn predict(&mut self, output: usize, points: &[Point]) -> Result<Prediction> {
        let x = self.encode(points)?;
        let (sign, models) = (self.sign(output)?, self.current()?);
        let model = &models.outputs[output];
        let Prediction { mean, variance } = model.posterior.predict(x.as_ref())?;
        let moments = mean.into_iter().zip(variance).map(|(mean, variance)| model.units.moments(mean, variance));
        let (mean, variance): (Vec<f64>, Vec<f64>) = moments.unzip();
        Ok(Prediction { mean: mean.into_iter().map(|mean| sign * mean).collect(), variance })
    }

    /// The posterior of an output given everything told so far, in the model's units.
    pub fn posterior(&mut self, output: usize) -> Result<Arc<Posterior>> {
        self.sign(output)?;
        Ok(self.current()?.outputs[output].posterior.clone())
    }

    /// The hyperparameters of that posterior, and the units of its outcomes (which are maximised: a minimised output has
    /// the other sign).
    pub fn hyperparameters(&mut self, output: usize) -> Result<(Hyperparameters, OutcomeTransform)> {
        self.sign(output)?;
        let model = &self.current()?.outputs[output];
        Ok((model.state.hyper.clone(), model.units))
    }

    /// How the models of everything told so far came about, one per output.
    pub fn model_reports(&mut self) -> Result<Vec<ModelReport>> {
        Ok(self.current()?.reports())
    }

    /// The report of every ask so far.
    pub fn reports(&self) -> Result<Vec<StepReport>> {
        self.history.reports().iter().map(|report| from_json("a step's report in the study's file", report)).collect()
    }

    /// The models of everything that others and we have told.
    fn current(&mut self) -> Result<Arc<Models>> {
        self.refresh()?;
        self.models()
    }

    /// The models of everything told so far, made if need be.
    fn models(&mut self) -> Result<Arc<Models>> {
        let state = self.state()?;
        self.models_as_of(self.history().tells(), state)
    }

    /// The models of an ask: those of everything told so far, or the last ask's, if these are fresh enough.
    fn models_for(&mut self, refit: Refit) -> Result<Arc<Models>> {
        let state = self.state()?;
        let tells = self.history().tells();
        let seen = match (refit, state.as_ref().and_then(StepState::seen)) {
            (Refit::Every(most), Some(seen)) if tells - seen < most => seen,
            _ => tells,
        };
        self.models_as_of(seen, state)
    }

    /// The models of what was told up to this tell, given what the last ask left.
    fn models_as_of(&mut self, seen: u64, state: Option<StepState>) -> Result<Arc<Models>> {
        let key = Key { ask: self.history().asks(), seen };
        if let Some((of, models)) = &self.models
            && *of == key
        {
            return Ok(models.clone());
        }
        let data = self.table.datasets(key.seen)?;
        let step = self.history().asks() + 1;
        let last = state.as_ref().and_then(|state| Some((&state.models, state.seen()?)));
        let models = match last {
            Some((states, seen)) if seen == key.seen => Models::restored(states, &data)?,
            Some((states, seen)) => {
                let before = self.table.datasets(seen)?;
                Models::new(&self.config, Some((states, &before)), &data, step, key.seen)?
            }
            None => Models::new(&self.config, None, &data, step, key.seen)?,
        };
        interrupt::poll()?;
        let models = Arc::new(models);
        self.models = Some((key, models.clone()));
        Ok(models)
    }

    /// The best trial that the models have seen, by a model around it, if there is one objective and nothing else.
    fn local<'a>(&self, models: &'a Models) -> Result<Option<&'a Local>> {
        if !self.config.is_one_objective() {
            return Ok(None);
        }
        if let Some(local) = models.local.get() {
            return Ok(local.as_ref());
        }
        let local = Local::best(&models.outputs[0], &self.table.dataset(0, models.seen())?, &self.config)?;
        Ok(models.local.get_or_init(|| local).as_ref())
    }

    /// What the last ask left.
    fn state(&self) -> Result<Option<StepState>> {
        let read = |json| from_json("the state of the last step in the study's file", json);
        self.history.state().map(read).transpose()
    }

    /// The factor that makes larger values of an output better.
    fn sign(&self, output: usize) -> Result<f64> {
        let sign = self.config.outputs.get(output).map(|output| output.goal.sign());
        sign.ok_or_else(|| Error::Parameter {
            name: "the number of an output".into(),
            value: output as f64,
            must: format!("below {}", self.config.outputs.len()),
        })
    }

    fn trial_of(&self, record: usize) -> Trial {
        self.history().records()[record].trial.clone()
    }
}

/// The row with the largest value, the first of equals, of those that may be.
fn best_among(values: &[f64], may_be: &[bool]) -> Option<usize> {
    best_rows(values, values.len()).into_iter().find(|&row| may_be[row])
}

/// The rows with the largest values, best first.
fn best_rows(values: &[f64], count: usize) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..values.len()).collect();
    rows.sort_by(|&i, &j| values[j].total_cmp(&values[i]));
    rows.truncate(count);
    rows
}
