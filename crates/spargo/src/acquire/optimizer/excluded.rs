//! The points that are not to be asked for again.

use crate::linalg::{MatRef, PointKey, PointMap, point_key, row};
use std::sync::Arc;

/// Points, and how often each was added.
type Multiset = PointMap<u32>;

/// A set of points, compared as models see them, and how often each was added: rows of a table may share a point.
///
/// A copy shares the points that it begins with: it costs no more than what is added to it. A million points take some 50 MB,
/// whatever their inputs.
#[derive(Debug, Clone, Default)]
pub struct Excluded {
    shared: Arc<Multiset>,
    /// What was added while copies shared the others.
    own: Multiset,
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
            let points = Arc::get_mut(&mut self.shared).unwrap_or(&mut self.own);
            *points.entry(key(point.iter().copied())).or_default() += 1;
        }
    }

    /// Makes room for so many more points.
    pub(crate) fn reserve(&mut self, points: usize) {
        Arc::get_mut(&mut self.shared).unwrap_or(&mut self.own).reserve(points);
    }

    /// Shares what was added while copies were there, if there are none any more.
    pub(crate) fn share(&mut self) {
        if let Some(shared) = Arc::get_mut(&mut self.shared) {
            for (point, count) in self.own.drain() {
                *shared.entry(point).or_default() += count;
            }
        }
    }

    /// Adds every row.
    pub fn insert_rows(&mut self, points: MatRef<'_>) {
        (0..points.nrows()).for_each(|i| self.insert(&row(points, i)));
    }

    /// Whether this point is in the set.
    pub fn contains(&self, point: &[f64]) -> bool {
        !self.is_empty() && self.count(key(point.iter().copied())) > 0
    }

    /// The number of points.
    pub fn len(&self) -> usize {
        self.shared.len() + self.own.keys().filter(|point| !self.shared.contains_key(*point)).count()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.shared.is_empty() && self.own.is_empty()
    }

    /// How often a point was added.
    fn count(&self, point: PointKey) -> u32 {
        [&*self.shared, &self.own].into_iter().filter_map(|points| points.get(&point)).sum()
    }

    /// The rows that are not in the set; of rows at the same point as many are as were added, the first ones.
    pub fn free_rows(&self, points: MatRef<'_>) -> Vec<usize> {
        self.free(points).into_iter().enumerate().filter_map(|(i, free)| free.then_some(i)).collect()
    }

    /// Whether each row is not in the set.
    pub(super) fn free(&self, points: MatRef<'_>) -> Vec<bool> {
        let mut seen = Multiset::default();
        let free = |i| {
            if self.is_empty() {
                return true;
            }
            let point = key(points.row(i).iter().copied());
            let taken = self.count(point);
            if taken == 0 {
                return true;
            }
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
fn key(point: impl ExactSizeIterator<Item = f64>) -> PointKey {
    point_key(point.map(|v| v + 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Mat;

    #[test]
    fn copies_have_points_of_their_own() {
        let mut all = Excluded::default();
        all.insert(&[1.0]);
        let mut copy = all.clone();
        copy.insert(&[1.0]);
        copy.insert(&[2.0]);
        all.insert(&[3.0]);
        let is_in = |set: &Excluded| [1.0, 2.0, 3.0].map(|x| set.contains(&[x]));
        assert_eq!((is_in(&all), all.len()), ([true, false, true], 2));
        assert_eq!((is_in(&copy), copy.len()), ([true, true, false], 2));
        let rows = Mat::from_fn(3, 1, |_, _| 1.0);
        assert_eq!((all.free_rows(rows.as_ref()), copy.free_rows(rows.as_ref())), (vec![1, 2], vec![2]));
        drop(copy);
        all.share();
        all.insert(&[1.0]);
        assert_eq!((all.len(), all.own.len(), all.free_rows(rows.as_ref())), (2, 0, vec![2]));
    }
}
