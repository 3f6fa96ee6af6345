//! Points before there is a model: spread evenly over the space, or drawn from a table.

use super::config::Config;
use crate::acquire::optimizer::{AcquisitionOptimizer, AcquisitionOptions, CandidatePool, Excluded, space_filling};
use crate::error::{Error, Result};
use crate::linalg::{Mat, MatRef, select_rows};
use crate::rng::{Purpose, StepRng, distinct_indices, stream};
use crate::space::Space;

/// How many times as many points are looked at as are wanted.
const LONGEST: usize = 100;

/// `count` new points, [count, inputs], going on where `asked` points were asked for before; all are taken afterwards.
pub(super) fn design(config: &Config, asked: usize, count: usize, excluded: &mut Excluded) -> Result<Mat> {
    let (space, seed) = (&config.space, config.seed);
    let none = Mat::zeros(0, space.dimensions().len());
    let settings = AcquisitionOptions { pool: 1, ..AcquisitionOptions::default() };
    let search = AcquisitionOptimizer::new(space, none.as_ref(), &settings, StepRng { seed, step: 0 })?;
    match search.pool() {
        CandidatePool::Starts(_) => scattered(space, asked, count, seed, excluded),
        listed => drawn(listed.points(), asked, count, seed, excluded),
    }
}

/// The next points of one space-filling sequence.
fn scattered(space: &Space, asked: usize, count: usize, seed: u64, excluded: &mut Excluded) -> Result<Mat> {
    let mut points = Mat::zeros(count, space.dimensions().len());
    let (mut found, mut next) = (0, asked);
    while found < count && next < asked + LONGEST * count {
        // A stream of its own: the sequence does not depend on where it is entered.
        let some = space_filling(space, next, count, &mut stream(seed, Purpose::Design, 0, 0));
        next += count;
        for i in 0..count {
            let point: Vec<f64> = some.row(i).iter().copied().collect();
            if found < count && !excluded.contains(&point) {
                excluded.insert(&point);
                points.row_mut(found).copy_from(some.row(i));
                found += 1;
            }
        }
    }
    if found < count { Err(Error::Exhausted { wanted: count, left: found }) } else { Ok(points) }
}

/// Random rows of a table.
fn drawn(table: MatRef<'_>, asked: usize, count: usize, seed: u64, excluded: &mut Excluded) -> Result<Mat> {
    let free = excluded.free_rows(table);
    if free.len() < count && !excluded.allows_replicates() {
        return Err(Error::Exhausted { wanted: count, left: free.len() });
    }
    let mut rng = stream(seed, Purpose::Design, 1, asked as u64);
    let mut rows: Vec<usize> = Vec::with_capacity(count);
    // Every row once before any again.
    while rows.len() < count {
        rows.extend(distinct_indices(free.len(), count - rows.len(), &mut rng).into_iter().map(|i| free[i]));
    }
    let points = select_rows(table, &rows);
    excluded.insert_rows(points.as_ref());
    Ok(points)
}
