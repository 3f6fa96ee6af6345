//! The search for hyperparameters: L-BFGS-B over the free elements of θ, from cold or from the last good ones.
//!
//! ```text
//!     θ̂ = argmin_θ −(objective(θ) + log prior(θ)) / N
//! ```

use super::params::{Hyperparameters, Priors, search_interval};
use super::{Evaluation, exact};
use crate::data::Dataset;
use crate::error::Result;
use crate::kernel::Role;
use crate::optim::{Bounds, Lbfgsb, Minimum, Stop, minimize};
use crate::rng::{Purpose, distinct_indices, stream};
use serde::{Deserialize, Serialize};

/// Rows and steps of a rough climb.
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
    pub evaluations: usize,
    pub iterations: usize,
    pub stop: Option<Stop>,
    /// Why the last search changed nothing, if it did not.
    pub kept: Option<String>,
}

/// What every search of one fit has in common.
#[derive(Clone, Copy)]
pub(super) struct Rules<'a> {
    pub priors: Priors,
    pub fixed: &'a [Role],
    pub optimizer: Lbfgsb,
    /// The largest noise variance.
    pub noise_bound: f64,
}

impl Learned {
    pub(super) fn new(hyper: &Hyperparameters) -> Self {
        Learned { hyper: hyper.clone(), evaluations: 0, iterations: 0, stop: None, kept: None }
    }

    /// Climbs the exact likelihood of `size` random rows.
    pub(super) fn climb_subset(&mut self, data: &Dataset, size: usize, seed: u64, rules: Rules<'_>) {
        let subset = random_subset(data, size, seed);
        self.climb(subset.len(), rules, |hyper| exact::log_likelihood_gradient(hyper, &subset));
    }

    /// Replaces the hyperparameters by better ones, or keeps them and says why.
    pub(super) fn climb(
        &mut self,
        rows: usize,
        rules: Rules<'_>,
        objective: impl Fn(&Hyperparameters) -> Result<Evaluation>,
    ) {
        let start = self.hyper.clone();
        let search = Search::new(&start, rules.fixed, rules.noise_bound);
        let minimum = search.run(rows, rules, objective);
        self.count(&minimum);
        self.stop = Some(minimum.stop);
        if minimum.value.is_finite() {
            self.hyper = search.at(&minimum.point);
            self.kept = None;
        } else {
            self.kept = Some("the objective is not finite at the last good hyperparameters".into());
        }
    }

    /// The rough search of a cold start: the best of a few short climbs on a few rows.
    pub(super) fn rough(&mut self, data: &Dataset, seed: u64, rules: Rules<'_>) {
        let subset = random_subset(data, ROUGH_ROWS, seed);
        let optimizer = Lbfgsb { max_iterations: ROUGH_ITERATIONS, ..rules.optimizer };
        let mut best = f64::INFINITY;
        for start in starts(&self.hyper, rules.fixed) {
            let search = Search::new(&start, rules.fixed, rules.noise_bound);
            let climb = |hyper: &Hyperparameters| exact::log_likelihood_gradient(hyper, &subset);
            let minimum = search.run(subset.len(), Rules { optimizer, ..rules }, climb);
            self.count(&minimum);
            if minimum.value < best {
                best = minimum.value;
                self.hyper = search.at(&minimum.point);
            }
        }
    }

    fn count(&mut self, minimum: &Minimum) {
        self.evaluations += minimum.evaluations;
        self.iterations += minimum.iterations;
    }
}

fn starts(hyper: &Hyperparameters, fixed: &[Role]) -> Vec<Hyperparameters> {
    let moved = |(lengthscale, noise): (f64, f64)| {
        let mut theta = hyper.to_vector();
        for (role, value) in hyper.roles().into_iter().zip(&mut theta).filter(|(role, _)| !fixed.contains(role)) {
            match role {
                Role::Lengthscale => *value += lengthscale.ln(),
                Role::Noise => *value += noise.ln(),
                Role::Variance | Role::Mean => {}
            }
        }
        let mut start = hyper.clone();
        start.set_vector(&theta);
        start
    };
    STARTS.into_iter().map(moved).collect()
}

fn random_subset(data: &Dataset, size: usize, seed: u64) -> Dataset {
    data.subset(&distinct_indices(data.len(), size, &mut stream(seed, Purpose::Subset, 0, 0)))
}

/// The free elements of θ and their box.
pub(super) struct Search<'a> {
    start: &'a Hyperparameters,
    theta: Vec<f64>,
    pub(super) free: Vec<usize>,
    pub(super) bounds: Bounds,
}

impl<'a> Search<'a> {
    pub(super) fn new(start: &'a Hyperparameters, fixed: &[Role], noise_bound: f64) -> Self {
        let roles = start.roles();
        let free: Vec<usize> = (0..roles.len()).filter(|&i| !fixed.contains(&roles[i])).collect();
        let interval = |role: Role| match (role, search_interval(role)) {
            (Role::Noise, (lower, upper)) => (lower, upper.min(noise_bound.ln()).max(lower)),
            (_, interval) => interval,
        };
        let (lower, upper) = free.iter().map(|&i| interval(roles[i])).unzip();
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
        rules: Rules<'_>,
        objective: impl Fn(&Hyperparameters) -> Result<Evaluation>,
    ) -> Minimum {
        minimize(&self.origin(), &self.bounds, &rules.optimizer, |free, slope| {
            let hyper = self.at(free);
            // Hyperparameters at which nothing can be computed are simply bad: the line search turns back.
            let Ok(mut evaluation) = objective(&hyper) else { return f64::INFINITY };
            let gradient = &mut evaluation.gradient;
            let prior = rules.priors.add_log_density(&hyper, &hyper.to_vector(), gradient);
            let scale = -1.0 / rows as f64;
            slope.iter_mut().zip(&self.free).for_each(|(out, &i)| *out = scale * gradient[i]);
            scale * (evaluation.value + prior)
        })
    }
}
