//! A trial with what is known of its outputs, and how that came to be known.

use super::Note;
use crate::space::Point;
use crate::study::{Measurement, Outcome, Trial};
use std::sync::Arc;

/// A trial and what is known of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The number and the point of the trial.
    pub trial: Trial,
    /// The ask that chose the point; `None` for a point that was not asked for.
    pub ask: Option<u64>,
    /// When it was asked for, or resumed, in milliseconds since 1970, UTC; 0 for a point that was not.
    pub time: u64,
    /// The process that asked for it, or has resumed it; empty if that is not known.
    pub by: Arc<str>,
    /// What is known of each output.
    pub told: Vec<Told>,
    /// Whether the trial was withdrawn: no model sees it, and its point may be asked for again.
    pub is_discarded: bool,
    /// Corrections and withdrawals, in their order.
    pub revisions: Vec<Revision>,
}

/// A measurement and when it came.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Told {
    /// The number of the tell or the revision that it came with, counted from 1 in the order in which these were committed; 0
    /// while it is pending.
    pub seq: u64,
    /// What was told.
    pub measurement: Measurement,
}

/// One correction or withdrawal of the outcome of a trial.
#[derive(Debug, Clone, PartialEq)]
pub struct Revision {
    /// What was known of each output before; `None` if the trial was discarded.
    pub before: Option<Vec<Measurement>>,
    /// What has been known of each output since; `None` if the trial was discarded.
    pub after: Option<Vec<Measurement>>,
    /// Why, by whom and when.
    pub note: Note,
}

/// A point of the user's own, which was to be asked for next.
#[derive(Debug, Clone, PartialEq)]
pub struct Enqueued {
    /// The point.
    pub point: Point,
    /// Its row of the table of candidates, if the user said which.
    pub row: Option<u64>,
    /// Why, by whom and when.
    pub note: Note,
    /// The trial that it became; `None` while it is waiting.
    pub trial: Option<u64>,
}

/// What a correction changed of one output, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputChange {
    /// "discarded", "retried" or "amended".
    pub kind: &'static str,
    /// What was known before.
    pub before: String,
    /// What has been known since.
    pub after: String,
}

impl Revision {
    /// What it changed of an output, by its number; `None` if it changed nothing.
    pub fn of_output(&self, output: usize) -> Option<OutputChange> {
        let [before, after] = [&self.before, &self.after].map(|known| known.as_ref().map(|known| &known[output]));
        let kind = match after {
            _ if before == after => return None,
            None => "discarded",
            Some(Measurement::Pending) => "retried",
            Some(_) => "amended",
        };
        let words = |known: Option<&Measurement>| known.map_or("discarded".into(), Measurement::to_string);
        Some(OutputChange { kind, before: words(before), after: words(after) })
    }
}

/// What is known of a trial as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Nothing was observed, and something is still to come.
    Pending,
    /// Some outputs were observed, others are still to come.
    Partial,
    /// Something was observed, and nothing is still to come.
    Done,
    /// Nothing was observed, and nothing is still to come.
    Failed,
    /// It was withdrawn.
    Discarded,
}

impl Status {
    /// Its name in tables and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Status::Pending => "pending",
            Status::Partial => "partial",
            Status::Done => "done",
            Status::Failed => "failed",
            Status::Discarded => "discarded",
        }
    }
}

impl Record {
    /// What is known of the trial as a whole.
    pub fn status(&self) -> Status {
        let any = |is: fn(&Measurement) -> bool| self.measurements().any(is);
        match (any(|m| m.observed().is_some()), any(Measurement::is_pending)) {
            _ if self.is_discarded => Status::Discarded,
            (true, true) => Status::Partial,
            (true, false) => Status::Done,
            (false, true) => Status::Pending,
            (false, false) => Status::Failed,
        }
    }

    /// Whether something is still to come.
    pub fn is_pending(&self) -> bool {
        matches!(self.status(), Status::Pending | Status::Partial)
    }

    /// What is known of each output.
    pub fn measurements(&self) -> impl Iterator<Item = &Measurement> {
        self.told.iter().map(|told| &told.measurement)
    }

    /// What is known of the trial as if it had been told at once; `None` if nothing is.
    pub fn outcome(&self) -> Option<Outcome> {
        let measurements: Vec<Measurement> = self.measurements().cloned().collect();
        if measurements.iter().all(Measurement::is_pending) {
            return None;
        }
        let outcome = Outcome::Measured(measurements);
        Some(outcome.failure().map(Outcome::failed).unwrap_or(outcome))
    }

    /// The value of every output, if all were observed and the trial was not discarded.
    pub fn values(&self) -> Option<Vec<f64>> {
        let values = self.measurements().map(Measurement::observed).collect::<Option<_>>();
        values.filter(|_| !self.is_discarded)
    }

    /// Whether all outputs were observed, and the trial was not discarded.
    pub fn is_complete(&self) -> bool {
        !self.is_discarded && self.measurements().all(|measurement| measurement.observed().is_some())
    }

    /// Why an output could not be measured, the first one's if there are several; `None` if none failed.
    pub fn failure(&self) -> Option<&str> {
        self.measurements().find_map(Measurement::failure)
    }

    /// The first tell or revision that something known of the trial came with; `None` while nothing is.
    pub(in crate::study) fn first_seq(&self) -> Option<u64> {
        self.told.iter().map(|told| told.seq).filter(|&seq| seq > 0).min()
    }

    /// What is known of each output, if the trial was not discarded.
    pub(super) fn known(&self) -> Option<Vec<Measurement>> {
        (!self.is_discarded).then(|| self.measurements().cloned().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revision_has_words_for_each_output() {
        let known = || Some(vec![Measurement::value(1.5), Measurement::Pending]);
        let other = Some(vec![Measurement::failed("broken"), Measurement::Pending]);
        let words = |before, after| {
            let revision = Revision { before, after, note: Note::default() };
            [0, 1].map(|k| {
                let OutputChange { kind, before, after } = revision.of_output(k)?;
                Some(format!("{kind}: {before} → {after}"))
            })
        };
        assert_eq!(words(known(), known()), [None, None]);
        assert_eq!(words(known(), other.clone()), [Some("amended: 1.5 → failed (broken)".into()), None]);
        assert_eq!(
            words(None, known()),
            ["amended: discarded → 1.5", "retried: discarded → pending"].map(|w| Some(w.into()))
        );
        assert_eq!(
            words(known(), None),
            ["discarded: 1.5 → discarded", "discarded: pending → discarded"].map(|w| Some(w.into()))
        );
        assert_eq!(
            words(other, Some(vec![Measurement::Pending; 2]))[0],
            Some("retried: failed (broken) → pending".into())
        );
    }
}
