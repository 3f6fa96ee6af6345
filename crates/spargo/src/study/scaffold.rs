//! What all draws without a fit share: made by the first of them, and kept with the models.
//!
//! ```text
//!     models ─▶ means at the trials that they have seen ─▶ incumbents, exclusion zones, candidate pool ─▶ draw, draw, draw …
//! ```
//!
//! Such a draw is more of the batch that the fit began: what was told since is for the next models. So it does not matter when
//! this is made, or by which process.
//!
//! Its pool is small, and paths climb from more of its points: as good as the pool of a fit, and to score that on a path or two
//! would take longer than all the rest. A local search ends after a few dozen evaluations.

use super::Study;
use super::choose::Chooser;
use super::model::Models;
use crate::acquire::ParetoState;
use crate::acquire::optimizer::{AcquisitionOptions, KeptSearch, TrustRegions};
use crate::error::Result;
use crate::linalg::Mat;
use crate::rng::StepRng;
use std::sync::Arc;

/// The pool has this part of the points of a fit's.
const PART: usize = 10;

/// Paths climb from so many times the starts of a fit's.
const MORE_STARTS: usize = 2;

/// Evaluations of a path and its gradient that a local search takes at most: few need more, and the slowest of a thousand asks must not
/// take much longer than the others.
const EVALUATIONS: usize = 40;

/// Numbers of steps from here on belong to kept pools, one per fit.
const STEPS: u64 = 1 << 40;

/// What all draws without a fit share.
#[derive(Debug)]
pub(super) struct Scaffold {
    /// The trials whose means are looked at, by their places in the history.
    pub records: Vec<usize>,
    /// The points of all trials with outcomes that the models have seen, [trials, inputs].
    pub observed: Mat,
    /// The failed trials that the models have seen, [trials, inputs].
    pub failed: Mat,
    /// The trials that are looked at by their posterior means.
    pub pareto: Arc<ParetoState>,
    /// Where paths are maximised.
    pub search: KeptSearch,
}

impl Study {
    /// What draws from these models share, if they are the last ask's: no others draw without a fit.
    pub(super) fn kept<'a>(
        &self,
        models: &'a Models,
        policy: Option<&dyn TrustRegions>,
    ) -> Result<Option<&'a Scaffold>> {
        if self.is_last(models)? { self.scaffold(models, policy) } else { Ok(None) }
    }

    /// What draws from these models share; `None` if a rule chooses one point after the other, or all points are listed.
    fn scaffold<'a>(&self, models: &'a Models, policy: Option<&dyn TrustRegions>) -> Result<Option<&'a Scaffold>> {
        if let Some(scaffold) = models.scaffold.get() {
            return Ok(scaffold.as_ref());
        }
        let is_thompson = self.config.rule().name == "thompson";
        let scaffold = if is_thompson { self.new_scaffold(models, policy)? } else { None };
        Ok(models.scaffold.get_or_init(|| scaffold).as_ref())
    }

    fn new_scaffold(&self, models: &Models, policy: Option<&dyn TrustRegions>) -> Result<Option<Scaffold>> {
        let [records, failed] = if models.seen() == self.history.tells() {
            [self.observed_records().to_vec(), self.failed_records().to_vec()]
        } else {
            self.table.evaluated(models.seen(), &self.history)
        };
        let (observed, failed) = (self.table.rows(&records), self.table.rows(&failed));
        let few = self.shortlisted(models, &records, models.seen())?;
        let few_rows = few.as_ref().map(|few| self.table.rows(few));
        let (none, mut config) = (Mat::zeros(0, observed.ncols()), self.config.clone());
        let AcquisitionOptions { pool, near, starts, optimizer, .. } = &mut config.acquisition;
        (*pool, *near, *starts) = (pool.div_ceil(PART), near.div_ceil(PART), MORE_STARTS * *starts);
        optimizer.max_evaluations = optimizer.max_evaluations.min(EVALUATIONS);
        let chooser = Chooser {
            config: &config,
            models,
            local: None,
            kept: None,
            all: None,
            observed: observed.as_ref(),
            shortlisted: few_rows.as_ref().map_or(observed.as_ref(), |few| few.as_ref()),
            is_all_seen: true,
            failed: failed.as_ref(),
            pending: none.as_ref(),
            rng: StepRng { seed: config.seed, step: STEPS + models.seen() },
        };
        let (objectives, constraints) = config.acquired(&models.outputs);
        let pareto = chooser.pareto(&objectives, &constraints)?;
        let search = chooser.optimizer(&pareto, None, policy)?.keep();
        let records = few.unwrap_or(records);
        Ok(search.map(|search| Scaffold { records, observed, failed, pareto, search }))
    }
}
