//! Screening: extreme outcomes before a model sees them.
//!
//! ```text
//!     inside:   I ⊃ the shortest half of the first outcomes, grown outwards value by value while  gap ≤ 300 · (max I − min I)
//!     bad:      one or two beyond I are left out (gross errors);  more are  y ← min I − (max I − min I)/10  (a region)
//!     good:     one or two beyond I are  y ← max I  with noise (max I − min I)²/4,  until their closest trial is beyond I as well
//! ```
//!
//! One value of −10⁶ among values of order 1 leaves nothing of the rest in any map of the outcomes. What is honest seldom has such a gap:
//! polynomials and exponentials go up and down in steps, and the range grows with every step. The first outcomes are spread over
//! the space; later ones gather around the optimum, and their range says nothing of the function's. A value that several outcomes have in
//! common may stand for something else, and has no part in the range, however many they are.

use super::config::{Config, Penalties};
use super::goal::{Goal, Output};
use super::noise::Noise;
use crate::linalg::MatRef;
use std::cell::Cell;
use std::collections::HashMap;

/// Outcomes from which any are taken for extreme.
const FEWEST: usize = 20;

/// First outcomes that a range begins with, at least; after a smaller design the search may have gathered at an optimum.
const FIRST: usize = 10;

/// Ranges of all values inside that a gap must exceed. Peaks of Shekel's function lie below 20 ranges of its first outcomes; two
/// catalysts, or a step, may lie 100 apart.
const FACTOR: f64 = 300.0;

/// Extreme outcomes that are no errors any more: a region of bad ones, a peak of good ones, a repeated value.
pub(super) const SEVERAL: usize = 3;

/// How far below the worst value inside a region of bad outcomes is put, in ranges.
const BELOW: f64 = 0.1;

/// The best of the outcomes beyond a gap, so many, are asked whether other trials confirm them.
const ASKED: usize = 10;

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
    /// Which inputs have no order, so that points are alike in them or not.
    categorical: Vec<bool>,
}

/// Outcomes that may follow others without a new look at all of them: what was screened stays so, and nothing else is.
///
/// ```text
///     inside = [low, high], grown by gaps ≤ 300 · range:    a value between them makes gaps smaller, never a range
///     nothing beyond:  a value beyond by ≤ 300 · (high − low) would have joined them
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Admitted {
    /// All: outcomes are modelled as they are.
    All,
    /// None.
    Nothing,
    /// Those between two values, and just beyond, if all that are there are inside.
    Between {
        low: f64,
        high: f64,
        /// Whether nothing is beyond them.
        is_all: bool,
        /// The first outcomes, so many, are those that a range begins with.
        after: usize,
    },
}

impl Admitted {
    /// Whether an outcome with this number may follow; then it is counted in.
    pub fn admits(&mut self, row: usize, y: f64) -> bool {
        match self {
            Admitted::All => true,
            Admitted::Nothing => false,
            Admitted::Between { low, high, is_all, after } => {
                let gap = (*low - y).max(y - *high);
                let is_near = gap <= 0.0 || *is_all && gap <= FACTOR * (*high - *low);
                (*low, *high) = if is_near { (low.min(y), high.max(y)) } else { (*low, *high) };
                is_near && row >= *after
            }
        }
    }
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
        let first = config.initial_count().max(FIRST);
        let categorical = config.space.dimensions().iter().map(|dimension| dimension.domain.is_categorical()).collect();
        (!is_kept).then_some(Screen { first, goal, is_exact: noise == Noise::None, penalties, categorical })
    }

    /// Whether repeated values are taken for failures.
    pub fn finds_failures(&self) -> bool {
        self.penalties == Penalties::Failures
    }

    /// The rows with extreme outcomes, in their order, and what a model sees of each; and what further outcomes change nothing of that.
    pub fn apply(&self, outcomes: &Outcomes<'_>) -> (Vec<(usize, Screened)>, Admitted) {
        let y = outcomes.y;
        if y.len() < FEWEST {
            return (Vec::new(), Admitted::Nothing);
        }
        let mut order: Vec<usize> = (0..y.len()).collect();
        order.sort_by(|&i, &j| y[i].total_cmp(&y[j]));
        let sorted: Vec<f64> = order.iter().map(|&row| y[row]).collect();
        let is_asked = Cell::new(false);
        let honest = |side: Side, tail: &[usize]| {
            let is_good = self.end(side) == End::Good;
            is_asked.set(is_asked.get() || is_good);
            is_good && self.agree(outcomes, tail)
        };
        let half = shortest_half(&own_values(&y[..self.first.min(y.len())]));
        let inside = Inside::grown(&sorted, half, |side, tail| honest(side, &order[tail]));
        let mut screened = Vec::new();
        for (side, rows) in [(Side::Low, &order[..inside.low]), (Side::High, &order[inside.high + 1..])] {
            self.screen(side, rows, (sorted[inside.low], sorted[inside.high]), outcomes, &mut screened);
        }
        screened.sort_unstable_by_key(|&(row, _)| row);
        let (low, high) = (sorted[inside.low], sorted[inside.high]);
        let is_all = inside.low == 0 && inside.high + 1 == y.len();
        // Other trials may confirm good outcomes; and where a range begins with one value, any other is its neighbour.
        let admitted = if is_asked.get() || half.0 >= half.1 || y.len() < self.first {
            Admitted::Nothing
        } else {
            Admitted::Between { low, high, is_all, after: self.first }
        };
        (screened, admitted)
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
                // What violates a limit may be an error, and must not pass for feasible.
                End::Bad if self.is_exact || count >= SEVERAL || !self.goal.is_objective() => {
                    Screened::Clipped(self.clipped(side, y[row], (low, high)))
                }
                End::Bad => Screened::LeftOut,
            };
            screened.push((row, seen));
        }
    }

    /// Whether good outcomes, sorted, confirm each other: by their number, or as each other's closest trials. A value that different
    /// points have in common confirms nothing: it stands for something else.
    fn agree(&self, outcomes: &Outcomes<'_>, tail: &[usize]) -> bool {
        let mut values: Vec<u64> = tail.iter().map(|&row| outcomes.y[row].to_bits()).collect();
        values.dedup();
        values.len() >= SEVERAL || tail.iter().rev().take(ASKED).any(|&row| self.is_confirmed(outcomes, row, tail))
    }

    /// Whether the closest trial of a row is beyond the gap as well.
    fn is_confirmed(&self, outcomes: &Outcomes<'_>, row: usize, tail: &[usize]) -> bool {
        let &Outcomes { x, y, .. } = outcomes;
        let along = |k: usize, difference: f64| {
            if self.categorical[k] { f64::from(u8::from(difference != 0.0)) } else { square(difference) }
        };
        let distance = |other: usize| (0..x.ncols()).map(|k| along(k, x[(row, k)] - x[(other, k)])).sum::<f64>();
        let closest = (0..y.len()).filter(|&other| other != row).map(distance).fold(f64::INFINITY, f64::min);
        let confirms =
            |other: usize| other != row && distance(other) <= closest && (closest == 0.0 || y[other] != y[row]);
        tail.iter().any(|&other| confirms(other))
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

/// The values that fewer than [`SEVERAL`] outcomes have in common; all of them, if these are few.
fn own_values(values: &[f64]) -> Vec<f64> {
    let mut counts: HashMap<u64, usize> = HashMap::new();
    values.iter().for_each(|value| *counts.entry(value.to_bits()).or_default() += 1);
    let own: Vec<f64> = values.iter().copied().filter(|value| counts[&value.to_bits()] < SEVERAL).collect();
    if own.len() < FIRST / 2 { values.to_vec() } else { own }
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
mod tests;
