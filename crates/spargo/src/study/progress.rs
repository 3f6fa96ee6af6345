//! How far a study is: trials by what is known of them, the best outcome so far, and how many points come next.

use super::{Goal, Observation, Outcome, Refit, Study, Trial};
use crate::error::{Error, Result};
use serde::Serialize;

/// Trials by what is known of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// All of them.
    pub trials: usize,
    /// Trials with values.
    pub observed: usize,
    /// Trials that failed.
    pub failed: usize,
    /// Trials without an outcome.
    pub pending: usize,
}

impl Study {
    /// Trials by what is known of them.
    pub fn counts(&self) -> Counts {
        let (observed, failed, pending) =
            (self.table.observed.len(), self.table.failed.len(), self.table.pending.len());
        Counts { trials: observed + failed + pending, observed, failed, pending }
    }

    /// The outcome of a trial; `None` while it is pending, and of a trial that does not exist.
    pub fn outcome(&self, trial: u64) -> Option<&Outcome> {
        self.trial(trial)?.told.as_ref().map(|told| &told.outcome)
    }

    /// The best outcome of the only objective among those that satisfy all constraints, the first of equals; `None` if there
    /// is no such outcome, or no single objective.
    pub fn best_observation(&self) -> Option<Observation> {
        let (objectives, _) = self.config.objectives_and_constraints();
        let &[objective] = objectives.as_slice() else { return None };
        let sign = self.config.outputs[objective].goal.sign();
        let (trial, values) =
            self.feasible().min_by(|(_, a), (_, b)| (-sign * a[objective]).total_cmp(&(-sign * b[objective])))?;
        Some(Observation { trial: trial.clone(), value: values[objective] })
    }

    /// Observed trials that satisfy all constraints, with their values.
    pub fn feasible(&self) -> impl Iterator<Item = (&Trial, &[f64])> {
        let records = self.history().records().iter();
        records.filter_map(|record| match &record.told.as_ref()?.outcome {
            Outcome::Observed { values, .. } => {
                self.config.is_feasible(values).then_some((&record.trial, values.as_slice()))
            }
            Outcome::Failed { .. } => None,
        })
    }

    /// How many observed trials satisfy all constraints; `None` if there are no constraints.
    pub fn feasible_count(&self) -> Option<usize> {
        let constrained = self.config.outputs.iter().any(|output| matches!(output.goal, Goal::Constraint { .. }));
        constrained.then(|| self.feasible().count())
    }

    /// How many points to ask for unless the user says otherwise: what is left of the initial design as long as there is no
    /// observation, then a batch.
    pub fn default_count(&self) -> usize {
        let left = self.config.initial.saturating_sub(self.history().records().len());
        if left > 0 && self.counts().observed == 0 { left } else { self.config.batch }
    }

    /// As many new points as [`default_count`](Self::default_count) says, or those that are left of a finite space; refuses if
    /// there are none.
    pub fn ask_by_default(&mut self, refit: Refit) -> Result<Vec<Trial>> {
        let wanted = self.default_count();
        let trials = self.ask_at_most(wanted, refit)?;
        if trials.is_empty() { Err(Error::Exhausted { wanted, left: 0 }) } else { Ok(trials) }
    }

    /// Up to `count` new points: fewer, or none, if a finite space has no more.
    pub fn ask_at_most(&mut self, mut count: usize, refit: Refit) -> Result<Vec<Trial>> {
        loop {
            match self.ask_with(count, refit) {
                Err(Error::Exhausted { left, .. }) if left < count => count = left,
                // Points that are left may be hard to find.
                Err(Error::Exhausted { .. }) => count /= 2,
                asked => return asked,
            }
        }
    }
}
