//! Passes over the rows of a data set: one worker per thread, each with a contiguous share of the rows, in blocks.
//!
//! Every worker owns its accumulators and scratch, and workers are merged in order, so that sums do not depend on timing.

use crate::interrupt;
use rayon::prelude::*;
use std::ops::Range;

/// Rows taken at a time: against 500 inducing points a block is 0.8 MB, which stays in the second-level cache.
pub(super) const BLOCK: usize = 192;

/// Calls `visit` on every block with its worker's state; returns the states in the order of their rows.
///
/// Once interrupted, it leaves blocks out: callers poll for the interrupt afterwards.
pub(super) fn pass_over<S: Send>(
    rows: usize,
    new: impl Fn() -> S + Sync,
    visit: impl Fn(&mut S, Range<usize>) + Sync,
) -> Vec<S> {
    let flag = interrupt::current();
    let share = rows.div_ceil(rayon::current_num_threads()).max(1);
    let starts: Vec<usize> = (0..rows).step_by(share).collect();
    let worker = |start: usize| {
        let end = (start + share).min(rows);
        let mut state = new();
        for first in (start..end).step_by(BLOCK) {
            if flag.is_raised() {
                break;
            }
            visit(&mut state, first..(first + BLOCK).min(end));
        }
        state
    };
    starts.into_par_iter().map(worker).collect()
}
