//! The points that are not to be asked for again.

use crate::linalg::{MatRef, row};
use std::collections::HashMap;

/// A set of points, compared bit by bit as models see them, and how often each was added: rows of a table may share a point.
#[derive(Debug, Clone, Default)]
pub struct Excluded {
    points: HashMap<Box<[u64]>, usize>,
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
            *self.points.entry(key(point.iter().copied())).or_default() += 1;
        }
    }

    /// Adds every row.
    pub fn insert_rows(&mut self, points: MatRef<'_>) {
        (0..points.nrows()).for_each(|i| self.insert(&row(points, i)));
    }

    /// Whether this point is in the set.
    pub fn contains(&self, point: &[f64]) -> bool {
        !self.points.is_empty() && self.points.contains_key(&key(point.iter().copied()))
    }

    /// The number of points.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// The rows that are not in the set; of rows at the same point as many are as were added, the first ones.
    pub fn free_rows(&self, points: MatRef<'_>) -> Vec<usize> {
        self.free(points).into_iter().enumerate().filter_map(|(i, free)| free.then_some(i)).collect()
    }

    /// Whether each row is not in the set.
    pub(super) fn free(&self, points: MatRef<'_>) -> Vec<bool> {
        let mut seen: HashMap<Box<[u64]>, usize> = HashMap::new();
        let free = |i| {
            if self.points.is_empty() {
                return true;
            }
            let point = key(points.row(i).iter().copied());
            let Some(&taken) = self.points.get(&point) else { return true };
            let rows = seen.entry(point).or_default();
            *rows += 1;
            *rows > taken
        };
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
