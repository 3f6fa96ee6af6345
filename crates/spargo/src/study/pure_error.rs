//! Pure error: the noise variance that replicates show, whatever the function is and however a model fits it.
//!
//! ```text
//!     s² = Σ_p Σ_j (u_pj − ū_p)² / ν,     ν = Σ_p (n_p − 1)        p: points with n_p > 1 outcomes, u: outcomes in a model's units
//!     misfit, if  ν (r − 1 − log r) > 9,  r = s²/σ² < 1             σ²: the noise variance that the model has learned
//! ```
//!
//! Ripple finer than the spacing of trials passes for noise in any likelihood, but not at the same point. The test is the
//! likelihood-ratio test of two variances: only if σ² is far above s² is the rest of it signal that the model has missed. Both are in the
//! model's units: what a transform makes of noise is neither signal nor misfit.

use super::noise::Noise;
use super::observed::ObservedOutput;
use crate::data::{Dataset, OutcomeTransform};
use crate::linalg::{MatRef, PointKey, PointMap, point_key, sorted_by_value};
use std::collections::{HashMap, HashSet};

/// Twice the log likelihood ratio from which a model is taken to miss signal: three standard deviations.
const EVIDENCE: f64 = 9.0;

/// A noise variance so many times the pure error is worth more replicates, until they show misfit or bring the pure error up to it.
const SUSPICIOUS: f64 = 1.5;

/// A noise variance that the user knows counts as one from this many replicates.
const KNOWN: f64 = 1000.0;

/// Points that are replicated for the sake of the pure error, before any are because they may be the best.
pub(super) const PAIRS: usize = 10;

/// Points whose replicates must agree before outcomes are taken to be exact.
const AGREEING: usize = 3;

/// The probability that so many replicates agree because outcomes were rounded, at most, if they are to prove that there is no noise.
const CHANCE: f64 = 1e-3;

/// Differences between replicates up to this part of the range of all outcomes are those of rounding.
const ROUNDING: f64 = 1e-10;

/// What is known of the noise of an output, apart from any model.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum PureError {
    /// There is none.
    Exact,
    /// The variance that the user knows, in the squared units of the output.
    Known(f64),
    /// Rows at the same point, whose outcomes differ by noise alone; at least two each.
    Replicates(Vec<Vec<usize>>),
}

/// The noise variance of a model compared with the pure error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Comparison {
    /// The pure error in the model's units.
    pub variance: f64,
    /// The model's noise variance over the pure error.
    times: f64,
    /// Degrees of freedom from which the pure error was estimated.
    degrees: f64,
}

/// Outcomes that differ although the output is said to have no noise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Contradiction {
    /// Two rows at the same point.
    pub rows: (usize, usize),
}

impl PureError {
    /// Whether outcomes have no noise at all.
    pub fn is_exact(&self) -> bool {
        *self == PureError::Exact
    }

    /// The pure error of these outcomes in a model's units, compared with the model's noise variance.
    pub fn compare(&self, data: &Dataset, units: &OutcomeTransform, noise: f64) -> Comparison {
        let (variance, degrees) = match self {
            PureError::Exact => (0.0, KNOWN),
            // What a likelihood would learn of it.
            PureError::Known(variance) => {
                let in_units = |&y: &f64| (variance.ln() + 2.0 * units.log_slope(y)).exp() / data.len() as f64;
                (data.y().iter().map(in_units).sum(), KNOWN)
            }
            PureError::Replicates(groups) => {
                let squares = |group: &Vec<usize>| squares(group.iter().map(|&row| units.to_model(data.y()[row])));
                let degrees = groups.iter().map(|group| group.len() - 1).sum::<usize>() as f64;
                (groups.iter().map(squares).sum::<f64>() / degrees, degrees)
            }
        };
        Comparison { variance, times: noise / variance, degrees }
    }
}

impl Comparison {
    /// Whether the model takes signal for noise.
    pub fn shows_misfit(&self) -> bool {
        let ratio = 1.0 / self.times;
        ratio < 1.0 && self.degrees * (ratio - 1.0 - ratio.ln()) > EVIDENCE
    }

    /// Whether the model may take signal for noise, but too few replicates are there to show it.
    pub fn suggests_misfit(&self) -> bool {
        self.times > SUSPICIOUS && !self.shows_misfit()
    }
}

/// The sum of squared deviations from the mean.
fn squares(values: impl Iterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.collect();
    let mean = values.iter().map(|value| value / values.len() as f64).sum::<f64>();
    values.iter().map(|value| (value - mean) * (value - mean)).sum()
}

/// Rows that share their points with others.
#[derive(Debug, Default)]
pub(super) struct Replicated {
    /// How many rows were looked at.
    rows: usize,
    /// The first row at each point.
    firsts: PointMap<u32>,
    /// The rows at each point that several have, in their order; points by their second rows, as replicates came.
    groups: Vec<Vec<usize>>,
    /// The group of each row that is in one.
    group_of: HashMap<usize, usize>,
}

impl Replicated {
    /// Of these points, [rows, inputs].
    pub fn of(x: MatRef<'_>) -> Self {
        let mut replicated = Replicated::default();
        replicated.extend(x);
        replicated
    }

    /// Takes in the rows of these points that are new.
    pub fn extend(&mut self, x: MatRef<'_>) {
        self.firsts.reserve(x.nrows() - self.rows);
        for row in self.rows..x.nrows() {
            let first = *self.firsts.entry(key(x, row)).or_insert(row as u32) as usize;
            if first == row {
                continue;
            }
            let group = *self.group_of.entry(first).or_insert_with(|| {
                self.groups.push(vec![first]);
                self.groups.len() - 1
            });
            self.groups[group].push(row);
            self.group_of.insert(row, group);
        }
        self.rows = x.nrows();
    }

    /// Forgets all rows of these points but the first, so many.
    pub fn truncate(&mut self, x: MatRef<'_>, kept: usize) {
        for row in (kept..self.rows).rev() {
            let Some(group) = self.group_of.remove(&row) else {
                self.firsts.remove(&key(x, row));
                continue;
            };
            self.groups[group].pop();
            if let [first] = self.groups[group][..] {
                // It was the last of the second rows, and so is its group.
                self.groups.pop();
                self.group_of.remove(&first);
            }
        }
        self.rows = self.rows.min(kept);
    }

    /// The mean of the outcomes at the point of a row, in some units, and their number.
    pub fn average(&self, data: &Dataset, units: &OutcomeTransform, row: usize) -> (f64, usize) {
        let outcome = |row: usize| units.to_model(data.y()[row]);
        match self.group_of.get(&row).map(|&group| &self.groups[group]) {
            Some(rows) => (rows.iter().map(|&row| outcome(row) / rows.len() as f64).sum(), rows.len()),
            None => (outcome(row), 1),
        }
    }

    /// The first row at the point of a row.
    pub fn first(&self, row: usize) -> usize {
        self.group_of.get(&row).map_or(row, |&group| self.groups[group][0])
    }

    /// Those of the rows whose points none of the others before has: replicates are data, but not points. `seen` has the first rows at
    /// the points that are passed over.
    pub fn distinct<'a>(
        &'a self,
        rows: impl Iterator<Item = usize> + 'a,
        seen: &'a mut HashSet<usize>,
    ) -> impl Iterator<Item = usize> + 'a {
        rows.filter(move |&row| seen.insert(self.first(row)))
    }
}

fn key(x: MatRef<'_>, row: usize) -> PointKey {
    point_key(x.row(row).iter().copied())
}

/// A point by its bits: what replicates have in common.
pub(super) fn bits(point: &[f64]) -> Vec<u64> {
    point.iter().map(|v| v.to_bits()).collect()
}

impl ObservedOutput {
    /// The pure error, as far as settings and replicates say it; `None` if they do not.
    pub fn pure_error(&self, noise: Noise) -> Option<PureError> {
        match noise {
            Noise::None if self.contradiction().is_none() => Some(PureError::Exact),
            Noise::None | Noise::Auto => self.estimated(),
            Noise::Sd(_) | Noise::Variance(_) => noise.known_variance().map(PureError::Known),
        }
    }

    /// Whether all outcomes are what they are: without noise, and none with a variance of its own.
    pub fn is_exact(&self, noise: Noise) -> bool {
        let has_variance = |row: usize| self.data.noise_of(row, -1.0) >= 0.0;
        !(0..self.data.len()).any(has_variance) && self.pure_error(noise).is_some_and(|error| error.is_exact())
    }

    /// The first two outcomes that differ at one point.
    pub fn contradiction(&self) -> Option<Contradiction> {
        let rounding = rounding(&self.data);
        let y = |row: usize| self.data.y()[row];
        let differs = |group: Vec<usize>| {
            group[1..].iter().find(|&&row| (y(row) - y(group[0])).abs() > rounding).map(|&row| (group[0], row))
        };
        self.plain_groups().find_map(differs).map(|rows| Contradiction { rows })
    }

    /// Whether the outcome of a row is what was told, with the noise of all others: neither screened nor of a known variance.
    pub fn is_plain(&self, row: usize) -> bool {
        self.data.noise_of(row, -1.0) < 0.0 && !self.is_screened(row)
    }

    /// Rows that share a point and are plain, at least two each.
    fn plain_groups(&self) -> impl Iterator<Item = Vec<usize>> {
        let plain = |group: &Vec<usize>| group.iter().copied().filter(|&row| self.is_plain(row)).collect::<Vec<_>>();
        self.replicated().groups.iter().map(plain).filter(|group| group.len() > 1)
    }

    /// The pure error of replicates without a known variance.
    ///
    /// After the first few points the study asks for replicates where outcomes are the best, which are lucky: they differ from the next
    /// ones by more than noise. Replicates that it has not asked for count all.
    fn estimated(&self) -> Option<PureError> {
        let groups: Vec<Vec<usize>> = self.plain_groups().collect();
        if self.contradiction().is_none() {
            return self.proves_exactness(&groups).then_some(PureError::Exact);
        }
        let mut pairs = 0;
        let mut unlucky = |mut group: Vec<usize>| {
            pairs += usize::from(group[1..].iter().any(|&row| self.asked[row]));
            if pairs > PAIRS {
                let first = group[0];
                group.retain(|&row| row == first || !self.asked[row]);
            }
            group
        };
        let groups: Vec<Vec<usize>> = groups.into_iter().map(&mut unlucky).filter(|group| group.len() > 1).collect();
        (!groups.is_empty()).then_some(PureError::Replicates(groups))
    }

    /// Whether replicates that all agree show that there is no noise: only if they are at several points of different outcomes, a
    /// good one among them (a dead corner returns 0 twice, and proves nothing), and do not agree because outcomes were rounded.
    ///
    /// The first few of them may prove it, judged by the outcomes that were there by then: later ones gather at the optimum, where all
    /// are better than those pairs, and many alike.
    fn proves_exactness(&self, groups: &[Vec<usize>]) -> bool {
        let doubled = std::iter::successors(Some(2 * PAIRS), |count| Some(2 * count));
        let counts = (AGREEING..=PAIRS).chain(doubled).take_while(|&count| count <= groups.len());
        counts.into_iter().any(|count| self.is_proof(&groups[..count]))
    }

    /// Whether these replicates, which agree, prove that there is no noise, by the outcomes up to the last of them.
    fn is_proof(&self, groups: &[Vec<usize>]) -> bool {
        let Some(known) = groups.iter().map(|group| group[1] + 1).max() else { return false };
        let (y, rounding) = (&self.data.y()[..known], rounding(&self.data));
        let mut levels: Vec<f64> = groups.iter().map(|group| y[group[0]]).collect();
        levels.sort_by(f64::total_cmp);
        levels.dedup_by(|a, b| (*a - *b).abs() <= rounding);
        let good = y[sorted_by_value(y)[y.len() / 2]];
        let has_levels = levels.len() >= 2 && levels.last().is_some_and(|&best| best >= good);
        has_levels && self.shared(known).powi(groups.len() as i32) < CHANCE
    }

    /// The share of the first rows whose outcome one of them at another point has as well, to the bit.
    fn shared(&self, first: usize) -> f64 {
        let y = self.data.y();
        let mut rows: Vec<(u64, usize)> =
            (0..first).map(|row| (y[row].to_bits(), self.replicated().first(row))).collect();
        rows.sort_unstable();
        let alike = rows.chunk_by(|a, b| a.0 == b.0);
        let shared: usize = alike.filter(|rows| rows[0].1 != rows[rows.len() - 1].1).map(<[_]>::len).sum();
        shared as f64 / first as f64
    }
}

/// The difference up to which outcomes are the same: numbers that were computed in another order.
fn rounding(data: &Dataset) -> f64 {
    let (low, high) = data.y().iter().fold((f64::MAX, f64::MIN), |(low, high), &y| (low.min(y), high.max(y)));
    let size = low.abs().max(high.abs());
    ROUNDING * (high / 2.0 - low / 2.0).max(0.0) * 2.0 + 8.0 * f64::EPSILON * size
}

#[cfg(test)]
mod tests;
