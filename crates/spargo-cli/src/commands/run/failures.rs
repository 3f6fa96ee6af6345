//! When to give up: a program that has never succeeded and keeps failing will not succeed the next time either.

use crate::io::output::excerpt::excerpt;
use spargo::study::Outcome;
use std::collections::HashMap;

/// What went wrong in this run.
#[derive(Debug, Default)]
pub struct Failures {
    reasons: HashMap<String, usize>,
    evaluated: usize,
}

/// Failures without any success that end a run, at most.
pub const MOST: usize = 20;

/// And at least, however few the initial points are: one crash proves nothing.
pub const LEAST: usize = 5;

impl Failures {
    pub fn note(&mut self, outcome: &Outcome) {
        self.evaluated += 1;
        if let Outcome::Failed { reason } = outcome {
            *self.reasons.entry(excerpt(reason)).or_default() += 1;
        }
    }

    /// How many evaluations there were if all of them failed, and they were so many.
    pub fn only(&self, least: usize) -> Option<usize> {
        let failed: usize = self.reasons.values().sum();
        (failed == self.evaluated && failed >= least.max(1)).then_some(failed)
    }

    /// The most frequent reason, with its number.
    pub fn commonest(&self) -> Option<(&str, usize)> {
        let most = self.reasons.iter().max_by_key(|(reason, count)| (**count, std::cmp::Reverse(*reason)));
        most.map(|(reason, count)| (reason.as_str(), *count))
    }
}
