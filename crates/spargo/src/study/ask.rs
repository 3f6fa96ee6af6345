//! One ask: the design's points and the model's, committed if no other process has asked for them meanwhile.

use super::credit::Source;
use super::json::to_json;
use super::lease::Pauses;
use super::limits::{MOST_POINTS, check_count};
use super::model::Models;
use super::proposal::{Order, Proposal};
use super::rows::candidate_rows;
use super::state::StepState;
use super::storage::{Ahead, Event, milliseconds};
use super::trust_regions::RegionMemory;
use super::{Config, ModelReport, Refit, Replicates, StepReport, Study, Trial};
use crate::acquire::optimizer::Excluded;
use crate::error::{Error, Result};
use crate::interrupt;
use crate::linalg::{Mat, row};
use crate::space::{Point, Value};
use std::sync::Arc;
use std::time::Instant;

/// What an ask writes: trials, and points for the next asks.
#[derive(Default)]
pub(super) struct Batch {
    /// Queued points and those that were chosen.
    pub points: Vec<Point>,
    /// The rows of the table of candidates that they are.
    pub rows: Vec<Option<u64>>,
    /// How many of the points that are ready become trials.
    pub ready: usize,
    /// Points for the next asks, instead of those that are ready.
    pub ahead: Option<Box<Ahead>>,
}

/// What became of points that were to be ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Prepared {
    /// They are.
    Done,
    /// Another process chooses them.
    ByOthers,
    /// No models can be had, or no points are left.
    Nothing,
}

/// What has chosen a batch, and is committed with it.
#[derive(Default)]
pub(super) struct ChosenBy<'a> {
    /// None, if it was a design.
    pub models: Option<&'a Arc<Models>>,
    /// What trust regions have learned.
    pub regions: Option<RegionMemory>,
    /// What has chosen each point, by its hash.
    pub sources: &'a [(u64, Source)],
}

impl Study {
    /// The next `count` points to evaluate, all new.
    pub fn ask(&mut self, count: usize) -> Result<Vec<Trial>> {
        self.ask_with(count, Refit::Always)
    }

    /// The next `count` points to evaluate, by models that may have missed some outcomes: without a fit, if the last ones are
    /// fresh enough or another process is fitting; without any choice, if points are ready.
    pub fn ask_with(&mut self, count: usize, refit: Refit) -> Result<Vec<Trial>> {
        if count == 0 {
            return Ok(Vec::new());
        }
        check_count("the number of points asked for", count, MOST_POINTS)?;
        let (started, mut pauses) = (Instant::now(), Pauses::default());
        self.refresh()?;
        self.check_asked()?;
        self.refill(refit)?;
        loop {
            let queued: Vec<Point> = self.history.queue().take(count).cloned().collect();
            let design = self.design_left(queued.len());
            // The design comes first.
            let ready = self.ready_for((count - queued.len()).saturating_sub(design), refit)?;
            let new = count - queued.len() - ready;
            let asked = if new == 0 {
                self.ask_waiting(queued, ready)
            } else if let Some((refit_now, is_leased)) = self.turn(refit, new <= design)? {
                let ahead = if new <= design { 0 } else { self.ahead_of(new, refit)? };
                let (own, design, refit) = (queued.clone(), design.min(new), refit_now);
                let order = Order { queued: own, ready, new, design, ahead, refit, is_leased, fixed: None };
                match self.ask_new(order, started) {
                    // What is waiting is asked for all the same: in a finite space there may be nothing else.
                    Err(Error::Exhausted { .. }) if queued.len() + self.history.ready().len() > 0 => {
                        let ready = self.history.ready().len().min(count - queued.len());
                        self.ask_waiting(queued, ready)
                    }
                    asked => asked,
                }
            } else {
                pauses.wait()?;
                self.refresh()?;
                continue;
            };
            if let Some(trials) = asked? {
                return Ok(trials);
            }
        }
    }

    /// The next `count` points with some inputs, by name, at one value each: all chosen now, none of those that are queued or ready.
    pub fn ask_fixed(&mut self, count: usize, fixed: &[(String, Value)], refit: Refit) -> Result<Vec<Trial>> {
        if fixed.is_empty() {
            return self.ask_with(count, refit);
        }
        check_count("the number of points asked for", count, MOST_POINTS)?;
        if count == 0 {
            return Ok(Vec::new());
        }
        let (started, mut pauses) = (Instant::now(), Pauses::default());
        loop {
            self.refresh()?;
            self.check_asked()?;
            let space = self.config.space.with_fixed(fixed)?;
            let config = Arc::new(Config { space, ..self.config.clone() });
            let design = self.design_left(0).min(count);
            let Some((refit, is_leased)) = self.turn(refit, count <= design)? else {
                pauses.wait()?;
                continue;
            };
            let fixed = Some(config);
            let order = Order { queued: Vec::new(), ready: 0, new: count, design, ahead: 0, refit, is_leased, fixed };
            if let Some(trials) = self.ask_new(order, started)? {
                return Ok(trials);
            }
        }
    }

    /// Chooses points for the next asks, which are ready then.
    pub(super) fn prepare(&mut self, count: usize, refit: Refit) -> Result<Prepared> {
        let Some((refit, is_leased)) = self.turn(refit, false)? else { return Ok(Prepared::ByOthers) };
        let order =
            Order { queued: Vec::new(), ready: 0, new: 0, design: 0, ahead: count, refit, is_leased, fixed: None };
        match self.ask_new(order, Instant::now()) {
            Ok(Some(_)) => Ok(Prepared::Done),
            // The asks will find out what is wrong, or left.
            Ok(None) | Err(Error::Exhausted { .. }) => Ok(Prepared::Nothing),
            Err(error) => Err(error),
        }
    }

    /// Trials that are still to come from the design: all, as long as nothing was observed.
    pub(super) fn design_left(&self, queued: usize) -> usize {
        if self.table.observed.is_empty() {
            return usize::MAX;
        }
        self.config.initial_count().saturating_sub(self.history.records().len() + queued)
    }

    /// The user's own points, those that are ready and the next that the study chooses, in one batch, so that none is there
    /// without the others; `None` if other processes have asked for the former, or changed the settings, meanwhile.
    fn ask_new(&mut self, order: Order, started: Instant) -> Result<Option<Vec<Trial>>> {
        let is_leased = order.is_leased;
        let asked = self.propose_and_commit(order, started);
        // A lease ends with an ask.
        if is_leased && !matches!(asked, Ok(Some(_))) {
            self.release();
        }
        asked
    }

    fn propose_and_commit(&mut self, mut order: Order, started: Instant) -> Result<Option<Vec<Trial>>> {
        let count = order.new;
        let proposal = loop {
            match self.propose(&order) {
                // A finite space may have enough for this ask, or for some that follow.
                Err(Error::Exhausted { .. }) if order.ahead > 0 => {
                    order.ahead = if count > 0 { 0 } else { order.ahead / 2 };
                }
                proposed => break proposed,
            }
        };
        let fixed = order.fixed.clone();
        let mut proposal = self.counted(count, fixed.as_deref(), proposal)?;
        if count == 0 && proposal.models.is_none() {
            return Ok(None);
        }
        loop {
            proposal.report.total_s = proposal.earlier_s + started.elapsed().as_secs_f64();
            let batch = self.batch_of(&proposal)?;
            let memory = proposal.regions.as_ref().and_then(|regions| regions.memory.clone());
            let by = ChosenBy { models: proposal.models.as_ref(), regions: memory, sources: &proposal.sources };
            if let Some(trials) = self.commit(batch, by, &proposal.report, proposal.seen)? {
                return Ok(Some(trials));
            }
            let settled = self.settle(&mut proposal);
            if !self.counted(count, fixed.as_deref(), settled)? {
                return Ok(None);
            }
        }
    }

    /// What a proposal writes now: where nothing is asked for, points that are ready stay before those of the same models.
    fn batch_of(&self, proposal: &Proposal) -> Result<Batch> {
        let space = &proposal.fixed.as_deref().unwrap_or(&self.config).space;
        let points = proposal.points.as_ref();
        let chosen = (0..points.nrows()).map(|i| space.decode(&row(points, i))).collect::<Result<Vec<Point>>>()?;
        let (new, ahead) = chosen.split_at(chosen.len() - proposal.ahead);
        let (queued, pairs) = (&proposal.queued[..], &proposal.pairs[..]);
        let is_asked = proposal.is_asked();
        let (now, later) = if is_asked { (pairs, &[][..]) } else { (&[][..], pairs) };
        let keeps = proposal.is_refill && !is_asked;
        let kept = self.history.ready().filter(|_| keeps).map(|ready| ready.point.clone());
        let points = [queued, new, now].concat();
        let ahead: Vec<Point> = kept.chain(later.iter().chain(ahead).cloned()).collect();
        let all = points.iter().chain(&ahead);
        let known = self.queued_rows(proposal.queued.len());
        let mut rows = candidate_rows(&self.config.space, &self.history, all, &known);
        let ahead_rows = rows.split_off(points.len().min(rows.len()));
        let ahead = (!ahead.is_empty()).then(|| Box::new(Ahead { points: ahead, rows: ahead_rows }));
        Ok(Batch { points, rows, ready: proposal.ready, ahead })
    }

    /// Writes a batch; `None` if others have asked, or changed the settings, meanwhile. Trust regions that have learned nothing
    /// remember what they did.
    pub(super) fn commit(
        &mut self,
        batch: Batch,
        ChosenBy { models, regions, sources }: ChosenBy<'_>,
        report: &StepReport,
        seen: u64,
    ) -> Result<Option<Vec<Trial>>> {
        interrupt::poll()?;
        let (last, seen_by) = (self.last_seen()?, models.map_or(0, |models| models.seen()));
        let Batch { points, rows, ready, ahead } = batch;
        // New models replace what others had ready; those of others that have seen more stay.
        let (state, ahead) = if models.is_some() && seen_by < last {
            (self.state_with(regions)?, None)
        } else {
            let is_new = models.is_some() && seen_by > last;
            (self.state_of(models, regions, sources)?, ahead.or(is_new.then(Box::default)))
        };
        let (by, queued, report, time) = (self.by.clone(), report.queued, to_json(report)?, milliseconds());
        let event = [Event::Asked { seen, time, points, rows, queued, ready, ahead, by, report, state }];
        while let Some(news) = self.try_append(&event)? {
            if news.iter().any(Event::outdates_batches) {
                return Ok(None);
            }
            self.apply(news)?;
            if ready > self.history.ready().len() {
                return Ok(None);
            }
        }
        let known = self.history.records().len();
        self.apply(event.into())?;
        let models = models.map(|models| Ok((self.key(models.seen())?, models.clone())));
        self.models = models.transpose()?;
        self.demand.is_shared = false;
        Ok(Some(self.trials_from(known)))
    }

    /// What a step leaves; `None` if that is what the last one has left.
    fn state_of(
        &self,
        models: Option<&Arc<Models>>,
        regions: Option<RegionMemory>,
        sources: &[(u64, Source)],
    ) -> Result<Option<String>> {
        let Some(models) = models else { return Ok(None) };
        if regions.is_none() && self.is_last(models)? {
            return Ok(None);
        }
        let regions = regions.or(self.state()?.and_then(|state| state.regions.clone()));
        let credit = models.credit.awaiting(sources.iter().copied());
        to_json(&StepState { models: models.states.clone(), regions, credit }).map(Some)
    }

    /// What the last step has left, with what trust regions have learned since; `None` if that is nothing.
    fn state_with(&self, regions: Option<RegionMemory>) -> Result<Option<String>> {
        let Some((regions, last)) = regions.zip(self.state()?) else { return Ok(None) };
        to_json(&StepState { regions: Some(regions), ..last.clone() }).map(Some)
    }

    /// The trials from a place in the history on.
    pub(super) fn trials_from(&self, place: usize) -> Vec<Trial> {
        self.history.records()[place..].iter().map(|record| record.trial.clone()).collect()
    }

    /// The last tell that the last ask's models had seen; 0 if there was none.
    pub(super) fn last_seen(&self) -> Result<u64> {
        Ok(self.state()?.and_then(StepState::seen).unwrap_or(0))
    }

    /// Whether models are those of the last ask that had any.
    pub(super) fn is_last(&self, models: &Models) -> Result<bool> {
        Ok(self.last_seen()? == models.seen())
    }

    /// How the models of an ask came about; nothing of those that are the last ask's.
    pub(super) fn reports_of(&self, models: &Models) -> Result<Vec<ModelReport>> {
        Ok(if self.is_last(models)? { models.reports_again() } else { models.reports.clone() })
    }

    /// Says of an ask as a whole, not of the part of it that found too few, how many points are left.
    fn counted<T>(&self, wanted: usize, fixed: Option<&Config>, result: Result<T>) -> Result<T> {
        let Err(Error::Exhausted { .. }) = &result else { return result };
        let space = &fixed.unwrap_or(&self.config).space;
        let left = match (space.listing(), space.size()) {
            (Some(points), _) => self.excluded().free_rows(points).len(),
            (None, Some(size)) => (size as usize).saturating_sub(self.excluded().len()),
            (None, None) => return result,
        };
        Err(Error::Exhausted { wanted, left })
    }

    /// Points that are not to be asked for.
    pub(super) fn excluded(&self) -> Excluded {
        match self.config.replicates {
            Replicates::Allowed => Excluded::nothing(),
            Replicates::Auto | Replicates::Never => self.table.excluded.clone(),
        }
    }

    /// Encoded points, [points, inputs]; a range may have become too narrow for them.
    pub(super) fn rows_of(&self, points: &[Point]) -> Result<Mat> {
        let rows = points.iter().map(|point| self.config.space.encode_observed(point)).collect::<Result<Vec<_>>>()?;
        Ok(Mat::from_fn(rows.len(), self.config.space.dimensions().len(), |i, k| rows[i][k]))
    }
}
