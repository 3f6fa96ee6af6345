//! Every number among the settings has limits: beyond them a run would end for lack of memory, or never.
//!
//! ```text
//!     least ≤ value ≤ most
//! ```

use super::config::Config;
use super::count::CountOrAuto;
use super::hyperparameters::HyperparameterChoice;
use crate::allocate::Quality;
use crate::error::{Error, Result};
use crate::model::EXACT_LIMIT;

/// Points that one ask may be for: more would not fit in memory, next to the model that chooses them.
pub(super) const MOST_POINTS: usize = 1_000_000;

/// M that fits in memory: a model has matrices of M² numbers.
const MOST_INDUCING: usize = 100_000;

/// Points of either part of the candidate pool: every element of a batch is scored there.
const MOST_POOLED: usize = 1_000_000;

/// Starts of the local search of a batch element.
const MOST_STARTS: usize = 1000;

/// Features of a path: each batch element keeps as many weights.
const MOST_FEATURES: usize = 100_000;

/// Correction pairs of an optimizer, each as long as the point.
const MOST_PAIRS: usize = 1000;

/// Iterations and evaluations of an optimizer.
const MOST_ITERATIONS: usize = 1_000_000;

/// Trials: more than any study has.
const MOST_TRIALS: usize = 1_000_000_000;

/// Observations per neighbourhood: their models would take longer than everything else.
const MOST_NEIGHBOURS: usize = 1000;

impl Config {
    /// Refuses numbers beyond their limits, by the names of their settings.
    pub(super) fn check_limits(&self) -> Result<()> {
        let (acquisition, optimizer) = (&self.acquisition, &self.acquisition.optimizer);
        let subset = match self.model.hyperparameters {
            HyperparameterChoice::Subset(rows) => rows,
            _ => 1,
        };
        let inducing = match self.inducing {
            CountOrAuto::Count(count) => count,
            CountOrAuto::Auto => 1,
        };
        for (name, value, least, most) in [
            ("initial", self.initial_count(), 1, MOST_POINTS),
            ("batch", self.batch, 1, MOST_POINTS),
            ("inducing", inducing, 1, MOST_INDUCING),
            ("inducing-max", self.inducing_max, 1, MOST_INDUCING),
            ("subset", subset, 1, EXACT_LIMIT),
            ("exact-until", self.model.exact_until, 0, MOST_TRIALS),
            ("features", self.sampling.features, 1, MOST_FEATURES),
            ("block", self.sampling.block, 1, MOST_POINTS),
            ("pool", acquisition.pool, 1, MOST_POOLED),
            ("near", acquisition.near, 0, MOST_POOLED),
            ("starts", acquisition.starts, 1, MOST_STARTS),
            ("exclusion", acquisition.exclusion, 0, MOST_TRIALS),
            ("memory", optimizer.memory, 1, MOST_PAIRS),
            ("max_iterations", optimizer.max_iterations, 0, MOST_ITERATIONS),
            ("max_evaluations", optimizer.max_evaluations, 0, MOST_ITERATIONS),
            ("neighbours", self.local_models.neighbours, 0, MOST_NEIGHBOURS),
        ] {
            check_range(name, value, least, most)?;
        }
        for (name, tolerance) in [
            ("gradient_tolerance", optimizer.gradient_tolerance),
            ("value_tolerance", optimizer.value_tolerance),
            ("local-models.share", self.local_models.share.unwrap_or(0.0)),
            ("trust-regions.share", self.trust_regions.share.unwrap_or(0.0)),
        ] {
            if !(0.0..=1.0).contains(&tolerance) {
                return Err(Error::parameter(name, tolerance, "between 0 and 1"));
            }
        }
        match self.allocation.quality() {
            Quality::Ent(entropy) => entropy.check(),
            _ => Ok(()),
        }
    }
}

/// Refuses none, and more than `most`.
pub(super) fn check_count(name: &str, value: usize, most: usize) -> Result<()> {
    check_range(name, value, 1, most)
}

fn check_range(name: &str, value: usize, least: usize, most: usize) -> Result<()> {
    let must = match value {
        _ if value < least => format!("at least {least}"),
        _ if value > most => format!("at most {most}"),
        _ => return Ok(()),
    };
    Err(Error::parameter(name, value as f64, must))
}
