//! The neighbourhood of the best trials, by exact models of its own.
//!
//! ```text
//!     D_c = the n observations closest to c,     p(f | D_c, θ_c) exact,     best = argmax_{c, x close to c}  E f(x) − √Var f(x)
//! ```
//!
//! One stationary model of everything smooths over what is narrow beside the rest of the space: the trial that it
//! believes in may be one of the good ones, not the best. Around each trial that the model or its own outcome
//! recommends, a model of that neighbourhood alone has the say, if it log_predictive_density the outcomes there better than the model of
//! everything, each left out in turn; or in its place one of a wider neighbourhood, which knows more trials, unless that
//! log_predictive_density them worse. A deviation is taken off the mean, so that one lucky outcome is not enough.

use super::auto;
use super::best_rows;
use super::config::{Config, check_share};
use super::model::Model;
use crate::data::{Dataset, OutcomeTransform, Warp};
use crate::error::{Error, Result};
use crate::kernel::{Covariance, Kernel};
use crate::linalg::{Mat, MatRef, select_rows};
use crate::model::{
    Fit, FitOptions, HyperparameterObjective, Hyperparameters, Inference, Posterior, Prediction, Start, fit,
    leave_one_out, noise_bound,
};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Instant;

/// Models of the neighbourhood of the best trials, for one objective without limits; their noise is limited in any case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct LocalModelOptions {
    /// Observations of a neighbourhood; 0 for no such models: the study's model alone says which trial is best.
    pub neighbours: usize,
    /// Share of a batch of Thompson's that is drawn from the model of the best trial's neighbourhood.
    #[serde(with = "auto")]
    #[cfg_attr(feature = "schema", schemars(schema_with = "auto::share"))]
    pub share: Option<f64>,
}

impl Default for LocalModelOptions {
    fn default() -> Self {
        LocalModelOptions { neighbours: 400, share: None }
    }
}

impl LocalModelOptions {
    /// Refuses shares that are none, and neighbourhoods whose models would take longer than everything else.
    pub(super) fn check(&self) -> Result<()> {
        let refuse = |name: &str, value: f64, must: String| Err(Error::Parameter { name: name.into(), value, must });
        check_share("local-models.share", self.share)?;
        match self.neighbours > MOST_NEIGHBOURS {
            true => refuse("neighbours", self.neighbours as f64, format!("at most {MOST_NEIGHBOURS}")),
            false => Ok(()),
        }
    }
}

/// The best trial, and the model that says so.
#[derive(Debug)]
pub(super) struct Local {
    /// Its row among the observations that the model has seen.
    pub row: usize,
    /// Mean and variance there, in the units of who has the say.
    pub belief: (f64, f64),
    /// Who has the say.
    pub teller: Surrogate,
    /// The model of the neighbourhood, and which point of it is best by that, [1, inputs].
    pub near: (Surrogate, Mat<f64>),
    /// Rows that it is the best of, all at different points.
    pub known: Vec<usize>,
    /// Seconds that the search for it took.
    pub seconds: f64,
    /// The lower end of the belief, in the user's units.
    surely: f64,
}

/// A model that has the say in a neighbourhood.
#[derive(Debug, Clone)]
pub(super) struct Surrogate {
    pub posterior: Arc<Posterior>,
    /// Of the outcomes.
    pub units: OutcomeTransform,
    /// The noise variance, in those.
    pub noise: f64,
}

impl Local {
    /// `data` are the observations that the model has seen; `None` if no neighbourhood can be told of.
    pub fn best(model: &Model, data: &Dataset, config: &Config) -> Result<Option<Self>> {
        let started = Instant::now();
        // One at a time: each has an exact model.
        let mut best = None::<Local>;
        Local::each(model, data, config, |local| {
            if best.as_ref().is_none_or(|best| local.surely > best.surely) {
                best = Some(local);
            }
        })?;
        Ok(best.map(|best| Local { seconds: started.elapsed().as_secs_f64(), ..best }))
    }

    /// Visits the best of every neighbourhood.
    pub fn each(model: &Model, data: &Dataset, config: &Config, mut visit: impl FnMut(Self)) -> Result<()> {
        let neighbours = config.local_models.neighbours;
        if neighbours == 0 {
            return Ok(());
        }
        let means = model.posterior.mean(data.x())?;
        let recommended = best_points(&means, data.x()).zip(best_points(data.y(), data.x()));
        let (mut settled, mut count) = (HashSet::new(), 0);
        for row in recommended.flat_map(|(believed, observed)| [believed, observed]) {
            if settled.contains(&point(data.x(), row)) || count == NEIGHBOURHOODS {
                continue;
            }
            count += 1;
            let rows = closest(data.x(), row, &model.state.hyper.kernel, WIDER * neighbours);
            match Local::among(model, data, &rows, config) {
                Ok(local) => {
                    settled.extend(local.known.iter().map(|&row| point(data.x(), row)));
                    visit(local);
                }
                Err(Error::Interrupted) => return Err(Error::Interrupted),
                // Other neighbourhoods, or the study's own model, will do.
                Err(_) => drop(settled.insert(point(data.x(), row))),
            }
        }
        Ok(())
    }

    /// The best of the rows that are known well; rows are ordered by their distance to the first.
    fn among(model: &Model, data: &Dataset, rows: &[usize], config: &Config) -> Result<Self> {
        let close = config.local_models.neighbours.min(rows.len());
        let first: Vec<usize> = (0..close).collect();
        let of = |count: usize| -> Result<(Surrogate, f64)> {
            let some = data.subset(&rows[..count]);
            let teller = Surrogate::near(model, &some, config)?;
            let foretold = teller.log_predictive_density(&some, &first)?;
            Ok((teller, foretold))
        };
        let far = Surrogate::of(model);
        // An exact posterior is asked for its own data, a sparse one for any.
        let by_far = match &model.state.inducing {
            None => far.log_predictive_density(data, &rows[..close])?,
            Some(_) => far.log_predictive_density(&data.subset(&rows[..close]), &first)?,
        };
        let (near, by_near) = of(close)?;
        let is_better = by_near > by_far + MARGIN;
        let (near, count) = match is_better && rows.len() > close {
            false => (near, close),
            true => match of(rows.len()) {
                Ok((wide, by_wide)) if by_wide > by_near - MARGIN => (wide, rows.len()),
                Err(Error::Interrupted) => return Err(Error::Interrupted),
                _ => (near, close),
            },
        };
        // Beside the edge of a neighbourhood others know more.
        let points: Vec<usize> = distinct(data.x(), rows[..count].iter().copied(), &mut HashSet::new()).collect();
        let known = points[..points.len().div_ceil(2)].to_vec();
        let by_near = near.best(data, &known)?;
        let (teller, (best, belief, surely)) = match is_better {
            true => (near.clone(), by_near),
            false => (far.clone(), far.best(data, &known)?),
        };
        let near = (near, data.x().subrows(by_near.0, 1).to_owned());
        Ok(Local { row: best, belief, teller, near, known, seconds: 0.0, surely })
    }
}

impl Surrogate {
    /// The model of everything.
    pub fn of(model: &Model) -> Self {
        Surrogate { posterior: model.posterior.clone(), units: model.units, noise: model.state.hyper.noise }
    }

    /// The exact model of some observations; its search begins at the kernel of the model of all.
    fn near(model: &Model, some: &Dataset, config: &Config) -> Result<Self> {
        let units = OutcomeTransform::of(some.y(), Warp::Identity);
        let standard = units.apply(some);
        let kernel = model.state.hyper.kernel.clone();
        let settings = FitOptions {
            hyperparameters: HyperparameterObjective::Subset(SUBSET),
            inference: Inference::Exact,
            start: Start::Warm,
            priors: config.model.priors,
            noise_bound: Some(noise_bound(&standard, &kernel.scales(some.dimension()), config.seed)),
            seed: config.seed,
            ..FitOptions::default()
        };
        let start = Hyperparameters { kernel, mean: 0.0, noise: NOISE };
        let Fit { posterior, hyper, .. } = fit(&start, &standard, standard.x(), &settings)?;
        Ok(Surrogate { posterior: Arc::new(posterior), units, noise: hyper.noise })
    }

    /// The best of some rows, its mean and variance, and the lower end of that in the user's units.
    fn best(&self, data: &Dataset, rows: &[usize]) -> Result<(usize, (f64, f64), f64)> {
        let Prediction { mean, variance } = self.posterior.predict(select_rows(data.x(), rows).as_ref())?;
        let surely = |i: usize| mean[i] - variance[i].sqrt();
        let best = (0..rows.len()).max_by(|&i, &j| surely(i).total_cmp(&surely(j))).unwrap_or(0);
        Ok((rows[best], (mean[best], variance[best]), self.units.from_model(surely(best))))
    }

    /// How likely these outcomes are in the user's units, each left out in turn: the sum of logarithms.
    fn log_predictive_density(&self, data: &Dataset, rows: &[usize]) -> Result<f64> {
        let standard = self.units.apply(data);
        let Prediction { mean, variance } = leave_one_out(&self.posterior, &standard, self.noise, rows)?;
        let one = |(i, &row): (usize, &usize)| {
            let y = data.y()[row];
            let deviation = standard.y()[row] - mean[i];
            self.units.log_slope(y) - 0.5 * (variance[i].ln() + deviation * deviation / variance[i])
        };
        Ok(rows.iter().enumerate().map(one).sum())
    }
}

/// Trials that the model, and as many that their outcomes recommend.
const CANDIDATES: usize = 10;

/// Neighbourhoods that are modelled, at most; seldom are there more than two.
const NEIGHBOURHOODS: usize = 4;

/// A wide neighbourhood has so many times the trials of a narrow one.
const WIDER: usize = 5;

/// What the model of fewer trials must be better by, in nats of all outcomes that are left out. Where both are right they differ
/// by a few, where one is wrong by hundreds.
const MARGIN: f64 = 10.0;

/// Rows that a neighbourhood's hyperparameters are learned from.
const SUBSET: usize = 200;

/// Where the search for the noise variance begins, in units of the neighbourhood's variance.
const NOISE: f64 = 0.1;

/// The different points with the largest values, best first.
fn best_points(values: &[f64], x: MatRef<'_, f64>) -> impl Iterator<Item = usize> {
    let best = best_rows(values, values.len());
    distinct(x, best.into_iter(), &mut HashSet::new()).take(CANDIDATES).collect::<Vec<_>>().into_iter()
}

/// Those of the rows whose points none of the rows before them has: replicates are data, but not points.
pub(super) fn distinct<'a>(
    x: MatRef<'a, f64>,
    rows: impl Iterator<Item = usize> + 'a,
    seen: &'a mut HashSet<Vec<u64>>,
) -> impl Iterator<Item = usize> + 'a {
    rows.filter(move |&row| seen.insert(point(x, row)))
}

/// What replicates have in common.
fn point(x: MatRef<'_, f64>, row: usize) -> Vec<u64> {
    x.row(row).iter().map(|v| v.to_bits()).collect()
}

/// The rows most alike to one of them by the kernel; it comes first.
fn closest(x: MatRef<'_, f64>, row: usize, kernel: &Kernel, count: usize) -> Vec<usize> {
    let likeness = kernel.matrix(x, x.subrows(row, 1));
    let before = |&i: &usize, &j: &usize| {
        likeness[(j, 0)].total_cmp(&likeness[(i, 0)]).then((i != row).cmp(&(j != row))).then(i.cmp(&j))
    };
    let mut rows: Vec<usize> = (0..x.nrows()).collect();
    if count < rows.len() {
        rows.select_nth_unstable_by(count, before);
        rows.truncate(count);
    }
    rows.sort_unstable_by(before);
    rows
}

/// Observations of a neighbourhood, at most.
const MOST_NEIGHBOURS: usize = 1000;
