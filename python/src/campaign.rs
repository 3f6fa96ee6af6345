//! Policy of a run: which trials to evaluate next, and when to stop.

use crate::records::{EncodedTrial, encode_trials};
use crate::study::Study;
use pyo3::prelude::*;
use spargo::study::{Budget, Campaign as Inner, Mode, Next, Why};
use std::sync::{Mutex, MutexGuard, PoisonError};

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
        let mode = refit_every.map_or(Mode::Batch, |refit_every| Mode::Async { refit_every });
        let mut inner = Inner::new(Budget::Total(budget));
        (inner.batch, inner.mode) = (batch, mode);
        (inner.final_replicates, inner.resume) = (final_replicates, resume);
        Campaign { inner: Mutex::new(inner) }
    }

    /// Numbers and points of trials to evaluate, `None` to wait for an outcome, or why the campaign is over.
    ///
    /// `idle` of the `workers` could begin at once; if models have missed more than `most_missed` outcomes, it waits for others.
    fn next(
        &self,
        py: Python<'_>,
        study: &Study,
        idle: usize,
        workers: usize,
        most_missed: Option<u64>,
    ) -> PyResult<Option<Step>> {
        study.session.with(py, |study| {
            let mut campaign = self.inner();
            (campaign.give_up, campaign.workers) = (Some(Inner::patience(study)), workers);
            campaign.most_missed = most_missed;
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

    /// Ends the thread that fits models, without the interpreter's lock: a quality that is a Python function needs it there. Says
    /// that the run has ended, unless that cannot be written: then the last tell has said so.
    fn close(&self, py: Python<'_>, study: &Study) {
        let _ = study.session.at_once(py, |study| self.inner().end(study));
        py.detach(|| *self.inner() = Inner::new(Budget::Total(0)));
    }
}

impl Campaign {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
