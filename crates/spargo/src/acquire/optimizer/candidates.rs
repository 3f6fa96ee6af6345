//! The best of finitely many points: streamed in blocks, so that a million of them need no matrix of points × elements.

use super::Excluded;
use crate::error::{Error, Result};
use crate::interrupt;
use crate::linalg::{Mat, MatRef, column, select_rows};
use crate::optim::BatchedObjective;
use rayon::prelude::*;

/// Rows scored at a time.
const BLOCK: usize = 8192;

/// One row of `points` for each element, none twice, as a matrix, [elements, inputs].
pub(super) fn choose(acquisition: &dyn BatchedObjective, points: MatRef<'_>, excluded: &mut Excluded) -> Result<Mat> {
    let elements = acquisition.elements();
    let mut free = excluded.free(points);
    let left = free.iter().filter(|&&free| free).count();
    let needed = if excluded.allows_replicates() { 1 } else { elements };
    if left < needed {
        return Err(Error::Exhausted { wanted: elements, left });
    }
    let mut chosen = Vec::with_capacity(elements);
    for best in best_rows(acquisition, points, &free, needed)? {
        // Elements before this one took fewer rows than it kept, so one of its own is free.
        let row = best.into_iter().find(|&row| free[row]).ok_or(Error::Exhausted { wanted: elements, left })?;
        free[row] = excluded.allows_replicates();
        chosen.push(row);
    }
    let chosen = select_rows(points, &chosen);
    excluded.insert_rows(chosen.as_ref());
    Ok(chosen)
}

/// For each element its `keep` best free rows, best first.
fn best_rows(
    acquisition: &dyn BatchedObjective,
    points: MatRef<'_>,
    free: &[bool],
    keep: usize,
) -> Result<Vec<Vec<usize>>> {
    let mut best = vec![BestRows::default(); acquisition.elements()];
    for first in (0..points.nrows()).step_by(BLOCK) {
        interrupt::poll()?;
        let rows: Vec<usize> = (first..points.nrows().min(first + BLOCK)).filter(|&row| free[row]).collect();
        if rows.is_empty() {
            continue;
        }
        let scores = acquisition.score(select_rows(points, &rows).as_ref())?;
        best.par_iter_mut().enumerate().for_each(|(element, best)| {
            for (&row, &score) in rows.iter().zip(column(scores.as_ref(), element)) {
                // NaN is worst.
                best.offer(row, score.max(f64::NEG_INFINITY), keep);
            }
        });
    }
    Ok(best.into_iter().map(BestRows::into_rows).collect())
}

/// The rows with the largest scores, best first; of equal scores the earlier row.
#[derive(Debug, Clone, Default)]
pub(super) struct BestRows(Vec<(f64, usize)>);

impl BestRows {
    /// Takes in a row later than those before, if it is among the best `keep`.
    pub(super) fn offer(&mut self, row: usize, score: f64, keep: usize) {
        if self.0.len() < keep || self.0.last().is_some_and(|(worst, _)| score > *worst) {
            let place = self.0.partition_point(|(other, _)| *other >= score);
            self.0.insert(place, (score, row));
            self.0.truncate(keep);
        }
    }

    pub(super) fn into_rows(self) -> Vec<usize> {
        self.0.into_iter().map(|(_, row)| row).collect()
    }
}
