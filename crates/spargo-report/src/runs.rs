//! Runs: the processes that evaluate trials, what they evaluate since when, how busy they are, and the points that are ready.

use serde::Serialize;
use spargo::study::{Runner, Study};
use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

/// Largest number of trials that are listed of a run.
const MOST: usize = 50;

#[derive(Serialize)]
pub struct Runs {
    runs: Vec<Run>,
    /// The number of points that are ready, by the ask whose models have chosen them.
    ready: Vec<(u64, usize)>,
}

#[derive(Serialize)]
struct Run {
    name: String,
    is_alive: bool,
    /// Whether it was stopped, not killed.
    has_ended: bool,
    /// Seconds since the last heartbeat, when the page was written.
    heartbeat_s: f64,
    workers: usize,
    busy_share: Option<f64>,
    waiting_s: f64,
    /// Trials with the seconds since they were asked for, the oldest first.
    trials: Vec<(u64, f64)>,
    /// Number of trials that are not listed.
    hidden: usize,
}

impl Runs {
    /// The runs; none if no process evaluates trials or has left any, and no point is ready.
    pub fn of(study: &Study) -> Option<Self> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64);
        let runs: Vec<Run> = study.runners().into_iter().map(|runner| Run::of(runner, now)).collect();
        let mut ready: BTreeMap<u64, usize> = BTreeMap::new();
        study.history().ready().for_each(|point| *ready.entry(point.ask).or_default() += 1);
        let is_empty = runs.is_empty() && ready.is_empty();
        (!is_empty).then(|| Runs { runs, ready: ready.into_iter().collect() })
    }
}

impl Run {
    fn of(mut runner: Runner, now: u64) -> Self {
        let seconds = |time: u64| now.saturating_sub(time) as f64 / 1000.0;
        runner.trials.sort_by_key(|&(trial, time)| (time, trial));
        let trials: Vec<(u64, f64)> =
            runner.trials.iter().take(MOST).map(|&(trial, time)| (trial, seconds(time))).collect();
        Run {
            is_alive: runner.is_alive,
            has_ended: runner.has_ended,
            heartbeat_s: seconds(runner.time),
            workers: runner.activity.workers,
            busy_share: runner.activity.busy_share(),
            waiting_s: runner.activity.waiting_s,
            hidden: runner.trials.len() - trials.len(),
            trials,
            name: runner.name,
        }
    }
}
