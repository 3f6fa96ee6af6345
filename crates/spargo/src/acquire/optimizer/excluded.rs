//! The points that are not to be asked for again.

use crate::linalg::{MatRef, row};
use std::collections::HashSet;

/// A set of points, compared bit by bit as models see them.
#[derive(Debug, Clone, Default)]
pub struct Excluded {
    points: HashSet<Box<[u64]>>,
    allows_replicates: bool,
}

impl Excluded {
    /// A set that never objects: any point may be asked for any number of times.
    pub fn nothing() -> Self {
        Excluded { allows_replicates: true, ..Excluded::default() }
    }

    /// Adds a point.
    pub fn insert(&mut self, point: &[f64]) {
        if !self.allows_replicates {
            self.points.insert(key(point.iter().copied()));
        }
    }

    /// Adds every row.
    pub fn insert_rows(&mut self, points: MatRef<'_>) {
        (0..points.nrows()).for_each(|i| self.insert(&row(points, i)));
    }

    /// Whether this point is in the set.
    pub fn contains(&self, point: &[f64]) -> bool {
        !self.points.is_empty() && self.points.contains(&key(point.iter().copied()))
    }

    /// The number of points.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// The rows that are not in the set.
    pub fn free_rows(&self, points: MatRef<'_>) -> Vec<usize> {
        self.free(points).into_iter().enumerate().filter_map(|(i, free)| free.then_some(i)).collect()
    }

    /// Whether each row is not in the set.
    pub(super) fn free(&self, points: MatRef<'_>) -> Vec<bool> {
        let free = |i| self.points.is_empty() || !self.points.contains(&key(points.row(i).iter().copied()));
        (0..points.nrows()).map(free).collect()
    }

    /// Whether points may be taken again.
    pub fn allows_replicates(&self) -> bool {
        self.allows_replicates
    }
}

/// Adding 0 makes −0 and 0 alike.
fn key(point: impl Iterator<Item = f64>) -> Box<[u64]> {
    point.map(|v| (v + 0.0).to_bits()).collect()
}
