//! Policy of a run: which trials to evaluate next, and when to stop.

use crate::study::{Study, listed};
use pyo3::prelude::*;
use pyo3::types::PyString;
use spargo::study::{Budget, Campaign as Inner, Mode, Next, Refit, Why};
use std::sync::{Mutex, PoisonError};

/// A campaign over a study.
#[pyclass(frozen, module = "spargo._spargo")]
pub struct Campaign {
    inner: Mutex<Inner>,
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
    fn next<'py>(&self, py: Python<'py>, study: &Study, idle: usize) -> PyResult<Option<Bound<'py, PyAny>>> {
        let next = study.with(py, |study| {
            let mut campaign = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
            campaign.give_up = Some(Inner::patience(study));
            campaign.next(study, idle)
        })?;
        Ok(match next {
            Next::Evaluate(trials) => Some(listed(py, &trials)?.into_any()),
            Next::Wait => None,
            Next::Done(why) => Some(PyString::new(py, reason(&why)).into_any()),
        })
    }
}

/// Why a campaign is over, in a word.
fn reason(why: &Why) -> &'static str {
    match why {
        Why::BudgetSpent => "budget",
        Why::SpaceExhausted => "exhausted",
        Why::AllFailed { .. } => "failing",
    }
}
