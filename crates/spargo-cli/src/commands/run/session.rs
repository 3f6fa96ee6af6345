//! The loop: what is pending first, then batch after batch, every outcome told as soon as it is there.
//!
//! ```text
//!     pending ─▶ evaluate ─▶ tell ─▶ ask ─▶ evaluate ─▶ tell ─▶ ask ─▶ … until the budget is spent
//! ```
//!
//! A batch is asked for when the last one is complete. So a run that was killed and goes on asks for the points that it
//! would have asked for anyway.

use super::crew::{Crew, Event};
use super::evaluate::Answer;
use super::failures::{Failures, LEAST, MOST};
use super::progress::{Stand, Watcher};
use super::watch::Watch;
use crate::commands::ask::{ask_at_most, batch};
use crate::io::output::logs::log_last_step;
use crate::io::output::summary::{Counts, best_observed};
use crate::io::place::Place;
use miette::{IntoDiagnostic, Report, Result};
use spargo::Error;
use spargo::study::{Outcome, Trial};
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::Instant;
use tracing::{debug, info, warn};

/// A run under way.
pub struct Session {
    pub place: Place,
    pub crew: Crew,
    pub watch: Arc<Watch>,
    pub events: Receiver<Event>,
    pub watcher: Watcher,
    /// Trials in all.
    pub budget: usize,
    /// Of these, replicates of the best ones at the end.
    pub final_replicates: usize,
    pub patience: Patience,
    pub failures: Failures,
}

/// What a run does about a program that only ever fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    GivesUp,
    KeepsGoing,
}

/// Why a run ended.
#[derive(Debug)]
pub enum End {
    /// There are as many trials as the budget allows.
    Budget,
    /// There are no more points to evaluate.
    Exhausted,
    /// A signal came.
    Signal(i32),
    /// Nothing but failures, so many.
    Failing(usize),
    /// The program cannot be started.
    Broken(Report),
}

impl Session {
    /// Goes on until there is a reason to end.
    pub fn go_on(&mut self) -> Result<End> {
        let records = self.place.study.history().records().iter();
        // Points that somebody added as being under way are theirs to tell.
        let ours = records.filter(|record| record.told.is_none() && record.ask.is_some());
        let mut trials: Vec<Trial> = ours.map(|record| record.trial.clone()).collect();
        if !trials.is_empty() {
            info!("{} trials of an earlier run are evaluated first", trials.len());
        }
        loop {
            if let Some(end) = self.evaluate(trials)? {
                return Ok(end);
            }
            self.place.study.refresh().into_diagnostic()?;
            let left = self.budget.saturating_sub(self.place.study.history().records().len());
            if left == 0 {
                return Ok(End::Budget);
            }
            trials = self.next(left)?;
            if trials.is_empty() {
                return Ok(End::Exhausted);
            }
        }
    }

    /// New trials, then replicates of the best ones, so many in all at most; nothing if there is nothing left to do.
    fn next(&mut self, left: usize) -> Result<Vec<Trial>> {
        let new = left.saturating_sub(self.final_replicates);
        if best_observed(&self.place.study).is_none() {
            return self.ask(left);
        }
        if new == 0 {
            return self.replicate(left);
        }
        let trials = self.ask(new)?;
        match trials.is_empty() {
            // Where points are fewer than the budget is for, the best are confirmed when all have been evaluated.
            true => self.replicate(self.final_replicates.saturating_sub(self.confirmed()?)),
            false => Ok(trials),
        }
    }

    /// Replicates that were asked for so far.
    fn confirmed(&self) -> Result<usize> {
        Ok(self.place.study.reports().into_diagnostic()?.iter().map(|report| report.again).sum())
    }

    pub fn stand(&self) -> Stand {
        let Counts { trials, pending, .. } = Counts::of(&self.place);
        Stand { told: trials - pending, trials, pending, budget: self.budget }
    }

    /// Asks for a batch, but not for more than so many, or for as many points as there are.
    fn ask(&mut self, most: usize) -> Result<Vec<Trial>> {
        let started = Instant::now();
        let wanted = batch(&self.place.study).min(most);
        let trials = ask_at_most(&mut self.place.study, wanted)?;
        self.show_asked(trials, started)
    }

    /// Asks for a batch of trials again, but not for more than so many.
    fn replicate(&mut self, most: usize) -> Result<Vec<Trial>> {
        let started = Instant::now();
        let wanted = self.place.study.config().batch.min(most);
        let trials = self.place.study.replicate(wanted).into_diagnostic()?;
        self.show_asked(trials, started)
    }

    fn show_asked(&mut self, trials: Vec<Trial>, started: Instant) -> Result<Vec<Trial>> {
        if !trials.is_empty() {
            let (study, seconds) = (&self.place.study, started.elapsed().as_secs_f64());
            self.watcher.asked(&study.config().space, study.history().asks(), &trials, seconds)?;
            log_last_step(study)?;
            self.show_believed();
        }
        Ok(trials)
    }

    /// Evaluates trials to the last one, unless there is a reason to end.
    fn evaluate(&mut self, trials: Vec<Trial>) -> Result<Option<End>> {
        let (mut open, mut end) = (trials.len(), None);
        self.crew.evaluate(trials);
        while open > 0 {
            let Ok(first) = self.events.recv() else { break };
            let mut told = Vec::new();
            // What has come meanwhile is written at once with it.
            for event in std::iter::once(first).chain(self.events.try_iter()) {
                let reason = match event {
                    Event::Signal(signal) => Some(End::Signal(signal)),
                    Event::Evaluated { trial, answer, seconds } => {
                        open -= 1;
                        match answer {
                            Answer::Told(outcome) => {
                                told.push((trial, outcome, seconds));
                                None
                            }
                            Answer::Broken(report) => Some(End::Broken(report)),
                            Answer::Stopped => None,
                        }
                    }
                };
                end = end.or(reason);
            }
            self.tell(told)?;
            end = end.or_else(|| self.hopeless());
            if end.is_some() {
                self.watch.stop();
            }
        }
        Ok(end)
    }

    fn tell(&mut self, told: Vec<(u64, Outcome, f64)>) -> Result<()> {
        let outcomes: Vec<(u64, Outcome)> = told.iter().map(|(trial, outcome, _)| (*trial, outcome.clone())).collect();
        let refused = match self.place.study.tell(&outcomes) {
            Err(Error::Retold { .. }) => self.tell_one_by_one(&outcomes)?,
            written => written.into_diagnostic().map(|_| Vec::new())?,
        };
        for (trial, outcome, seconds) in told.into_iter().filter(|(trial, ..)| !refused.contains(trial)) {
            debug!("trial {trial}: {outcome} after {seconds:.3} s");
            self.watcher.told(&self.place.study.config().outputs, trial, &outcome, seconds)?;
            self.failures.note(&outcome);
        }
        self.show_observed();
        Ok(())
    }

    /// Somebody else may have told of trials of ours: the first outcome stays. Returns these trials.
    fn tell_one_by_one(&mut self, outcomes: &[(u64, Outcome)]) -> Result<Vec<u64>> {
        let mut refused = Vec::new();
        for outcome in outcomes {
            match self.place.study.tell(std::slice::from_ref(outcome)) {
                Err(error @ Error::Retold { trial, .. }) => {
                    warn!("{error}");
                    refused.push(trial);
                }
                written => drop(written.into_diagnostic()?),
            }
        }
        Ok(refused)
    }

    /// Whether there is no hope of any success.
    fn hopeless(&self) -> Option<End> {
        let least = self.place.study.config().initial.clamp(LEAST, MOST).min(self.budget);
        let failed = self.failures.only(least)?;
        let none = self.patience == Patience::GivesUp && Counts::of(&self.place).observed == 0;
        none.then_some(End::Failing(failed))
    }

    fn show_observed(&mut self) {
        if let Watcher::Person(bar) = &mut self.watcher {
            bar.show_observed(best_observed(&self.place.study));
        }
    }

    /// What the model of the last step thinks is best: it is at hand, and costs a prediction, or models around the best trials.
    fn show_believed(&mut self) {
        if let Watcher::Person(bar) = &mut self.watcher
            && let Ok(Some(best)) = self.place.study.best()
        {
            bar.show_believed(best.believed.mean);
        }
    }
}
