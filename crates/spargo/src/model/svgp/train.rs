//! Training: hyperparameters and q together, by climbing the variational bound.
//!
//! ```text
//!     (θ̂, q̂) = argmax  ELBO(θ, q) + log prior(θ)
//! ```
//!
//! Data are expected in the model's units (see [`Standardizer`](crate::data::Standardizer)); labels as they are.

use super::batches::Batches;
use super::methods::{joint, nested};
use super::{ElboGradient, Natural, Svgp, Variational};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::kernel::Role;
use crate::linalg::MatRef;
use crate::model::search::Search;
use crate::model::{Hyperparameters, Likelihood, Priors};
use crate::optim::{Adam, Lbfgsb, Minimum, Stop};
use serde::{Deserialize, Serialize};

/// How θ and q are searched together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Method {
    /// L-BFGS-B over θ, with the optimal q at each θ by natural gradients: full batch only.
    #[default]
    Nested,
    /// Adam over θ and q together, as in Moss, Ober & Picheny (2023).
    Joint,
}

/// How to train.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Training {
    /// How θ and q are searched together.
    pub method: Method,
    /// Rows in a batch; all of them if not given.
    pub batch: Option<usize>,
    /// Whether priors join the objective.
    pub priors: Priors,
    /// Parameters that are not searched.
    pub fixed: Vec<Role>,
    /// Natural gradient steps to the optimal q, for `Nested`.
    pub natural: Natural,
    /// Optimizer of θ for `Nested`; tolerances are per data point.
    pub lbfgsb: Lbfgsb,
    /// Optimizer for `Joint`; limits and patience count epochs, which are steps if the batch is full.
    pub adam: Adam,
    /// Random seed of the order of batches.
    pub seed: u64,
}

impl Default for Training {
    fn default() -> Self {
        Training {
            method: Method::Nested,
            batch: None,
            priors: Priors::On,
            fixed: Vec::new(),
            natural: Natural::default(),
            lbfgsb: Lbfgsb { gradient_tolerance: 1e-4, value_tolerance: 1e-6, ..Lbfgsb::default() },
            adam: Adam::default(),
            seed: 0,
        }
    }
}

impl Training {
    fn check(&self) -> Result<()> {
        let refuse =
            |name: &str, value, must: &str| Err(Error::Parameter { name: name.into(), value, must: must.into() });
        let step = self.natural.step;
        match self.batch {
            Some(0) => refuse("the number of rows in a batch", 0.0, "at least 1"),
            _ if !(step > 0.0 && step <= 1.0) => refuse("the natural step", step, "more than 0 and at most 1"),
            _ => Ok(()),
        }
    }
}

/// A trained model.
#[derive(Debug, Clone)]
pub struct Trained {
    /// θ̂.
    pub hyper: Hyperparameters,
    /// q̂.
    pub q: Variational,
    /// How they came about.
    pub report: TrainingReport,
}

/// How a trained model came about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrainingReport {
    /// The bound over all data, without priors.
    pub objective: f64,
    /// Evaluations of the bound with its gradient.
    pub evaluations: usize,
    /// Steps of the optimizer.
    pub iterations: usize,
    /// Why the search ended.
    pub stop: Stop,
    /// The jitter in Kzz at the end.
    pub jitter: f64,
    /// Why θ and q are still those of the start, if they are.
    pub kept: Option<String>,
}

/// Trains from `start` and `q` (the last good ones for a warm start, [`Variational::prior`] for a cold one).
pub fn train(
    start: &Hyperparameters,
    q: &Variational,
    data: &Dataset,
    z: MatRef<'_, f64>,
    likelihood: Likelihood,
    settings: &Training,
) -> Result<Trained> {
    settings.check()?;
    // Fails early, with the reason, on arguments that do not fit together.
    Svgp::new(start, data, z, likelihood)?.check(q)?;
    let mut fixed = settings.fixed.clone();
    fixed.extend((!likelihood.has_noise()).then_some(Role::Noise));
    let search = Search::new(start, &fixed, f64::INFINITY);
    let problem = Problem { data, z, likelihood, settings, search };
    let found = match settings.method {
        Method::Nested if problem.batches().per_epoch() > 1 => {
            return Err(Error::Unsupported {
                what: "nested training in batches".into(),
                remedy: "leave out the batch size, or choose the joint method".into(),
            });
        }
        Method::Nested => nested(&problem, q),
        Method::Joint => joint(&problem, q),
    };
    problem.settle(start, q, found)
}

/// Where a search ended.
pub(super) struct Found {
    pub hyper: Hyperparameters,
    pub q: Variational,
    pub minimum: Minimum,
}

/// What is trained on what, and which elements of θ are free.
pub(super) struct Problem<'a> {
    pub data: &'a Dataset,
    pub z: MatRef<'a, f64>,
    pub likelihood: Likelihood,
    pub settings: &'a Training,
    pub search: Search<'a>,
}

impl<'a> Problem<'a> {
    pub(super) fn batches(&self) -> Batches<'a> {
        Batches::new(self.data, self.settings.batch, self.settings.seed)
    }

    /// The model at θ for one batch.
    pub(super) fn model<'b>(&'b self, hyper: &'b Hyperparameters, batch: &'b Dataset) -> Result<Svgp<'b>> {
        Ok(Svgp::new(hyper, batch, self.z, self.likelihood)?.out_of(self.data.len()))
    }

    /// What is minimised, −(ELBO + log prior)/N, writing its slope in the free elements of θ.
    pub(super) fn loss(&self, hyper: &Hyperparameters, mut bound: ElboGradient, slope: &mut [f64]) -> f64 {
        let prior = self.settings.priors.add_log_density(hyper, &hyper.to_vector(), &mut bound.theta);
        slope.iter_mut().zip(&self.search.free).for_each(|(out, &i)| *out = self.scale() * bound.theta[i]);
        self.scale() * (bound.value + prior)
    }

    /// −1/N: losses are per row.
    pub(super) fn scale(&self) -> f64 {
        -1.0 / self.data.len() as f64
    }

    /// Compares what was found with the start over all data, and keeps the better.
    fn settle(&self, start: &Hyperparameters, q: &Variational, found: Found) -> Result<Trained> {
        let Found { hyper, q: found, minimum } = found;
        let report = |value: Value, kept| TrainingReport {
            objective: value.elbo,
            evaluations: minimum.evaluations,
            iterations: minimum.iterations,
            stop: minimum.stop,
            jitter: value.jitter,
            kept,
        };
        let before = self.value(start, q);
        match (self.value(&hyper, &found), before) {
            (Ok(after), Ok(before)) if after.penalised < before.penalised => {
                let reason = "the bound is higher at the start than where the search ended".into();
                Ok(Trained { hyper: start.clone(), q: q.clone(), report: report(before, Some(reason)) })
            }
            (Ok(after), _) => Ok(Trained { hyper, q: found, report: report(after, None) }),
            (Err(error), Ok(before)) => {
                Ok(Trained { hyper: start.clone(), q: q.clone(), report: report(before, Some(error.to_string())) })
            }
            (Err(error), Err(_)) => Err(error),
        }
    }

    /// The bound over all data.
    fn value(&self, hyper: &Hyperparameters, q: &Variational) -> Result<Value> {
        let model = self.model(hyper, self.data)?;
        let elbo = model.elbo(q)?;
        let theta = hyper.to_vector();
        let prior = self.settings.priors.add_log_density(hyper, &theta, &mut vec![0.0; theta.len()]);
        if !(elbo + prior).is_finite() {
            let remedy = "standardize the data, or start from less extreme hyperparameters".into();
            return Err(Error::Unsupported { what: "a bound that is not finite".into(), remedy });
        }
        Ok(Value { elbo, penalised: elbo + prior, jitter: model.jitter() })
    }
}

struct Value {
    elbo: f64,
    /// With the log prior.
    penalised: f64,
    jitter: f64,
}
