//! What comes into a study: outcomes of trials, points that were not asked for, events of other processes.

use super::open::refused;
use super::storage::{Appended, Event, History};
use super::{Goal, Outcome, Study};
use crate::error::{Error, Result};
use crate::space::Point;
use std::ops::Range;

impl Study {
    /// Reads what other processes have written.
    pub fn refresh(&mut self) -> Result<()> {
        let events = self.storage.load(self.history.position())?;
        self.apply(events)
    }

    /// Outcomes of trials by their numbers, all or nothing; returns how many of them are new.
    ///
    /// The same outcome told again is passed over, another one is refused. NaN and infinities count as failures, and any
    /// failure counts as the same outcome as another: the first reason stays.
    pub fn tell(&mut self, outcomes: &[(u64, Outcome)]) -> Result<usize> {
        let settled =
            |(trial, outcome): &(u64, Outcome)| Ok((*trial, self.settled(&format!("trial {trial}"), outcome)?));
        let outcomes = outcomes.iter().map(settled).collect::<Result<Vec<_>>>()?;
        self.append(|history| history.news(&outcomes))
    }

    /// Points that were not asked for, with their outcomes (`None`: they are pending); returns their trials' numbers.
    ///
    /// A point that is added twice makes two trials: replicates are data.
    pub fn add(&mut self, points: &[(Point, Option<Outcome>)]) -> Result<Range<u64>> {
        let added = |(i, (point, outcome)): (usize, &(Point, Option<Outcome>))| {
            self.config.space.encode(point)?;
            let of = format!("point {} of {}", i + 1, points.len());
            let outcome = outcome.as_ref().map(|outcome| self.settled(&of, outcome)).transpose()?;
            Ok(Event::Added { point: point.clone(), outcome })
        };
        let events = points.iter().enumerate().map(added).collect::<Result<Vec<_>>>()?;
        let count = self.append(|_| Ok(events.clone()))?;
        let end = self.history.records().len() as u64 + 1;
        Ok(end - count as u64..end)
    }

    /// Appends what `events` makes of the present history, and returns their number.
    fn append(&mut self, events: impl Fn(&History) -> Result<Vec<Event>>) -> Result<usize> {
        loop {
            self.refresh()?;
            let events = events(&self.history)?;
            let count = events.len();
            if count == 0 || self.storage.append(self.history.position(), &events)? == Appended::Done {
                self.apply(events)?;
                return Ok(count);
            }
        }
    }

    /// Takes events of the storage into account.
    pub(super) fn apply(&mut self, events: Vec<Event>) -> Result<()> {
        for event in events {
            let damaged = |cause| refused(&*self.storage, &format!("is damaged: it {cause}"), "restore it from a copy");
            self.history.apply(event).map_err(damaged)?;
        }
        self.table.extend(&self.config, &self.history)
    }

    /// The outcome as it is recorded, if this study can have it.
    fn settled(&self, of: &str, outcome: &Outcome) -> Result<Outcome> {
        match outcome {
            Outcome::Observed { values, .. } if values.len() != self.config.outputs.len() => Err(Error::Shape {
                what: format!("the list of values of {of}"),
                found: values.len(),
                expected: self.config.outputs.len(),
            }),
            Outcome::Observed { values, .. } => {
                self.check_classes(of, values)?;
                outcome.settled(of)
            }
            Outcome::Failed { .. } => Ok(outcome.clone()),
        }
    }

    fn check_classes(&self, of: &str, values: &[f64]) -> Result<()> {
        let classes = self.config.outputs.iter().zip(values).filter(|(output, _)| output.goal == Goal::Classify);
        match classes.map(|(_, &value)| value).find(|value| value.is_finite() && ![0.0, 1.0].contains(value)) {
            Some(value) => Err(Error::Parameter { name: format!("the class of {of}"), value, must: "0 or 1".into() }),
            None => Ok(()),
        }
    }
}
