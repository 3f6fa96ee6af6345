//! The loop of `spargo run`: a campaign says what to evaluate, workers evaluate it, and every outcome is told at once.
//!
//! ```text
//!     campaign ─▶ evaluate ─▶ tell ─▶ campaign ─▶ … until it is done or out of time, a signal arrives or the program cannot be started
//! ```
//!
//! A run that was killed and is started again evaluates its pending trials first, and then asks for the points that it
//! would have asked for anyway.

use super::evaluate::Answer;
use super::pace::Pace;
use super::progress::Progress;
use super::worker_pool::{Event, WorkerPool};
use crate::io::output::logs::log_last_step;
use crate::io::study_handle::StudyHandle;
use miette::{IntoDiagnostic, Report, Result, WrapErr, miette};
use spargo::Error;
use spargo::study::{Campaign, Config, Next, Outcome, WarningLog, Why};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};
use tracing::{debug, info, warn};

/// Longest time between two looks at the study: so a run whose evaluations take hours is seen to be alive.
const LOOK: Duration = Duration::from_secs(20);

/// A trial's number, its outcome and the seconds of its evaluation.
type Evaluated = (u64, Outcome, f64);

/// A run in progress.
pub struct Session {
    pub handle: StudyHandle,
    pub campaign: Campaign,
    pub pool: WorkerPool,
    pub events: Receiver<Event>,
    /// The settings that the run was started with.
    pub config: Config,
    pub progress: Progress,
    /// Warnings about extreme outcomes that were shown.
    pub warned: WarningLog,
    /// When the run is out of time: what runs then is waited for, and nothing else is begun.
    pub deadline: Option<Instant>,
    /// How long programs take.
    pub pace: Pace,
}

/// Why a run ended.
#[derive(Debug)]
pub enum End {
    /// The campaign is over.
    Done(Why),
    /// The run is out of time.
    OutOfTime,
    /// A signal arrived.
    Signal(i32),
    /// The program cannot be started.
    Broken(Report),
}

impl Session {
    /// Evaluates until there is a reason to end. After an error, outcomes of evaluations that are running are told or named.
    pub fn run(&mut self) -> Result<End> {
        let mut open = 0;
        self.evaluate(&mut open).map_err(|error| self.await_outcomes(open, error))
    }

    fn evaluate(&mut self, open: &mut usize) -> Result<End> {
        let mut end = None;
        loop {
            end = end.or_else(|| (self.left() == Some(Duration::ZERO)).then_some(End::OutOfTime));
            // A signal stops the workers before it is received here: none of them is idle.
            if end.is_none() && !self.pool.is_stopped() {
                match self.next(*open)? {
                    Next::Evaluate(trials) => {
                        *open += trials.len();
                        self.pool.evaluate(trials);
                    }
                    Next::Wait => {}
                    Next::Done(why) => end = Some(End::Done(why)),
                }
            }
            match &end {
                Some(End::OutOfTime) => self.pool.close(),
                Some(_) => self.pool.stop(),
                None => {}
            }
            if let Some(end) = end.take_if(|_| *open == 0) {
                return Ok(end);
            }
            let (outcomes, reason) = self.receive(open)?;
            self.tell(outcomes)?;
            end = end.or(reason);
        }
    }

    /// Waits for evaluations that are running, as they may have taken long; what cannot be kept is named in the error.
    fn await_outcomes(&mut self, mut open: usize, error: Report) -> Report {
        self.pool.close();
        let mut lost = Vec::new();
        while open > 0 {
            let Ok((told, _)) = self.receive(&mut open) else { break };
            for (trial, outcome, _) in told {
                let told = self.handle.study.tell(&[(trial, outcome.clone())]);
                if !matches!(told, Ok(_) | Err(Error::Retold { .. } | Error::Discarded { .. })) {
                    lost.push((trial, outcome));
                }
            }
        }
        if lost.is_empty() { error } else { error.wrap_err(not_kept(&lost)) }
    }

    /// The time that is left, if it is limited.
    fn left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// What the campaign does next, shown if it has asked for trials.
    fn next(&mut self, open: usize) -> Result<Next> {
        let (started, asks) = (Instant::now(), self.handle.study.history().asks());
        self.campaign.most_missed = self.pace.most_missed(self.handle.study.config().batch, self.campaign.workers);
        let idle = self.campaign.workers.saturating_sub(open);
        let next = self.campaign.next(&mut self.handle.study, idle).into_diagnostic()?;
        self.check_settings()?;
        if let Next::Evaluate(trials) = &next {
            if self.handle.study.history().asks() > asks {
                self.progress.asked(&mut self.handle.study, trials, started.elapsed().as_secs_f64())?;
                log_last_step(&self.handle.study)?;
                for warning in self.warned.news(&self.handle.study) {
                    self.progress.warn(&warning)?;
                }
            } else {
                info!("{} trials of an earlier run are evaluated first", trials.len());
            }
        }
        Ok(next)
    }

    /// Refuses to go on with a command that was made for other inputs and outputs.
    fn check_settings(&self) -> Result<()> {
        let (now, then) = (self.handle.study.config(), &self.config);
        if now.space == then.space && now.outputs == then.outputs {
            return Ok(());
        }
        let help = "trials that were in flight are pending; run it again to go on with the new settings";
        Err(miette!(help = help, "another process has changed the inputs or outputs of the study"))
    }

    /// Waits for an event, for a while; all outcomes that have arrived meanwhile are returned together.
    fn receive(&mut self, open: &mut usize) -> Result<(Vec<Evaluated>, Option<End>)> {
        let (mut outcomes, mut end) = (Vec::new(), None);
        // Once it is over, what runs is waited for.
        let longest = self.left().filter(|left| !left.is_zero()).map_or(LOOK, |left| left.min(LOOK));
        let first = match self.events.recv_timeout(longest) {
            Err(RecvTimeoutError::Timeout) => return Ok((outcomes, end)),
            first => first.into_diagnostic()?,
        };
        for event in std::iter::once(first).chain(self.events.try_iter()) {
            match event {
                Event::Signal(signal) => end = end.or(Some(End::Signal(signal))),
                Event::Evaluated { trial, answer, seconds } => {
                    *open -= 1;
                    match answer {
                        Answer::Outcome(outcome) => outcomes.push((trial, outcome, seconds)),
                        Answer::Broken(report) => end = end.or(Some(End::Broken(report))),
                        Answer::Stopped => {}
                    }
                }
            }
        }
        Ok((outcomes, end))
    }

    fn tell(&mut self, told: Vec<Evaluated>) -> Result<()> {
        let outcomes: Vec<(u64, Outcome)> = told.iter().map(|(trial, outcome, _)| (*trial, outcome.clone())).collect();
        let refused = match self.handle.study.tell(&outcomes) {
            Err(Error::Retold { .. } | Error::Discarded { .. }) => self.tell_one_by_one(&outcomes)?,
            written => written.into_diagnostic().map(|_| Vec::new()).wrap_err_with(|| not_kept(&outcomes))?,
        };
        for (trial, outcome, seconds) in told.into_iter().filter(|(trial, ..)| !refused.contains(trial)) {
            self.pace.evaluated(seconds);
            debug!("trial {trial}: {outcome} after {seconds:.3} s");
            self.progress.told(&self.handle.study.config().outputs, trial, &outcome, seconds)?;
        }
        self.progress.show_observed(&self.handle.study);
        Ok(())
    }

    /// Other processes may have told outcomes of our trials, or discarded them: that stays. Returns these trials.
    fn tell_one_by_one(&mut self, outcomes: &[(u64, Outcome)]) -> Result<Vec<u64>> {
        let mut refused = Vec::new();
        for outcome in outcomes {
            match self.handle.study.tell(std::slice::from_ref(outcome)) {
                Err(error @ (Error::Retold { trial, .. } | Error::Discarded { trial, .. })) => {
                    warn!("{error}");
                    refused.push(trial);
                    // What another process has told stays; outputs that it has not told are ours.
                    if let Some(untold) = self.handle.study.untold(trial, &outcome.1) {
                        self.handle.study.tell(&[(trial, untold)]).into_diagnostic()?;
                    }
                }
                written => drop(written.into_diagnostic().wrap_err_with(|| not_kept(std::slice::from_ref(outcome)))?),
            }
        }
        Ok(refused)
    }
}

/// What is lost if outcomes cannot be told.
fn not_kept(outcomes: &[(u64, Outcome)]) -> String {
    let list: Vec<String> = outcomes.iter().map(|(trial, outcome)| format!("trial {trial}: {outcome}")).collect();
    format!("outcomes that were not kept: {}", list.join("; "))
}
