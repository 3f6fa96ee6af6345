//! The policy of a run: which trials to evaluate next, and when to stop.
//!
//! ```text
//!     trials left pending by an earlier run ─▶ new trials, budget − R of them ─▶ R replicates of the likely winners ─▶ done
//! ```
//!
//! A campaign asks and never evaluates: the caller evaluates the trials it hands out, tells their outcomes, and asks for
//! what comes [`next`](Campaign::next). In [`Mode::Async`] threads of its own fit the next models and draw points meanwhile.

use super::heart::Heart;
use super::lease::Pauses;
use super::storage::Work;
use super::{BackgroundFitter, Correction, Counts, Note, Record, Refit, Status, Study, Trial};
use crate::error::Result;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::{Duration, Instant};

/// Failures without any success after which to give up: never fewer than the first number, as one crash proves nothing.
const GIVE_UP: (usize, usize) = (5, 20);

/// Time within which the thread that fits begins a fit that is due.
const BEGINS: Duration = Duration::from_millis(200);

/// A run of a study: budget, batches, final replicates, and when to give up.
#[derive(Debug)]
pub struct Campaign {
    /// How many trials may be evaluated.
    pub budget: Budget,
    /// Trials per batch; `None` for [`Study::default_count`].
    pub batch: Option<usize>,
    /// When new trials are asked for.
    pub mode: Mode,
    /// How many of the budget's trials, the last ones, re-evaluate the likely winners.
    pub final_replicates: usize,
    /// Failures after which the campaign stops if nothing that it handed out has succeeded; `None` for never.
    pub give_up: Option<usize>,
    /// Whether trials that an earlier process asked for and left pending are evaluated first.
    pub resume: bool,
    /// Evaluations at a time, for what `status` says of a run; 0 if nothing is to be said.
    pub workers: usize,
    /// Outcomes that models may have missed in [`Mode::Async`] before new trials wait for the next models; `None` for any number.
    ///
    /// Where evaluations are much shorter than fits, most points would be those of the first models.
    pub most_missed: Option<u64>,
    begun: bool,
    /// Trials that were handed out, each with the number of its corrections by then.
    handed_out: BTreeMap<u64, usize>,
    in_flight: BTreeSet<u64>,
    /// Tells and revisions that were looked at.
    told: usize,
    fitter: Option<BackgroundFitter>,
    heart: Heart,
    /// The last correction that was looked at.
    revision: u64,
    replicated: usize,
    exhausted: bool,
}

/// How many trials may be evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Budget {
    /// Trials of the study in all, whatever asked for them.
    Total(usize),
    /// Trials that this campaign hands out.
    Own(usize),
}

/// When new trials are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// A batch when every trial of the last one has an outcome: the same seed gives the same trials.
    Batch,
    /// As many as there are idle workers, at once: models may miss some outcomes, and which they miss depends on the order of
    /// results. A thread of its own fits new ones when the last have missed this many.
    Async {
        /// Outcomes that the last models may have missed before the next are fitted.
        refit_every: u64,
    },
}

/// What a campaign does next.
#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    /// Evaluate these trials.
    Evaluate(Vec<Trial>),
    /// Nothing until an outcome is told.
    Wait,
    /// Nothing more; trials in flight need not be waited for.
    Done(Why),
}

/// Why a campaign is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// There are as many trials as the budget allows, each with its outcome.
    BudgetSpent,
    /// Every point of a finite space has been asked for.
    SpaceExhausted,
    /// All evaluations of this campaign have failed.
    AllFailed {
        /// Evaluations that failed.
        evaluations: usize,
        /// Their most frequent reason.
        reason: String,
        /// How many failed for that reason.
        count: usize,
        /// Trials that are pending again, as nothing was ever observed and what failed them is not theirs.
        pending_again: usize,
    },
}

impl Campaign {
    /// A campaign in batches that resumes what is pending, without final replicates, and never gives up.
    pub fn new(budget: Budget) -> Self {
        Campaign {
            budget,
            batch: None,
            mode: Mode::Batch,
            final_replicates: 0,
            give_up: None,
            resume: true,
            workers: 0,
            most_missed: None,
            begun: false,
            handed_out: BTreeMap::new(),
            in_flight: BTreeSet::new(),
            told: 0,
            fitter: None,
            heart: Heart::default(),
            revision: 0,
            replicated: 0,
            exhausted: false,
        }
    }

    /// Failures without any success after which a run of this study should give up.
    pub fn patience(study: &Study) -> usize {
        study.config().initial_count().clamp(GIVE_UP.0, GIVE_UP.1)
    }

    /// Trials that were handed out and have no outcome yet, as of the last [`next`](Self::next).
    pub fn in_flight(&self) -> &BTreeSet<u64> {
        &self.in_flight
    }

    /// What to do now; `idle` workers, which only [`Mode::Async`] looks at, could begin at once.
    ///
    /// It may be called at any time.
    pub fn next(&mut self, study: &mut Study, idle: usize) -> Result<Next> {
        study.refresh()?;
        self.settle(study);
        // While points are asked for, workers that have ended wait.
        self.heart.look(self.in_flight.len(), self.workers);
        let next = self.decide(study, idle)?;
        self.heart.look(self.in_flight.len(), self.workers);
        // What keeps it from being written is said by the next tell: trials that were asked for must not be lost for it.
        let _ = match next {
            Next::Done(_) => self.end(study),
            _ => self.heart.beat(study),
        };
        Ok(next)
    }

    /// Ends its threads and says that the run has ended in order, whatever is still pending: for runs that are stopped before they
    /// are done.
    pub fn end(&mut self, study: &mut Study) -> Result<()> {
        self.fitter = None;
        self.heart.finish(study)
    }

    fn decide(&mut self, study: &mut Study, idle: usize) -> Result<Next> {
        if !self.begun && self.resume {
            retry_if_nothing_observed(study, "an earlier run failed throughout")?;
        }
        self.settle(study);
        let pending = self.resumed(study);
        if !pending.is_empty() {
            self.heart.resume(&pending);
            return Ok(self.hand_out(study, pending));
        }
        if let Some(why) = self.all_failed(study)? {
            return Ok(Next::Done(why));
        }
        let busy = !self.in_flight.is_empty();
        if busy && (self.mode == Mode::Batch || idle == 0) {
            return Ok(Next::Wait);
        }
        let left = self.left(study);
        let new = left.saturating_sub(self.final_replicates);
        let trials = self.ask(study, new, idle)?;
        if !trials.is_empty() {
            Ok(self.hand_out(study, trials))
        } else if busy {
            Ok(Next::Wait)
        } else if left == 0 {
            Ok(Next::Done(Why::BudgetSpent))
        } else {
            self.finish(study, left, idle)
        }
    }

    /// Takes trials that were told or corrected since the last look out of those in flight. Pending again after a correction, a
    /// trial is no longer in flight either: it was evaluated, or is given up.
    fn settle(&mut self, study: &Study) {
        let told = study.history().told();
        for id in &told[self.told.min(told.len())..] {
            let known = study.trial(*id).map(|record| (record.is_pending(), record.revisions.len()));
            if known != Some((true, self.handed_out.get(id).copied().unwrap_or(0))) {
                self.in_flight.remove(id);
            }
        }
        self.told = told.len();
    }

    /// The last trials, when all others have outcomes: replicates or, as long as no trial is feasible, new ones.
    fn finish(&mut self, study: &mut Study, left: usize, idle: usize) -> Result<Next> {
        let has_feasible = study.feasible().next().is_some();
        let trials = if has_feasible { self.replicate(study, left)? } else { self.ask(study, left, idle)? };
        if trials.is_empty() { Ok(Next::Done(Why::SpaceExhausted)) } else { Ok(self.hand_out(study, trials)) }
    }

    fn ask(&mut self, study: &mut Study, most: usize, idle: usize) -> Result<Vec<Trial>> {
        if most == 0 || self.exhausted {
            return Ok(Vec::new());
        }
        let (count, refit) = match self.mode {
            Mode::Batch => (self.batch.unwrap_or_else(|| study.default_count()), Refit::Always),
            Mode::Async { refit_every } => (idle.max(1), self.refit(study, refit_every)?),
        };
        self.wait_for_models(study)?;
        let trials = study.ask_at_most(count.min(most), refit)?;
        self.exhausted = trials.is_empty();
        Ok(trials)
    }

    /// How recent models must be: whatever the thread that fits them has made, as long as it is there.
    fn refit(&mut self, study: &Study, refit_every: u64) -> Result<Refit> {
        if self.fitter.as_ref().is_some_and(BackgroundFitter::is_over) {
            self.fitter.take().map_or(Ok(()), BackgroundFitter::finish)?;
        }
        if self.fitter.is_none() {
            self.fitter = BackgroundFitter::start(study, refit_every)?;
        }
        self.fitter.iter().for_each(BackgroundFitter::wake);
        let fits = self.fitter.as_ref().is_some_and(|fitter| !fitter.is_stuck());
        Ok(if fits { Refit::Never } else { Refit::Every(refit_every) })
    }

    /// Waits for the models that the thread fits, if the last ones have missed too much.
    fn wait_for_models(&self, study: &mut Study) -> Result<()> {
        let (Some(most), Some(fitter)) = (self.most_missed, &self.fitter) else { return Ok(()) };
        let (started, mut pauses) = (Instant::now(), Pauses::default());
        while study.missed()?.is_some_and(|missed| missed > most) && !fitter.is_over() {
            // A fit that has not begun by then will not: there may be no models or points to be had.
            if !study.is_leased(Work::Fit) && started.elapsed() > BEGINS {
                break;
            }
            pauses.wait()?;
            study.refresh()?;
        }
        Ok(())
    }

    fn replicate(&mut self, study: &mut Study, left: usize) -> Result<Vec<Trial>> {
        // Where a finite space has fewer points than the budget is for, no more than the final replicates are left.
        let most = left.min(self.final_replicates.saturating_sub(match (self.exhausted, self.budget) {
            (false, _) => 0,
            (true, Budget::Own(_)) => self.replicated,
            (true, Budget::Total(_)) => study.reports()?.iter().map(|report| report.again).sum(),
        }));
        let trials = study.replicate(self.batch.unwrap_or(study.config().batch).min(most))?;
        self.replicated += trials.len();
        Ok(trials)
    }

    /// Trials that may still be asked for.
    fn left(&self, study: &Study) -> usize {
        match self.budget {
            Budget::Total(trials) => trials.saturating_sub(study.counts().trials),
            Budget::Own(trials) => trials.saturating_sub(self.handed_out.len()),
        }
    }

    /// Trials that an earlier run left pending, later those that are to be evaluated again; points that were added as pending
    /// are evaluated by others, unless they were retried.
    fn resumed(&mut self, study: &Study) -> Vec<Trial> {
        let begins = !std::mem::replace(&mut self.begun, true);
        let before = std::mem::replace(&mut self.revision, study.history().last_revision());
        if !self.resume || !(begins || before < self.revision) {
            return Vec::new();
        }
        let is_left = |record: &&Record| {
            let is_idle = record.is_pending() && !self.in_flight.contains(&record.trial.id);
            let is_retried = !record.revisions.is_empty();
            is_idle && (is_retried || begins && record.ask.is_some())
        };
        let most = if let Budget::Own(trials) = self.budget { trials } else { usize::MAX };
        study.history().records().iter().filter(is_left).take(most).map(|record| record.trial.clone()).collect()
    }

    fn hand_out(&mut self, study: &Study, trials: Vec<Trial>) -> Next {
        let revisions = |id: u64| study.trial(id).map_or(0, |record| record.revisions.len());
        self.handed_out.extend(trials.iter().map(|trial| (trial.id, revisions(trial.id))));
        self.in_flight.extend(trials.iter().map(|trial| trial.id));
        Next::Evaluate(trials)
    }

    /// Whether to give up.
    fn all_failed(&self, study: &mut Study) -> Result<Option<Why>> {
        let Some((evaluations, reason, count)) = self.failures(study) else { return Ok(None) };
        let pending_again = retry_if_nothing_observed(study, &reason)?;
        Ok(Some(Why::AllFailed { evaluations, reason, count, pending_again }))
    }

    /// The evaluations of this campaign, their most frequent failure and its count, if all failed and they were enough.
    fn failures(&self, study: &Study) -> Option<(usize, String, usize)> {
        let least = self.give_up?;
        let mut reasons: HashMap<&str, usize> = HashMap::new();
        for record in self.handed_out.keys().filter_map(|&id| study.trial(id)) {
            match (record.status(), record.failure()) {
                (Status::Done | Status::Partial, _) => return None,
                (Status::Failed, Some(reason)) => *reasons.entry(reason).or_default() += 1,
                _ => {}
            }
        }
        let evaluations: usize = reasons.values().sum();
        let (reason, count) = reasons.into_iter().max_by_key(|&(reason, count)| (count, std::cmp::Reverse(reason)))?;
        (evaluations >= least).then(|| (evaluations, reason.into(), count))
    }
}

/// If nothing was ever observed, a wrong command is likelier than points that cannot be evaluated: what failed is pending
/// again, and no model learns from it. Returns the number of trials.
fn retry_if_nothing_observed(study: &mut Study, reason: &str) -> Result<usize> {
    let Counts { observed, partial, failed, .. } = study.counts();
    if observed + partial > 0 || failed == 0 {
        return Ok(0);
    }
    // Failures that were added say what others have seen.
    let asked = study.history().records().iter().filter(|record| record.ask.is_some());
    let trials = asked.filter(|record| record.status() == Status::Failed).map(|record| record.trial.id).collect();
    let note = Note::new(format!("nothing was ever observed: {reason}"), "spargo");
    Ok(study.correct(&Correction::Retry { trials, output: None }, &note)?.len())
}
