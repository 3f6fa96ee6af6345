//! Lazy search: conditional variances only fall, so an outdated score is an upper bound (Minoux 1978; for determinants
//! Hemmi et al. 2022).
//!
//! Scores wait in a heap. If the one on top is up to date, no other row can beat it; if not, the topmost outdated rows
//! are brought up to date, a few at a time so that threads can share them, and return to the heap. A row that has not
//! been near the top for s steps then catches up on s entries of its factor at once, out of the cache instead of out of
//! main memory: much of the speed comes from that, the rest from rows that never catch up.

use super::super::factor::{Candidate, Factor};
use super::{Picks, Pool, Rank};
use crate::interrupt::{self, Flag};
use rayon::prelude::*;
use std::collections::BinaryHeap;

/// Rows brought up to date together: enough work to share, and at most a few per cent more of it than one at a time.
const BATCH: usize = 64;

/// Rows of a batch that one thread takes at a time: what its first-level cache holds.
const CHUNK: usize = 8;

/// Points that are chosen between two looks at the trace.
pub(super) const EVERY: usize = 16;

/// Rows whose share of the trace is computed at a time: once the sum is too large, the others need not be known.
const SUMMED: usize = 1024;

/// The greedy choice, after those rows of `first` whose variance is not nil; fewer rows when interrupted.
pub(in super::super) fn lazy(pool: &Pool<'_>, first: &[usize]) -> Picks {
    // Inside the thread pool, sharing out a batch costs a fraction of what it costs from outside.
    let flag = interrupt::current();
    rayon::scope(|_| LazySearch::new(pool, flag).run(first))
}

struct LazySearch<'a> {
    pool: &'a Pool<'a>,
    factor: Factor<'a>,
    candidates: Vec<Candidate>,
    heap: BinaryHeap<Rank>,
    picks: Picks,
    flag: Flag,
}

impl<'a> LazySearch<'a> {
    fn new(pool: &'a Pool<'a>, flag: Flag) -> Self {
        LazySearch {
            pool,
            factor: Factor::new(pool.kernel, pool.m, pool.x.ncols()),
            candidates: pool.diagonal.iter().map(|&variance| Candidate::new(variance)).collect(),
            heap: pool.diagonal.iter().enumerate().filter_map(|(i, &v)| pool.rank(i, v)).collect(),
            picks: Picks::default(),
            flag,
        }
    }

    fn run(mut self, first: &[usize]) -> Picks {
        for &row in first {
            if self.picks.rows.len() == self.pool.m || self.flag.is_raised() {
                break;
            }
            self.refresh(&[row]);
            if self.candidates[row].variance > self.pool.nil {
                self.choose(row);
            }
        }
        // Chosen rows have left a candidate of variance 0 behind.
        self.heap.retain(|rank| self.candidates[rank.row()].variance > self.pool.nil);
        while self.picks.rows.len() < self.pool.m && !self.flag.is_raised() {
            let count = self.picks.rows.len();
            // However little there is to explain, a model has points.
            if count > 0 && count.is_multiple_of(EVERY) && self.is_explained() {
                break;
            }
            match self.next() {
                Some(row) => self.choose(row),
                None => break,
            }
        }
        self.picks
    }

    /// Whether the chosen points leave no more of the trace than is allowed.
    fn is_explained(&mut self) -> bool {
        let Some(limit) = &self.pool.limit else { return false };
        let (mut sum, mut rows) = (0.0, (0..self.candidates.len()).peekable());
        while rows.peek().is_some() && sum <= limit.most && !self.flag.is_raised() {
            let some: Vec<usize> = rows.by_ref().take(SUMMED).collect();
            // Chosen rows have left a candidate of variance 0 behind.
            let counts = |&&row: &&usize| limit.weights[row] > 0.0 && self.candidates[row].variance > self.pool.nil;
            let open: Vec<usize> = some.iter().filter(counts).copied().collect();
            let outdated = |&row: &usize| self.candidates[row].level() < self.factor.len();
            self.refresh(&open.iter().copied().filter(outdated).collect::<Vec<_>>());
            let left = |&row: &usize| limit.weights[row] * self.candidates[row].variance.max(0.0);
            sum += open.iter().map(left).sum::<f64>();
        }
        // Rows that are up to date now have lower scores than they had in the heap.
        let rows = self.candidates.iter().enumerate();
        self.heap = rows.filter_map(|(row, candidate)| self.pool.rank(row, candidate.variance)).collect();
        sum <= limit.most
    }

    /// The best row, taken off the heap.
    fn next(&mut self) -> Option<usize> {
        loop {
            let outdated = self.pop_outdated();
            if outdated.is_empty() {
                return self.heap.pop().map(|rank| rank.row());
            }
            self.refresh(&outdated);
            let fresh = outdated.iter().filter_map(|&i| self.pool.rank(i, self.candidates[i].variance));
            self.heap.extend(fresh);
        }
    }

    /// The outdated rows above the first one that is up to date, at most a batch of them.
    fn pop_outdated(&mut self) -> Vec<usize> {
        let mut rows = Vec::new();
        while rows.len() < BATCH {
            match self.heap.peek() {
                Some(top) if self.candidates[top.row()].level() < self.factor.len() => rows.push(top.row()),
                _ => break,
            }
            self.heap.pop();
        }
        rows
    }

    fn refresh(&mut self, rows: &[usize]) {
        let mut batch: Vec<_> = rows.iter().map(|&i| (i, std::mem::take(&mut self.candidates[i]))).collect();
        batch.par_chunks_mut(CHUNK).for_each(|chunk| self.factor.advance(self.pool.x, chunk));
        for (i, candidate) in batch {
            self.candidates[i] = candidate;
        }
    }

    fn choose(&mut self, row: usize) {
        let candidate = std::mem::take(&mut self.candidates[row]);
        self.picks.rows.push(row);
        self.picks.variance.push(candidate.variance);
        self.factor.push(self.pool.x.subrows(row, 1), candidate);
    }
}
