//! What the workers of a run do, and that it is alive: what `status` and the report show of runs.
//!
//! ```text
//!     busy = Σ (trials in flight) Δt,     waiting = Σ (workers − trials in flight) Δt
//! ```

use super::lease::is_gone;
use super::storage::{Activity, Event, LastHeartbeat, milliseconds};
use super::{Study, Trial};
use crate::error::Result;
use std::time::{Duration, Instant};

/// Time between two heartbeats.
pub(super) const HEARTBEAT: Duration = Duration::from_secs(30);

/// Milliseconds without a heartbeat after which a run of another host is taken for ended; on this one it is seen to be gone.
pub(super) const SILENCE: u64 = 100_000;

/// Adds up what workers do, and says when a heartbeat is due.
#[derive(Debug, Default)]
pub(super) struct Monitor {
    activity: Activity,
    in_flight: usize,
    looked: Option<Instant>,
    beaten: Option<Instant>,
    /// Trials of others that are evaluated from now on.
    resumed: Vec<u64>,
    /// Whether the run has ended.
    has_ended: bool,
}

impl Monitor {
    /// Counts the time since the last look, and the trials that are in flight from now on.
    pub fn look(&mut self, in_flight: usize, workers: usize) {
        let now = Instant::now();
        let seconds = self.looked.replace(now).map_or(0.0, |looked| (now - looked).as_secs_f64());
        let busy = self.in_flight.min(workers);
        (self.activity.workers, self.in_flight) = (workers, in_flight);
        self.activity.busy_s += busy as f64 * seconds;
        self.activity.waiting_s += (workers - busy) as f64 * seconds;
    }

    /// Trials that another process has asked for are evaluated from now on.
    pub fn resume(&mut self, trials: &[Trial]) {
        self.resumed.extend(trials.iter().map(|trial| trial.id));
    }

    /// A heartbeat, if it is time for one.
    pub fn beat(&mut self, by: &str) -> Option<Event> {
        let is_due = self.beaten.is_none_or(|beaten| beaten.elapsed() > HEARTBEAT) || !self.resumed.is_empty();
        if is_due && !self.has_ended { self.heartbeat(by) } else { None }
    }

    /// The last heartbeat, which says that the run has ended in order.
    pub fn end(&mut self, by: &str) -> Option<Event> {
        let has_ended = std::mem::replace(&mut self.has_ended, true);
        if has_ended { None } else { self.heartbeat(by) }
    }

    fn heartbeat(&mut self, by: &str) -> Option<Event> {
        if self.activity.workers == 0 {
            return None;
        }
        self.look(self.in_flight, self.activity.workers);
        self.beaten = Some(Instant::now());
        let (activity, resumed) = (self.activity, std::mem::take(&mut self.resumed));
        Some(Event::Heartbeat { by: by.into(), time: milliseconds(), activity, resumed, is_last: self.has_ended })
    }
}

/// A process that evaluates trials, or has.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Runner {
    /// Host, process and a number.
    pub name: String,
    /// When it was last alive, in milliseconds since 1970, UTC.
    pub time: u64,
    /// Whether it is likely to be alive still.
    pub is_alive: bool,
    /// Whether it has ended in order; one that is neither alive nor ended was probably killed.
    pub has_ended: bool,
    /// What its workers have done by then.
    pub activity: Activity,
    /// Trials that it has asked for or resumed and that are pending, each with the time at which it was, in milliseconds since 1970,
    /// UTC.
    pub trials: Vec<(u64, u64)>,
}

impl Activity {
    /// The share of the workers' time in which they have evaluated.
    pub fn busy_share(&self) -> Option<f64> {
        let total = self.busy_s + self.waiting_s;
        (total > 0.0).then(|| self.busy_s / total)
    }
}

impl Study {
    /// Says that this process is alive, and what its workers have done.
    pub fn beat(&mut self, activity: Activity) -> Result<()> {
        self.write_heartbeat(&Event::Heartbeat {
            by: self.by.clone(),
            time: milliseconds(),
            activity,
            resumed: Vec::new(),
            is_last: false,
        })
    }

    pub(super) fn write_heartbeat(&mut self, event: &Event) -> Result<()> {
        self.append(Vec::new(), |_| Ok(vec![event.clone()])).map(|_| ())
    }

    /// The processes that evaluate trials, or have pending ones, by their names.
    pub fn runners(&self) -> Vec<Runner> {
        let now = milliseconds();
        let mut runners: Vec<Runner> = Vec::new();
        for (name, &LastHeartbeat { time, activity, has_ended }) in self.history.heartbeats() {
            let is_alive = !has_ended && now < time.saturating_add(SILENCE) && !is_gone(name);
            runners.push(Runner { name: name.clone(), time, is_alive, has_ended, activity, trials: Vec::new() });
        }
        for &record in &self.table.pending {
            let record = &self.history.records()[record];
            if let Ok(place) = runners.binary_search_by(|runner| (*runner.name).cmp(&record.by)) {
                runners[place].trials.push((record.trial.id, record.time));
            }
        }
        runners.retain(|runner| runner.is_alive || !runner.trials.is_empty());
        runners
    }
}
