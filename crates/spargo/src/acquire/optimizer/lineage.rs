//! A lineage: a trust region that moves, grows and shrinks from step to step, with the trials that it has seen since it began.
//!
//! ```text
//!     begun with n random trials ─▶ side 1 around the best ─▶ side/2 after d trials without a success ─▶ ended below 2⁻⁵
//!     curve b(n): the best of its first n trials          outlook = b(n) + 2 (b(n) − b(n/2))
//! ```
//!
//! What the last doubling of its trials has gained is extrapolated to the next: curves of local searches flatten, so that the outlook is
//! an optimistic one, and a lineage that cannot reach by it what another has reached is not worth going on with (best-arm
//! identification over curves: Namura & Takemori 2026).

use super::{RegionNews, TrustRegion};
use crate::linalg::{MatRef, row};
use serde::{Deserialize, Serialize};

/// The side of a region when its search begins, and the largest, in units of the box.
const LARGEST: f64 = 1.0;

/// A region with a smaller side has come to its end.
const SMALLEST: f64 = 1.0 / 32.0;

/// Random trials with which a lineage begins: twice as many as there are inputs, within these bounds.
const FEWEST: usize = 10;
const MOST: usize = 100;

/// Steps with a success in a row after which a region grows.
const SUCCESSES: usize = 3;

/// What a success must be better by, in standard deviations of the lineage's trials.
const MARGIN: f64 = 1e-3;

/// Trials that a lineage remembers: those closest to its centre.
const REMEMBERED: usize = 1000;

/// A lineage is judged by its curve once it has so many times the random trials that it began with: the first steps gain most.
const JUDGED: usize = 3;

/// No lineage counts so far; a file that says so is damaged.
const COUNTABLE: usize = 1 << 40;

/// How much of the last doubling's gain is expected of the future.
const OPTIMISM: f64 = 2.0;

/// What is remembered of one lineage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lineage {
    /// The number of lineages that were begun before it.
    pub number: u64,
    /// Its trials: those closest to the centre.
    pub trials: Vec<u64>,
    /// The point of its best trial; empty as long as random trials are asked for.
    pub centre: Vec<f64>,
    /// The side of its region, in units of the box.
    pub side: f64,
    /// Steps with a success in a row.
    pub successes: usize,
    /// Trials since the last success, or since the region shrank.
    pub failures: usize,
    /// All trials since it began.
    pub evaluated: usize,
    /// Every trial that was the best when it came, with the number of trials up to it.
    pub curve: Vec<(usize, u64)>,
}

/// Rows of news as a lineage values them.
pub(super) struct Scores<'a> {
    pub news: &'a RegionNews<'a>,
    /// Of every row.
    pub values: Vec<f64>,
}

impl Scores<'_> {
    /// The score of a trial; `None` if it is no longer known.
    fn of(&self, trial: u64) -> Option<f64> {
        self.news.trials.binary_search(&trial).ok().map(|row| self.values[row])
    }
}

impl Lineage {
    pub(super) fn begin(number: u64) -> Self {
        Lineage {
            number,
            trials: Vec::new(),
            centre: Vec::new(),
            side: LARGEST,
            successes: 0,
            failures: 0,
            evaluated: 0,
            curve: Vec::new(),
        }
    }

    /// Whether random trials are asked for.
    pub fn is_beginning(&self) -> bool {
        self.centre.is_empty()
    }

    /// Whether its region has become too small.
    pub(super) fn is_ended(&self) -> bool {
        self.side < SMALLEST
    }

    /// Whether its state may be that of a lineage over so many inputs.
    pub(super) fn is_valid(&self, inputs: usize) -> bool {
        let is_point = self.is_beginning() || self.centre.len() == inputs && self.centre.iter().all(|v| v.is_finite());
        let is_trial = self.trials.iter().all(|&trial| trial > 0);
        let counts =
            [self.evaluated, self.failures, self.successes, usize::try_from(self.number).unwrap_or(usize::MAX)];
        is_point && is_trial && counts.iter().all(|&n| n < COUNTABLE) && (SMALLEST..=LARGEST).contains(&self.side)
    }

    /// Its region; along inputs without order it has no width.
    pub fn region(&self, ordered: &[usize]) -> TrustRegion {
        TrustRegion::around(self.centre.clone(), ordered.iter().map(|&k| (k, 0.5 * self.side)))
    }

    /// Whether a row lies in its region, or where that was when it was larger by half: it has been asked for as one of its own.
    pub(super) fn contains(&self, x: MatRef<'_>, row: usize, ordered: &[usize]) -> bool {
        !self.is_beginning() && self.distance(x, row, ordered) <= 0.75 * self.side
    }

    /// How far a row is from its centre along the input where it is farthest.
    pub(super) fn distance(&self, x: MatRef<'_>, row: usize, ordered: &[usize]) -> f64 {
        ordered.iter().map(|&k| (x[(row, k)] - self.centre[k]).abs()).fold(0.0, f64::max)
    }

    /// Forgets trials that were discarded, and is centred on the best of the others; without any it begins again.
    pub(super) fn recentre(&mut self, scores: &Scores<'_>, ordered: &[usize]) {
        let known = self.trials.len();
        self.trials.retain(|&trial| scores.of(trial).is_some());
        self.curve.retain(|&(_, trial)| scores.of(trial).is_some());
        if self.trials.is_empty() && known > 0 {
            *self = Lineage::begin(self.number);
        } else if !self.is_beginning() {
            self.centre_on_best(scores, ordered);
        }
    }

    fn centre_on_best(&mut self, scores: &Scores<'_>, ordered: &[usize]) {
        let best = self.best(scores).and_then(|(best, _)| scores.news.trials.binary_search(&best).ok());
        if let Some(place) = best {
            self.centre = row(scores.news.observed, place);
            // Trials may lie outside the ranges, where no point is asked for.
            ordered.iter().for_each(|&k| self.centre[k] = self.centre[k].clamp(0.0, 1.0));
        }
    }

    /// Learns from its new rows, and from points that failed, `failed` of them.
    pub(super) fn learn(&mut self, scores: &Scores<'_>, new: &[usize], failed: usize, ordered: &[usize]) {
        if new.is_empty() && failed == 0 {
            return;
        }
        let before = self.best(scores).map_or(f64::NEG_INFINITY, |(_, value)| value);
        let margin = MARGIN * self.deviation(scores);
        self.evaluated += new.len() + failed;
        self.trials.extend(new.iter().map(|&row| scores.news.trials[row]));
        let Some((best, value)) = self.best(scores) else { return };
        if value > before {
            self.curve.push((self.evaluated, best));
        }
        if self.is_beginning() && self.evaluated < first_trials(ordered.len()) {
            return;
        }
        let is_searching = !self.is_beginning();
        self.centre_on_best(scores, ordered);
        if is_searching {
            self.resize(value > before + margin, new.len() + failed, ordered.len());
        }
        self.forget(scores.news, ordered);
    }

    /// Grows after successes, shrinks after failures.
    fn resize(&mut self, is_success: bool, trials: usize, inputs: usize) {
        if is_success {
            (self.successes, self.failures) = (self.successes + 1, 0);
        } else {
            (self.successes, self.failures) = (0, self.failures + trials);
        }
        if self.successes == SUCCESSES {
            (self.side, self.successes) = ((2.0 * self.side).min(LARGEST), 0);
        } else if self.failures >= patience(inputs) {
            (self.side, self.failures) = (0.5 * self.side, 0);
        }
    }

    /// Keeps the trials closest to the centre.
    fn forget(&mut self, news: &RegionNews<'_>, ordered: &[usize]) {
        if self.trials.len() <= REMEMBERED {
            return;
        }
        let distance = |trial: &u64| {
            let Ok(row) = news.trials.binary_search(trial) else { return f64::INFINITY };
            ordered.iter().map(|&k| (news.observed[(row, k)] - self.centre[k]).powi(2)).sum::<f64>()
        };
        let mut by_distance: Vec<(f64, u64)> = self.trials.iter().map(|trial| (distance(trial), *trial)).collect();
        by_distance.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        by_distance.truncate(REMEMBERED);
        self.trials = by_distance.into_iter().map(|(_, trial)| trial).collect();
        self.trials.sort_unstable();
    }

    /// Its best trial that is still known, with the score.
    pub(super) fn best(&self, scores: &Scores<'_>) -> Option<(u64, f64)> {
        let known = self.trials.iter().filter_map(|&trial| Some((trial, scores.of(trial)?)));
        known.filter(|(_, score)| !score.is_nan()).max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))
    }

    /// The score that it may come to; `None` as long as its curve is too short to say.
    pub(super) fn outlook(&self, scores: &Scores<'_>, ordered: usize) -> Option<f64> {
        if self.is_beginning() || self.evaluated < JUDGED * first_trials(ordered) {
            return None;
        }
        let (_, now) = self.best(scores)?;
        let earlier = self.curve.iter().filter(|(count, _)| 2 * count <= self.evaluated);
        let before = earlier.filter_map(|&(_, trial)| scores.of(trial)).fold(f64::NEG_INFINITY, f64::max);
        before.is_finite().then(|| now + OPTIMISM * (now - before).max(0.0))
    }

    fn deviation(&self, scores: &Scores<'_>) -> f64 {
        let known: Vec<f64> = self.trials.iter().filter_map(|&trial| scores.of(trial)).collect();
        let mean = known.iter().map(|score| score / known.len() as f64).sum::<f64>();
        let square = known.iter().map(|score| (score - mean).powi(2) / known.len() as f64).sum::<f64>();
        if square.is_finite() { square.sqrt() } else { 0.0 }
    }
}

/// Random trials with which a lineage begins.
pub(super) fn first_trials(inputs: usize) -> usize {
    (2 * inputs).clamp(FEWEST, MOST)
}

/// Trials without a success after which a region shrinks.
fn patience(inputs: usize) -> usize {
    inputs.max(4)
}
