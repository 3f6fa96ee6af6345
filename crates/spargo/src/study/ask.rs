//! One ask: the design's points and the model's, committed if no other process has asked for them meanwhile.

use super::choose::Chooser;
use super::json::to_json;
use super::limits::{MOST_POINTS, check_count};
use super::model::Models;
use super::rows::candidate_rows;
use super::state::StepState;
use super::storage::{Event, milliseconds};
use super::trust_regions::{RegionMemory, StepRegions};
use super::{Key, ModelReport, Refit, Replicates, StepReport, Study, Trial, design};
use crate::acquire::optimizer::Excluded;
use crate::error::{Error, Result};
use crate::interrupt;
use crate::linalg::{Mat, MatRef, row, select_rows};
use crate::rng::StepRng;
use crate::space::Point;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

/// A batch before it is committed.
struct Proposal {
    /// The user's own points, which it begins with.
    queued: Vec<Point>,
    /// Those that the study chooses, [points, inputs].
    points: Mat,
    excluded: Excluded,
    /// The models that chose them, but for those of the design.
    models: Option<Arc<Models>>,
    /// The trust regions of the step.
    regions: Option<StepRegions>,
    report: StepReport,
    /// Seconds that calls before this ask spent on its models.
    earlier_s: f64,
    seen: u64,
}

impl Study {
    /// The next `count` points to evaluate, all new.
    pub fn ask(&mut self, count: usize) -> Result<Vec<Trial>> {
        self.ask_with(count, Refit::Always)
    }

    /// The next `count` points to evaluate, by models that may have missed some outcomes: without a fit, if the last ask's
    /// are fresh enough.
    pub fn ask_with(&mut self, count: usize, refit: Refit) -> Result<Vec<Trial>> {
        if count == 0 {
            return Ok(Vec::new());
        }
        check_count("the number of points asked for", count, MOST_POINTS)?;
        let started = Instant::now();
        self.refresh()?;
        self.check_asked()?;
        loop {
            let queued: Vec<Point> = self.history.queue().take(count).cloned().collect();
            let asked = match count - queued.len() {
                0 => self.ask_queued(queued),
                new => match self.ask_new(new, &queued, refit, started) {
                    // The user's own points are asked for all the same.
                    Err(Error::Exhausted { .. }) if !queued.is_empty() => self.ask_queued(queued),
                    asked => asked,
                },
            };
            if let Some(trials) = asked? {
                return Ok(trials);
            }
        }
    }

    /// The user's own points and the next `count` that the study chooses, in one batch, so that none is there without the
    /// others; `None` if other processes have asked for the former, or changed the settings, meanwhile.
    fn ask_new(
        &mut self,
        count: usize,
        queued: &[Point],
        refit: Refit,
        started: Instant,
    ) -> Result<Option<Vec<Trial>>> {
        let proposal = self.propose(count, queued.to_vec(), refit);
        let mut proposal = self.counted(count, proposal)?;
        loop {
            proposal.report.total_s = proposal.earlier_s + started.elapsed().as_secs_f64();
            let points = [&proposal.queued[..], &self.decode(proposal.points.as_ref())?].concat();
            let memory = proposal.regions.as_ref().and_then(|regions| regions.memory.clone());
            let by = (proposal.models.as_ref(), memory);
            let rows = candidate_rows(&self.config.space, &self.history, &points, &[]);
            if let Some(trials) = self.commit((points, rows), by, &proposal.report, proposal.seen)? {
                return Ok(Some(trials));
            }
            let settled = self.settle(&mut proposal);
            if !self.counted(count, settled)? {
                return Ok(None);
            }
        }
    }

    /// Writes a batch, points and their rows among the candidates; `None` if others have asked, or changed the settings,
    /// meanwhile. Trust regions that have learned nothing remember what they did.
    pub(super) fn commit(
        &mut self,
        (points, rows): (Vec<Point>, Vec<Option<u64>>),
        (models, regions): (Option<&Arc<Models>>, Option<RegionMemory>),
        report: &StepReport,
        seen: u64,
    ) -> Result<Option<Vec<Trial>>> {
        interrupt::poll()?;
        let regions = regions.or(self.state()?.and_then(|state| state.regions.clone()));
        let state = models.map(|models| to_json(&StepState { models: models.states.clone(), regions })).transpose()?;
        let (queued, report, time) = (report.queued, to_json(report)?, milliseconds());
        let event = [Event::Asked { seen, time, points, rows, queued, report, state }];
        while let Some(news) = self.try_append(&event)? {
            if news.iter().any(Event::outdates_batches) {
                return Ok(None);
            }
            self.apply(news)?;
        }
        let known = self.history.records().len();
        self.apply(event.into())?;
        self.models = models.map(|models| (Key { ask: self.history.asks(), seen: models.seen() }, models.clone()));
        Ok(Some(self.history.records()[known..].iter().map(|record| record.trial.clone()).collect()))
    }

    /// Chooses a batch without committing it.
    fn propose(&mut self, count: usize, queued: Vec<Point>, refit: Refit) -> Result<Proposal> {
        let step = self.history().asks() + 1;
        let seen = self.history().tells();
        let mut report =
            StepReport { step, asked: queued.len() + count, queued: queued.len(), ..StepReport::default() };
        let asked = self.history().records().len() + queued.len();
        let mut first = self.config.initial.saturating_sub(asked).min(count);
        if self.table.observed.is_empty() {
            first = count;
        }
        let known = self.models.as_ref().map(|(_, models)| models.clone());
        let mut models = None;
        if first < count {
            match self.models_for(refit) {
                Ok(made) => models = Some(made),
                Err(Error::Interrupted) => return Err(Error::Interrupted),
                // A model that cannot be had must not end the run.
                Err(error) => {
                    report.without_model = Some(error.to_string());
                    first = count;
                }
            }
        }
        report.design = first;
        report.models = models.as_deref().map_or(Ok(Vec::new()), |models| self.reports_of(models))?;
        let (own, mut excluded) = (self.rows_of(&queued)?, self.excluded());
        excluded.insert_rows(own.as_ref());
        let mut points = Mat::zeros(count, self.config.space.dimensions().len());
        if first > 0 {
            let design = design::design(&self.config, asked, first, &mut excluded)?;
            points.as_mut().subrows_mut(0, first).copy_from(design);
        }
        // A call for the best trial may have made the models that this ask would have had to make.
        let is_known = |models: &&Arc<Models>| known.as_ref().is_some_and(|known| Arc::ptr_eq(known, models));
        let known = models.as_ref().filter(is_known).map_or(Ok((0.0, 0.0)), |models| self.seconds_of(models))?;
        let started = Instant::now();
        let mut regions = None;
        if let Some(models) = &models {
            let own = stacked(own.as_ref(), points.as_ref().subrows(0, first));
            regions = self.step_regions(models)?;
            let by = (&**models, regions.as_ref());
            let chosen = self.acquire(by, step, 0..count - first, own.as_ref(), &mut excluded)?;
            points.as_mut().subrows_mut(first, count - first).copy_from(chosen);
        }
        let (fit_s, local_s) = known;
        report.acquire_s = started.elapsed().as_secs_f64() + local_s;
        Ok(Proposal { queued, points, excluded, models, regions, report, earlier_s: fit_s + local_s, seen })
    }

    /// The last tell that the last ask's models had seen; 0 if there was none.
    fn last_seen(&self) -> Result<u64> {
        Ok(self.state()?.and_then(StepState::seen).unwrap_or(0))
    }

    /// How the models of an ask came about; nothing of those that are the last ask's.
    pub(super) fn reports_of(&self, models: &Models) -> Result<Vec<ModelReport>> {
        let is_last = self.last_seen()? == models.seen();
        Ok(if is_last { models.reports_again() } else { models.reports.clone() })
    }

    /// Seconds that models took which no ask has used yet: for all trials, and for neighbourhoods.
    fn seconds_of(&self, models: &Models) -> Result<(f64, f64)> {
        if self.last_seen()? == models.seen() {
            return Ok((0.0, 0.0));
        }
        let fit_s = models.reports.iter().map(|report| report.allocate_s + report.fit_s).sum();
        let local = models.local.get().and_then(Option::as_ref);
        Ok((fit_s, local.map_or(0.0, |local| local.seconds)))
    }

    /// Points that the models choose, given the pending ones, of which `own` will be as well.
    fn acquire(
        &self,
        (models, regions): (&Models, Option<&StepRegions>),
        step: u64,
        numbers: Range<usize>,
        own: MatRef<'_>,
        excluded: &mut Excluded,
    ) -> Result<Mat> {
        let table = &self.table;
        let (observed, failed) = (table.rows(&table.observed), table.rows(&table.failed));
        let others = table.rows(&table.pending);
        let pending = stacked(others.as_ref(), own);
        let local = if self.config.refined(step, numbers.clone()) > 0 { self.local(models)? } else { None };
        let rng = StepRng { seed: self.config.seed, step };
        let (observed, failed, pending) = (observed.as_ref(), failed.as_ref(), pending.as_ref());
        let chooser = Chooser { config: &self.config, models, local, observed, failed, pending, rng };
        chooser.choose(regions.map(|regions| &*regions.policy), numbers, excluded)
    }

    /// Replaces the points of a proposal that others have asked for meanwhile; says whether the rest may stay as it is.
    ///
    /// If others have *asked*, they may have drawn the same paths from hardly other data: then all of the model's points are
    /// drawn again, as those of the step that this ask becomes, within trust regions that have learned what theirs did.
    fn settle(&mut self, proposal: &mut Proposal) -> Result<bool> {
        let (known, before, settings) =
            (self.history().records().len(), self.history().asks(), self.history().settings().len());
        self.refresh()?;
        let queue = self.history().queue().take(proposal.queued.len());
        if self.history().settings().len() > settings || !queue.eq(&proposal.queued) {
            return Ok(false);
        }
        let (asked, step) = (self.history().records().len(), self.history().asks() + 1);
        let others = self.table.rows(&(known..asked).collect::<Vec<_>>());
        let mut clashing = Excluded::default();
        clashing.insert_rows(others.as_ref());
        proposal.excluded.insert_rows(others.as_ref());
        let same_paths = |i: usize| step > before + 1 && i >= proposal.report.design;
        let clashes = |i: usize| {
            self.config.replicates == Replicates::Never && clashing.contains(&row(proposal.points.as_ref(), i))
        };
        let (replaced, kept): (Vec<usize>, Vec<usize>) =
            (0..proposal.points.nrows()).partition(|&i| same_paths(i) || clashes(i));
        // Numbers that no path of this step had before.
        let first = proposal.report.asked + proposal.report.replaced;
        let numbers = first..first + replaced.len();
        proposal.report.step = step;
        proposal.report.replaced += replaced.len();
        if replaced.is_empty() {
            return Ok(true);
        }
        let kept = select_rows(proposal.points.as_ref(), &kept);
        let kept = stacked(self.rows_of(&proposal.queued)?.as_ref(), kept.as_ref());
        let fresh = match &proposal.models {
            Some(models) => {
                if step > before + 1 {
                    proposal.regions = self.step_regions(models)?;
                }
                let by = (&**models, proposal.regions.as_ref());
                self.acquire(by, step, numbers, kept.as_ref(), &mut proposal.excluded)?
            }
            None => {
                let asked = asked + proposal.queued.len();
                design::design(&self.config, asked, replaced.len(), &mut proposal.excluded)?
            }
        };
        for (j, &i) in replaced.iter().enumerate() {
            proposal.points.row_mut(i).copy_from(fresh.row(j));
        }
        Ok(true)
    }

    /// Says of an ask as a whole, not of the part of it that found too few, how many points are left.
    fn counted<T>(&self, wanted: usize, result: Result<T>) -> Result<T> {
        let Err(Error::Exhausted { .. }) = &result else { return result };
        let space = &self.config.space;
        let left = match (space.candidates(), space.size()) {
            (Some(table), _) => self.excluded().free_rows(table).len(),
            (None, Some(size)) => (size as usize).saturating_sub(self.excluded().len()),
            (None, None) => return result,
        };
        Err(Error::Exhausted { wanted, left })
    }

    /// Points that are not to be asked for.
    fn excluded(&self) -> Excluded {
        match self.config.replicates {
            Replicates::Allowed => Excluded::nothing(),
            Replicates::Never => self.table.excluded.clone(),
        }
    }

    /// Encoded points, [points, inputs]; a range may have become too narrow for them.
    fn rows_of(&self, points: &[Point]) -> Result<Mat> {
        let rows = points.iter().map(|point| self.config.space.encode_observed(point)).collect::<Result<Vec<_>>>()?;
        Ok(Mat::from_fn(rows.len(), self.config.space.dimensions().len(), |i, k| rows[i][k]))
    }

    fn decode(&self, points: MatRef<'_>) -> Result<Vec<Point>> {
        (0..points.nrows()).map(|i| self.config.space.decode(&row(points, i))).collect()
    }
}

/// The rows of one matrix, then those of another.
fn stacked(above: MatRef<'_>, below: MatRef<'_>) -> Mat {
    let mut rows = Mat::zeros(above.nrows() + below.nrows(), below.ncols());
    rows.as_mut().subrows_mut(0, above.nrows()).copy_from(above);
    rows.as_mut().subrows_mut(above.nrows(), below.nrows()).copy_from(below);
    rows
}
