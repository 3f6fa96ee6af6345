//! The runs of a study for `spargo status`: what their workers evaluate since when, how busy they are, and which points are ready.

use crate::io::output::count::counted;
use serde_json::{Value, json};
use spargo::study::{Runner, Study};
use std::collections::BTreeMap;
use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

/// Most trials of a run that are listed for people.
const MOST_TRIALS: usize = 4;

/// The runs of a study and the points that are ready for them, at one instant.
pub struct Runs {
    runners: Vec<Runner>,
    /// The number of points that are ready, by the ask whose models have chosen them.
    ready: BTreeMap<u64, usize>,
    /// In milliseconds since 1970, UTC.
    now: u64,
}

impl Runs {
    pub fn of(study: &Study) -> Self {
        let mut ready = BTreeMap::new();
        study.history().ready().for_each(|point| *ready.entry(point.ask).or_default() += 1);
        let mut runners = study.runners();
        // Oldest first: a trial that was asked for long ago may hang.
        runners.iter_mut().for_each(|runner| runner.trials.sort_by_key(|&(trial, time)| (time, trial)));
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64);
        Runs { runners, ready, now }
    }

    /// A list of `{"name", "alive", "stopped", "heartbeat_s", "workers", "busy_share", "busy_s", "waiting_s", "trials": [{"trial",
    /// "seconds"}]}`, where times are seconds before now.
    pub fn runners_json(&self) -> Value {
        let one = |runner: &Runner| {
            let trials = runner.trials.iter();
            let trials = trials.map(|&(trial, time)| json!({ "trial": trial, "seconds": self.seconds_since(time) }));
            json!({
                "name": runner.name, "alive": runner.is_alive, "stopped": runner.has_ended,
                "heartbeat_s": self.seconds_since(runner.time),
                "workers": runner.activity.workers, "busy_share": runner.activity.busy_share(),
                "busy_s": runner.activity.busy_s, "waiting_s": runner.activity.waiting_s,
                "trials": trials.collect::<Value>(),
            })
        };
        self.runners.iter().map(one).collect()
    }

    /// A list of `{"ask", "points"}`.
    pub fn ready_json(&self) -> Value {
        self.ready.iter().map(|(ask, points)| json!({ "ask": ask, "points": points })).collect()
    }

    fn seconds_since(&self, time: u64) -> f64 {
        self.now.saturating_sub(time) as f64 / 1000.0
    }

    fn write_runner(&self, f: &mut fmt::Formatter<'_>, runner: &Runner) -> fmt::Result {
        let activity = &runner.activity;
        write!(f, "run {}: {}", runner.name, counted(activity.workers, "worker"))?;
        if let Some(share) = activity.busy_share() {
            write!(f, ", {:.0} % busy, {} spent waiting for points", 100.0 * share, lasting(activity.waiting_s))?;
        }
        let silent = lasting(self.seconds_since(runner.time));
        match runner {
            Runner { is_alive: true, .. } => writeln!(f, "; last heartbeat {silent} ago")?,
            Runner { has_ended: true, .. } => writeln!(f, "; stopped {silent} ago")?,
            _ => writeln!(f, "; silent for {silent}: killed?")?,
        }
        let (shown, others) = runner.trials.split_at(runner.trials.len().min(MOST_TRIALS));
        if shown.is_empty() {
            return Ok(());
        }
        let of = |&(trial, time): &(u64, u64)| format!("{trial} for {}", lasting(self.seconds_since(time)));
        let what = if runner.is_alive { "evaluating" } else { "pending" };
        let noun = if runner.trials.len() == 1 { "trial" } else { "trials" };
        let more = if others.is_empty() { String::new() } else { format!(" and {} more", others.len()) };
        writeln!(f, "  {what}: {noun} {}{more}", shown.iter().map(of).collect::<Vec<_>>().join(", "))
    }
}

impl fmt::Display for Runs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.runners.iter().try_for_each(|runner| self.write_runner(f, runner))?;
        for (ask, points) in &self.ready {
            writeln!(f, "ready: {} chosen in step {ask}", counted(*points, "point"))?;
        }
        Ok(())
    }
}

/// Seconds in the largest unit of which there are at least two: "12 s", "5 min", "3 h", "2 days".
fn lasting(seconds: f64) -> String {
    match seconds {
        ..120.0 => format!("{seconds:.0} s"),
        ..7200.0 => format!("{:.0} min", seconds / 60.0),
        ..172_800.0 => format!("{:.0} h", seconds / 3600.0),
        _ => format!("{:.0} days", seconds / 86_400.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spargo::study::Activity;

    fn runner(time: u64, trials: &[(u64, u64)]) -> Runner {
        let activity = Activity { workers: 4, busy_s: 90.0, waiting_s: 10.0 };
        let (name, trials) = ("lab:7:abc".into(), trials.to_vec());
        Runner { name, time, is_alive: false, has_ended: false, activity, trials }
    }

    #[test]
    fn durations_are_short() {
        let words = [0.4, 12.0, 119.0, 300.0, 10_800.0, 432_000.0].map(lasting);
        assert_eq!(words, ["0 s", "12 s", "119 s", "5 min", "3 h", "5 days"]);
    }

    #[test]
    fn a_run_says_what_it_evaluates_and_a_silent_one_that_it_may_be_dead() {
        let trials: Vec<(u64, u64)> = (1..=6).map(|trial| (trial, 1_000_000 - 60_000 * (7 - trial))).collect();
        let (alive, killed, stopped) =
            (runner(988_000, &trials), runner(700_000, &trials[..1]), runner(940_000, &trials[5..]));
        let alive = Runner { is_alive: true, ..alive };
        let runners = vec![alive, killed, Runner { has_ended: true, ..stopped }];
        let runs = Runs { runners, ready: [(3, 25)].into(), now: 1_000_000 };
        let expected = "\
run lab:7:abc: 4 workers, 90 % busy, 10 s spent waiting for points; last heartbeat 12 s ago
  evaluating: trials 1 for 6 min, 2 for 5 min, 3 for 4 min, 4 for 3 min and 2 more
run lab:7:abc: 4 workers, 90 % busy, 10 s spent waiting for points; silent for 5 min: killed?
  pending: trial 1 for 6 min
run lab:7:abc: 4 workers, 90 % busy, 10 s spent waiting for points; stopped 60 s ago
  pending: trial 6 for 60 s
ready: 25 points chosen in step 3
";
        assert_eq!(runs.to_string(), expected);
    }
}
