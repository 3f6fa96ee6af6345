//! A batch before it is committed: chosen by the models of a step, and settled with what others have asked for meanwhile.

use super::choose::Chooser;
use super::credit::{Source, without};
use super::lease::hash;
use super::model::Models;
use super::ready::interleaved;
use super::trust_regions::StepRegions;
use super::{Config, Refit, Replicates, StepReport, Study, design};
use crate::acquire::optimizer::Excluded;
use crate::error::{Error, Result};
use crate::linalg::{Mat, MatRef, row, select_rows};
use crate::rng::StepRng;
use crate::space::Point;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

/// Numbers of batch elements from here on belong to draws without a fit, so that these share no path with a fit that began at the
/// same step: a multiple of the number of paths that share frequencies by default, which are drawn together then.
pub(super) const REFILLS: usize = 25 << 20;

/// A batch before it is committed.
pub(super) struct Proposal {
    /// The user's own points, which it begins with.
    pub queued: Vec<Point>,
    /// How many of the points that are ready come next.
    pub ready: usize,
    /// Those that the study chooses, [points, inputs]: the last ones, `ahead` of them, are for the next asks.
    pub points: Mat,
    pub ahead: usize,
    /// Replicates, which follow the chosen points or, if there are none, come before those for the next asks.
    pub pairs: Vec<Point>,
    pub excluded: Excluded,
    /// The models that chose them, but for those of the design.
    pub models: Option<Arc<Models>>,
    /// The trust regions of the step.
    pub regions: Option<StepRegions>,
    /// What has chosen its points, which are known by a hash.
    pub sources: Vec<(u64, Source)>,
    pub report: StepReport,
    /// Seconds that calls before this ask spent on its models.
    pub earlier_s: f64,
    pub seen: u64,
    /// The number of its step, and of its first element.
    pub drawn_as: (u64, usize),
    /// Whether the lease for it was held: then others have drawn the same paths only if they have left models.
    pub is_leased: bool,
    /// How many states asks had left when it was begun.
    pub states: u64,
    /// Whether its points are by the last models, so that those that are ready stay.
    pub is_refill: bool,
    /// The settings by which its points are chosen, if inputs are fixed for this ask.
    pub fixed: Option<Arc<Config>>,
}

impl Proposal {
    /// Whether some of its points become trials now, apart from those that were waiting.
    pub fn is_asked(&self) -> bool {
        self.report.asked > self.queued.len() + self.ready
    }
}

/// What is wanted of a step.
pub(super) struct Order {
    /// The user's own points.
    pub queued: Vec<Point>,
    /// Points that are ready.
    pub ready: usize,
    /// Points to be chosen.
    pub new: usize,
    /// Of these, points of the design.
    pub design: usize,
    /// Points to be chosen for the next asks.
    pub ahead: usize,
    /// By which models.
    pub refit: Refit,
    /// Whether the lease for it is held.
    pub is_leased: bool,
    /// The settings with some inputs fixed for this ask, if there are such.
    pub fixed: Option<Arc<Config>>,
}

/// Points that models have chosen.
struct Acquired {
    /// [points, inputs]
    points: Mat,
    /// How many of them are of local models; they come last.
    refined: usize,
}

impl Study {
    /// Chooses a batch without committing it.
    pub(super) fn propose(&mut self, order: &Order) -> Result<Proposal> {
        let &Order { ref queued, ready, mut new, design, mut ahead, refit, is_leased, ref fixed } = order;
        let fixed = fixed.clone();
        let (queued, step) = (queued.clone(), self.history().steps() + 1);
        let seen = self.history().tells();
        let mut report = StepReport {
            step: self.history().asks() + 1,
            asked: queued.len() + ready + new,
            queued: queued.len(),
            ready,
            ahead,
            ..StepReport::default()
        };
        let asked = self.history().records().len() + queued.len() + ready;
        let mut first = design;
        let known = self.models.as_ref().map(|(_, models)| models.clone());
        let mut models = None;
        if first < new + ahead || new == 0 {
            match self.models_for(refit) {
                Ok(made) => models = Some(made),
                Err(Error::Interrupted) => return Err(Error::Interrupted),
                // A model that cannot be had must not end the run.
                Err(error) => {
                    report.without_model = Some(error.to_string());
                    (first, ahead, report.ahead) = (new, 0, 0);
                }
            }
        }
        let (most, asked_now) = if new > first { (new - first, new - first) } else { (ahead, 0) };
        let regions = models.as_deref().map_or(Ok(None), |models| self.step_regions(models))?;
        let policy = regions.as_ref().map(|regions| &*regions.policy);
        let mut pairs = Vec::new();
        if let (Some(models), None) = (&models, &fixed) {
            pairs = self.pairs((models, self.kept(models, policy)?), step, most, asked_now)?;
        }
        pairs.truncate(most);
        report.pairs = pairs.len();
        if new > first {
            new -= pairs.len()
        } else {
            ahead -= pairs.len()
        }
        let count = new + ahead;
        report.design = first;
        report.models = models.as_deref().map_or(Ok(Vec::new()), |models| self.reports_of(models))?;
        // Points that are ready stay, and are evaluated, unless new models replace them.
        let is_refill = models.as_deref().map_or(Ok(true), |models| self.is_last(models))?;
        let (mut own, mut excluded) = (self.rows_of(&queued)?, self.excluded());
        if is_refill {
            own = stacked(own.as_ref(), self.ready_rows()?.as_ref());
        }
        excluded.insert_rows(own.as_ref());
        let mut points = Mat::zeros(count, self.config.space.dimensions().len());
        if first > 0 {
            let config = fixed.as_deref().unwrap_or(&self.config);
            let design = design::design(config, asked, first, &mut excluded)?;
            points.as_mut().subrows_mut(0, first).copy_from(design);
        }
        // A call for the best trial may have made the models that this ask would have had to make.
        let is_known = |models: &&Arc<Models>| known.as_ref().is_some_and(|known| Arc::ptr_eq(known, models));
        let known = models.as_ref().filter(is_known).map_or(Ok((0.0, 0.0)), |models| self.seconds_of(models))?;
        let started = Instant::now();
        let number = if is_refill { REFILLS } else { 0 };
        let mut sources = Vec::new();
        if let Some(models) = &models {
            let own = stacked(own.as_ref(), points.as_ref().subrows(0, first));
            let (by, numbers) = ((&**models, regions.as_ref()), number..number + count - first);
            let Acquired { points: mut chosen, refined } =
                self.acquire(by, (step, numbers.clone()), own.as_ref(), fixed.as_deref(), &mut excluded)?;
            sources = self.config.sources(models.shares, step, numbers.clone(), (chosen.as_ref(), refined));
            if ahead > 0 {
                chosen = select_rows(chosen.as_ref(), &interleaved(numbers.len(), refined));
            }
            points.as_mut().subrows_mut(first, count - first).copy_from(chosen);
        }
        let (fit_s, local_s) = known;
        report.acquire_s = started.elapsed().as_secs_f64() + local_s;
        let (drawn_as, states) = ((step, number), self.states);
        let earlier_s = fit_s + local_s;
        Ok(Proposal {
            queued,
            ready,
            points,
            ahead,
            pairs,
            excluded,
            models,
            regions,
            sources,
            report,
            earlier_s,
            seen,
            drawn_as,
            is_leased,
            states,
            is_refill,
            fixed,
        })
    }

    /// Whether others have left models that have seen more, or points by them.
    fn is_outdated(&self, models: &Models) -> Result<bool> {
        Ok(models.seen() < self.last_seen()?)
    }

    /// Seconds that models took which no ask has used yet: for all trials, and for neighbourhoods.
    pub(super) fn seconds_of(&self, models: &Models) -> Result<(f64, f64)> {
        if self.is_last(models)? {
            return Ok((0.0, 0.0));
        }
        let fit_s = models.reports.iter().map(|report| report.allocate_s + report.fit_s).sum();
        let local = models.local.get().and_then(Option::as_ref);
        Ok((fit_s, local.map_or(0.0, |local| local.seconds)))
    }

    /// Points that the models choose, given the pending ones, of which `own` will be as well; by the study's own settings, or by those
    /// with some inputs fixed.
    fn acquire(
        &self,
        (models, regions): (&Models, Option<&StepRegions>),
        (step, numbers): (u64, Range<usize>),
        own: MatRef<'_>,
        fixed: Option<&Config>,
        excluded: &mut Excluded,
    ) -> Result<Acquired> {
        let (table, policy) = (&self.table, regions.map(|regions| &*regions.policy));
        let kept = if fixed.is_some() { None } else { self.kept(models, policy)? };
        let (now, seen, few);
        let (observed, shortlisted, failed) = match kept {
            Some(kept) => (kept.observed.as_ref(), kept.observed.as_ref(), kept.failed.as_ref()),
            None => {
                let records = self.observed_records();
                seen = table.until(models.seen(), &self.history)?;
                let is_seen = *seen.records == *records;
                let own = if is_seen { Mat::zeros(0, 0) } else { table.rows(&records) };
                now = (own, table.rows(&self.failed_records()));
                let all = if is_seen { seen.x() } else { now.0.as_ref() };
                few = self.shortlisted(models, &records, self.history.tells())?.map(|few| table.rows(&few));
                (all, few.as_ref().map_or(all, |few| few.as_ref()), now.1.as_ref())
            }
        };
        let others = table.rows(&self.awaited(models));
        let pending = stacked(others.as_ref(), own);
        let rng = StepRng { seed: self.config.seed, step };
        let (config, pending) = (fixed.unwrap_or(&self.config), pending.as_ref());
        let is_all_seen = kept.is_some() || models.seen() == self.history.tells();
        let has_lineages = policy.is_some_and(|policy| !policy.lineages().is_empty());
        let all = if has_lineages { Some(table.until(models.seen(), &self.history)?) } else { None };
        let all = all.as_deref();
        let refined = config.refined(models.shares, step, numbers.clone());
        let mut chooser = Chooser {
            config,
            models,
            local: None,
            kept,
            all,
            observed,
            shortlisted,
            is_all_seen,
            failed,
            pending,
            rng,
        };
        if refined > 0 {
            if kept.is_none() && is_all_seen {
                // Local models begin at the trials with the best means, which the search needs as well.
                let (objectives, constraints) = config.acquired(&models.outputs);
                chooser.pareto(&objectives, &constraints)?;
            }
            chooser.local = self.local(models)?;
        }
        let local = chooser.local;
        let points = chooser.choose(policy, numbers, excluded)?;
        self.note_shortlist(models)?;
        Ok(Acquired { points, refined: if local.is_some() { refined } else { 0 } })
    }

    /// Replaces the points of a proposal that others have asked for meanwhile; says whether the rest may stay as it is.
    ///
    /// If others have *chosen* points without a lease, or in spite of one, they may have drawn the same paths from hardly other data: then all of
    /// the model's points are drawn again, within trust regions that have learned what theirs did; once, as no other process
    /// draws paths with these numbers.
    pub(super) fn settle(&mut self, proposal: &mut Proposal) -> Result<bool> {
        let (known, settings) = (self.history().records().len(), self.history().settings().len());
        self.refresh()?;
        let queue = self.history().queue().take(proposal.queued.len());
        let refilling = proposal.models.as_ref().filter(|_| proposal.is_refill);
        let is_outdated = refilling.map_or(Ok(false), |models| self.is_outdated(models))?;
        if self.history().settings().len() > settings || !queue.eq(&proposal.queued) || is_outdated {
            return Ok(false);
        }
        if !self.make_up(proposal) {
            return Ok(false);
        }
        let missing = self.drop_pairs(proposal)?;
        let (asked, step) = (self.history().records().len(), self.history().steps() + 1);
        let others = self.table.rows(&(known..asked).collect::<Vec<_>>());
        let mut clashing = Excluded::default();
        let ready = if proposal.is_refill { self.ready_rows()? } else { Mat::zeros(0, others.ncols()) };
        for some in [others.as_ref(), ready.as_ref()] {
            clashing.insert_rows(some);
            proposal.excluded.insert_rows(some);
        }
        let is_unique = proposal.report.redraws > 0 || proposal.is_leased && self.states == proposal.states;
        let has_same_paths = step > proposal.drawn_as.0 && !is_unique;
        let same_paths = |i: usize| has_same_paths && i >= proposal.report.design;
        let clashes = |i: usize| {
            self.config.replicates != Replicates::Allowed && clashing.contains(&row(proposal.points.as_ref(), i))
        };
        let (replaced, kept): (Vec<usize>, Vec<usize>) =
            (0..proposal.points.nrows()).partition(|&i| missing.contains(&i) || same_paths(i) || clashes(i));
        proposal.report.step = self.history().asks() + 1;
        if replaced.is_empty() {
            return Ok(true);
        }
        if has_same_paths {
            proposal.drawn_as = (step, self.own_numbers());
            proposal.report.redraws += 1;
            if let Some(models) = &proposal.models {
                proposal.regions = self.step_regions(models)?;
            }
        }
        // Numbers that no path of this step had before.
        let (step, number) = proposal.drawn_as;
        let first = number + proposal.points.nrows() + proposal.report.replaced;
        proposal.report.replaced += replaced.len();
        let kept = select_rows(proposal.points.as_ref(), &kept);
        let kept = stacked(self.rows_of(&proposal.queued)?.as_ref(), kept.as_ref());
        let fresh = match &proposal.models {
            Some(models) => {
                let (by, numbers) = ((&**models, proposal.regions.as_ref()), first..first + replaced.len());
                let fixed = proposal.fixed.as_deref();
                let Acquired { points, refined } =
                    self.acquire(by, (step, numbers.clone()), kept.as_ref(), fixed, &mut proposal.excluded)?;
                let lost = select_rows(proposal.points.as_ref(), &replaced);
                without(&mut proposal.sources, lost.as_ref());
                let fresh = self.config.sources(models.shares, step, numbers, (points.as_ref(), refined));
                proposal.sources.extend(fresh);
                points
            }
            None => {
                let asked = asked + proposal.queued.len();
                let config = proposal.fixed.as_deref().unwrap_or(&self.config);
                design::design(config, asked, replaced.len(), &mut proposal.excluded)?
            }
        };
        for (j, &i) in replaced.iter().enumerate() {
            proposal.points.row_mut(i).copy_from(fresh.row(j));
        }
        Ok(true)
    }

    /// Drops replicates that are too many with those that others have asked for meanwhile. Where they were to become trials, their
    /// places are left free among the points: returns these.
    fn drop_pairs(&self, proposal: &mut Proposal) -> Result<Range<usize>> {
        let asked = if proposal.is_asked() { proposal.report.asked } else { 0 };
        let before = proposal.pairs.len();
        proposal.pairs.truncate(self.replicates_left(asked)?);
        proposal.report.pairs = proposal.pairs.len();
        let missing = before - proposal.pairs.len();
        proposal.report.ahead -= if proposal.is_asked() { 0 } else { missing };
        let new = proposal.points.nrows() - proposal.ahead;
        if !proposal.is_asked() || missing == 0 {
            return Ok(new..new);
        }
        let (points, inputs) = (proposal.points.as_ref(), proposal.points.ncols());
        let above = stacked(points.subrows(0, new), Mat::zeros(missing, inputs).as_ref());
        proposal.points = stacked(above.as_ref(), points.subrows(new, proposal.ahead));
        Ok(new..new + missing)
    }

    /// Takes points that were to be ready for others in the place of those that others have asked for; `false` if there are too
    /// few.
    fn make_up(&self, proposal: &mut Proposal) -> bool {
        let missing = proposal.ready.saturating_sub(self.history().ready().len());
        let is_enough = missing <= proposal.ahead;
        if is_enough {
            proposal.ready -= missing;
            proposal.ahead -= missing;
            (proposal.report.ready, proposal.report.ahead) = (proposal.ready, proposal.ahead);
        }
        is_enough
    }

    /// Numbers of batch elements that no other process uses.
    fn own_numbers(&self) -> usize {
        (1 + hash(&self.by) as usize) * 4 * REFILLS
    }
}

/// The rows of one matrix, then those of another.
pub(super) fn stacked(above: MatRef<'_>, below: MatRef<'_>) -> Mat {
    let mut rows = Mat::zeros(above.nrows() + below.nrows(), below.ncols());
    rows.as_mut().subrows_mut(0, above.nrows()).copy_from(above);
    rows.as_mut().subrows_mut(above.nrows(), below.nrows()).copy_from(below);
    rows
}
