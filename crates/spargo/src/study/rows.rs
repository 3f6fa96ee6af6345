//! Which candidates trials are: rows of a table that differ in their labels alone share a point.
//!
//! ```text
//!     row(x) = argmin_{rows r with inputs x} (trials of r)        the first of equals
//! ```

use super::storage::History;
use crate::space::{Point, Space};
use std::collections::HashMap;

/// The row of the table of candidates for each of these points, which are new trials; empty if there is no table. Rows that are
/// `known` stay, if they have the inputs of their points.
pub(super) fn candidate_rows<'a>(
    space: &Space,
    history: &History,
    points: impl IntoIterator<Item = &'a Point>,
    known: &[Option<u64>],
) -> Vec<Option<u64>> {
    let mut points = points.into_iter().peekable();
    // Outcomes of known trials need no look at all trials.
    if space.candidates().is_none() || points.peek().is_none() {
        return Vec::new();
    }
    let mut trials: HashMap<u64, usize> = HashMap::new();
    let live = history.records().iter().filter(|record| !record.is_discarded);
    live.filter_map(|record| record.trial.row).for_each(|row| *trials.entry(row).or_default() += 1);
    let row = |(point, known): (&Point, Option<u64>)| {
        let rows = space.rows_at(point);
        let known = known.filter(|row| rows.contains(row));
        let row = known.or(rows.into_iter().min_by_key(|row| trials.get(row).copied().unwrap_or(0)))?;
        *trials.entry(row).or_default() += 1;
        Some(row)
    };
    let known = known.iter().copied().chain(std::iter::repeat(None));
    points.zip(known).map(row).collect()
}

/// The row of a point in another space, to which the point belongs already: that of the same candidate, or the only one there.
pub(super) fn row_after(point: &Point, row: Option<u64>, from: &Space, to: &Space) -> Option<u64> {
    let rows = to.rows_at(point);
    let identity = row.and_then(|row| from.identity(row));
    let same = rows.iter().find(|&&row| identity.is_some() && to.identity(row) == identity);
    same.or(if let [only] = rows.as_slice() { Some(only) } else { None }).copied()
}
