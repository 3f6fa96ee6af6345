//! Moves a point to one nearby that satisfies all constraints: labels first, then which inputs have a value, which of them are 0, and
//! the others by projection and rounding.

use super::Constraints;
use crate::linalg::point_key;
use crate::rng::{Purpose, stream, uniform, weighted_index};
use crate::space::dimension::Dimension;
use rand_chacha::ChaCha8Rng;

/// Points between the one that is wanted and a known one, of which the last is the known one.
const ATTEMPTS: usize = 8;

/// Changes of labels, at most.
const CHANGES: usize = 200;

/// How often a point is looked at again after an exclusion has changed a value of it.
const ROUNDS: usize = 4;

impl Constraints {
    /// Moves a point to one nearby that satisfies all constraints, keeping some inputs as they are; false if none is found, and
    /// the point is as it was. The same point always goes to the same one.
    pub fn repair(&self, dimensions: &[Dimension], point: &mut [f64], held: &[usize]) -> bool {
        let mut rng = rng_of(point);
        let is_known = !self.anchor.is_empty();
        for attempt in 0..if is_known { ATTEMPTS + 1 } else { 1 } {
            let mut trial = point.to_vec();
            let share = attempt as f64 / ATTEMPTS as f64;
            if attempt > 0 {
                self.approach(&mut trial, share, held, &mut rng);
            }
            if self.attempt(dimensions, &mut trial, held, &mut rng) {
                point.copy_from_slice(&trial);
                return true;
            }
        }
        false
    }

    /// Goes part of the way to the known point.
    fn approach(&self, point: &mut [f64], share: f64, held: &[usize], rng: &mut ChaCha8Rng) {
        for k in (0..point.len()).filter(|k| !held.contains(k)) {
            if self.axes[k].is_some() {
                let (from, to) = (self.position(k, point[k]), self.position(k, self.anchor[k]));
                point[k] = self.number(k, from + share * (to - from));
            } else if uniform(rng) < share {
                point[k] = self.anchor[k];
            }
        }
        // The known point itself, to the last digit.
        if share == 1.0 {
            (0..point.len()).filter(|k| !held.contains(k)).for_each(|k| point[k] = self.anchor[k]);
        }
    }

    /// One attempt, without the known point.
    pub(super) fn attempt(
        &self,
        dimensions: &[Dimension],
        point: &mut [f64],
        held: &[usize],
        rng: &mut ChaCha8Rng,
    ) -> bool {
        for _ in 0..ROUNDS {
            for (k, dimension) in dimensions.iter().enumerate() {
                point[k] = self.fixed[k].unwrap_or_else(|| dimension.domain.snap(point[k]));
            }
            self.activate_fixed(point, rng);
            if !self.leave_exclusions(dimensions, point, held, rng) {
                return false;
            }
            let active = self.active(point);
            self.deactivate(point, &active);
            let is_fitting =
                (self.linear.is_empty() && self.cardinalities.is_empty()) || self.fit(dimensions, point, held, &active);
            if !is_fitting {
                return false;
            }
            if self.is_satisfied(dimensions, point) {
                return true;
            }
        }
        false
    }

    /// Gives inputs that others depend on, which are fixed, a value with which these have theirs.
    fn activate_fixed(&self, point: &mut [f64], rng: &mut ChaCha8Rng) {
        for &k in self.order.iter().rev().filter(|&&k| self.fixed[k].is_some()) {
            let mut wanted = vec![k];
            while let Some(k) = wanted.pop() {
                for (parent, numbers) in self.conditions[k].iter().flat_map(|condition| &condition.parents) {
                    if !numbers.contains(&point[*parent]) && self.fixed[*parent].is_none() {
                        point[*parent] = numbers[(uniform(rng) * numbers.len() as f64) as usize];
                    }
                    wanted.push(*parent);
                }
            }
        }
    }

    /// Changes values that do not go together, as few as may be.
    fn leave_exclusions(
        &self,
        dimensions: &[Dimension],
        point: &mut [f64],
        held: &[usize],
        rng: &mut ChaCha8Rng,
    ) -> bool {
        for _ in 0..CHANGES {
            let active = self.active(point);
            let Some(group) = self.exclusions.groups.iter().find(|group| group.excludes(point, &active)) else {
                return true;
            };
            let may_change = |k: &usize| !held.contains(k) && self.fixed[*k].is_none();
            let mut options: Vec<(usize, f64)> = Vec::new();
            for k in group.inputs.iter().copied().filter(may_change) {
                options.extend(dimensions[k].domain.neighbours(point[k]).into_iter().map(|number| (k, number)));
            }
            let count = |&(k, number): &(usize, f64)| {
                let mut moved = point.to_vec();
                moved[k] = number;
                let active = self.active(&moved);
                self.exclusions.groups.iter().filter(|group| group.excludes(&moved, &active)).count()
            };
            let counts: Vec<usize> = options.iter().map(count).collect();
            let Some(least) = counts.iter().min() else { return false };
            let weights: Vec<f64> = counts.iter().map(|count| f64::from(u8::from(count == least))).collect();
            let Some(&(k, number)) = weighted_index(&weights, rng).and_then(|i| options.get(i)) else { return false };
            point[k] = number;
        }
        false
    }

    /// Moves the inputs that have sums to the nearest values for which these hold; what is 0 stays so if it can.
    fn fit(&self, dimensions: &[Dimension], point: &mut [f64], held: &[usize], active: &[bool]) -> bool {
        self.choose_nonzero(dimensions, point, held, active);
        let is_held = |k: usize| held.contains(&k);
        let is_out = |k: usize| self.is_counted(k) && self.is_zero(k, point[k]);
        let own = |k: usize| if is_held(k) || is_out(k) { (point[k], point[k]) } else { (0.0, 1.0) };
        let wide = |k: usize| if is_held(k) { (point[k], point[k]) } else { (0.0, 1.0) };
        for relaxation in
            [self.relaxation(dimensions, point, own, true), self.relaxation(dimensions, point, wide, true)]
        {
            let (mut positions, mut trial) = (relaxation.positions(point), point.to_vec());
            if relaxation.polytope.project(&mut positions)
                && self.round(dimensions, &relaxation, &positions, &mut trial)
            {
                point.copy_from_slice(&trial);
                return true;
            }
            if self.cardinalities.is_empty() {
                break;
            }
        }
        false
    }

    /// Whether an input is one of those of which only so many may, or must, be other than 0.
    pub(super) fn is_counted(&self, k: usize) -> bool {
        self.cardinalities.iter().any(|own| own.inputs.contains(&k))
    }

    /// Sets all but the largest of inputs to 0 where only so many may be other than 0, and some to a step above where so many must.
    fn choose_nonzero(&self, dimensions: &[Dimension], point: &mut [f64], held: &[usize], active: &[bool]) {
        for own in &self.cardinalities {
            let size = |k: usize| (self.position(k, point[k]) - self.zero(k)).abs();
            let is_held = |k: usize| held.contains(&k) || self.fixed[k].is_some();
            let mut order: Vec<usize> = own.inputs.iter().copied().filter(|&k| active[k]).collect();
            order.sort_by(|&i, &j| {
                let (one, other) = (is_held(i) && size(i) > 0.0, is_held(j) && size(j) > 0.0);
                other.cmp(&one).then(size(j).total_cmp(&size(i)))
            });
            for (rank, k) in order.into_iter().enumerate().filter(|&(_, k)| !is_held(k)) {
                if rank >= own.most() {
                    point[k] = dimensions[k].domain.snap(self.number(k, self.zero(k)));
                } else if rank < own.least() && self.is_zero(k, point[k]) {
                    point[k] = dimensions[k].domain.snap(self.number(k, self.next_to_zero(k)));
                }
            }
        }
    }

    /// The position of the value 0.
    fn zero(&self, k: usize) -> f64 {
        self.axes[k].as_ref().map_or(0.0, |axis| axis.position_of(0.0))
    }
}

/// A stream of a point's own.
fn rng_of(point: &[f64]) -> ChaCha8Rng {
    let (half, other) = point_key(point.iter().copied());
    stream(half, Purpose::Repair, other, 0)
}
