//! Trust regions with memory: lineages that grow and shrink, end where they have converged or have nothing left to promise, and begin
//! again elsewhere.
//!
//! ```text
//!     dropped, if   outlook < the best of any lineage so far          share of a lineage ∝ 1, of the one with the best outlook ∝ n
//! ```
//!
//! The first lineage has the batch to itself; once it has ended there is something to compare with, and several race at a time.
//!
//! Of several objectives every lineage has weights of its own, and values trials by the Chebyshev scalarisation; infeasible trials are
//! worse than all others.

use super::assignment::{Assignment, is_assigned, position};
use super::lineage::{Lineage, Scores};
use super::trust_region::ordered_inputs;
use super::{Element, RegionNews, TrustRegion, TrustRegions};
use crate::linalg::MatRef;
use crate::space::Space;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Lineages at a time, once one has ended.
const LINEAGES: usize = 2;

/// Weights of several objectives are at least this before they are normalised.
const LEAST_WEIGHT: f64 = 0.05;

/// The policy with memory.
#[derive(Debug, Clone)]
pub struct Memory {
    share: f64,
    ordered: Vec<usize>,
    state: State,
}

/// What the policy remembers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct State {
    /// Lineages that are going on.
    lineages: Vec<Lineage>,
    /// Lineages that have ended, in the order of their ends.
    ended: Vec<Ended>,
    /// The share of each lineage that is going on.
    shares: Vec<f64>,
}

/// A lineage that has ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Ended {
    number: u64,
    /// Its best trial.
    best: u64,
    evaluated: usize,
    /// Whether it had converged; else it was dropped.
    converged: bool,
}

impl Memory {
    /// The policy with the state that it left at the last step; a share of all batch elements is its lineages'. It begins again where
    /// that is the state of another policy, or of another space: settings may have changed.
    pub fn resume(state: &Value, space: &Space, share: f64) -> Self {
        let inputs = space.dimensions().len();
        let is_share = |share: &f64| share.is_finite() && *share >= 0.0;
        let is_valid = |state: &State| {
            let are_valid = state.lineages.iter().all(|lineage| lineage.is_valid(inputs));
            are_valid && state.shares.len() == state.lineages.len() && state.shares.iter().all(is_share)
        };
        let state = State::deserialize(state).ok().filter(is_valid).unwrap_or_default();
        Memory { share, ordered: ordered_inputs(space), state }
    }

    /// Rows of each lineage among the new ones: those in its region. Rows in none are of the lineage that needs random trials most; if
    /// none does, those that were asked for are of the closest, whose region has moved or shrunk since.
    fn assigned(&self, news: &RegionNews<'_>) -> Vec<(Vec<usize>, usize)> {
        let mut assigned: Vec<(Vec<usize>, usize)> = vec![Default::default(); self.state.lineages.len()];
        for &row in news.new {
            let closest = || self.closest(news.observed, row).filter(|_| news.asked[row]);
            let owner = self.owner(news.observed, row).or_else(|| self.neediest(&assigned));
            if let Some(place) = owner.or_else(closest) {
                assigned[place].0.push(row);
            }
        }
        for row in 0..news.failed.nrows() {
            let owner = self.owner(news.failed, row).or_else(|| self.neediest(&assigned));
            if let Some(place) = owner.or_else(|| self.closest(news.failed, row)) {
                assigned[place].1 += 1;
            }
        }
        assigned
    }

    /// The lineage with the smallest region that a row lies in.
    fn owner(&self, x: MatRef<'_>, row: usize) -> Option<usize> {
        let lineages = &self.state.lineages;
        let around = (0..lineages.len()).filter(|&place| lineages[place].contains(x, row, &self.ordered));
        around.min_by(|&a, &b| lineages[a].side.total_cmp(&lineages[b].side))
    }

    /// The lineage to whose centre a row is closest.
    fn closest(&self, x: MatRef<'_>, row: usize) -> Option<usize> {
        let lineages = &self.state.lineages;
        let searching = (0..lineages.len()).filter(|&place| !lineages[place].is_beginning());
        let distances = searching.map(|place| (place, lineages[place].distance(x, row, &self.ordered)));
        distances.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(place, _)| place)
    }

    fn neediest(&self, assigned: &[(Vec<usize>, usize)]) -> Option<usize> {
        let lineages = &self.state.lineages;
        let beginning = (0..lineages.len()).filter(|&place| lineages[place].is_beginning());
        beginning.min_by_key(|&place| lineages[place].evaluated + assigned[place].0.len() + assigned[place].1)
    }

    /// Ends lineages that have converged, or whose outlook is below the best of any so far.
    fn end(&mut self, news: &RegionNews<'_>) {
        let scores: Vec<Scores<'_>> = self.state.lineages.iter().map(|lineage| scores(news, lineage.number)).collect();
        let best_of_ended = |scores: &Scores<'_>| {
            let known = self.state.ended.iter().filter_map(|ended| news.trials.binary_search(&ended.best).ok());
            known.map(|row| scores.values[row]).fold(f64::NEG_INFINITY, f64::max)
        };
        let is_single = news.pareto.scales.len() == 1;
        let mut ended = Vec::new();
        for (place, lineage) in self.state.lineages.iter().enumerate() {
            let Some((best, _)) = lineage.best(&scores[place]) else { continue };
            let rivals = self.state.lineages.iter().filter_map(|other| other.best(&scores[place]));
            let leading = rivals.map(|(_, score)| score).fold(best_of_ended(&scores[place]), f64::max);
            let outlook = lineage.outlook(&scores[place], self.ordered.len());
            // Lineages of several objectives seek different optima.
            let is_dropped = is_single && outlook.is_some_and(|outlook| outlook < leading);
            if lineage.is_ended() || is_dropped {
                let (number, evaluated, converged) = (lineage.number, lineage.evaluated, lineage.is_ended());
                ended.push(Ended { number, best, evaluated, converged });
            }
        }
        self.state.lineages.retain(|lineage| !ended.iter().any(|ended| ended.number == lineage.number));
        self.state.ended.extend(ended);
    }

    /// Begins as many lineages as are missing.
    fn begin(&mut self) {
        let begun = |state: &State| {
            let living = state.lineages.iter().map(|lineage| lineage.number + 1);
            living.chain(state.ended.iter().map(|ended| ended.number + 1)).max().unwrap_or(0)
        };
        let wanted = if self.state.ended.is_empty() { 1 } else { LINEAGES };
        while self.state.lineages.len() < wanted {
            let number = begun(&self.state);
            self.state.lineages.push(Lineage::begin(number));
        }
    }

    /// The lineage with the best outlook has as many elements as there are lineages for each element of another one.
    fn share_out(&mut self, news: &RegionNews<'_>) {
        let count = self.state.lineages.len();
        let outlook = |lineage: &Lineage| {
            let scores = scores(news, lineage.number);
            lineage.outlook(&scores, self.ordered.len()).unwrap_or(f64::NEG_INFINITY)
        };
        let outlooks: Vec<f64> = self.state.lineages.iter().map(outlook).collect();
        let leader = (0..count).max_by(|&a, &b| outlooks[a].total_cmp(&outlooks[b]));
        let is_leading = |place: usize| leader == Some(place) && outlooks[place].is_finite();
        let weights: Vec<f64> = (0..count).map(|place| if is_leading(place) { count as f64 } else { 1.0 }).collect();
        let total: f64 = weights.iter().sum();
        self.state.shares = weights.into_iter().map(|weight| weight / total).collect();
    }
}

impl TrustRegions for Memory {
    fn update(&mut self, news: &RegionNews<'_>) {
        for lineage in &mut self.state.lineages {
            lineage.recentre(&scores(news, lineage.number), &self.ordered);
        }
        if self.state.lineages.is_empty() {
            self.begin();
        } else if news.new.is_empty() && news.failed.nrows() == 0 {
            return;
        }
        let (assigned, ordered) = (self.assigned(news), &self.ordered);
        for (lineage, (rows, failed)) in self.state.lineages.iter_mut().zip(assigned) {
            lineage.learn(&scores(news, lineage.number), &rows, failed, ordered);
        }
        self.end(news);
        self.begin();
        self.share_out(news);
    }

    fn propose(&self, _: &Element<'_>, _: &mut ChaCha8Rng) -> Option<TrustRegion> {
        None
    }

    fn lineages(&self) -> &[Lineage] {
        &self.state.lineages
    }

    fn lineage_of(&self, step: u64, number: usize) -> Option<usize> {
        if !is_assigned(Assignment::TrustRegion, step, number, self.share) {
            return None;
        }
        let (mut left, last) = (position(Assignment::Lineage, step, number), self.state.shares.len().checked_sub(1)?);
        let place = self.state.shares.iter().position(|share| {
            left -= share;
            left < 0.0
        });
        Some(place.unwrap_or(last))
    }

    fn state(&self) -> Value {
        json!(self.state)
    }
}

/// The value of each row to a lineage.
fn scores<'a>(news: &'a RegionNews<'a>, lineage: u64) -> Scores<'a> {
    let objectives = news.pareto.scales.len();
    let mut values: Vec<f64> = if objectives == 1 {
        news.outcomes.iter().map(|outcomes| outcomes[0]).collect()
    } else {
        let weights = weights(objectives, lineage);
        let worst = |outcomes: &Vec<f64>| {
            let scaled = outcomes.iter().zip(&news.pareto.scales).zip(&weights);
            scaled.map(|((y, scale), w)| (y - scale.reference) / (scale.range * w)).fold(f64::INFINITY, f64::min)
        };
        news.outcomes.iter().map(worst).collect()
    };
    let feasible =
        values.iter().zip(news.violations).filter(|(_, violation)| **violation == 0.0).map(|(value, _)| *value);
    let floor = feasible.fold(f64::INFINITY, f64::min);
    let floor = if floor.is_finite() { floor } else { 0.0 };
    values.iter_mut().zip(news.violations).filter(|(_, violation)| **violation > 0.0).for_each(|(value, violation)| {
        *value = floor - violation;
    });
    Scores { news, values }
}

/// Weights of the objectives, other ones for every lineage, evenly distributed.
fn weights(objectives: usize, lineage: u64) -> Vec<f64> {
    let strides = [2f64, 3.0, 5.0, 7.0, 11.0, 13.0].map(f64::sqrt);
    let raw = |k: usize| {
        LEAST_WEIGHT + ((lineage + 1) as f64 * strides[k % strides.len()] + k as f64 / objectives as f64).fract()
    };
    let total: f64 = (0..objectives).map(raw).sum();
    (0..objectives).map(|k| raw(k) / total).collect()
}
