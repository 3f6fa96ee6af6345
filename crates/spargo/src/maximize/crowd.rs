//! Crowds: where many trials lie together already, one more says little, and members of the whole space look elsewhere.
//!
//! ```text
//!     C = { x : |x − c|∞ ≤ r },   c an incumbent with n trials or more in C;       xⱼ = argmax_{x in no C} uⱼ(x)
//! ```
//!
//! A batch of maximisers repeats itself: once a summit is known well, most paths have their maximum there, and the next
//! batch says again what the last one said. Regions around incumbents (`region`) go on polishing that summit; the other
//! members are worth more where a higher one may be.

use super::{Region, Search};
use crate::linalg::{MatRef, column};

impl Search<'_> {
    /// The same search; incumbents with a crowd of the `observed` trials around them are told apart.
    pub fn with_crowds(mut self, observed: MatRef<'_, f64>) -> Self {
        let is_crowded = |centre: &Vec<f64>| {
            let close = (0..observed.nrows()).filter(|&i| is_within(observed, i, centre));
            close.take(self.settings.crowd).count() == self.settings.crowd
        };
        if self.settings.crowd > 0 {
            let centres = (0..self.incumbents.nrows()).map(|i| self.incumbents.row(i).iter().copied().collect());
            self.crowds = centres.filter(is_crowded).collect();
        }
        self
    }

    /// Regions beside the crowds for members that have none, each around its best point of those that are spread.
    ///
    /// There are none if nobody has a region: then nobody would stay with the crowds.
    pub(super) fn beside_crowds(
        &self,
        points: MatRef<'_, f64>,
        scores: MatRef<'_, f64>,
        mut regions: Vec<Option<Region>>,
    ) -> Vec<Option<Region>> {
        let free = |&i: &usize| !self.crowds.iter().any(|centre| is_within(points, i, centre));
        let free: Vec<usize> = match self.crowds.is_empty() {
            true => Vec::new(),
            false => (0..self.settings.pool.min(points.nrows())).filter(free).collect(),
        };
        for (member, region) in regions.iter_mut().enumerate().filter(|(_, region)| region.is_none()) {
            let scores = column(scores, member);
            let best = free.iter().copied().max_by(|&i, &j| scores[i].total_cmp(&scores[j]));
            *region = best.map(|row| self.beside(points.row(row).iter().copied().collect(), scores[row]));
        }
        regions
    }

    /// As far around a point as a crowd is wide, but not into one.
    fn beside(&self, start: Vec<f64>, value: f64) -> Region {
        let reach = |k: usize| if self.extends(k) { RADIUS } else { 0.0 };
        let mut lower: Vec<f64> = start.iter().enumerate().map(|(k, v)| (v - reach(k)).max(0.0)).collect();
        let mut upper: Vec<f64> = start.iter().enumerate().map(|(k, v)| (v + reach(k)).min(1.0)).collect();
        for centre in &self.crowds {
            let distance = |k: usize| (start[k] - centre[k]).abs();
            let farthest = (0..start.len()).max_by(|&i, &j| distance(i).total_cmp(&distance(j)));
            if let Some(k) = farthest.filter(|&k| self.extends(k)) {
                match start[k] > centre[k] {
                    true => lower[k] = lower[k].max(centre[k] + RADIUS).min(start[k]),
                    false => upper[k] = upper[k].min(centre[k] - RADIUS).max(start[k]),
                }
            }
        }
        Region { lower, upper, start, value }
    }
}

/// Whether a row lies within the box of a crowd around this point; categories that differ are farther apart.
fn is_within(x: MatRef<'_, f64>, row: usize, centre: &[f64]) -> bool {
    centre.iter().enumerate().all(|(k, c)| (x[(row, k)] - c).abs() <= RADIUS)
}

/// How far a crowd reaches along every input, in units of the box.
const RADIUS: f64 = 0.15;
