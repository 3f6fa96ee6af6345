//! Minibatches: every epoch is a new random order of the rows, cut into batches.

use crate::data::Dataset;
use crate::rng::{Purpose, distinct_indices, stream};
use std::borrow::Cow;
use std::collections::VecDeque;

/// The batches of one epoch: every row once, the last batch being the shorter one.
pub fn epoch(rows: usize, size: usize, seed: u64, epoch: u64) -> Vec<Vec<usize>> {
    let order = distinct_indices(rows, rows, &mut stream(seed, Purpose::Minibatch, epoch, 0));
    order.chunks(size.max(1)).map(<[usize]>::to_vec).collect()
}

/// An endless supply of batches; without a size, of all data at once.
pub(super) struct Batches<'a> {
    data: &'a Dataset,
    size: Option<usize>,
    seed: u64,
    epoch: u64,
    queue: VecDeque<Vec<usize>>,
}

impl<'a> Batches<'a> {
    pub(super) fn new(data: &'a Dataset, size: Option<usize>, seed: u64) -> Self {
        // A batch of everything needs no order.
        let size = size.filter(|&size| size < data.len());
        Batches { data, size, seed, epoch: 0, queue: VecDeque::new() }
    }

    pub(super) fn per_epoch(&self) -> usize {
        self.size.map_or(1, |size| self.data.len().div_ceil(size.max(1)))
    }

    pub(super) fn next(&mut self) -> Cow<'a, Dataset> {
        let Some(size) = self.size else { return Cow::Borrowed(self.data) };
        if self.queue.is_empty() {
            self.queue = epoch(self.data.len(), size, self.seed, self.epoch).into();
            self.epoch += 1;
        }
        match self.queue.pop_front() {
            Some(rows) => Cow::Owned(self.data.subset(&rows)),
            None => Cow::Borrowed(self.data),
        }
    }
}

/// The mean of the last losses: over an epoch, so that no batch's luck passes for progress.
pub(super) struct RunningMean {
    length: usize,
    last: VecDeque<f64>,
}

impl RunningMean {
    pub(super) fn new(length: usize) -> Self {
        RunningMean { length, last: VecDeque::new() }
    }

    /// Takes a loss and returns the mean; one that is not finite is handed back and forgotten.
    pub(super) fn push(&mut self, loss: f64) -> f64 {
        if !loss.is_finite() {
            return loss;
        }
        self.last.push_back(loss);
        if self.last.len() > self.length {
            self.last.pop_front();
        }
        self.last.iter().sum::<f64>() / self.last.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Mat;

    #[test]
    fn an_epoch_has_every_row_once_in_a_new_order() {
        let (first, second) = (epoch(10, 4, 7, 0), epoch(10, 4, 7, 1));
        assert_eq!(first.iter().map(Vec::len).collect::<Vec<_>>(), [4, 4, 2]);
        assert_ne!(first, second);
        assert_eq!(first, epoch(10, 4, 7, 0));
        for batches in [first, second] {
            let mut rows = batches.concat();
            rows.sort_unstable();
            assert_eq!(rows, (0..10).collect::<Vec<_>>());
        }
    }

    #[test]
    fn batches_continue_across_epochs() {
        let data = Dataset::new(Mat::zeros(5, 1), (0..5).map(f64::from).collect()).unwrap();
        let mut batches = Batches::new(&data, Some(2), 3);
        let expected: Vec<f64> = [0, 1].iter().flat_map(|&e| epoch(5, 2, 3, e).concat()).map(|i| i as f64).collect();
        let found: Vec<f64> = (0..6).flat_map(|_| batches.next().y().to_vec()).collect();
        assert_eq!(found, expected);
        assert_eq!((batches.per_epoch(), Batches::new(&data, Some(5), 3).per_epoch()), (3, 1));
        assert_eq!(Batches::new(&data, None, 3).next().y(), data.y());
    }

    #[test]
    fn the_running_mean_covers_one_epoch() {
        let mut mean = RunningMean::new(2);
        assert_eq!([mean.push(4.0), mean.push(2.0), mean.push(0.0)], [4.0, 3.0, 1.0]);
        assert!(mean.push(f64::NAN).is_nan());
        assert_eq!(mean.push(1.0), 0.5);
    }
}
