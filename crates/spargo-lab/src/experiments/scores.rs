//! Probabilities against what was true: with z = μ/√(1 + σ²) a case is positive with probability Φ(z).

use serde::Serialize;
use spargo::math::normal;

const BINS: usize = 10;

/// Cases of about the same probability.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Bin {
    /// Their mean probability.
    pub probability: f64,
    /// The share of them that is positive.
    pub share: f64,
    /// How many they are.
    pub cells: usize,
}

/// The share of cases whose class is the likelier one.
pub fn accuracy(z: &[f64], labels: &[bool]) -> f64 {
    z.iter().zip(labels).filter(|(z, label)| (**z >= 0.0) == **label).count() as f64 / z.len() as f64
}

/// The mean of −log p(label), in nats.
pub fn log_loss(z: &[f64], labels: &[bool]) -> f64 {
    let loss = |(z, label): (&f64, &bool)| -normal::log_cdf(if *label { *z } else { -z });
    z.iter().zip(labels).map(loss).sum::<f64>() / z.len() as f64
}

/// Ten bins of equal width, without the empty ones.
pub fn calibration(probabilities: &[f64], labels: &[bool]) -> Vec<Bin> {
    let mut sums = [(0.0, 0usize, 0usize); BINS];
    for (probability, label) in probabilities.iter().zip(labels) {
        let (sum, positive, cells) = &mut sums[((probability * BINS as f64) as usize).min(BINS - 1)];
        *sum += probability;
        *positive += usize::from(*label);
        *cells += 1;
    }
    let bin = |(sum, positive, cells): (f64, usize, usize)| Bin {
        probability: sum / cells as f64,
        share: positive as f64 / cells as f64,
        cells,
    };
    sums.into_iter().filter(|(.., cells)| *cells > 0).map(bin).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_those_of_a_hand_count() {
        let (z, labels) = ([0.5, -1.0, 2.0, 0.0], [true, true, false, true]);
        assert_eq!(accuracy(&z, &labels), 0.5);
        let naive =
            [0.691462461274, 0.158655253931, 0.022750131948, 0.5].map(|p: f64| -p.ln()).iter().sum::<f64>() / 4.0;
        assert!((log_loss(&z, &labels) - naive).abs() < 1e-10);
        // Certain and wrong is finite.
        assert!((log_loss(&[40.0], &[false]) - 804.608442).abs() < 1e-3);
    }

    #[test]
    fn bins_are_of_equal_width_and_none_is_empty() {
        let bins = calibration(&[0.0, 0.05, 0.31, 0.39, 1.0], &[false, true, true, true, true]);
        let expected = [(0.025, 0.5, 2), (0.35, 1.0, 2), (1.0, 1.0, 1)];
        assert_eq!(bins, expected.map(|(probability, share, cells)| Bin { probability, share, cells }));
    }
}
