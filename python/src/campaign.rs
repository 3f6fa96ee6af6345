//! Policy of a run: which trials to evaluate next, and when to stop.

use crate::records::{EncodedTrial, encode_trials};
use crate::study::Study;
use pyo3::prelude::*;
use spargo::study::{Budget, Campaign as Inner, Mode, Next, Refit, Why};
use std::sync::{Mutex, PoisonError};

/// A campaign over a study.
#[pyclass(frozen, module = "spargo._spargo")]
pub struct Campaign {
    inner: Mutex<Inner>,
}

/// Trials to evaluate, or why the campaign is over.
#[derive(IntoPyObject)]
pub enum Step {
    Evaluate(Vec<EncodedTrial>),
    Done(&'static str),
}

#[pymethods]
impl Campaign {
    /// A campaign of `budget` trials in all; asynchronous if there is a `refit_every`, else in batches.
    #[new]
    fn new(
        budget: usize,
        batch: Option<usize>,
        refit_every: Option<u64>,
        final_replicates: usize,
        resume: bool,
    ) -> Self {
        let mode = refit_every.map_or(Mode::Batch, |outcomes| Mode::Async(Refit::Every(outcomes)));
        let mut inner = Inner::new(Budget::Total(budget));
        (inner.batch, inner.mode) = (batch, mode);
        (inner.final_replicates, inner.resume) = (final_replicates, resume);
        Campaign { inner: Mutex::new(inner) }
    }

    /// Numbers and points of trials to evaluate, `None` to wait for an outcome, or why the campaign is over.
    fn next(&self, py: Python<'_>, study: &Study, idle: usize) -> PyResult<Option<Step>> {
        study.with(py, |study| {
            let mut campaign = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
            campaign.give_up = Some(Inner::patience(study));
            Ok(match campaign.next(study, idle)? {
                Next::Evaluate(trials) => Some(Step::Evaluate(encode_trials(&study.config().space, &trials))),
                Next::Wait => None,
                Next::Done(Why::BudgetSpent) => Some(Step::Done("budget")),
                Next::Done(Why::SpaceExhausted) => Some(Step::Done("exhausted")),
                Next::Done(Why::AllFailed { pending_again: 0, .. }) => Some(Step::Done("failing")),
                Next::Done(Why::AllFailed { .. }) => Some(Step::Done("pending again")),
            })
        })
    }
}
