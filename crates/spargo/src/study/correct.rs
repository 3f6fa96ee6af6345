//! Corrections: outcomes are amended, trials discarded or retried, and what was known before stays on record.
//!
//! ```text
//!     what is known of a trial ─▶ what is known since, why, by whom and when        models use the latest
//! ```

use super::outcome::in_words;
use super::storage::{Event, History, Record};
use super::{Config, Measurement, Note, Outcome, Status, Study};
use crate::error::{Error, Result};
use std::collections::HashMap;

/// What is to be corrected.
#[derive(Debug, Clone, PartialEq)]
pub enum Correction {
    /// Trials have other outcomes than was told; outputs that are pending in an outcome stay as they are. A trial that was
    /// discarded counts again.
    Amend(Vec<(u64, Outcome)>),
    /// Trials are withdrawn, whatever is known of them.
    Discard(Vec<u64>),
    /// Trials of which nothing has been observed are withdrawn, if something is still to come.
    DiscardPending,
    /// Trials are to be evaluated again: their outputs, or one of them, are pending.
    Retry {
        /// The numbers of the trials.
        trials: Vec<u64>,
        /// The only output that is to be measured again.
        output: Option<usize>,
    },
    /// Outputs that failed are to be measured again, of all trials that were not discarded.
    RetryFailed,
}

/// What a correction changes of one trial.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The number of the trial.
    pub trial: u64,
    /// What was known of each output; `None` if the trial was discarded.
    pub before: Option<Vec<Measurement>>,
    /// What is known of each output since; `None` if the trial is discarded.
    pub after: Option<Vec<Measurement>>,
}

impl std::fmt::Display for Change {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let words = |known: &Option<Vec<Measurement>>| known.as_deref().map_or("discarded".into(), in_words);
        write!(f, "trial {}: {} → {}", self.trial, words(&self.before), words(&self.after))
    }
}

impl Study {
    /// Corrects outcomes of trials by their numbers, all or nothing; returns what changed. Outputs that are pending in an
    /// outcome stay as they are.
    pub fn amend(&mut self, outcomes: &[(u64, Outcome)], note: &Note) -> Result<Vec<Change>> {
        self.correct(&Correction::Amend(outcomes.to_vec()), note)
    }

    /// Withdraws trials: models no longer see them, and their points may be asked for again; returns what changed.
    pub fn discard(&mut self, trials: &[u64], note: &Note) -> Result<Vec<Change>> {
        self.correct(&Correction::Discard(trials.to_vec()), note)
    }

    /// Makes trials pending again, whatever is known of them; returns what changed.
    pub fn retry(&mut self, trials: &[u64], note: &Note) -> Result<Vec<Change>> {
        self.correct(&Correction::Retry { trials: trials.to_vec(), output: None }, note)
    }

    /// Corrects what is known of trials, all or nothing, and keeps what was known before; returns what changed.
    pub fn correct(&mut self, correction: &Correction, note: &Note) -> Result<Vec<Change>> {
        check_note(note)?;
        self.refresh()?;
        let correction = self.settled_correction(correction)?;
        let (mut changes, config) = (Vec::new(), self.config.clone());
        self.append(Vec::new(), |history| {
            changes = correction.changes(history, &config)?;
            let event = |Change { trial, after, .. }: &Change| Event::Revised {
                trial: *trial,
                measurements: after.clone(),
                note: note.clone(),
            };
            Ok(changes.iter().map(event).collect())
        })?;
        Ok(changes)
    }

    /// What a correction would change, without changing it.
    pub fn preview(&mut self, correction: &Correction) -> Result<Vec<Change>> {
        self.refresh()?;
        self.settled_correction(correction)?.changes(&self.history, &self.config)
    }

    /// The correction with outcomes as a study with these settings records them.
    fn settled_correction(&self, correction: &Correction) -> Result<Correction> {
        match correction {
            Correction::Amend(outcomes) => {
                let settled = |(trial, outcome): &(u64, Outcome)| {
                    Ok((*trial, self.config.settled(format!("trial {trial}"), outcome)?))
                };
                Ok(Correction::Amend(outcomes.iter().map(settled).collect::<Result<_>>()?))
            }
            Correction::Retry { output: Some(output), .. } => self.sign(*output).map(|_| correction.clone()),
            _ => Ok(correction.clone()),
        }
    }
}

impl Correction {
    /// What it changes of a history; refuses the return of a trial that has no meaning under the settings of the day.
    fn changes(&self, history: &History, config: &Config) -> Result<Vec<Change>> {
        let mut changes = Changes::default();
        match self {
            Correction::Amend(outcomes) => {
                for (index, (trial, outcome)) in outcomes.iter().enumerate() {
                    let record = history.known_trial(index, *trial)?;
                    changes.add(record, |known| Some(amended(known, outcome)));
                }
            }
            Correction::Discard(trials) => {
                for (index, trial) in trials.iter().enumerate() {
                    changes.add(history.known_trial(index, *trial)?, |_| None);
                }
            }
            Correction::Retry { trials, output } => {
                for (index, trial) in trials.iter().enumerate() {
                    changes.add(history.known_trial(index, *trial)?, |known| Some(withdrawn(known, *output)));
                }
            }
            Correction::DiscardPending => {
                let pending = history.records().iter().filter(|record| record.status() == Status::Pending);
                pending.for_each(|record| changes.add(record, |_| None));
            }
            Correction::RetryFailed => {
                let kept = history.records().iter().filter(|record| !record.is_discarded);
                let retried = |m: &Measurement| if m.is_failed() { Measurement::Pending } else { m.clone() };
                kept.for_each(|record| changes.add(record, |known| Some(known.iter().map(retried).collect())));
            }
        }
        changes.list.iter().try_for_each(|change| config.check_return(history, change))?;
        Ok(changes.list)
    }
}

impl Config {
    /// Refuses the return of a discarded trial whose point or outcome does not fit: settings may have changed without it.
    fn check_return(&self, history: &History, change: &Change) -> Result<()> {
        let (None, Some(after), Some(record)) = (&change.before, &change.after, history.record(change.trial)) else {
            return Ok(());
        };
        let fits = self.space.encode_observed(&record.trial.point);
        let fits =
            fits.and_then(|_| self.settled(format!("trial {}", change.trial), &Outcome::Measured(after.clone())));
        let refused = |error| {
            let what = format!("trial {} was discarded, and no longer fits: {error}", change.trial);
            Error::unsupported(what, "change the settings so that it does, or leave it discarded")
        };
        fits.map(drop).map_err(refused)
    }
}

/// Changes of different trials, in the order in which they were named.
#[derive(Default)]
struct Changes {
    list: Vec<Change>,
    /// The place of each trial in the list.
    places: HashMap<u64, usize>,
}

impl Changes {
    /// Adds what `change` makes of the measurements of a trial, if that is something else.
    fn add(&mut self, record: &Record, change: impl FnOnce(&[Measurement]) -> Option<Vec<Measurement>>) {
        let trial = record.trial.id;
        let before: Vec<Measurement> = record.measurements().cloned().collect();
        let place = self.places.get(&trial).copied();
        let known = place.and_then(|place| self.list[place].after.clone()).unwrap_or_else(|| before.clone());
        let after = change(&known);
        match place {
            Some(place) => self.list[place].after = after,
            None => {
                let before = (!record.is_discarded).then_some(before);
                if before != after {
                    self.places.insert(trial, self.list.len());
                    self.list.push(Change { trial, before, after });
                }
            }
        }
    }
}

fn amended(known: &[Measurement], outcome: &Outcome) -> Vec<Measurement> {
    match outcome {
        Outcome::Failed { reason } => known.iter().map(|_| Measurement::failed(reason)).collect(),
        Outcome::Measured(measurements) => {
            let one = |(known, new): (&Measurement, &Measurement)| if new.is_pending() { known } else { new }.clone();
            known.iter().zip(measurements).map(one).collect()
        }
    }
}

fn withdrawn(known: &[Measurement], output: Option<usize>) -> Vec<Measurement> {
    let is_meant = |k: usize| output.is_none_or(|output| output == k);
    known.iter().enumerate().map(|(k, m)| if is_meant(k) { Measurement::Pending } else { m.clone() }).collect()
}

/// Refuses a note without a reason.
fn check_note(note: &Note) -> Result<()> {
    if note.reason.trim().is_empty() {
        return Err(Error::unsupported("a correction needs a reason", "say why, in words"));
    }
    Ok(())
}
