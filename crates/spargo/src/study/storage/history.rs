//! A study's past as its events tell it: trials in the order of their numbers, each with what is known of its outputs.
//!
//! The order in which outcomes came in leaves no trace but [`Told::seq`], so a step does not depend on it.

use super::{Event, Note, Record, Revision, Told};
use crate::error::{Error, Result};
use crate::space::Point;
use crate::study::outcome::in_words;
use crate::study::{Measurement, Outcome, Trial};
use std::collections::{BTreeMap, HashMap, VecDeque};

/// Everything up to one event.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    /// The number of outputs of a trial.
    outputs: usize,
    position: u64,
    records: Vec<Record>,
    /// The trials of all tells and revisions, in the order of these.
    told: Vec<u64>,
    /// The tells up to the last revision, this one included; 0 if there was none.
    last_revision: u64,
    /// One per ask, as JSON.
    reports: Vec<String>,
    state: Option<String>,
    /// Points of the user's own that have not been asked for yet.
    queue: VecDeque<Point>,
    /// The settings, as JSON, since each of these notes.
    settings: Vec<(Note, String)>,
    /// The unit of each input and output, and the table that said so.
    units: BTreeMap<String, (String, String)>,
}

impl History {
    /// The history of a study whose trials have this many outputs, before its first event.
    pub fn new(outputs: usize) -> Self {
        let (records, told, reports) = (Vec::new(), Vec::new(), Vec::new());
        let (queue, settings) = (VecDeque::new(), Vec::new());
        History {
            outputs,
            position: 0,
            records,
            told,
            last_revision: 0,
            reports,
            state: None,
            queue,
            settings,
            units: BTreeMap::new(),
        }
    }

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

    /// Trials of which something is still to come.
    pub fn pending(&self) -> impl Iterator<Item = &Trial> {
        self.records.iter().filter(|record| record.is_pending()).map(|record| &record.trial)
    }

    /// The number of asks.
    pub fn asks(&self) -> u64 {
        self.reports.len() as u64
    }

    /// The number of tells and revisions: the `seq` of the last one.
    pub fn tells(&self) -> u64 {
        self.told.len() as u64
    }

    /// The number of tells and revisions up to the last revision, this one included; 0 if there was none.
    pub(in crate::study) fn last_revision(&self) -> u64 {
        self.last_revision
    }

    /// The trials of all tells and revisions, in the order of these.
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

    /// Points of the user's own that have not been asked for yet.
    pub fn queue(&self) -> impl ExactSizeIterator<Item = &Point> {
        self.queue.iter()
    }

    /// The unit of each input and output that a table has told, and the name of that table.
    pub fn units(&self) -> &BTreeMap<String, (String, String)> {
        &self.units
    }

    /// How many settings the study has had, the first ones included.
    pub fn configurations(&self) -> usize {
        self.settings.len()
    }

    /// The settings, as JSON, since each of these notes; the first have been there from the beginning.
    pub(in crate::study) fn settings(&self) -> &[(Note, String)] {
        &self.settings
    }

    /// Rewrites every point and the row of every trial, as the space has changed.
    pub(in crate::study) fn convert(
        &mut self,
        point: impl Fn(&Point) -> Result<Point>,
        row: impl Fn(&Trial) -> Option<u64>,
    ) -> Result<()> {
        for Record { trial, .. } in &mut self.records {
            trial.point = point(&trial.point)?;
            trial.row = row(trial);
        }
        for old in &mut self.queue {
            *old = point(old)?;
        }
        Ok(())
    }

    /// Forgets what the last step left.
    pub(in crate::study) fn forget_state(&mut self) {
        self.state = None;
    }

    /// Takes one more event into account; an event that cannot follow the others is refused in words that follow the
    /// study's name.
    pub fn apply(&mut self, event: Event) -> std::result::Result<(), String> {
        match event {
            Event::Created { .. } if self.position > 0 => return Err("was created twice".into()),
            Event::Created { settings } => self.settings.push((Note::default(), settings)),
            Event::Configured { settings, note } => self.settings.push((note, settings)),
            Event::Enqueued { points, .. } => self.queue.extend(points),
            Event::Unit { column, unit, source } => _ = self.units.entry(column).or_insert((unit, source)),
            Event::Asked { queued, .. } if queued > self.queue.len() => {
                return Err(format!("has asked for {queued} points of a queue of {}", self.queue.len()));
            }
            Event::Asked { points, rows, queued, report, state, .. } => {
                self.queue.drain(..queued);
                self.reports.push(report);
                let rows = rows.into_iter().chain(std::iter::repeat(None));
                let ask = Some(self.reports.len() as u64);
                points.into_iter().zip(rows).for_each(|(point, row)| _ = self.push(point, row, ask));
                self.state = state.or(self.state.take());
            }
            Event::Told { trial, outcome } => self.tell(trial, outcome)?,
            Event::Added { point, row, outcome } => {
                let trial = self.push(point, row, None);
                outcome.map_or(Ok(()), |outcome| self.tell(trial, outcome))?;
            }
            Event::Revised { trial, measurements, note } => self.revise(trial, measurements, note)?,
        }
        self.position += 1;
        Ok(())
    }

    /// The events of outcomes that are new: the same outcome again is passed over, and another is refused.
    pub(in crate::study) fn news(&self, outcomes: &[(u64, Outcome)]) -> Result<Vec<Event>> {
        let (mut events, mut now) = (Vec::new(), HashMap::new());
        for (index, &(trial, ref outcome)) in outcomes.iter().enumerate() {
            let record = self.known_trial(index, trial)?;
            if record.is_discarded {
                return Err(Error::Discarded { index, trial });
            }
            let known = now.entry(trial).or_insert_with(|| record.measurements().cloned().collect::<Vec<_>>());
            match merged(known, outcome) {
                None => {
                    let (told, now) = (in_words(known), outcome.to_string());
                    return Err(Error::Retold { index, trial, told, now });
                }
                Some(new) if new == *known => {}
                Some(new) => {
                    events.push(Event::Told { trial, outcome: difference(known, &new, outcome) });
                    *known = new;
                }
            }
        }
        Ok(events)
    }

    /// The trial with this number, of several.
    pub(in crate::study) fn known_trial(&self, index: usize, trial: u64) -> Result<&Record> {
        self.record(trial).ok_or(Error::UnknownTrial { index, trial, trials: self.records.len() as u64 })
    }

    fn push(&mut self, point: Point, row: Option<u64>, ask: Option<u64>) -> u64 {
        let id = self.records.len() as u64 + 1;
        let told = vec![Told::default(); self.outputs];
        let trial = Trial { id, point, row };
        self.records.push(Record { trial, ask, told, is_discarded: false, revisions: Vec::new() });
        id
    }

    fn tell(&mut self, trial: u64, outcome: Outcome) -> std::result::Result<(), String> {
        let (seq, outputs) = (self.tells() + 1, self.outputs);
        let record = self.stored(trial)?;
        let measurements = match outcome {
            Outcome::Measured(measurements) => measurements,
            Outcome::Failed { reason } => {
                let failed = |told: &Told| match told.measurement {
                    Measurement::Pending => Measurement::failed(&reason),
                    _ => Measurement::Pending,
                };
                record.told.iter().map(failed).collect()
            }
        };
        check_measurements(trial, &measurements, outputs)?;
        let news = || measurements.iter().enumerate().filter(|(_, new)| !new.is_pending());
        if news().next().is_none() || news().any(|(k, _)| !record.told[k].measurement.is_pending()) {
            return Err(format!("has two outcomes of trial {trial}"));
        }
        for (k, measurement) in news() {
            record.told[k] = Told { seq, measurement: measurement.clone() };
        }
        self.told.push(trial);
        Ok(())
    }

    fn revise(&mut self, trial: u64, after: Option<Vec<Measurement>>, note: Note) -> std::result::Result<(), String> {
        let (seq, outputs) = (self.tells() + 1, self.outputs);
        let record = self.stored(trial)?;
        after.as_ref().map_or(Ok(()), |measurements| check_measurements(trial, measurements, outputs))?;
        let before = record.known();
        let came_back = std::mem::replace(&mut record.is_discarded, after.is_none());
        for (told, measurement) in record.told.iter_mut().zip(after.iter().flatten()) {
            if came_back || told.measurement != *measurement {
                let seq = if measurement.is_pending() { 0 } else { seq };
                *told = Told { seq, measurement: measurement.clone() };
            }
        }
        record.revisions.push(Revision { before, after, note });
        self.told.push(trial);
        self.last_revision = seq;
        Ok(())
    }

    fn stored(&mut self, trial: u64) -> std::result::Result<&mut Record, String> {
        let record = usize::try_from(trial).ok().and_then(|id| self.records.get_mut(id.checked_sub(1)?));
        record.ok_or_else(|| format!("has an outcome of trial {trial}, but no such trial"))
    }
}

/// Refuses, as damage, what no study writes.
fn check_measurements(trial: u64, measurements: &[Measurement], outputs: usize) -> std::result::Result<(), String> {
    let is_sound = |m: &Measurement| match m {
        Measurement::Observed { value, variance } => {
            value.is_finite() && variance.is_none_or(|variance| variance.is_finite() && variance > 0.0)
        }
        _ => true,
    };
    if measurements.len() != outputs {
        let found = measurements.len();
        return Err(format!("has {found} values of trial {trial}, which has {outputs} outputs"));
    }
    if measurements.iter().all(is_sound) {
        Ok(())
    } else {
        Err(format!("has an outcome of trial {trial} that is no number"))
    }
}

/// What is known once an outcome was told; `None` if it contradicts what is known.
fn merged(known: &[Measurement], outcome: &Outcome) -> Option<Vec<Measurement>> {
    match outcome {
        Outcome::Measured(measurements) => {
            let one = |(known, new): (&Measurement, &Measurement)| match known {
                Measurement::Pending => Some(new.clone()),
                _ => (new.is_pending() || known.agrees_with(new)).then(|| known.clone()),
            };
            known.iter().zip(measurements).map(one).collect()
        }
        Outcome::Failed { reason } => {
            let says_so = known.iter().any(|m| !matches!(m, Measurement::Observed { .. }));
            let failed = |m: &Measurement| if m.is_pending() { Measurement::failed(reason) } else { m.clone() };
            says_so.then(|| known.iter().map(failed).collect())
        }
    }
}

/// The outcome that makes `new` of `known`.
fn difference(known: &[Measurement], new: &[Measurement], outcome: &Outcome) -> Outcome {
    match outcome {
        Outcome::Failed { .. } => outcome.clone(),
        Outcome::Measured(_) => {
            let one = |(known, new): (&Measurement, &Measurement)| {
                if known.is_pending() { new.clone() } else { Measurement::Pending }
            };
            Outcome::Measured(known.iter().zip(new).map(one).collect())
        }
    }
}
