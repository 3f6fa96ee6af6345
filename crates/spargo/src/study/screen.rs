//! Screening: extreme outcomes before a model sees them.
//!
//! ```text
//!     inside:   I ⊃ the shortest half of the first outcomes, grown outwards value by value while  gap ≤ 30 · (max I − min I)
//!     bad:      one or two beyond I are left out (gross errors);  more are  y ← min I − (max I − min I)/10  (a region)
//!     good:     one or two beyond I are  y ← max I  with noise (max I − min I)²/4,  until their closest trial is beyond I as well
//! ```
//!
//! One value of −10⁶ among values of order 1 leaves nothing of the rest in any map of the outcomes. What is honest has no such gap:
//! polynomials and exponentials go up and down in steps, and the range grows with every step. The first outcomes are spread over
//! the space; later ones gather around the optimum, and their range says nothing of the function's.

use super::config::{Config, Penalties};
use super::goal::{Goal, Output};
use super::noise::Noise;
use crate::linalg::MatRef;
use std::collections::HashMap;

/// Outcomes from which a range is known.
const FEWEST: usize = 10;

/// Ranges of all values inside that a gap must exceed. Peaks of Shekel's function lie below 20 ranges of its first outcomes.
const FACTOR: f64 = 30.0;

/// Extreme outcomes that are no errors any more: a region of bad ones, a peak of good ones, a repeated value.
pub(super) const SEVERAL: usize = 3;

/// How far below the worst value inside a region of bad outcomes is put, in ranges.
const BELOW: f64 = 0.1;

/// The standard deviation of a good outcome that is not believed yet, in ranges: the search looks there, the model does not follow.
const DOUBT: f64 = 0.5;

/// What a model sees of an extreme outcome.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Screened {
    /// Nothing, but that the trial failed.
    Failed,
    /// Nothing: an error.
    LeftOut,
    /// This value: it is as bad as it gets.
    Clipped(f64),
    /// This value with this noise variance: it has to be confirmed.
    Doubted { value: f64, variance: f64 },
}

/// Whether extreme outcomes are good or bad at one end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Good,
    Bad,
}

/// One end of the sorted outcomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Low,
    High,
}

/// How the outcomes of an output are screened.
#[derive(Debug, Clone)]
pub(super) struct Screen {
    /// The first outcomes, of which half are inside.
    first: usize,
    goal: Goal,
    /// Whether outcomes have no noise: then there are no errors.
    is_exact: bool,
    penalties: Penalties,
}

/// Outcomes of an output, an objective's to be maximised.
pub(super) struct Outcomes<'a> {
    pub x: MatRef<'a>,
    pub y: &'a [f64],
    /// Noise variances that are known.
    pub noise: &'a [Option<f64>],
}

impl Screen {
    /// That of an output; `None` if its outcomes are modelled as they are.
    pub fn new(config: &Config, output: usize) -> Option<Self> {
        let &Output { goal, noise, .. } = &config.outputs[output];
        let penalties = config.model.penalties;
        // Logarithms leave no value far from the others.
        let is_kept = penalties == Penalties::Keep || goal == Goal::Classify || config.log_warp(output).is_some();
        let first = config.initial_count().max(FEWEST);
        (!is_kept).then_some(Screen { first, goal, is_exact: noise == Noise::None, penalties })
    }

    /// Whether repeated values are taken for failures.
    pub fn finds_failures(&self) -> bool {
        self.penalties == Penalties::Failures
    }

    /// The rows with extreme outcomes, in their order, and what a model sees of each.
    pub fn apply(&self, outcomes: &Outcomes<'_>) -> Vec<(usize, Screened)> {
        let y = outcomes.y;
        if y.len() < FEWEST {
            return Vec::new();
        }
        let mut order: Vec<usize> = (0..y.len()).collect();
        order.sort_by(|&i, &j| y[i].total_cmp(&y[j]));
        let sorted: Vec<f64> = order.iter().map(|&row| y[row]).collect();
        let honest = |side: Side, tail: &[usize]| self.end(side) == End::Good && outcomes.agree(tail);
        let inside = Inside::grown(&sorted, shortest_half(&y[..self.first.min(y.len())]), |side, tail| {
            honest(side, &order[tail])
        });
        let mut screened = Vec::new();
        for (side, rows) in [(Side::Low, &order[..inside.low]), (Side::High, &order[inside.high + 1..])] {
            self.screen(side, rows, (sorted[inside.low], sorted[inside.high]), outcomes, &mut screened);
        }
        screened.sort_unstable_by_key(|&(row, _)| row);
        screened
    }

    fn end(&self, side: Side) -> End {
        if side == Side::High && self.goal.is_objective() { End::Good } else { End::Bad }
    }

    /// What becomes of the rows beyond one end of the values inside.
    fn screen(
        &self,
        side: Side,
        rows: &[usize],
        (low, high): (f64, f64),
        outcomes: &Outcomes<'_>,
        screened: &mut Vec<(usize, Screened)>,
    ) {
        let (y, range) = (outcomes.y, high - low);
        // What may well be noise, as far as that is known, is no error.
        let is_noise = |row: usize| {
            let distance = if side == Side::Low { low - y[row] } else { y[row] - high };
            outcomes.noise[row].is_some_and(|variance| distance <= FACTOR * variance.sqrt())
        };
        let mut counts: HashMap<u64, usize> = HashMap::new();
        rows.iter().for_each(|&row| *counts.entry(y[row].to_bits()).or_default() += 1);
        let is_repeated = |row: usize| counts[&y[row].to_bits()] >= SEVERAL;
        let is_failed = |row: usize| self.finds_failures() && is_repeated(row);
        let count = rows.iter().filter(|&&row| !is_failed(row)).count();
        for &row in rows.iter().filter(|&&row| !is_noise(row)) {
            let seen = match self.end(side) {
                _ if is_failed(row) => Screened::Failed,
                End::Good if self.is_exact => continue,
                End::Good if is_repeated(row) => Screened::LeftOut,
                End::Good => Screened::Doubted { value: high, variance: square(DOUBT * range) },
                End::Bad if self.is_exact || count >= SEVERAL => {
                    Screened::Clipped(self.clipped(side, y[row], (low, high)))
                }
                End::Bad => Screened::LeftOut,
            };
            screened.push((row, seen));
        }
    }

    /// Just beyond the values inside, and beyond the limits that the outcome violates.
    fn clipped(&self, side: Side, value: f64, (low, high): (f64, f64)) -> f64 {
        let (least, most) = match self.goal {
            Goal::Constraint { at_least, at_most } => (at_least, at_most),
            Goal::Level(level) => (Some(level), Some(level)),
            _ => (None, None),
        };
        let margin = BELOW * (high - low);
        match side {
            Side::Low => (least.filter(|&least| value < least).map_or(low, |least| low.min(least)) - margin).max(value),
            Side::High => (most.filter(|&most| value > most).map_or(high, |most| high.max(most)) + margin).min(value),
        }
    }
}

impl Outcomes<'_> {
    /// Whether good outcomes confirm each other: by their number, or as each other's closest trials. A value that different points
    /// have in common confirms nothing: it stands for something else.
    fn agree(&self, tail: &[usize]) -> bool {
        let mut values: Vec<u64> = tail.iter().map(|&row| self.y[row].to_bits()).collect();
        values.dedup();
        values.len() >= SEVERAL || tail.iter().any(|&row| self.is_confirmed(row, tail))
    }

    fn is_confirmed(&self, row: usize, tail: &[usize]) -> bool {
        let distance =
            |other: usize| -> f64 { (0..self.x.ncols()).map(|k| square(self.x[(row, k)] - self.x[(other, k)])).sum() };
        let others = (0..self.y.len()).filter(|&other| other != row);
        let closest = others.map(distance).fold(f64::INFINITY, f64::min);
        let confirms = |other: usize| {
            other != row && distance(other) <= closest && (closest == 0.0 || self.y[other] != self.y[row])
        };
        tail.iter().any(|&other| confirms(other))
    }
}

/// The values inside, by the places of the least and the largest among the sorted ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Inside {
    low: usize,
    high: usize,
}

impl Inside {
    /// Grown from the values between two numbers: the closer neighbour joins them, unless it is beyond a gap and the values from
    /// there on are not honest.
    fn grown(sorted: &[f64], (least, most): (f64, f64), honest: impl Fn(Side, std::ops::Range<usize>) -> bool) -> Self {
        let (mut low, n) = (sorted.partition_point(|&y| y < least), sorted.len());
        let mut high = sorted.partition_point(|&y| y <= most).max(low + 1) - 1;
        let (mut low_is_open, mut high_is_open) = (true, true);
        loop {
            let below = (low_is_open && low > 0).then(|| sorted[low] - sorted[low - 1]);
            let above = (high_is_open && high + 1 < n).then(|| sorted[high + 1] - sorted[high]);
            let (side, gap) = match (below, above) {
                (None, None) => return Inside { low, high },
                (Some(below), Some(above)) if below <= above => (Side::Low, below),
                (Some(below), None) => (Side::Low, below),
                (_, Some(above)) => (Side::High, above),
            };
            let range = sorted[high] - sorted[low];
            let is_far = range > 0.0 && gap > FACTOR * range;
            let is_open = !is_far || honest(side, if side == Side::Low { 0..low } else { high + 1..n });
            match side {
                Side::Low if is_open => low -= 1,
                Side::Low => low_is_open = false,
                Side::High if is_open => high += 1,
                Side::High => high_is_open = false,
            }
        }
    }
}

/// The ends of the shortest interval that has more than half of the values.
fn shortest_half(values: &[f64]) -> (f64, f64) {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let half = sorted.len() / 2;
    let ends = (0..sorted.len() - half).map(|i| (sorted[i], sorted[i + half]));
    ends.min_by(|a, b| (a.1 - a.0).total_cmp(&(b.1 - b.0))).unwrap_or_default()
}

/// A square that is a variance, whatever the number.
fn square(number: f64) -> f64 {
    (number * number).clamp(f64::MIN_POSITIVE, f64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Mat;
    use Screened::{Clipped, Doubted, Failed, LeftOut};

    fn screen(goal: Goal) -> Screen {
        Screen { first: 20, goal, is_exact: false, penalties: Penalties::Warn }
    }

    /// What becomes of outcomes at points along a line.
    fn screened(screen: &Screen, y: &[f64]) -> Vec<(usize, Screened)> {
        let x = Mat::from_fn(y.len(), 1, |i, _| i as f64);
        screen.apply(&Outcomes { x: x.as_ref(), y, noise: &vec![None; y.len()] })
    }

    /// Values from 0 to 1 in no order, but for those given.
    fn values(extremes: &[(usize, f64)]) -> Vec<f64> {
        let mut y: Vec<f64> = (0..41).map(|i| (i * 17 % 41) as f64 / 40.0).collect();
        extremes.iter().for_each(|&(row, value)| y[row] = value);
        y
    }

    #[test]
    fn honest_tails_are_left_alone() {
        let at = |f: fn(f64) -> f64| (0..60).map(|i| f((i * 37 % 60) as f64 / 59.0)).collect::<Vec<_>>();
        for y in
            [at(|x| x.powi(9)), at(|x| (20.0 * x).exp()), at(|x| 1.0 / (x + 1e-2)), at(|x| 3.0 - x.sqrt()), values(&[])]
        {
            for y in [y.clone(), y.iter().map(|y| -y).collect()] {
                assert_eq!(screened(&screen(Goal::Maximize), &y), []);
            }
        }
    }

    /// Trials that gather at the optimum do not make the first ones extreme.
    #[test]
    fn convergence_is_no_gap() {
        let mut y = values(&[]);
        y.extend((0..400).map(|i| 1.0 + 1e-9 * f64::from(i % 7)));
        assert_eq!(screened(&screen(Goal::Maximize), &y), []);
    }

    #[test]
    fn one_or_two_bad_outcomes_are_left_out_and_more_are_a_region() {
        let found = |extremes: &[(usize, f64)]| screened(&screen(Goal::Maximize), &values(extremes));
        assert_eq!(found(&[(3, -1e6)]), [(3, LeftOut)]);
        assert_eq!(found(&[(3, -1e6), (30, -1e3)]), [(3, LeftOut), (30, LeftOut)]);
        let region = found(&[(3, -1e6), (30, -1e3), (33, -1e12)]);
        assert_eq!(region, [3, 30, 33].map(|row| (row, Clipped(-0.1))));
        assert_eq!(found(&[(3, -29.0)]), []);
        let exact = Screen { is_exact: true, ..screen(Goal::Maximize) };
        assert_eq!(screened(&exact, &values(&[(3, -1e6), (9, 1e6)])), [(3, Clipped(-0.1))]);
    }

    #[test]
    fn a_good_outcome_is_doubted_until_its_closest_trial_confirms_it() {
        let found = |extremes: &[(usize, f64)]| screened(&screen(Goal::Maximize), &values(extremes));
        let doubted = Doubted { value: 1.0, variance: 0.25 };
        assert_eq!(found(&[(3, 1e4)]), [(3, doubted)]);
        assert_eq!(found(&[(3, 1e4), (9, 2e4)]), [(3, doubted), (9, doubted)]);
        assert_eq!(found(&[(3, 1e4), (4, 2e4)]), []);
        assert_eq!(found(&[(3, 1e4), (9, 2e4), (20, 3e4)]), []);
        // An error far above a peak that is confirmed.
        assert!(matches!(found(&[(3, 1e4), (4, 2e4), (20, 1e9)])[..], [(20, Doubted { .. })]));
        // A value that points have in common is none of theirs.
        assert_eq!(found(&[(3, 1e4), (4, 1e4), (5, 1e4)]), [3, 4, 5].map(|row| (row, LeftOut)));
        let (y, noise) = (values(&[(3, 1e4), (9, 1.1e4)]), [None; 41]);
        let replicated = Mat::from_fn(41, 1, |i, _| if i == 9 { 3.0 } else { i as f64 });
        let outcomes = Outcomes { x: replicated.as_ref(), y: &y, noise: &noise };
        assert_eq!(screen(Goal::Maximize).apply(&outcomes), []);
    }

    #[test]
    fn both_ends_are_screened_however_far_they_lie() {
        for size in [1e3, 1e12, 1e300, f64::MAX] {
            let y = values(&[(3, -size), (9, size)]);
            assert_eq!(
                screened(&screen(Goal::Maximize), &y),
                [(3, LeftOut), (9, Doubted { value: 1.0, variance: 0.25 })]
            );
            let both = [(3, LeftOut), (9, LeftOut)];
            assert_eq!(screened(&screen(Goal::Level(0.5)), &y), both);
        }
        for scale in [1e-300, 1e-12, 1e12, 1e290] {
            let y: Vec<f64> = values(&[(3, -1e6), (9, 1e6)]).iter().map(|y| scale * y).collect();
            let found = screened(&screen(Goal::Maximize), &y);
            assert!(matches!(found[..], [(3, LeftOut), (9, Doubted { variance, .. })] if variance > 0.0), "{found:?}");
        }
        let halves: Vec<f64> = (0..40).map(|i| if i % 2 == 0 { f64::MAX } else { f64::MIN }).collect();
        assert_eq!(screened(&screen(Goal::Maximize), &halves), []);
    }

    #[test]
    fn few_or_constant_outcomes_have_no_range() {
        let few = &values(&[(3, -1e6)])[..FEWEST - 1];
        assert_eq!(screened(&screen(Goal::Maximize), few), []);
        let mut constant = vec![5.0; 30];
        assert_eq!(screened(&screen(Goal::Maximize), &constant), []);
        constant[7] = -1e6;
        assert_eq!(screened(&screen(Goal::Maximize), &constant), []);
    }

    #[test]
    fn repeated_values_are_failures_if_the_settings_say_so() {
        let failures = Screen { penalties: Penalties::Failures, ..screen(Goal::Maximize) };
        let y = values(&[(3, -1e6), (9, -1e6), (20, -1e6), (33, -2e6)]);
        assert_eq!(screened(&failures, &y), [(3, Failed), (9, Failed), (20, Failed), (33, LeftOut)]);
        assert_eq!(screened(&failures, &values(&[(3, -1e6), (9, -1e6)])), [(3, LeftOut), (9, LeftOut)]);
    }

    #[test]
    fn a_region_beyond_a_limit_stays_beyond_it() {
        let at_most = Goal::Constraint { at_least: None, at_most: Some(5.0) };
        let y = values(&[(3, 1e6), (9, 1e6), (20, 1e6)]);
        assert_eq!(screened(&screen(at_most), &y), [3, 9, 20].map(|row| (row, Clipped(5.1))));
    }

    #[test]
    fn known_noise_explains_an_outcome() {
        let (y, mut noise) = (values(&[(3, -1e3)]), [None; 41]);
        let x = Mat::from_fn(41, 1, |i, _| i as f64);
        noise[3] = Some(1e4);
        assert_eq!(screen(Goal::Maximize).apply(&Outcomes { x: x.as_ref(), y: &y, noise: &noise }), []);
    }
}
