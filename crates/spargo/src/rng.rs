//! Counter-based random streams: every draw owns one, so results do not depend on the order of work.
//!
//! ```text
//!     stream = ChaCha8(key = seed ‖ purpose ‖ step ‖ slot)
//! ```

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

/// What a stream is used for; the number is part of the key and must never change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
pub enum Purpose {
    /// Generated data, as in demos and benchmarks.
    Data = 1,
    /// The rows on which hyperparameters are learned.
    Subset = 2,
    /// The choice of inducing points.
    Allocation = 3,
    /// The frequencies that a block of paths shares.
    Frequencies = 5,
    /// The weights of one path.
    Path = 6,
    /// The candidate pool of the acquisition optimizer.
    Pool = 7,
    /// Another point where the best one is excluded.
    Fresh = 8,
    /// The points that are evaluated before there is a model.
    Design = 9,
    /// How a point of a batch weighs several objectives.
    Weights = 10,
    /// Points of a trust region.
    TrustRegion = 11,
    /// Which trials are replicated.
    Replicate = 12,
    /// Points that are made to satisfy input constraints.
    Repair = 13,
}

/// The stream for one purpose at one step; `slot` tells parallel draws apart.
pub fn stream(seed: u64, purpose: Purpose, step: u64, slot: u64) -> ChaCha8Rng {
    let mut key = [0; 32];
    for (bytes, word) in key.chunks_exact_mut(8).zip([seed, purpose as u64, step, slot]) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    ChaCha8Rng::from_seed(key)
}

/// The random streams of one step of a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepRng {
    /// Random seed of the study.
    pub seed: u64,
    /// The number of the step.
    pub step: u64,
}

impl StepRng {
    /// The stream for one purpose; `slot` tells parallel draws apart.
    pub fn stream(self, purpose: Purpose, slot: u64) -> ChaCha8Rng {
        stream(self.seed, purpose, self.step, slot)
    }
}

/// `count` different numbers below `n` (all of them if `count` is larger), in random order.
pub fn distinct_indices(n: usize, count: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
    rand::seq::index::sample(rng, n, count.min(n)).into_vec()
}

/// One uniform number in [0, 1).
pub fn uniform(rng: &mut ChaCha8Rng) -> f64 {
    rng.random()
}

/// One standard normal number.
pub fn normal(rng: &mut ChaCha8Rng) -> f64 {
    rng.sample(StandardNormal)
}

/// An index drawn with probability proportional to its weight; `None` if no weight is positive.
pub fn weighted_index(weights: &[f64], rng: &mut ChaCha8Rng) -> Option<usize> {
    let total: f64 = weights.iter().filter(|&&weight| weight > 0.0).sum();
    let mut left = total * rng.random::<f64>();
    let mut last = None;
    for (i, &weight) in weights.iter().enumerate().filter(|&(_, &weight)| weight > 0.0) {
        last = Some(i);
        left -= weight;
        if left < 0.0 {
            break;
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng;

    #[test]
    fn every_part_of_the_key_matters_and_the_same_key_repeats() {
        let first = |seed, purpose, step, slot| stream(seed, purpose, step, slot).next_u64();
        let base = first(7, Purpose::Subset, 1, 2);
        assert_eq!(base, first(7, Purpose::Subset, 1, 2));
        let others = [
            first(8, Purpose::Subset, 1, 2),
            first(7, Purpose::Data, 1, 2),
            first(7, Purpose::Subset, 2, 2),
            first(7, Purpose::Subset, 1, 3),
        ];
        assert!(others.iter().all(|&other| other != base));
    }

    #[test]
    fn indices_are_distinct() {
        let mut rows = distinct_indices(50, 80, &mut stream(0, Purpose::Subset, 0, 0));
        rows.sort_unstable();
        assert_eq!(rows, (0..50).collect::<Vec<_>>());
        assert_eq!(distinct_indices(50, 20, &mut stream(0, Purpose::Subset, 0, 0)).len(), 20);
    }

    #[test]
    fn weights_are_probabilities() {
        let mut rng = stream(0, Purpose::Subset, 0, 0);
        let mut counts = [0; 4];
        (0..40_000).for_each(|_| counts[weighted_index(&[1.0, 0.0, 3.0, -1.0], &mut rng).unwrap()] += 1);
        assert_eq!([counts[1], counts[3]], [0, 0]);
        // Four standard deviations of a binomial count.
        assert!((f64::from(counts[0]) - 10_000.0).abs() < 4.0 * 7500f64.sqrt(), "{counts:?}");
        assert_eq!(weighted_index(&[0.0, 0.0], &mut rng), None);
    }
}
