//! Fitting: first hyperparameters, then a posterior; the two are chosen separately.
//!
//! ```text
//!     θ̂ = argmax_θ  objective(θ) + log prior(θ)        posterior = p(f | D, θ̂), exact or through inducing points
//! ```
//!
//! The collapsed bound buys tightness with noise, so θ̂ from the exact likelihood of a random subset is often the better
//! model at the same cost. Data are expected in the model's units (see [`Standardizer`](crate::data::Standardizer)).

use super::params::{Hyperparameters, Priors, search_interval};
use super::sgpr::Sgpr;
use super::{Evaluation, Inferred, Posterior, exact};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::kernel::Role;
use crate::linalg::MatRef;
use crate::optimize::{Bounds, Lbfgsb, Minimum, Stop, minimize};
use crate::rng::{Purpose, distinct_indices, stream};
use serde::{Deserialize, Serialize};

/// Which objective the hyperparameters maximise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Learning {
    /// The exact likelihood of a random subset of this size (of all data, if there are fewer).
    Subset(usize),
    /// The collapsed bound over all data.
    Bound,
    /// None: the hyperparameters are kept as they are.
    Given,
}

/// Which posterior is computed with them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Inference {
    /// Of the exact GP: one Cholesky factorisation, up to some 10,000 rows.
    Exact,
    /// Of the collapsed sparse GP.
    Sparse,
}

/// How to fit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Fitting {
    /// Which hyperparameters.
    pub learning: Learning,
    /// Which posterior.
    pub inference: Inference,
    /// Whether priors join the objective.
    pub priors: Priors,
    /// Parameters that are not searched.
    pub fixed: Vec<Role>,
    /// Tolerances are per data point: the objective is divided by the number of rows.
    pub optimizer: Lbfgsb,
    /// For the choice of a subset.
    pub seed: u64,
}

impl Default for Fitting {
    fn default() -> Self {
        Fitting {
            learning: Learning::Subset(2000),
            inference: Inference::Sparse,
            priors: Priors::On,
            fixed: Vec::new(),
            optimizer: Lbfgsb { gradient_tolerance: 1e-4, value_tolerance: 1e-6, ..Lbfgsb::default() },
            seed: 0,
        }
    }
}

/// A fitted model.
#[derive(Debug, Clone)]
pub struct Fit {
    /// f given the data.
    pub posterior: Posterior,
    /// What it was computed with.
    pub hyper: Hyperparameters,
    /// How it came about.
    pub report: FitReport,
}

/// How a fit came about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FitReport {
    /// Log likelihood or bound of all data at the final hyperparameters, without priors.
    pub objective: f64,
    /// Evaluations of the learning objective with its gradient.
    pub evaluations: usize,
    /// Accepted steps of the optimizer.
    pub iterations: usize,
    /// Why the search ended; `None` if there was none.
    pub stop: Option<Stop>,
    /// The jitter in the posterior's covariance matrix.
    pub jitter: f64,
    /// Why the hyperparameters are still those of the start, if they are.
    pub kept: Option<String>,
}

/// Learns hyperparameters from `start` (the last good ones, for a warm start) and computes the posterior.
///
/// `z` are the inducing points, [m, d]; exact inference with subset learning does not read them.
pub fn fit(start: &Hyperparameters, data: &Dataset, z: MatRef<'_, f64>, settings: &Fitting) -> Result<Fit> {
    start.kernel.check(data.dimension())?;
    let learned = learn(start, data, z, settings)?;
    let (inferred, hyper, kept) = match infer(&learned.hyper, data, z, settings.inference) {
        Ok(inferred) => (inferred, learned.hyper, learned.kept),
        // A posterior that cannot be computed with the new ones is computed with the old.
        Err(error) => (infer(start, data, z, settings.inference)?, start.clone(), Some(error.to_string())),
    };
    let report = FitReport {
        objective: inferred.objective,
        evaluations: learned.evaluations,
        iterations: learned.iterations,
        stop: learned.stop,
        jitter: inferred.posterior.jitter(),
        kept,
    };
    Ok(Fit { posterior: inferred.posterior, hyper, report })
}

fn infer(hyper: &Hyperparameters, data: &Dataset, z: MatRef<'_, f64>, inference: Inference) -> Result<Inferred> {
    match inference {
        Inference::Exact if data.len() > EXACT_LIMIT => Err(Error::Unsupported {
            what: format!("an exact posterior of {} rows", data.len()),
            remedy: format!("use the sparse posterior beyond {EXACT_LIMIT} rows"),
        }),
        Inference::Exact => exact::infer(hyper, data),
        Inference::Sparse => Sgpr::new(hyper, data, z)?.infer(),
    }
}

/// The exact posterior holds a few N×N matrices: 20,000 rows are 3.2 GB each.
const EXACT_LIMIT: usize = 20_000;

/// A first, rough search runs on a subset this much smaller: it is nearly free and saves most of the costly steps.
const ROUGH: usize = 4;

/// Rows of the rough search before the bound is climbed.
const ROUGH_ROWS: usize = 500;

struct Learned {
    hyper: Hyperparameters,
    evaluations: usize,
    iterations: usize,
    stop: Option<Stop>,
    kept: Option<String>,
}

fn learn(start: &Hyperparameters, data: &Dataset, z: MatRef<'_, f64>, settings: &Fitting) -> Result<Learned> {
    let mut learned = Learned { hyper: start.clone(), evaluations: 0, iterations: 0, stop: None, kept: None };
    match settings.learning {
        Learning::Given => {}
        Learning::Subset(size) => {
            for size in [size.div_ceil(ROUGH), size] {
                learned.climb_subset(data, size, settings);
            }
        }
        Learning::Bound => {
            // Fails early, with the reason, on inducing points that do not fit the data.
            Sgpr::new(start, data, z)?;
            if data.len() > ROUGH_ROWS * ROUGH {
                learned.climb_subset(data, ROUGH_ROWS, settings);
            }
            learned.climb(data.len(), settings, |hyper| Sgpr::new(hyper, data, z)?.bound_gradient());
        }
    }
    Ok(learned)
}

impl Learned {
    fn climb_subset(&mut self, data: &Dataset, size: usize, settings: &Fitting) {
        let rows = distinct_indices(data.len(), size, &mut stream(settings.seed, Purpose::Subset, 0, 0));
        let subset = data.subset(&rows);
        self.climb(subset.len(), settings, |hyper| exact::log_likelihood_gradient(hyper, &subset));
    }

    /// Replaces the hyperparameters by better ones, or keeps them and says why.
    fn climb(&mut self, rows: usize, settings: &Fitting, objective: impl Fn(&Hyperparameters) -> Result<Evaluation>) {
        let search = Search::new(&self.hyper, &settings.fixed);
        let minimum = search.run(rows, settings, objective);
        self.evaluations += minimum.evaluations;
        self.iterations += minimum.iterations;
        self.stop = Some(minimum.stop);
        if minimum.value.is_finite() {
            self.hyper = search.at(&minimum.point);
            self.kept = None;
        } else {
            self.kept = Some("the objective is not finite at the last good hyperparameters".into());
        }
    }
}

/// The free elements of θ and their box.
pub(super) struct Search<'a> {
    start: &'a Hyperparameters,
    theta: Vec<f64>,
    pub(super) free: Vec<usize>,
    pub(super) bounds: Bounds,
}

impl<'a> Search<'a> {
    pub(super) fn new(start: &'a Hyperparameters, fixed: &[Role]) -> Self {
        let roles = start.roles();
        let free: Vec<usize> = (0..roles.len()).filter(|&i| !fixed.contains(&roles[i])).collect();
        let (lower, upper) = free.iter().map(|&i| search_interval(roles[i])).unzip();
        Search { start, theta: start.to_vector(), free, bounds: Bounds::new(lower, upper) }
    }

    /// The hyperparameters with the free elements of θ replaced.
    pub(super) fn at(&self, free: &[f64]) -> Hyperparameters {
        let mut theta = self.theta.clone();
        self.free.iter().zip(free).for_each(|(&i, &value)| theta[i] = value);
        let mut hyper = self.start.clone();
        hyper.set_vector(&theta);
        hyper
    }

    /// The free elements of the start.
    pub(super) fn origin(&self) -> Vec<f64> {
        self.free.iter().map(|&i| self.theta[i]).collect()
    }

    fn run(
        &self,
        rows: usize,
        settings: &Fitting,
        objective: impl Fn(&Hyperparameters) -> Result<Evaluation>,
    ) -> Minimum {
        minimize(&self.origin(), &self.bounds, &settings.optimizer, |free, slope| {
            let hyper = self.at(free);
            // Hyperparameters at which nothing can be computed are simply bad: the line search turns back.
            let Ok(mut evaluation) = objective(&hyper) else { return f64::INFINITY };
            let gradient = &mut evaluation.gradient;
            let prior = settings.priors.add_log_density(&hyper, &hyper.to_vector(), gradient);
            let scale = -1.0 / rows as f64;
            slope.iter_mut().zip(&self.free).for_each(|(out, &i)| *out = scale * gradient[i]);
            scale * (evaluation.value + prior)
        })
    }
}
