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
mod extensions;
mod fronts;
mod goal;
mod insight;
mod json;
mod local;
mod model;
mod refit;
mod replicate;
mod report;
pub mod store;
mod table;
mod trial;

pub use config::{Config, ModelOptions, NoiseBound, OutcomeTransformChoice, Replicates, TrustRegionOptions};
pub use extensions::Extensions;
pub use fronts::{Fronts, ParetoPoint};
pub use goal::{Goal, Output};
pub use insight::{CrediblePrediction, LeaveOneOut};
pub use local::LocalModelOptions;
pub use model::ModelReport;
pub use refit::Refit;
pub use report::{Best, Estimate, Observation, StepReport};
pub use trial::{Outcome, Trial};

use crate::data::OutcomeTransform;
use crate::error::{Error, Result};
use crate::interrupt;
use crate::model::{Hyperparameters, Posterior, Prediction};
use crate::space::Point;
use json::{differing, from_json, to_json};
use local::Local;
use model::{Models, State};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use store::{Store, StoreOptions};
use table::Table;

/// A study: ask for points, tell their outcomes.
#[derive(Debug)]
pub struct Study {
    config: Config,
    store: Store,
    /// The history as models see it.
    table: Table,
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
    /// A study that lives as long as this process.
    pub fn in_memory(config: Config) -> Result<Self> {
        config.check_complete()?;
        let store = Store::in_memory(&to_json(&config)?)?;
        Study::with(config, store)
    }

    /// A new study in a file of its own; refuses if there is one.
    pub fn create(path: &Path, config: Config) -> Result<Self> {
        config.check_complete()?;
        let store = Store::create(path, &to_json(&config)?, &StoreOptions::default())?;
        Study::with(config, store)
    }

    /// A study that exists.
    pub fn open(path: &Path) -> Result<Self> {
        Study::of(Store::open(path, &StoreOptions::default())?)
    }

    /// The same, to be looked at: it need not be in a file or a folder that may be written.
    pub fn open_to_read(path: &Path) -> Result<Self> {
        Study::of(Store::open_to_read(path, &StoreOptions::default())?)
    }

    /// The study in this file if there is one, with these very settings, else a new one.
    pub fn open_or_create(path: &Path, config: Config) -> Result<Self> {
        config.check_complete()?;
        let store = Store::open_or_create(path, &to_json(&config)?, &StoreOptions::default())?;
        check_same(&config, &store)?;
        Study::with(config, store)
    }

    /// All of it, to be made into a study in memory by [`from_bytes`](Self::from_bytes).
    pub fn to_bytes(&mut self) -> Result<Vec<u8>> {
        self.store.to_bytes()
    }

    /// A study in memory that goes on where the one with these bytes was.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Study::of(Store::from_bytes(bytes)?)
    }

    /// Refuses other settings than those that the study was made with, by name.
    pub fn check_made_with(&self, config: &Config) -> Result<()> {
        check_same(config, &self.store)
    }

    fn of(store: Store) -> Result<Self> {
        let config: Config = from_json("the settings in the study's file", store.config())?;
        config.check()?;
        Study::with(config, store)
    }

    fn with(config: Config, mut store: Store) -> Result<Self> {
        store.refresh()?;
        let mut study = Study { table: Table::new(&config), config, store, models: None };
        study.table.extend(&study.config, study.store.history())?;
        Ok(study)
    }

    /// Its settings.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Trials, outcomes and the state of the last ask, as of the last ask, tell or [`refresh`](Self::refresh).
    pub fn history(&self) -> &store::History {
        self.store.history()
    }

    /// Reads what other processes have written.
    pub fn refresh(&mut self) -> Result<()> {
        self.store.refresh()?;
        self.table.extend(&self.config, self.store.history())
    }

    /// Outcomes of trials by their numbers, all or nothing; returns how many of them are new.
    ///
    /// The same outcome told again is passed over, another one is refused. NaN and infinities count as failures.
    pub fn tell(&mut self, outcomes: &[(u64, Outcome)]) -> Result<usize> {
        outcomes.iter().try_for_each(|(trial, outcome)| self.check_outcome(&format!("trial {trial}"), outcome))?;
        let new = self.store.tell(outcomes)?;
        self.refresh()?;
        Ok(new)
    }

    /// Points that were not asked for, with their outcomes (`None`: they are under way); returns their trials' numbers.
    pub fn add(&mut self, points: &[(Point, Option<Outcome>)]) -> Result<Range<u64>> {
        for (i, (point, outcome)) in points.iter().enumerate() {
            self.config.space.encode(point)?;
            outcome
                .iter()
                .try_for_each(|outcome| self.check_outcome(&format!("point {} of {}", i + 1, points.len()), outcome))?;
        }
        let trials = self.store.add(points)?;
        self.refresh()?;
        Ok(trials)
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
        let believed = Estimate { trial: self.trial(self.table.observed()[row]), mean, interval };
        let outcomes: Vec<&[f64]> = (0..self.config.outputs.len()).map(|k| self.table.outcomes(k)).collect();
        let Some(row) = best_among(outcomes[objective], &self.within(&outcomes)) else { return Ok(None) };
        let value = sign * outcomes[objective][row];
        let observed = Observation { trial: self.trial(self.table.observed()[row]), value };
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

    /// How the models of everything told so far came about, one an output.
    pub fn model_reports(&mut self) -> Result<Vec<ModelReport>> {
        Ok(self.current()?.reports())
    }

    /// The report of every ask so far.
    pub fn reports(&self) -> Result<Vec<StepReport>> {
        let stored = self.store.reports()?;
        stored.iter().map(|report| from_json("a step's report in the study's file", &report.json)).collect()
    }

    /// The models of everything that others and we have told.
    fn current(&mut self) -> Result<Arc<Models>> {
        self.refresh()?;
        self.models()
    }

    /// The models of everything told so far, made if need be.
    fn models(&mut self) -> Result<Arc<Models>> {
        let states = self.states()?;
        self.models_as_of(self.history().tells(), states)
    }

    /// The models of an ask: those of everything told so far, or the last ask's, if these are fresh enough.
    fn models_for(&mut self, refit: Refit) -> Result<Arc<Models>> {
        let states = self.states()?;
        let tells = self.history().tells();
        let last = states.as_ref().and_then(|states| states.first()).map(|state| state.seen);
        let seen = match (refit, last) {
            (Refit::Every(most), Some(seen)) if tells - seen < most => seen,
            _ => tells,
        };
        self.models_as_of(seen, states)
    }

    /// The models of what was told up to this tell, given what the last ask left.
    fn models_as_of(&mut self, seen: u64, states: Option<Vec<State>>) -> Result<Arc<Models>> {
        let key = Key { ask: self.history().asks(), seen };
        if let Some((of, models)) = &self.models
            && *of == key
        {
            return Ok(models.clone());
        }
        self.check_modelled()?;
        let data = self.table.datasets(key.seen)?;
        let step = self.history().asks() + 1;
        let seen = states.as_ref().and_then(|states| states.first()).map(|state| state.seen);
        let models = match (&states, seen) {
            (Some(states), Some(seen)) if seen == key.seen => Models::restored(states, &data)?,
            (Some(states), Some(seen)) => {
                let before = self.table.datasets(seen)?;
                Models::new(&self.config, Some((states, &before)), &data, step, key.seen)?
            }
            _ => Models::new(&self.config, None, &data, step, key.seen)?,
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

    /// What the last ask left, one an output.
    fn states(&self) -> Result<Option<Vec<State>>> {
        let Some(state) = self.history().state() else { return Ok(None) };
        let mut states: Option<Vec<State>> = from_json("the state of the last step in the study's file", &state.json)?;
        let kernels = states.iter_mut().flatten().map(|state| &mut state.hyper.kernel);
        kernels.for_each(|kernel| self.config.model.kernel.restore(kernel));
        Ok(states)
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

    fn trial(&self, record: usize) -> Trial {
        self.history().records()[record].trial.clone()
    }

    fn check_outcome(&self, of: &str, outcome: &Outcome) -> Result<()> {
        match outcome {
            Outcome::Observed { values, .. } if values.len() != self.config.outputs.len() => Err(Error::Shape {
                what: format!("the list of values of {of}"),
                found: values.len(),
                expected: self.config.outputs.len(),
            }),
            Outcome::Observed { values, .. } => self.check_classes(of, values),
            Outcome::Failed { .. } => Ok(()),
        }
    }

    fn check_classes(&self, of: &str, values: &[f64]) -> Result<()> {
        let classes = self.config.outputs.iter().zip(values).filter(|(output, _)| output.goal == Goal::Classify);
        match classes.map(|(_, &value)| value).find(|value| value.is_finite() && ![0.0, 1.0].contains(value)) {
            Some(value) => Err(Error::Parameter { name: format!("the class of {of}"), value, must: "0 or 1".into() }),
            None => Ok(()),
        }
    }
}

fn check_same(config: &Config, store: &Store) -> Result<()> {
    match differing(&to_json(config)?, store.config())? {
        None => Ok(()),
        Some(field) => Err(Error::Unsupported {
            what: format!("the study in {} has another setting of '{field}'", store.path().display()),
            remedy: "open it with the settings it was made with, or begin another file".into(),
        }),
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
