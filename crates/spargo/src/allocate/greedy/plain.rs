//! The algorithm of Chen, Zhang & Zhou (2018): every row is brought up to date after every choice.

use super::super::factor::{LANES, padded, padded_dot};
use super::{ParetoState, Picks, Pool};
use crate::interrupt;
use crate::kernel::Covariance;
use crate::linalg::{MatMut, MatRef};
use multiversion::{multiversion, target::target_cfg_f};
use rayon::prelude::*;

/// Rows updated by one task: its kernel values stay in the first-level cache.
const BLOCK: usize = 512;

/// Chooses by looking at every row at every step; fewer when interrupted.
pub(in super::super) fn plain<K: Covariance + Sync + ?Sized>(pool: &Pool<'_, K>) -> Picks {
    // A row more than the padding needs keeps the rows' starts from all falling into the same sets of the cache.
    let (n, width) = (pool.x.nrows(), padded(pool.m) + LANES);
    let mut variance = pool.diagonal.clone();
    let mut rows = vec![0.0; n * width]; // [n, width], row by row
    let mut picks = Picks::default();
    let mut best = (0..n).filter_map(|i| pool.standing(i, variance[i])).max();
    while let Some(row) = best.map(|standing| standing.row()) {
        let step = picks.rows.len();
        picks.rows.push(row);
        picks.variance.push(variance[row]);
        if picks.rows.len() == pool.m || interrupt::poll().is_err() {
            break;
        }
        let pivot = Pivot {
            step,
            point: pool.x.subrows(row, 1),
            row: rows[row * width..][..padded(step)].to_vec(),
            root: variance[row].sqrt(),
        };
        variance[row] = 0.0;
        best = rows
            .par_chunks_mut(BLOCK * width)
            .zip(variance.par_chunks_mut(BLOCK))
            .enumerate()
            .map(|(block, (rows, variance))| update_block(pool, &pivot, block * BLOCK, rows, variance))
            .max()
            .flatten();
    }
    picks
}

/// The point chosen last.
struct Pivot<'a> {
    step: usize,
    point: MatRef<'a, f64>,
    row: Vec<f64>,
    root: f64,
}

/// Conditions the rows from `first` on upon the pivot, and returns the best of them.
fn update_block<K: Covariance + ?Sized>(
    pool: &Pool<'_, K>,
    pivot: &Pivot<'_>,
    first: usize,
    rows: &mut [f64],
    variance: &mut [f64],
) -> Option<ParetoState> {
    let count = variance.len();
    let mut values = vec![0.0; count];
    let out = MatMut::from_column_major_slice_mut(&mut values, count, 1);
    pool.kernel.cross(pool.x.subrows(first, count), pivot.point, out);
    condition(pivot, &values, pool.nil, rows, variance);
    (0..count).filter_map(|i| pool.standing(first + i, variance[i])).max()
}

#[multiversion(targets = "simd")]
fn condition(pivot: &Pivot<'_>, values: &[f64], nil: f64, rows: &mut [f64], variance: &mut [f64]) {
    const FMA: bool = target_cfg_f!(any(target_feature = "fma", target_feature = "neon"));
    let width = rows.len() / variance.len();
    for ((row, variance), value) in rows.chunks_exact_mut(width).zip(variance).zip(values) {
        if *variance > nil {
            let entry = (value - padded_dot::<FMA>(row, &pivot.row)) / pivot.root;
            row[pivot.step] = entry;
            *variance -= entry * entry;
        }
    }
}
