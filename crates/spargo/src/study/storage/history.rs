//! A study's past as its events tell it: trials in the order of their numbers, each with its outcome.
//!
//! The order in which outcomes came in leaves no trace but [`Told::seq`], so a step does not depend on it.

use super::Event;
use crate::error::{Error, Result};
use crate::space::Point;
use crate::study::{Outcome, Trial};
use std::collections::HashMap;

/// Everything up to one event.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct History {
    position: u64,
    records: Vec<Record>,
    /// The trials of all tells, in the order of these.
    told: Vec<u64>,
    /// One per ask, as JSON.
    reports: Vec<String>,
    state: Option<String>,
}

/// A trial and its outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The number and the point of the trial.
    pub trial: Trial,
    /// The ask that chose the point; `None` for a point that was not asked for.
    pub ask: Option<u64>,
    /// The outcome of the trial; `None` while it is pending.
    pub told: Option<Told>,
}

/// An outcome and when it came.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    /// The number of this tell: tells count from 1 in the order in which they were committed.
    pub seq: u64,
    /// What was told.
    pub outcome: Outcome,
}

impl History {
    /// The number of events that it is made of.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// All trials; trial i stands at i − 1.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// The trial with this number.
    pub fn record(&self, trial: u64) -> Option<&Record> {
        self.records.get(usize::try_from(trial).ok()?.checked_sub(1)?)
    }

    /// Trials without an outcome.
    pub fn pending(&self) -> impl Iterator<Item = &Trial> {
        self.records.iter().filter(|record| record.told.is_none()).map(|record| &record.trial)
    }

    /// The number of asks.
    pub fn asks(&self) -> u64 {
        self.reports.len() as u64
    }

    /// The number of tells: the `seq` of the last one.
    pub fn tells(&self) -> u64 {
        self.told.len() as u64
    }

    /// The trials of all tells, in the order of these.
    pub(in crate::study) fn told(&self) -> &[u64] {
        &self.told
    }

    /// The report of every ask, as JSON.
    pub fn reports(&self) -> &[String] {
        &self.reports
    }

    /// What the next step needs of the last one, as JSON; `None` if no step has left anything.
    pub fn state(&self) -> Option<&str> {
        self.state.as_deref()
    }

    /// Takes one more event into account; an event that cannot follow the others is refused in words that follow the
    /// study's name.
    pub fn apply(&mut self, event: Event) -> std::result::Result<(), String> {
        match event {
            Event::Created { .. } if self.position > 0 => return Err("was created twice".into()),
            Event::Created { .. } => {}
            Event::Asked { points, report, state, .. } => {
                self.reports.push(report);
                points.into_iter().for_each(|point| _ = self.push(point, Some(self.reports.len() as u64)));
                self.state = state.or(self.state.take());
            }
            Event::Told { trial, outcome } => self.tell(trial, outcome)?,
            Event::Added { point, outcome } => {
                let trial = self.push(point, None);
                outcome.map_or(Ok(()), |outcome| self.tell(trial, outcome))?;
            }
        }
        self.position += 1;
        Ok(())
    }

    /// The events of outcomes that are new: the same outcome again is passed over, and another is refused.
    pub(in crate::study) fn news(&self, outcomes: &[(u64, Outcome)]) -> Result<Vec<Event>> {
        let (mut events, mut now) = (Vec::new(), HashMap::new());
        for (index, &(trial, ref outcome)) in outcomes.iter().enumerate() {
            let trials = self.records.len() as u64;
            let record = self.record(trial).ok_or(Error::UnknownTrial { index, trial, trials })?;
            let before = record.told.as_ref().map(|told| &told.outcome).or_else(|| now.get(&trial).copied());
            match before {
                Some(told) if told.agrees_with(outcome) => {}
                Some(told) => {
                    let (told, now) = (told.to_string(), outcome.to_string());
                    return Err(Error::Retold { index, trial, told, now });
                }
                None => {
                    now.insert(trial, outcome);
                    events.push(Event::Told { trial, outcome: outcome.clone() });
                }
            }
        }
        Ok(events)
    }

    fn push(&mut self, point: Point, ask: Option<u64>) -> u64 {
        let id = self.records.len() as u64 + 1;
        self.records.push(Record { trial: Trial { id, point }, ask, told: None });
        id
    }

    fn tell(&mut self, trial: u64, outcome: Outcome) -> std::result::Result<(), String> {
        let seq = self.tells() + 1;
        let record = usize::try_from(trial).ok().and_then(|id| self.records.get_mut(id.checked_sub(1)?));
        match record {
            None => Err(format!("has an outcome of trial {trial}, but no such trial")),
            Some(Record { told: Some(_), .. }) => Err(format!("has two outcomes of trial {trial}")),
            Some(record) => {
                record.told = Some(Told { seq, outcome });
                self.told.push(trial);
                Ok(())
            }
        }
    }
}
