//! Fitting: first hyperparameters, then a posterior; the two are chosen separately.
//!
//! ```text
//!     θ̂ = argmax_θ  objective(θ) + log prior(θ)        posterior = p(f | D, θ̂), exact or through inducing points
//! ```
//!
//! The collapsed bound buys tightness with noise, so θ̂ from the exact likelihood of a random subset is often the better
//! model at the same cost. Data are expected in the model's units (see [`Standardizer`](crate::data::Standardizer)).

use super::params::search_interval;
use super::search::{Learned, Start, random_subset};
use super::sgpr::{Collapsed, Jitter, Sgpr};
use super::svgp::{Svgp, Variational};
use super::{Evaluation, Hyperparameters, Inferred, Likelihood, Posterior, Priors, exact};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::interrupt;
use crate::kernel::Role;
use crate::linalg::MatRef;
use crate::optim::{Lbfgsb, Stop};
use serde::{Deserialize, Serialize};

/// The most rows of an exact posterior, which holds a few N×N matrices: 20,000 rows are 3.2 GB each. One of a kernel of finite rank has no such limit.
pub const EXACT_LIMIT: usize = 20_000;

/// Which objective the hyperparameters maximise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum HyperparameterObjective {
    /// The exact likelihood of a random subset of this size (of all data, if there are fewer).
    Subset(usize),
    /// The collapsed bound over all data.
    Bound,
    /// The variational bound over all data, with the optimal q(u) at every step: the one for labels.
    Elbo,
    /// None: the hyperparameters are kept as they are.
    Fixed,
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
    /// Of the variational sparse GP: the one for labels.
    Variational,
}

/// How to fit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FitOptions {
    /// Which objective the hyperparameters maximise.
    pub hyperparameters: HyperparameterObjective,
    /// Which posterior.
    pub inference: Inference,
    /// How outcomes arise from f.
    pub likelihood: Likelihood,
    /// The least amount added to the diagonal of the posterior's Kzz.
    #[serde(skip)]
    pub jitter: Jitter,
    /// q(u) of a variational posterior, whitened; if not given, the optimal one.
    pub q: Option<Variational>,
    /// Where the search begins.
    #[serde(skip)]
    pub start: Start,
    /// Whether priors join the objective.
    pub priors: Priors,
    /// Parameters that are not searched.
    #[serde(skip)]
    pub fixed: Vec<Role>,
    /// Tolerances are per data point: the objective is divided by the number of rows.
    #[serde(skip)]
    pub optimizer: Lbfgsb,
    /// The largest noise variance that is searched, if there is one.
    #[serde(skip)]
    pub noise_bound: Option<f64>,
    /// The least noise variance that is searched, if it is known; the largest is never below it.
    #[serde(skip)]
    pub noise_floor: Option<f64>,
    /// Random seed of the choice of a subset.
    pub seed: u64,
}

impl Default for FitOptions {
    fn default() -> Self {
        FitOptions {
            hyperparameters: HyperparameterObjective::Subset(1500),
            inference: Inference::Sparse,
            likelihood: Likelihood::Gaussian,
            jitter: Jitter::default(),
            q: None,
            start: Start::Cold,
            priors: Priors::On,
            fixed: Vec::new(),
            optimizer: Lbfgsb { gradient_tolerance: 1e-4, value_tolerance: 1e-6, ..Lbfgsb::default() },
            noise_bound: None,
            noise_floor: None,
            seed: 0,
        }
    }
}

/// A fitted model.
#[derive(Debug, Clone)]
pub struct Fit {
    /// f given the data.
    pub posterior: Posterior,
    /// The hyperparameters of the posterior.
    pub hyper: Hyperparameters,
    /// How the fit came about.
    pub report: FitReport,
    /// The sums of a sparse posterior, which further rows may enter; `None` of other posteriors.
    pub sums: Option<Collapsed>,
}

/// How a fit came about.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
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
    /// Why the hyperparameters are the last good ones and not new ones, if they are.
    pub kept: Option<String>,
}

/// Learns hyperparameters from `start` (the last good ones, for a warm start) and computes the posterior.
///
/// `z` are the inducing points, [m, d]; exact inference with subset learning does not read them.
pub fn fit(start: &Hyperparameters, data: &Dataset, z: MatRef<'_>, settings: &FitOptions) -> Result<Fit> {
    start.check(data.dimension())?;
    settings.check(start, data)?;
    let start = &settings.raised(start);
    let (Learned { mut hyper, mut report }, last) = learn(start, data, z, settings)?;
    interrupt::poll()?;
    let is_last = |sums: &Collapsed| settings.inference == Inference::Sparse && sums.is_of(&hyper, settings.jitter);
    let inferred = match last.filter(is_last) {
        Some(sums) => sums.infer().map(|inferred| (inferred, Some(sums))),
        None => infer(&hyper, data, z, settings),
    };
    let (inferred, sums) = match inferred {
        Ok(inferred) => inferred,
        // A posterior that cannot be computed with the new ones is computed with the old.
        Err(error) => {
            hyper = start.clone();
            report.kept = Some(error.to_string());
            infer(start, data, z, settings)?
        }
    };
    interrupt::poll()?;
    report.objective = inferred.objective;
    report.jitter = inferred.posterior.jitter();
    Ok(Fit { posterior: inferred.posterior, hyper, report, sums })
}

impl FitOptions {
    fn check(&self, start: &Hyperparameters, data: &Dataset) -> Result<()> {
        self.likelihood.check(data)?;
        let is_spanned = start.kernel.spanning(data.dimension()).is_some();
        let refuse = |what: String, remedy: String| Err(Error::Unsupported { what, remedy });
        let variational =
            matches!(self.hyperparameters, HyperparameterObjective::Elbo | HyperparameterObjective::Fixed)
                && self.inference == Inference::Variational;
        if !self.likelihood.is_conjugate() && !variational {
            return refuse(
                format!("labels cannot be learned by {:?} with {:?} inference", self.hyperparameters, self.inference),
                "learn by the ELBO and use variational inference".into(),
            );
        }
        if self.inference == Inference::Exact && !is_spanned && data.len() > EXACT_LIMIT {
            return refuse(
                format!("an exact posterior of {} rows is too large", data.len()),
                format!("use the sparse posterior beyond {EXACT_LIMIT} rows"),
            );
        }
        match self.hyperparameters {
            HyperparameterObjective::Subset(0) => {
                refuse("a subset of no rows cannot be learned from".into(), "give it at least one".into())
            }
            _ => Ok(()),
        }
    }

    /// Where a search may begin: the noise of the hyperparameters is at least the floor.
    fn raised(&self, start: &Hyperparameters) -> Hyperparameters {
        let mut start = start.clone();
        if self.noise_floor.is_some() && self.is_free(Role::Noise) {
            start.noise = start.noise.max(self.noise_interval().0.exp());
        }
        start
    }

    /// The interval in which the logarithm of the noise variance is searched.
    pub(super) fn noise_interval(&self) -> (f64, f64) {
        let (least, most) = search_interval(Role::Noise);
        let lower = least.max(self.noise_floor.unwrap_or(0.0).ln()).min(most);
        (lower, most.min(self.noise_bound.unwrap_or(f64::INFINITY).ln()).max(lower))
    }

    /// Whether a parameter is searched; the noise of likelihoods without any is not.
    pub(super) fn is_free(&self, role: Role) -> bool {
        !self.fixed.contains(&role) && (role != Role::Noise || self.likelihood.has_noise())
    }
}

/// The posterior, and its sums if it is sparse.
fn infer(
    hyper: &Hyperparameters,
    data: &Dataset,
    z: MatRef<'_>,
    settings: &FitOptions,
) -> Result<(Inferred, Option<Collapsed>)> {
    match settings.inference {
        Inference::Exact => Ok((exact::infer(hyper, data)?, None)),
        Inference::Sparse => {
            let sums = Collapsed::new(&Sgpr { jitter: settings.jitter, ..Sgpr::new(hyper, data, z)? })?;
            Ok((sums.infer()?, Some(sums)))
        }
        Inference::Variational => {
            let svgp = Svgp::with_jitter(hyper, data, z, settings.likelihood, settings.jitter)?;
            let q = match &settings.q {
                Some(q) => q.clone(),
                None => svgp.optimal(&Variational::prior(z.nrows()))?,
            };
            Ok((Inferred { objective: svgp.elbo(&q)?, posterior: svgp.posterior(&q)? }, None))
        }
    }
}

/// Hyperparameters, and the sums over all data at those that were looked at last, if it came to such sums.
fn learn(
    start: &Hyperparameters,
    data: &Dataset,
    z: MatRef<'_>,
    settings: &FitOptions,
) -> Result<(Learned, Option<Collapsed>)> {
    let mut last = None;
    let mut learned = Learned::new(start);
    let rough = settings.start == Start::Cold && settings.likelihood.is_conjugate();
    if rough && settings.hyperparameters != HyperparameterObjective::Fixed {
        learned.rough(data, settings);
    }
    match settings.hyperparameters {
        HyperparameterObjective::Fixed => {}
        HyperparameterObjective::Subset(size) => {
            let subset = random_subset(data, size, settings.seed);
            learned.climb(subset.len(), settings, |hyper| exact::log_likelihood_gradient(hyper, &subset));
        }
        HyperparameterObjective::Bound => {
            // Fails early, with the reason, on inducing points that do not fit the data.
            Sgpr::new(start, data, z)?;
            learned.climb(data.len(), settings, |hyper| {
                let (evaluation, sums) = Sgpr::new(hyper, data, z)?.bound_gradient_and_sums()?;
                last = Some(sums);
                Ok(evaluation)
            });
        }
        HyperparameterObjective::Elbo => {
            Svgp::new(start, data, z, settings.likelihood)?;
            let mut q = Variational::prior(z.nrows());
            learned.climb(data.len(), settings, |hyper| optimal_elbo_gradient(hyper, data, z, settings, &mut q));
        }
    }
    Ok((learned, last))
}

/// max_q ELBO and its gradient; the optimal q is found from the last one and takes its place.
///
/// ∂ELBO/∂q vanishes at the optimal q, so the slope of max_q ELBO is ∂ELBO/∂θ at that q (the envelope theorem).
fn optimal_elbo_gradient(
    hyper: &Hyperparameters,
    data: &Dataset,
    z: MatRef<'_>,
    settings: &FitOptions,
    q: &mut Variational,
) -> Result<Evaluation> {
    let model = Svgp::new(hyper, data, z, settings.likelihood)?;
    let optimal = model.optimal(q)?;
    let bound = model.elbo_gradient(&optimal)?;
    if bound.value.is_finite() {
        *q = optimal;
    }
    Ok(Evaluation { value: bound.value, gradient: bound.theta })
}
