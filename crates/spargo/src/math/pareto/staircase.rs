//! The upper edge of what points in the plane dominate: vertical strips whose heights fall from left to right.
//!
//! Sweeps over a further coordinate raise it point by point. Every point makes at most two strips, so n of them replace
//! at most 2n in all: a sweep takes O(n log n).

use crate::math::Ordered;
use std::collections::BTreeMap;

/// Strips that cover the half plane to the right of `left`, each under its right end.
pub struct Staircase {
    left: f64,
    steps: BTreeMap<Ordered, Step>,
}

/// The part of the edge over (from, to].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Strip {
    /// Its left end.
    pub from: f64,
    /// Its right end.
    pub to: f64,
    /// What is dominated over it ends here.
    pub height: f64,
    /// The place in the sweep where it came to be.
    pub since: f64,
}

#[derive(Debug, Clone, Copy)]
struct Step {
    height: f64,
    since: f64,
}

impl Staircase {
    /// One strip from `left` to infinity at the height of `bottom`.
    pub fn new(left: f64, bottom: f64) -> Self {
        let step = Step { height: bottom, since: f64::INFINITY };
        Staircase { left, steps: BTreeMap::from([(key(f64::INFINITY), step)]) }
    }

    /// Adds what (x, y) dominates, at the place `at` of the sweep. Returns the strips that end, as they were, from right
    /// to left; none if all of it was dominated before.
    pub fn raise(&mut self, x: f64, y: f64, at: f64) -> Vec<Strip> {
        let mut ended = Vec::new();
        let mut next = self.steps.range(key(x)..).next().map(|(&key, &step)| (key, step));
        while let Some((Ordered(to), Step { height, since })) = next.filter(|(_, step)| step.height < y) {
            next = self.steps.range(..key(to)).next_back().map(|(&key, &step)| (key, step));
            let from = next.map_or(self.left, |(key, _)| key.0);
            ended.push(Strip { from, to, height, since });
        }
        for strip in &ended {
            // Right of x nothing is raised: the first strip goes on there.
            if strip.to > x {
                self.steps.insert(key(strip.to), Step { height: strip.height, since: at });
            } else {
                self.steps.remove(&key(strip.to));
            }
        }
        if !ended.is_empty() {
            self.steps.insert(key(x), Step { height: y, since: at });
        }
        ended
    }

    /// The strips from left to right.
    pub fn strips(&self) -> impl Iterator<Item = Strip> {
        let ends = self.steps.keys().map(|key| key.0);
        let starts = std::iter::once(self.left).chain(ends);
        let strip = |(from, (key, step)): (f64, (&Ordered, &Step))| Strip {
            from,
            to: key.0,
            height: step.height,
            since: step.since,
        };
        starts.zip(&self.steps).map(strip)
    }
}

/// A key of the map, in which 0 and −0 are equal.
fn key(x: f64) -> Ordered {
    Ordered(x + 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strip(from: f64, to: f64, height: f64, since: f64) -> Strip {
        Strip { from, to, height, since }
    }

    #[test]
    fn steps_are_raised_cut_and_removed() {
        let mut stairs = Staircase::new(0.0, 0.0);
        assert_eq!(stairs.raise(2.0, 3.0, 9.0), [strip(0.0, f64::INFINITY, 0.0, f64::INFINITY)]);
        assert_eq!(stairs.raise(4.0, 1.0, 8.0), [strip(2.0, f64::INFINITY, 0.0, 9.0)]);
        assert_eq!(stairs.raise(2.0, 2.5, 7.0), []);
        // Raises the strip below (2, 3) from the right, cuts the one up to 4.
        assert_eq!(stairs.raise(3.0, 3.5, 6.0), [strip(2.0, 4.0, 1.0, 8.0), strip(0.0, 2.0, 3.0, 9.0)]);
        let left = [strip(0.0, 3.0, 3.5, 6.0), strip(3.0, 4.0, 1.0, 6.0), strip(4.0, f64::INFINITY, 0.0, 8.0)];
        assert_eq!(stairs.strips().collect::<Vec<_>>(), left);
        // At the same place, only higher.
        assert_eq!(stairs.raise(3.0, 4.0, 5.0), [strip(0.0, 3.0, 3.5, 6.0)]);
    }
}
