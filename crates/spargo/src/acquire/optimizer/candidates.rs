//! The best of finitely many points: streamed in blocks, so that a million of them need no matrix of points × elements.

use super::Excluded;
use crate::error::{Error, Result};
use crate::interrupt;
use crate::linalg::{Mat, MatRef, column, select_rows};
use crate::optim::BatchedObjective;
use rayon::prelude::*;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// One row of `points` for each element, none twice, as a matrix, [elements, inputs].
pub(super) fn choose(
    acquisition: &dyn BatchedObjective,
    points: MatRef<'_, f64>,
    excluded: &mut Excluded,
) -> Result<Mat<f64>> {
    let elements = acquisition.elements();
    let mut free = excluded.free(points);
    let left = free.iter().filter(|&&free| free).count();
    let needed = if excluded.allows_replicates() { 1 } else { elements };
    if left < needed {
        return Err(Error::Exhausted { wanted: elements, left });
    }
    let mut chosen = Vec::with_capacity(elements);
    for best in best_rows(acquisition, points, &free, needed)? {
        // Members before this one took fewer rows than it kept, so one of its own is free.
        let row = best.into_iter().find(|&row| free[row]).ok_or(Error::Exhausted { wanted: elements, left })?;
        free[row] = excluded.allows_replicates();
        chosen.push(row);
    }
    let chosen = select_rows(points, &chosen);
    excluded.insert_rows(chosen.as_ref());
    Ok(chosen)
}

/// Rows scored at a time.
const BLOCK: usize = 8192;

/// For each element its `keep` best free rows, best first.
fn best_rows(
    acquisition: &dyn BatchedObjective,
    points: MatRef<'_, f64>,
    free: &[bool],
    keep: usize,
) -> Result<Vec<Vec<usize>>> {
    let mut best: Vec<Best> = vec![Best::default(); acquisition.elements()];
    for first in (0..points.nrows()).step_by(BLOCK) {
        interrupt::poll()?;
        let rows: Vec<usize> = (first..points.nrows().min(first + BLOCK)).filter(|&row| free[row]).collect();
        if rows.is_empty() {
            continue;
        }
        let scores = acquisition.score(select_rows(points, &rows).as_ref())?;
        best.par_iter_mut().enumerate().for_each(|(element, best)| {
            rows.iter().zip(column(scores.as_ref(), element)).for_each(|(&row, &score)| best.offer(row, score, keep));
        });
    }
    Ok(best.into_iter().map(Best::into_rows).collect())
}

/// The best rows so far, the worst of them on top.
#[derive(Debug, Clone, Default)]
struct Best(BinaryHeap<Reverse<Scored>>);

impl Best {
    fn offer(&mut self, row: usize, score: f64, keep: usize) {
        let scored = Scored { score, row };
        if self.0.len() < keep {
            self.0.push(Reverse(scored));
        } else if let Some(mut worst) = self.0.peek_mut()
            && scored > worst.0
        {
            *worst = Reverse(scored);
        }
    }

    fn into_rows(self) -> Vec<usize> {
        self.0.into_sorted_vec().into_iter().map(|Reverse(scored)| scored.row).collect()
    }
}

/// Larger scores are better, then earlier rows; NaN is worst.
#[derive(Debug, Clone, Copy)]
struct Scored {
    score: f64,
    row: usize,
}

impl Scored {
    fn key(&self) -> (f64, Reverse<usize>) {
        (if self.score.is_nan() { f64::NEG_INFINITY } else { self.score }, Reverse(self.row))
    }
}

impl Ord for Scored {
    fn cmp(&self, other: &Self) -> Ordering {
        let ((a, row), (b, other_row)) = (self.key(), other.key());
        a.total_cmp(&b).then(row.cmp(&other_row))
    }
}

impl PartialOrd for Scored {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Scored {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Scored {}
