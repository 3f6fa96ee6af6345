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
mod config;
mod design;
mod insight;
mod json;
mod model;
mod report;
pub mod store;
mod table;
mod trial;

pub use config::{Config, Goal, Modelling, Output, Replicates, Warping};
pub use insight::{Forecast, LeftOut};
pub use model::ModelReport;
pub use report::{Best, Estimate, Observation, StepReport};
pub use trial::{Outcome, Trial};

use crate::data::Units;
use crate::error::{Error, Result};
use crate::model::{Hyperparameters, Posterior, Prediction};
use crate::space::Point;
use json::{differing, from_json, to_json};
use model::{Model, State};
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
    /// The last model, with the state it started from and the last tell it has seen.
    model: Option<(Key, Arc<Model>)>,
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
        config.check()?;
        let store = Store::in_memory(&to_json(&config)?)?;
        Study::with(config, store)
    }

    /// A new study in a file of its own; refuses if there is one.
    pub fn create(path: &Path, config: Config) -> Result<Self> {
        config.check()?;
        let store = Store::create(path, &to_json(&config)?, &StoreOptions::default())?;
        Study::with(config, store)
    }

    /// A study that exists.
    pub fn open(path: &Path) -> Result<Self> {
        let store = Store::open(path, &StoreOptions::default())?;
        let config: Config = from_json("the settings in the study's file", store.config())?;
        config.check()?;
        Study::with(config, store)
    }

    /// The study in this file if there is one, with these very settings, else a new one.
    pub fn open_or_create(path: &Path, config: Config) -> Result<Self> {
        config.check()?;
        let json = to_json(&config)?;
        let store = Store::open_or_create(path, &json, &StoreOptions::default())?;
        match differing(&json, store.config())? {
            None => Study::with(config, store),
            Some(field) => Err(Error::Unsupported {
                what: format!("the study in {} has another setting of '{field}'", path.display()),
                remedy: "open it with the settings it was made with, or begin another file".into(),
            }),
        }
    }

    fn with(config: Config, mut store: Store) -> Result<Self> {
        store.refresh()?;
        let mut study = Study { table: Table::new(&config), config, store, model: None };
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
        outcomes.iter().try_for_each(|(trial, outcome)| self.check_width(&format!("trial {trial}"), outcome))?;
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
                .try_for_each(|outcome| self.check_width(&format!("point {} of {}", i + 1, points.len()), outcome))?;
        }
        let trials = self.store.add(points)?;
        self.refresh()?;
        Ok(trials)
    }

    /// The best evaluated point by posterior mean, and the best outcome; `None` before there are outcomes.
    pub fn best(&mut self) -> Result<Option<Best>> {
        self.refresh()?;
        if self.table.observed().is_empty() {
            return Ok(None);
        }
        let model = self.model()?;
        let x = self.table.rows(self.table.observed());
        let Some(row) = best_row(&model.posterior.mean(x.as_ref())?) else { return Ok(None) };
        let Prediction { mean, variance } = model.posterior.predict(x.as_ref().subrows(row, 1))?;
        let sign = self.config.sign();
        let Forecast { mean, interval } = Forecast::new(&model.units, sign, mean[0], variance[0]);
        let believed = Estimate { trial: self.trial(self.table.observed()[row]), mean, interval };
        let outcomes = self.table.outcomes();
        let Some(row) = best_row(outcomes) else { return Ok(None) };
        let observed = Observation { trial: self.trial(self.table.observed()[row]), value: sign * outcomes[row] };
        Ok(Some(Best { believed, observed }))
    }

    /// Means and variances of the outcome without noise, at points in the user's units.
    pub fn predict(&mut self, points: &[Point]) -> Result<Prediction> {
        let x = self.encode(points)?;
        self.refresh()?;
        let sign = self.config.sign();
        let model = self.model()?;
        let Prediction { mean, variance } = model.posterior.predict(x.as_ref())?;
        let moments = mean.into_iter().zip(variance).map(|(mean, variance)| model.units.moments(mean, variance));
        let (mean, variance): (Vec<f64>, Vec<f64>) = moments.unzip();
        Ok(Prediction { mean: mean.into_iter().map(|mean| sign * mean).collect(), variance })
    }

    /// The posterior given everything told so far, in the model's units.
    pub fn posterior(&mut self) -> Result<Arc<Posterior>> {
        self.refresh()?;
        Ok(self.model()?.posterior.clone())
    }

    /// The hyperparameters of that posterior, and the units of its outcomes (which are maximised: a minimised output has
    /// the other sign).
    pub fn hyperparameters(&mut self) -> Result<(Hyperparameters, Units)> {
        self.refresh()?;
        let model = self.model()?;
        Ok((model.state.hyper.clone(), model.units))
    }

    /// How the model of everything told so far came about.
    pub fn model_report(&mut self) -> Result<ModelReport> {
        self.refresh()?;
        Ok(self.model()?.report.clone())
    }

    /// The report of every ask so far.
    pub fn reports(&self) -> Result<Vec<StepReport>> {
        let stored = self.store.reports()?;
        stored.iter().map(|report| from_json("a step's report in the study's file", &report.json)).collect()
    }

    /// The model of everything told so far, made if need be.
    fn model(&mut self) -> Result<Arc<Model>> {
        let state = self.state()?;
        let key = Key { ask: self.history().asks(), seen: self.history().tells() };
        if let Some((of, model)) = &self.model
            && *of == key
        {
            return Ok(model.clone());
        }
        let data = self.table.dataset(key.seen)?;
        let step = self.history().asks() + 1;
        let model = match &state {
            Some(state) if state.seen == key.seen => Model::restored(state, &data)?,
            Some(state) => {
                let before = self.table.dataset(state.seen)?;
                Model::new(&self.config, Some((state, &before)), &data, step, key.seen)?
            }
            None => Model::new(&self.config, None, &data, step, key.seen)?,
        };
        let model = Arc::new(model);
        self.model = Some((key, model.clone()));
        Ok(model)
    }

    /// What the last ask left.
    fn state(&self) -> Result<Option<State>> {
        match self.history().state() {
            Some(state) => from_json("the state of the last step in the study's file", &state.json),
            None => Ok(None),
        }
    }

    fn trial(&self, record: usize) -> Trial {
        self.history().records()[record].trial.clone()
    }

    fn check_width(&self, of: &str, outcome: &Outcome) -> Result<()> {
        match outcome {
            Outcome::Observed { values, .. } if values.len() != self.config.outputs.len() => Err(Error::Shape {
                what: format!("the list of values of {of}"),
                found: values.len(),
                expected: self.config.outputs.len(),
            }),
            _ => Ok(()),
        }
    }
}

/// The row with the largest value, the first of equals.
fn best_row(values: &[f64]) -> Option<usize> {
    best_rows(values, 1).first().copied()
}

/// The rows with the largest values, best first.
fn best_rows(values: &[f64], count: usize) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..values.len()).collect();
    rows.sort_by(|&i, &j| values[j].total_cmp(&values[i]));
    rows.truncate(count);
    rows
}
