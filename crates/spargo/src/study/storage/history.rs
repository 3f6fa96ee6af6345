//! A study's past as its events tell it: trials in the order of their numbers, each with what is known of its outputs.
//!
//! The order in which outcomes came in leaves no trace but [`Told::seq`], so a step does not depend on it.

use super::merge::{check_measurements, difference, merged};
use super::{Activity, Ahead, Enqueued, Event, Lease, Note, Record, Revision, Status, Told};
use crate::error::{Error, Result};
use crate::space::Point;
use crate::study::outcome::in_words;
use crate::study::{Counts, Measurement, Outcome, Trial};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

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
    /// Whether inducing points have been chosen by other settings since the last step: then its choice does not stand.
    is_outdated: bool,
    /// Points of the user's own, in the order in which they are asked for.
    enqueued: Vec<Enqueued>,
    /// How many of them, the first ones, have been asked for.
    dequeued: usize,
    /// Points that models have chosen and nothing has asked for yet.
    ready: VecDeque<Ready>,
    /// What processes are doing for all, unless they have ended.
    leases: Vec<Lease>,
    /// What was last heard of each process that has evaluated trials.
    heartbeats: BTreeMap<String, LastHeartbeat>,
    /// The number of asks that have chosen points.
    steps: u64,
    counts: Counts,
    /// The settings, as JSON, since each of these notes.
    settings: Vec<(Note, String)>,
    /// The unit of each input and output, and the table that said so.
    units: BTreeMap<String, (String, String)>,
    /// The dialect of the last table of results.
    dialect: Option<String>,
}

/// What was last heard of a process that evaluates trials.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LastHeartbeat {
    /// When, in milliseconds since 1970, UTC.
    pub time: u64,
    /// What its workers have done by then.
    pub activity: Activity,
    /// Whether its run has ended in order: it was finished or stopped, not killed.
    pub has_ended: bool,
}

/// A point that is ready to be asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Ready {
    /// The point.
    pub point: Point,
    /// Its row of the table of candidates.
    pub row: Option<u64>,
    /// The number of the ask whose models have chosen it.
    pub ask: u64,
}

impl History {
    /// The history of a study whose trials have this many outputs, before its first event.
    pub fn new(outputs: usize) -> Self {
        let (records, told, reports) = (Vec::new(), Vec::new(), Vec::new());
        History {
            outputs,
            position: 0,
            records,
            told,
            last_revision: 0,
            reports,
            state: None,
            is_outdated: false,
            enqueued: Vec::new(),
            dequeued: 0,
            ready: VecDeque::new(),
            leases: Vec::new(),
            heartbeats: BTreeMap::new(),
            steps: 0,
            counts: Counts::default(),
            settings: Vec::new(),
            units: BTreeMap::new(),
            dialect: None,
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

    /// The number of asks that have chosen points: others hand out what was queued or ready.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Trials by what is known of them.
    pub fn counts(&self) -> Counts {
        self.counts
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
        self.enqueued[self.dequeued..].iter().map(|enqueued| &enqueued.point)
    }

    /// Points of the user's own, whether they have been asked for or not, in the order in which they were enqueued.
    pub fn enqueued(&self) -> &[Enqueued] {
        &self.enqueued
    }

    /// Points that models have chosen and nothing has asked for yet, in the order in which they will be.
    pub fn ready(&self) -> impl ExactSizeIterator<Item = &Ready> {
        self.ready.iter()
    }

    /// What processes are doing for all; a lease may have run out.
    pub fn leases(&self) -> &[Lease] {
        &self.leases
    }

    /// What was last heard of each process that has evaluated trials.
    pub fn heartbeats(&self) -> &BTreeMap<String, LastHeartbeat> {
        &self.heartbeats
    }

    /// The unit of each input and output that a table has told, and the name of that table.
    pub fn units(&self) -> &BTreeMap<String, (String, String)> {
        &self.units
    }

    /// The dialect of the last table of results, in the words of the program that read it.
    pub fn dialect(&self) -> Option<&str> {
        self.dialect.as_deref()
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
        row: impl Fn(&Point, Option<u64>) -> Option<u64>,
    ) -> Result<()> {
        for Record { trial, .. } in &mut self.records {
            trial.point = point(&trial.point)?;
            trial.row = row(&trial.point, trial.row);
        }
        for enqueued in &mut self.enqueued {
            enqueued.point = point(&enqueued.point)?;
            enqueued.row = enqueued.row.and_then(|known| row(&enqueued.point, Some(known)));
        }
        Ok(())
    }

    /// Forgets what the last step left.
    pub(in crate::study) fn forget_state(&mut self) {
        self.state = None;
    }

    /// Remembers that the settings by which the last step has chosen inducing points have changed.
    pub(in crate::study) fn outdate_state(&mut self) {
        self.is_outdated = true;
    }

    /// Whether inducing points were chosen by other settings when the last step was made.
    pub(in crate::study) fn is_outdated(&self) -> bool {
        self.is_outdated
    }

    /// Takes one more event into account; an event that cannot follow the others is refused in words that follow the
    /// study's name.
    pub fn apply(&mut self, event: Event) -> std::result::Result<(), String> {
        match event {
            Event::Created { .. } if self.position > 0 => return Err("was created twice".into()),
            Event::Created { settings } => self.settings.push((Note::default(), settings)),
            Event::Configured { settings, note } => {
                self.settings.push((note, settings));
                self.ready.clear();
            }
            Event::Enqueued { points, rows, note } => {
                let rows = rows.into_iter().chain(std::iter::repeat(None));
                let enqueued = |(point, row)| Enqueued { point, row, note: note.clone(), trial: None };
                self.enqueued.extend(points.into_iter().zip(rows).map(enqueued));
            }
            Event::Unit { column, unit, source } => _ = self.units.entry(column).or_insert((unit, source)),
            Event::Dialect { dialect } => self.dialect = Some(dialect),
            Event::Asked { queued, .. } if queued > self.queue().len() => {
                return Err(format!("has asked for {queued} points of a queue of {}", self.queue().len()));
            }
            Event::Asked { queued, ref points, .. } if queued > points.len() => {
                return Err(format!("has {queued} queued points among {}", points.len()));
            }
            Event::Asked { ready, .. } if ready > self.ready.len() => {
                return Err(format!("has asked for {ready} of {} points that are ready", self.ready.len()));
            }
            Event::Asked { points, rows, queued, ready, ahead, time, by, report, state, .. } => {
                self.dequeue(queued);
                self.reports.push(report);
                self.leases.retain(|lease| lease.by != by);
                self.steps += u64::from(points.len() > queued || ahead.is_some());
                self.ask(points, rows, (queued, ready), (time, self.name(by)));
                ahead.into_iter().for_each(|ahead| self.prepare(*ahead));
                self.is_outdated &= state.is_none();
                self.state = state.or(self.state.take());
            }
            Event::Heartbeat { by, time, activity, resumed, is_last } => {
                let name = self.name(by.clone());
                for trial in resumed {
                    let record = self.stored(trial)?;
                    (record.time, record.by) = (time, name.clone());
                }
                self.heartbeats.insert(by, LastHeartbeat { time, activity, has_ended: is_last });
            }
            Event::Leased { work, by, until } => {
                self.leases.retain(|lease| lease.work != work);
                self.leases.extend((until > 0).then_some(Lease { work, by, until }));
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

    /// Trials of one ask: queued points, points that were ready, and points that it has chosen.
    fn ask(
        &mut self,
        points: Vec<Point>,
        rows: Vec<Option<u64>>,
        (queued, ready): (usize, usize),
        (time, by): (u64, Arc<str>),
    ) {
        let (ask, first) = (Some(self.reports.len() as u64), self.records.len());
        let rows = rows.into_iter().chain(std::iter::repeat(None));
        let mut points = points.into_iter().zip(rows);
        let drained: Vec<Ready> = self.ready.drain(..ready).collect();
        points.by_ref().take(queued).for_each(|(point, row)| _ = self.push(point, row, ask));
        drained.into_iter().for_each(|Ready { point, row, ask }| _ = self.push(point, row, Some(ask)));
        points.for_each(|(point, row)| _ = self.push(point, row, ask));
        for record in &mut self.records[first..] {
            (record.time, record.by) = (time, by.clone());
        }
    }

    /// The name of a process, which trials of the same process share.
    fn name(&self, by: String) -> Arc<str> {
        let last = self.records.last().map(|record| &record.by);
        last.filter(|last| ***last == *by).cloned().unwrap_or_else(|| by.into())
    }

    /// Points that are ready from now on, instead of those that were left.
    fn prepare(&mut self, Ahead { points, rows }: Ahead) {
        let ask = self.reports.len() as u64;
        let rows = rows.into_iter().chain(std::iter::repeat(None));
        self.ready = points.into_iter().zip(rows).map(|(point, row)| Ready { point, row, ask }).collect();
    }

    /// The first points of the queue become the next trials.
    fn dequeue(&mut self, count: usize) {
        let waiting = self.enqueued[self.dequeued..].iter_mut().take(count);
        waiting.zip(self.records.len() as u64 + 1..).for_each(|(enqueued, trial)| enqueued.trial = Some(trial));
        self.dequeued += count;
    }

    fn push(&mut self, point: Point, row: Option<u64>, ask: Option<u64>) -> u64 {
        self.counts.add(Status::Pending);
        // What is a trial is not ready to become another one.
        self.ready.retain(|ready| ready.point != point || ready.row != row);
        let id = self.records.len() as u64 + 1;
        let told = vec![Told::default(); self.outputs];
        let trial = Trial { id, point, row };
        let (time, by) = (0, Arc::default());
        self.records.push(Record { trial, ask, time, by, told, is_discarded: false, revisions: Vec::new() });
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
        let before = record.status();
        for (k, measurement) in news() {
            record.told[k] = Told { seq, measurement: measurement.clone() };
        }
        let after = record.status();
        self.counts.replace(before, after);
        self.told.push(trial);
        Ok(())
    }

    fn revise(&mut self, trial: u64, after: Option<Vec<Measurement>>, note: Note) -> std::result::Result<(), String> {
        let (seq, outputs) = (self.tells() + 1, self.outputs);
        let record = self.stored(trial)?;
        after.as_ref().map_or(Ok(()), |measurements| check_measurements(trial, measurements, outputs))?;
        let (before, status) = (record.known(), record.status());
        let came_back = std::mem::replace(&mut record.is_discarded, after.is_none());
        for (told, measurement) in record.told.iter_mut().zip(after.iter().flatten()) {
            if came_back || told.measurement != *measurement {
                let seq = if measurement.is_pending() { 0 } else { seq };
                *told = Told { seq, measurement: measurement.clone() };
            }
        }
        record.revisions.push(Revision { before, after, note });
        let after = record.status();
        self.counts.replace(status, after);
        self.told.push(trial);
        self.last_revision = seq;
        // They were chosen by a model of what was wrong.
        self.ready.clear();
        Ok(())
    }

    fn stored(&mut self, trial: u64) -> std::result::Result<&mut Record, String> {
        let record = usize::try_from(trial).ok().and_then(|id| self.records.get_mut(id.checked_sub(1)?));
        record.ok_or_else(|| format!("has an outcome of trial {trial}, but no such trial"))
    }
}
