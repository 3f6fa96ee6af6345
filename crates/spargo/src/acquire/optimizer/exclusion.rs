//! Exclusion zones around over-sampled incumbents: global batch elements search elsewhere.
//!
//! ```text
//!     C = { x : |x − c|∞ ≤ r },   c an incumbent with n trials or more in C;       xⱼ ≈ argmax_{x in no C} uⱼ(x)
//! ```
//!
//! (The best point of the pool outside the zones, and a local search around it.)
//!
//! A batch of maximisers repeats itself: once an optimum is known well, most paths have their maximum there, and the next
//! batch says again what the last one said. Trust regions around incumbents go on refining that optimum; the other
//! elements are worth more where a higher one may be. Once an exclusion zone is ten times as large as the least one, fewer
//! of them look elsewhere: from then on their number grows as the logarithm of its trials.

use super::assignment::{Assignment, is_assigned, position};
use super::trust_region::ordered_inputs;
use super::{AcquisitionOptimizer, TrustRegion};
use crate::linalg::{MatRef, column, row};

/// How far an exclusion zone reaches along every input, in units of the box.
const RADIUS: f64 = 0.15;

/// An exclusion zone that is so many times as large as the least one is known so well that elements begin to return to it.
const PATIENCE: usize = 10;

/// How far from exclusion zones elements begin, at most: an optimum may be wider than the exclusion zone on it.
const FARTHEST: f64 = 0.5;

/// Rows that are counted at a time, which stay in the cache.
const BLOCK: usize = 2048;

/// An incumbent with many trials around it.
#[derive(Debug, Clone)]
pub(super) struct ExclusionZone {
    centre: Vec<f64>,
    trials: usize,
}

impl AcquisitionOptimizer<'_> {
    /// Excludes the neighbourhoods of incumbents with many of the `observed` trials, [n, inputs], around them.
    pub fn with_exclusion_zones(mut self, observed: MatRef<'_>) -> Self {
        // Trials that are spread over a space of few inputs are crowded nowhere.
        let ordered = ordered_inputs(self.space).len();
        let spread = (2.0 * RADIUS).powi(ordered as i32) * observed.nrows() as f64;
        let least = self.options.exclusion.max((2.0 * spread) as usize);
        let inputs: Vec<&[f64]> = (0..observed.ncols()).map(|k| column(observed, k)).collect();
        let exclusion = |i: usize| {
            let centre = row(self.incumbents.as_ref(), i);
            let trials = count_within(&inputs, &centre, observed.nrows());
            (trials >= least).then_some(ExclusionZone { centre, trials })
        };
        if self.options.exclusion > 0 && self.trust_regions.is_some() {
            self.exclusion_zones = (0..self.incumbents.nrows()).filter_map(exclusion).collect();
        }
        self
    }

    /// Regions outside the exclusion zones for elements that have none, each around its best space-filling point. An element that
    /// would have to go farther than there are points goes wherever its maximum is.
    ///
    /// There are none if no element ever has a region: then none would stay within the exclusion zones.
    pub(super) fn outside_exclusion_zones(
        &self,
        points: MatRef<'_>,
        scores: MatRef<'_>,
        mut regions: Vec<Option<TrustRegion>>,
    ) -> Vec<Option<TrustRegion>> {
        let largest = self.exclusion_zones.iter().map(|exclusion| exclusion.trials).max();
        let (Some(largest), false) = (largest, regions.is_empty()) else { return regions };
        let share = (PATIENCE * self.options.exclusion) as f64 / largest as f64;
        let nearest = |i: usize| {
            let distances = self.exclusion_zones.iter().map(|zone| distance(points, i, &zone.centre));
            distances.fold(f64::INFINITY, f64::min)
        };
        let distances: Vec<f64> = (0..self.options.pool.min(points.nrows())).map(nearest).collect();
        let all = regions.iter_mut().enumerate();
        for (element, region) in
            all.filter(|(j, region)| region.is_none() && is_assigned(Assignment::Exclusion, self.rng.step, *j, share))
        {
            let least = RADIUS + (FARTHEST - RADIUS) * position(Assignment::Distance, self.rng.step, element);
            let scores = column(scores, element);
            let free = (0..distances.len()).filter(|&i| distances[i] > least && !scores[i].is_nan());
            let best = free.max_by(|&i, &j| scores[i].total_cmp(&scores[j]));
            *region = best.map(|i| self.beside(row(points, i), scores[i]));
        }
        regions
    }

    /// As far around a point as an exclusion zone is wide, but not into one.
    fn beside(&self, start: Vec<f64>, value: f64) -> TrustRegion {
        let ordered = ordered_inputs(self.space);
        let around = TrustRegion::around(start, ordered.iter().map(|&k| (k, RADIUS)));
        let TrustRegion { mut lower, mut upper, start, .. } = around;
        for ExclusionZone { centre, .. } in &self.exclusion_zones {
            let distance = |k: usize| (start[k] - centre[k]).abs();
            let farthest = (0..start.len()).max_by(|&i, &j| distance(i).total_cmp(&distance(j)));
            if let Some(k) = farthest.filter(|k| ordered.contains(k)) {
                if start[k] > centre[k] {
                    lower[k] = lower[k].max(centre[k] + RADIUS).min(start[k]);
                } else {
                    upper[k] = upper[k].min(centre[k] - RADIUS).max(start[k]);
                }
            }
        }
        TrustRegion { lower, upper, start, value }
    }
}

/// How many of so many rows, by their inputs, are within the radius of a point.
fn count_within(inputs: &[&[f64]], centre: &[f64], rows: usize) -> usize {
    let mut left = [0; BLOCK];
    let within = |first: usize| {
        let mut count = BLOCK.min(rows - first);
        left.iter_mut().zip(first..).for_each(|(row, j)| *row = j);
        for (x, c) in inputs.iter().zip(centre) {
            // Without branches, which no processor could predict: a row that is not close is overwritten by the next.
            let mut close = 0;
            for i in 0..count {
                let j = left[i];
                left[close] = j;
                close += usize::from((x[j] - c).abs() <= RADIUS);
            }
            count = close;
        }
        count
    };
    (0..rows).step_by(BLOCK).map(within).sum()
}

/// How far a row is from a point along the input where it is farthest, in units of the box; categories that differ are a box
/// apart, or more.
fn distance(x: MatRef<'_>, row: usize, centre: &[f64]) -> f64 {
    centre.iter().enumerate().fold(0.0, |most, (k, c)| most.max((x[(row, k)] - c).abs()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Mat;
    use crate::rng::{Purpose, stream, uniform};

    #[test]
    fn rows_within_the_radius_are_counted() {
        let mut rng = stream(1, Purpose::Data, 0, 0);
        for rows in [0, 1, BLOCK - 1, BLOCK + 1, 3 * BLOCK] {
            let x = Mat::from_fn(rows, 3, |_, _| 0.6 * uniform(&mut rng));
            let inputs: Vec<&[f64]> = (0..3).map(|k| column(x.as_ref(), k)).collect();
            let centre = [0.3, 0.1, 0.5];
            let is_close = |i: &usize| (0..3).all(|k| (x[(*i, k)] - centre[k]).abs() <= RADIUS);
            assert_eq!(count_within(&inputs, &centre, rows), (0..rows).filter(is_close).count(), "{rows}");
        }
    }
}
