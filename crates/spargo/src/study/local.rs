//! Local models: exact GPs of the neighbourhoods of good trials.
//!
//! ```text
//!     D_c = the n observations closest to c,     p(f | D_c, θ_c) exact,     best = argmax_{c, x close to c}  E f(x) − √Var f(x)
//! ```
//!
//! One stationary model of all trials smooths over what is narrow compared with the space: the trial that it recommends may be
//! good, not the best. Around each trial that the global model or its own outcome recommends, the local model is used if its
//! leave-one-out log predictive density there exceeds the global model's; or a model of a wider neighbourhood, which knows more
//! trials, unless its density is lower. Trials are compared by a lower confidence bound, so that one lucky outcome is not enough.

use super::auto;
use super::config::Config;
use super::global::Global;
use super::model::Surrogate;
use super::prepare::{LOOSE, variance_in};
use super::recommend::Recommended;
use crate::acquire::ParetoState;
use crate::data::{Dataset, OutcomeTransform, Warp};
use crate::error::{Error, Result};
use crate::kernel::Kernel;
use crate::linalg::{Mat, MatRef, column, select_rows};
use crate::model::{
    Fit, FitOptions, HyperparameterObjective, Hyperparameters, Inference, Prediction, Start, at_data, fit,
    leave_one_out, noise_bound,
};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Instant;

/// Neighbourhoods that are modelled, at most; there are seldom more than two.
const NEIGHBOURHOODS: usize = 4;

/// A wide neighbourhood has so many times the trials of a narrow one.
const WIDER: usize = 5;

/// What the model of fewer trials must be better by, in nats summed over the outcomes left out. Where both models are right they
/// differ by a few nats, where one is wrong by hundreds.
const MARGIN: f64 = 10.0;

/// Rows from which the hyperparameters of a neighbourhood are learned.
const SUBSET: usize = 200;

/// Rows whose distances are computed at a time.
const BLOCK: usize = 4096;

/// Where the search for the noise variance begins, in units of the neighbourhood's variance.
const NOISE: f64 = 0.1;

/// Local models around the incumbents; their noise is bounded in any case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct LocalModelOptions {
    /// Observations per neighbourhood (0: no local models).
    pub neighbours: usize,
    /// Share of a Thompson batch that is drawn from local models; `"auto"`: by what they have found
    /// recently, for a single objective, else 0.
    #[serde(with = "auto")]
    #[cfg_attr(feature = "schema", schemars(schema_with = "auto::share"))]
    pub share: Option<f64>,
}

impl Default for LocalModelOptions {
    fn default() -> Self {
        LocalModelOptions { neighbours: 400, share: None }
    }
}

/// The best trial of a neighbourhood, and the models there.
#[derive(Debug)]
pub(super) struct LocalModel {
    /// The trial's place in the history.
    pub record: usize,
    /// The objective's posterior mean and variance at the trial, in the surrogate's units.
    pub moments: (f64, f64),
    /// The model of the objective that is used here, local or global.
    pub surrogate: Surrogate,
    /// The local model of every output.
    pub outputs: Vec<Surrogate>,
    /// The best point by the local models, [1, inputs].
    pub centre: Mat,
    /// The rows of which the trial is the best, all at different points.
    pub known: Vec<usize>,
    /// Seconds that the search for the trial took.
    pub seconds: f64,
    /// The lower confidence bound of the objective at the trial, in the user's units.
    lcb: f64,
}

impl Config {
    /// Whether local models say which trial is best.
    pub(super) fn has_local_models(&self) -> bool {
        self.local_models.neighbours > 0 && (self.is_one_objective() || self.local_models.share.is_some())
    }
}

impl Global<'_> {
    /// The best trial by a lower confidence bound; `None` if no neighbourhood can be modelled.
    pub fn best(&self) -> Result<Option<LocalModel>> {
        let started = Instant::now();
        // One at a time: each has an exact model.
        let mut best = None::<LocalModel>;
        self.each(|local| {
            if best.as_ref().is_none_or(|best| local.lcb > best.lcb) {
                best = Some(local);
            }
        })?;
        Ok(best.map(|best| LocalModel { seconds: started.elapsed().as_secs_f64(), ..best }))
    }

    /// Visits the best trial of every neighbourhood.
    pub fn each(&self, mut visit: impl FnMut(LocalModel)) -> Result<()> {
        let neighbours = self.config.local_models.neighbours;
        if neighbours == 0 {
            return Ok(());
        }
        let (replicated, mut settled, mut count) = (self.own.replicated(), HashSet::new(), 0);
        for row in self.recommended()? {
            if settled.contains(&replicated.first(row)) || count == NEIGHBOURHOODS {
                continue;
            }
            count += 1;
            match self.around(row, WIDER * neighbours) {
                Ok(local) => {
                    settled.extend(local.known.iter().map(|&row| replicated.first(row)));
                    visit(local);
                }
                Err(Error::Interrupted) => return Err(Error::Interrupted),
                // Other neighbourhoods, or the global model, will do.
                Err(_) => drop(settled.insert(replicated.first(row))),
            }
        }
        Ok(())
    }

    /// The local models around one incumbent of several objectives among the rows that are looked at, another one for each fit; `None` if
    /// they cannot be made.
    pub fn on_front(&self, pareto: &ParetoState) -> Result<Option<LocalModel>> {
        let started = Instant::now();
        let turn = (self.models.seen() as usize).checked_rem(pareto.incumbents.len());
        let Some(row) = turn.map(|turn| self.row(pareto.incumbents[turn])) else { return Ok(None) };
        let rows = closest(self.x(), row, self.kernel(self.objective), self.config.local_models.neighbours);
        let outputs = match self.local_outputs(&rows, None) {
            Ok(outputs) => outputs,
            Err(Error::Interrupted) => return Err(Error::Interrupted),
            // The global models will do.
            Err(_) => return Ok(None),
        };
        let (surrogate, centre) = (outputs[self.objective].clone(), self.x().subrows(row, 1).to_owned());
        let (record, seconds) = (self.record(row), started.elapsed().as_secs_f64());
        Ok(Some(LocalModel { record, moments: (0.0, 0.0), surrogate, outputs, centre, known: rows, seconds, lcb: 0.0 }))
    }

    /// The best trial of the neighbourhood of a row, of up to `most` rows.
    fn around(&self, row: usize, most: usize) -> Result<LocalModel> {
        let rows = closest(self.x(), row, self.kernel(self.objective), most);
        let (local, is_better, count) = self.objective_model(&rows)?;
        let data = self.data();
        // At the edge of a neighbourhood other models know more.
        let (close, mut seen) = (rows[..count].iter().copied(), HashSet::new());
        let points: Vec<usize> = self.own.replicated().distinct(close, &mut seen).collect();
        let mut known = points[..points.len().div_ceil(2)].to_vec();
        known.retain(|&row| !self.own.is_screened(row));
        if known.is_empty() {
            return Err(Error::Empty { what: "the trials of a neighbourhood".into() });
        }
        let outputs = self.local_outputs(&rows[..count], Some(&local))?;
        if !self.is_unconstrained() {
            known = self.feasible(&outputs, &known)?;
            if known.is_empty() {
                return Err(Error::Empty { what: "the feasible trials of a neighbourhood".into() });
            }
        }
        let by_local = self.recommender.best_given(&local, &known, self.moments(&local, &rows[..count], &known)?)?;
        let centre = data.x().subrows(by_local.leader, 1).to_owned();
        let (surrogate, Recommended { row, moments, lcb, .. }) = if is_better {
            (local, by_local)
        } else {
            (self.model().clone(), self.recommender.best(self.model(), &known)?)
        };
        let record = self.record(row);
        Ok(LocalModel { record, moments, surrogate, outputs, centre, known, seconds: 0.0, lcb })
    }

    /// What a local model of some rows says of f at those of them that are known.
    fn moments(&self, local: &Surrogate, rows: &[usize], known: &[usize]) -> Result<Prediction> {
        if local.posterior.is_spanned() {
            return local.posterior.predict(select_rows(self.x(), known).as_ref());
        }
        let places: HashMap<usize, usize> = farthest_first(rows).into_iter().zip(0..).collect();
        at_data(&local.posterior, &known.iter().map(|row| places[row]).collect::<Vec<_>>())
    }

    /// The local model of the objective, whether it predicts better than the global one, and of how many of the rows it is; rows
    /// are ordered by their distance to the first.
    fn objective_model(&self, rows: &[usize]) -> Result<(Surrogate, bool, usize)> {
        let (global, data) = (self.model(), self.data());
        let close = self.config.local_models.neighbours.min(rows.len());
        let of = |count: usize| -> Result<(Surrogate, f64)> {
            let some = data.subset(&farthest_first(&rows[..count]));
            let surrogate = Surrogate::local(self.kernel(self.objective), &some, self.config, self.objective)?;
            let density = surrogate.log_predictive_density(&some, &Vec::from_iter((count - close..count).rev()))?;
            Ok((surrogate, density))
        };
        // An exact posterior predicts its own data, a sparse one any.
        let by_global = match &self.models.states[self.objective].inducing {
            None => global.log_predictive_density(data, &rows[..close])?,
            Some(_) => global.log_predictive_density(&data.subset(&rows[..close]), &Vec::from_iter(0..close))?,
        };
        let (local, by_local) = of(close)?;
        let is_better = by_local > by_global + MARGIN;
        if !is_better || rows.len() == close {
            return Ok((local, is_better, close));
        }
        match of(rows.len()) {
            Ok((wide, by_wide)) if by_wide > by_local - MARGIN => Ok((wide, true, rows.len())),
            Err(Error::Interrupted) => Err(Error::Interrupted),
            _ => Ok((local, true, close)),
        }
    }

    /// The local model of every output; that of the objective may be known, and one without any outcome has its prior.
    fn local_outputs(&self, rows: &[usize], objective: Option<&Surrogate>) -> Result<Vec<Surrogate>> {
        let local = |k: usize| match objective {
            Some(objective) if k == self.objective => Ok(objective.clone()),
            _ => {
                let Some(own) = &self.observed.outputs[k] else { return Ok(self.models.outputs[k].clone()) };
                let rows = self.shared(own, rows);
                if rows.is_empty() {
                    return Err(Error::Empty { what: "the outcomes of a neighbourhood".into() });
                }
                Surrogate::local(self.kernel(k), &own.data.subset(&farthest_first(&rows)), self.config, k)
            }
        };
        (0..self.observed.outputs.len()).map(local).collect()
    }
}

impl Surrogate {
    /// The exact model of some observations of an output; its search begins at a kernel, that of the global model. Noise of a kernel of
    /// finite rank is misfit as well, and has no bound.
    pub(super) fn local(kernel: &Kernel, some: &Dataset, config: &Config, output: usize) -> Result<Self> {
        let units = OutcomeTransform::of(some.y(), Warp::Identity);
        let standard = units.apply(some);
        let known = config.outputs[output].noise.known_variance();
        if let Some(hyper) = config.known_hyperparameters(output, &units)? {
            let (hyperparameters, inference) = (HyperparameterObjective::Fixed, Inference::Exact);
            let settings = FitOptions { hyperparameters, inference, ..FitOptions::default() };
            let Fit { posterior, hyper, .. } = fit(&hyper, &standard, standard.x(), &settings)?;
            return Ok(Surrogate { posterior: Arc::new(posterior), units, noise: hyper.noise });
        }
        let is_spanned = kernel.spanning(some.dimension()).is_some();
        let settings = FitOptions {
            hyperparameters: HyperparameterObjective::Subset(if is_spanned { some.len() } else { SUBSET }),
            inference: Inference::Exact,
            start: Start::Warm,
            priors: config.model.priors,
            noise_bound: (!is_spanned).then(|| noise_bound(&standard, &kernel.scales(some.dimension()), config.seed)),
            noise_floor: known.map(|variance| variance_in(&units, some.y(), variance)),
            optimizer: if is_spanned { LOOSE } else { FitOptions::default().optimizer },
            seed: config.seed,
            ..FitOptions::default()
        };
        let start = Hyperparameters { kernel: kernel.clone(), mean: 0.0, noise: NOISE };
        let Fit { posterior, hyper, .. } = fit(&start, &standard, standard.x(), &settings)?;
        Ok(Surrogate { posterior: Arc::new(posterior), units, noise: hyper.noise })
    }

    /// The leave-one-out log predictive density of these outcomes, in the user's units: a sum.
    fn log_predictive_density(&self, data: &Dataset, rows: &[usize]) -> Result<f64> {
        let standard = self.units.apply(data);
        let Prediction { mean, variance } = leave_one_out(&self.posterior, &standard, self.noise, rows)?;
        let one = |(i, &row): (usize, &usize)| {
            let residual = standard.y()[row] - mean[i];
            self.units.log_slope(data.y()[row]) - 0.5 * (variance[i].ln() + residual * residual / variance[i])
        };
        Ok(rows.iter().enumerate().map(one).sum())
    }
}

/// The order in which a local model has its rows: what is asked about the last rows of an exact posterior costs less than about the
/// first, and most of it is about the closest.
fn farthest_first(rows: &[usize]) -> Vec<usize> {
    rows.iter().rev().copied().collect()
}

/// The rows most correlated with one of them by the kernel; that one comes first.
fn closest(x: MatRef<'_>, row: usize, kernel: &Kernel, count: usize) -> Vec<usize> {
    // In blocks that stay in the cache, however many rows there are.
    let block = |first: usize| kernel.matrix(x.subrows(first, BLOCK.min(x.nrows() - first)), x.subrows(row, 1));
    let blocks = (0..x.nrows()).step_by(BLOCK).map(block);
    let values: Vec<f64> = blocks.flat_map(|block| column(block.as_ref(), 0).to_vec()).collect();
    let before =
        |&i: &usize, &j: &usize| values[j].total_cmp(&values[i]).then((i != row).cmp(&(j != row))).then(i.cmp(&j));
    let mut rows: Vec<usize> = if count < values.len() {
        // Numbers are moved faster than places that lead to them.
        let mut sorted = values.clone();
        let (_, least, _) = sorted.select_nth_unstable_by(count, |a, b| b.total_cmp(a));
        (0..values.len()).filter(|&i| i == row || values[i].total_cmp(least).is_ge()).collect()
    } else {
        (0..values.len()).collect()
    };
    rows.sort_unstable_by(before);
    rows.truncate(count);
    rows
}

#[cfg(test)]
mod tests {
    use super::super::{Goal, Outcome, Output, Study};
    use super::*;
    use crate::space::{Dimension, Space};

    #[test]
    fn without_incumbents_there_is_no_local_model_of_several_objectives() {
        let output = |name: &str| Output::new(name, Goal::Maximize);
        let space = Space::new(vec![Dimension::real("x", 0.0, 1.0)]).unwrap();
        let config = Config { outputs: vec![output("u"), output("v")], initial: 8.into(), ..Config::new(space) };
        let mut study = Study::in_memory(config).unwrap();
        let trials = study.ask(8).unwrap();
        let outcome = |id: u64| Outcome::values([id as f64, -(id as f64)]);
        study.tell(&trials.iter().map(|trial| (trial.id, outcome(trial.id))).collect::<Vec<_>>()).unwrap();
        let models = study.models().unwrap();
        let observed = study.table.until(models.seen(), &study.history).unwrap();
        let (objectives, constraints) = study.config.acquired(&models.outputs);
        let pareto = ParetoState::new(&objectives, &constraints, observed.x()).unwrap();
        let global = Global::new(&study.config, &models, &observed, 0).unwrap();
        assert!(global.on_front(&pareto).unwrap().is_some());
        assert!(global.on_front(&ParetoState { incumbents: Vec::new(), ..pareto }).unwrap().is_none());
    }
}
