//! Values that do not go together, looked up by their numbers.

use crate::linalg::{PointKey, point_key};
use std::collections::HashSet;

/// All exclusions.
#[derive(Debug, Clone, Default)]
pub(super) struct Exclusions {
    pub groups: Vec<Group>,
}

/// Combinations of values of the same inputs.
#[derive(Debug, Clone)]
pub(super) struct Group {
    pub inputs: Vec<usize>,
    pub excluded: HashSet<PointKey>,
}

impl Group {
    /// Combinations by their numbers.
    pub fn new(inputs: Vec<usize>, rows: &[Vec<f64>]) -> Self {
        Group { inputs, excluded: rows.iter().map(|row| key(row.iter().copied())).collect() }
    }

    /// Whether a point is excluded; where an input is inactive it is not.
    pub fn excludes(&self, point: &[f64], active: &[bool]) -> bool {
        self.inputs.iter().all(|&k| active[k]) && self.excluded.contains(&key(self.inputs.iter().map(|&k| point[k])))
    }
}

/// Adding 0 makes −0 and 0 alike.
fn key(numbers: impl ExactSizeIterator<Item = f64>) -> PointKey {
    point_key(numbers.map(|number| number + 0.0))
}
