//! Passes over the rows of a data set: contiguous shares of the rows, in blocks, on as many threads as there are.
//!
//! Every share has accumulators and scratch of its own. Which rows are in which share depends on their number and on M, never on the number
//! of threads, and shares are merged in order: sums are the same on any number of threads, to the last bit.

use crate::interrupt;
use rayon::prelude::*;
use std::ops::Range;

/// Rows taken at a time: against 500 inducing points a block is 0.8 MB, which stays in the second-level cache.
pub(super) const BLOCK: usize = 192;

/// Rows of a share, at least: accumulators of fewer would cost more than they save.
const LEAST_ROWS: usize = 1024;

/// Shares, at most.
const MOST_SHARES: usize = 16;

/// Numbers in the accumulators of all shares, at most: 128 MB.
const MOST_NUMBERS: usize = 1 << 24;

/// Calls `visit` on every block with its share's state; returns the states in the order of their rows. A state has some M² numbers.
///
/// Once interrupted, it leaves blocks out: callers poll for the interrupt afterwards.
pub(super) fn pass_over<S: Send>(
    rows: usize,
    m: usize,
    new: impl Fn() -> S + Sync,
    visit: impl Fn(&mut S, Range<usize>) + Sync,
) -> Vec<S> {
    let flag = interrupt::current();
    let share = share_of(rows, m);
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
    starts.into_par_iter().with_max_len(1).map(worker).collect()
}

/// The rows of a share.
fn share_of(rows: usize, m: usize) -> usize {
    let most = (MOST_NUMBERS / (m * m).max(1)).clamp(1, MOST_SHARES);
    rows.div_ceil((rows / LEAST_ROWS).clamp(1, most)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_few_and_none_is_small() {
        for (rows, m, shares) in [(0, 500, 0), (900, 500, 1), (5000, 500, 4), (1 << 20, 500, 16), (1 << 20, 3000, 1)] {
            let share = share_of(rows, m);
            assert_eq!(rows.div_ceil(share), shares, "{rows} {m}");
            assert!(shares <= 1 || share >= LEAST_ROWS);
        }
    }

    #[test]
    fn sums_do_not_depend_on_the_number_of_threads() {
        let sums = |threads: usize| {
            let add = |sum: &mut f64, rows: Range<usize>| *sum += rows.map(|i| 1.0 / (i + 1) as f64).sum::<f64>();
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| pass_over(40_000, 10, || 0.0, add)).into_iter().map(f64::to_bits).collect::<Vec<_>>()
        };
        assert_eq!(sums(1).len(), MOST_SHARES);
        assert!([2, 3, 7].into_iter().all(|threads| sums(threads) == sums(1)));
    }
}
