//! The search for hyperparameters: L-BFGS-B over the free elements of θ, from cold or from the last good ones.
//!
//! ```text
//!     θ̂ = argmin_θ −(objective(θ) + log prior(θ)) / N
//! ```

use super::params::{Hyperparameters, search_interval};
use super::{Evaluation, FitOptions, FitReport, exact};
use crate::data::Dataset;
use crate::error::Result;
use crate::kernel::Role;
use crate::optim::{Bounds, Lbfgsb, Minimum, minimize};
use crate::rng::{Purpose, distinct_indices, stream};
use serde::{Deserialize, Serialize};

/// Rows and steps of a rough search.
const ROUGH_ROWS: usize = 500;
const ROUGH_ITERATIONS: usize = 20;

/// Factors on the length scales and on the noise variance of the start: a model in the middle, a detailed and a plain one.
const STARTS: [(f64, f64); 3] = [(1.0, 1.0), (0.4, 0.1), (2.5, 3.0)];

/// Where a search begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// Somewhere sensible: a rough search on a few rows, from several points, goes first. It costs little, saves costly
    /// steps, and keeps the search away from the maxima at which everything or nothing is noise.
    #[default]
    Cold,
    /// At the last good hyperparameters.
    Warm,
}

/// What the search has come to.
pub(super) struct Learned {
    pub hyper: Hyperparameters,
    pub report: FitReport,
}

impl Learned {
    pub(super) fn new(hyper: &Hyperparameters) -> Self {
        Learned { hyper: hyper.clone(), report: FitReport::default() }
    }

    /// Replaces the hyperparameters by better ones, or keeps them and says why.
    pub(super) fn climb(
        &mut self,
        rows: usize,
        settings: &FitOptions,
        objective: impl FnMut(&Hyperparameters) -> Result<Evaluation>,
    ) {
        let (hyper, minimum) = search(&self.hyper, rows, settings, objective);
        self.count(&minimum);
        self.report.stop = Some(minimum.stop);
        if minimum.value.is_finite() {
            self.hyper = hyper;
        } else {
            self.report.kept = Some("the objective is not finite at the last good hyperparameters".into());
        }
    }

    /// The rough search of a cold start: the best of a few short climbs on a few rows.
    pub(super) fn rough(&mut self, data: &Dataset, settings: &FitOptions) {
        let subset = random_subset(data, ROUGH_ROWS, settings.seed);
        let optimizer = Lbfgsb { max_iterations: ROUGH_ITERATIONS, ..settings.optimizer };
        let settings = FitOptions { optimizer, ..settings.clone() };
        let mut best = f64::INFINITY;
        for start in starts(&self.hyper, &settings.fixed) {
            let likelihood = |hyper: &Hyperparameters| exact::log_likelihood_gradient(hyper, &subset);
            let (hyper, minimum) = search(&start, subset.len(), &settings, likelihood);
            self.count(&minimum);
            if minimum.value < best {
                best = minimum.value;
                self.hyper = hyper;
            }
        }
    }

    fn count(&mut self, minimum: &Minimum) {
        self.report.evaluations += minimum.evaluations;
        self.report.iterations += minimum.iterations;
    }
}

fn starts(hyper: &Hyperparameters, fixed: &[Role]) -> Vec<Hyperparameters> {
    let moved = |(lengthscale, noise): (f64, f64)| {
        let mut theta = hyper.to_vector();
        for (role, value) in hyper.roles().into_iter().zip(&mut theta).filter(|(role, _)| !fixed.contains(role)) {
            match role {
                Role::Lengthscale => *value += lengthscale.ln(),
                Role::Noise => *value += noise.ln(),
                Role::Variance | Role::Share | Role::Mean => {}
            }
        }
        let mut start = hyper.clone();
        start.set_vector(&theta);
        start
    };
    STARTS.into_iter().map(moved).collect()
}

/// So many random rows.
pub(super) fn random_subset(data: &Dataset, size: usize, seed: u64) -> Dataset {
    data.subset(&distinct_indices(data.len(), size, &mut stream(seed, Purpose::Subset, 0, 0)))
}

/// Minimises over the free elements of θ, from `start`; returns the best hyperparameters with their minimum.
fn search(
    start: &Hyperparameters,
    rows: usize,
    settings: &FitOptions,
    mut objective: impl FnMut(&Hyperparameters) -> Result<Evaluation>,
) -> (Hyperparameters, Minimum) {
    let (roles, theta) = (start.roles(), start.to_vector());
    let free: Vec<usize> = (0..roles.len()).filter(|&i| settings.is_free(roles[i])).collect();
    let origin: Vec<f64> = free.iter().map(|&i| theta[i]).collect();
    let interval = |role: Role| if role == Role::Noise { settings.noise_interval() } else { search_interval(role) };
    let (lower, upper) = free.iter().map(|&i| interval(roles[i])).unzip();
    let at = |values: &[f64]| {
        let (mut theta, mut hyper) = (theta.clone(), start.clone());
        free.iter().zip(values).for_each(|(&i, &value)| theta[i] = value);
        hyper.set_vector(&theta);
        hyper
    };
    let minimum = minimize(&origin, &Bounds::new(lower, upper), &settings.optimizer, |values, slope| {
        let hyper = at(values);
        // Hyperparameters at which nothing can be computed are simply bad: the line search turns back.
        let Ok(Evaluation { value, mut gradient }) = objective(&hyper) else { return f64::INFINITY };
        let prior = settings.priors.add_log_density(&hyper, &hyper.to_vector(), &mut gradient);
        let scale = -1.0 / rows as f64;
        slope.iter_mut().zip(&free).for_each(|(out, &i)| *out = scale * gradient[i]);
        scale * (value + prior)
    });
    (at(&minimum.point), minimum)
}
