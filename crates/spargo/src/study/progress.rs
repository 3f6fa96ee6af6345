//! How far a study is: trials by what is known of them, the best outcome so far, and how many points come next.

use super::{Goal, Measurement, Observation, Outcome, Refit, Status, Study, Trial};
use crate::error::{Error, Result};
use serde::Serialize;

/// Trials by what is known of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Counts {
    /// All that were not discarded.
    pub trials: usize,
    /// Trials with values, of which nothing is still to come.
    pub observed: usize,
    /// Trials of which nothing was observed, and nothing is still to come.
    pub failed: usize,
    /// Trials of which something is still to come.
    pub pending: usize,
    /// Of the pending ones, those with values of some outputs.
    pub partial: usize,
    /// Trials that were withdrawn, which count nowhere else.
    pub discarded: usize,
}

impl Counts {
    /// Counts one more trial.
    pub(super) fn add(&mut self, status: Status) {
        self.change(status, |count| *count += 1);
    }

    /// Counts a trial of which something else is known by now.
    pub(super) fn replace(&mut self, before: Status, after: Status) {
        self.change(before, |count| *count -= 1);
        self.add(after);
    }

    fn change(&mut self, status: Status, mut change: impl FnMut(&mut usize)) {
        match status {
            Status::Done => change(&mut self.observed),
            Status::Failed => change(&mut self.failed),
            Status::Pending => change(&mut self.pending),
            Status::Partial => [&mut self.pending, &mut self.partial].into_iter().for_each(change),
            Status::Discarded => change(&mut self.discarded),
        }
        self.trials = self.observed + self.failed + self.pending;
    }
}

impl Study {
    /// Trials by what is known of them.
    pub fn counts(&self) -> Counts {
        self.with_penalised(self.history.counts())
    }

    /// The part of an outcome that the trial has not been told yet; `None` if that is nothing, or if there is no such trial.
    pub fn untold(&self, trial: u64, outcome: &Outcome) -> Option<Outcome> {
        let record = self.trial(trial).filter(|record| record.is_pending())?;
        let Outcome::Measured(measurements) = outcome else { return Some(outcome.clone()) };
        let part = |(told, new): (&Measurement, &Measurement)| {
            if told.is_pending() { new.clone() } else { Measurement::Pending }
        };
        let untold = Outcome::Measured(record.measurements().zip(measurements).map(part).collect());
        (!untold.is_pending()).then_some(untold)
    }

    /// Observed trials outside the space: they are used, but never recommended.
    pub fn outside(&self) -> usize {
        self.table.observed.iter().filter(|&&record| !self.table.inside[record]).count()
    }

    /// Trials inside the space of which every output was observed, by their places in the history: what may be recommended.
    pub(super) fn complete(&self) -> Vec<usize> {
        let is_complete = |&record: &usize| self.table.inside[record] && self.history().records()[record].is_complete();
        self.observed_records().iter().copied().filter(is_complete).collect()
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

    /// Trials inside the space with all of their outputs that satisfy all constraints, with their values.
    pub fn feasible(&self) -> impl Iterator<Item = (&Trial, Vec<f64>)> {
        let penalised = self.table.penalised(&self.history);
        let is_accepted = |i: &usize| self.table.inside[*i] && penalised.binary_search(i).is_err();
        let records = self.history().records().iter().enumerate().filter(move |(i, _)| is_accepted(i));
        let complete = records.filter_map(|(_, record)| Some((&record.trial, record.values()?)));
        complete.filter(|(_, values)| self.config.is_feasible(values))
    }

    /// How many observed trials satisfy all constraints; `None` if there are no constraints.
    pub fn feasible_count(&self) -> Option<usize> {
        let constrained = self.config.outputs.iter().any(|output| matches!(output.goal, Goal::Constraint { .. }));
        constrained.then(|| self.feasible().count())
    }

    /// How many points to ask for unless the user says otherwise: what is left of the initial design as long as there is no
    /// observation, then a batch.
    pub fn default_count(&self) -> usize {
        let left = self.config.initial_count().saturating_sub(self.history().records().len());
        if left > 0 && self.table.observed.is_empty() { left } else { self.config.batch }
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
