//! Pure error: the noise variance that replicates show, whatever the function is and however a model fits it.
//!
//! ```text
//!     s² = Σ_p Σ_j (y_pj − ȳ_p)² / ν,     ν = Σ_p (n_p − 1)        p: points with n_p > 1 outcomes
//!     misfit, if  ν (r − 1 − log r) > 9,  r = s²/σ² < 1             σ²: the noise variance that a model has learned
//! ```
//!
//! Ripple finer than the spacing of trials passes for noise in any likelihood, but not at the same point. The test is the
//! likelihood-ratio test of two variances: only if σ² is far above s² is the rest of it signal that the model has missed.

use super::noise::Noise;
use super::observations::ObservedOutput;
use crate::data::Dataset;
use crate::linalg::{MatRef, sorted_by_value};
use std::collections::HashMap;

/// Twice the log likelihood ratio from which a model is taken to miss signal: three standard deviations.
const EVIDENCE: f64 = 9.0;

/// A noise variance that the user knows counts as one from this many replicates.
const KNOWN: f64 = 1000.0;

/// Points whose replicates must agree before outcomes are taken to be exact.
const AGREEING: usize = 3;

/// Differences between replicates up to this part of the range of all outcomes are those of rounding.
const ROUNDING: f64 = 1e-10;

/// The noise variance of an output, apart from any model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PureError {
    /// In the squared units of the output; 0 if outcomes are exact.
    pub variance: f64,
    /// Degrees of freedom from which it was estimated.
    degrees: f64,
}

/// Outcomes that differ although the output is said to have no noise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Contradiction {
    /// Two rows at the same point.
    pub rows: (usize, usize),
}

impl PureError {
    /// Whether outcomes have no noise at all.
    pub fn is_exact(&self) -> bool {
        self.variance == 0.0
    }

    /// Whether a model whose noise variance is this many times the pure error has missed signal.
    pub fn shows_misfit(&self, times: f64) -> bool {
        let ratio = 1.0 / times;
        ratio < 1.0 && self.degrees * (ratio - 1.0 - ratio.ln()) > EVIDENCE
    }
}

/// The rows at each point that has an outcome, by the bits of its coordinates.
#[derive(Debug, Default)]
pub(super) struct Replicated(HashMap<Vec<u64>, Vec<usize>>);

impl Replicated {
    /// All rows of some data.
    pub fn of(data: &Dataset) -> Self {
        let mut points: HashMap<Vec<u64>, Vec<usize>> = HashMap::new();
        for row in 0..data.len() {
            points.entry(row_bits(data.x(), row)).or_default().push(row);
        }
        Replicated(points)
    }

    /// The mean outcome at the point of a row, and the number of outcomes there.
    pub fn average(&self, data: &Dataset, row: usize) -> (f64, usize) {
        match self.0.get(&row_bits(data.x(), row)) {
            Some(rows) if rows.len() > 1 => {
                let count = rows.len() as f64;
                (rows.iter().map(|&row| data.y()[row] / count).sum(), rows.len())
            }
            _ => (data.y()[row], 1),
        }
    }

    /// The groups of rows that share a point, each in the order of the rows, the earliest group first.
    fn groups(&self) -> Vec<&[usize]> {
        let mut groups: Vec<&[usize]> = self.0.values().filter(|rows| rows.len() > 1).map(Vec::as_slice).collect();
        groups.sort_unstable();
        groups
    }
}

/// A point by its bits: what replicates have in common.
pub(super) fn bits(point: &[f64]) -> Vec<u64> {
    point.iter().map(|v| v.to_bits()).collect()
}

/// The point of a row, by its bits.
pub(super) fn row_bits(x: MatRef<'_>, row: usize) -> Vec<u64> {
    x.row(row).iter().map(|v| v.to_bits()).collect()
}

impl ObservedOutput {
    /// The pure error, as far as settings and replicates say it; `None` if they do not.
    pub fn pure_error(&self, noise: Noise) -> Option<PureError> {
        let (data, replicated) = (&self.data, Replicated::of(&self.data));
        match noise {
            Noise::None if self.contradiction(&replicated).is_none() => {
                Some(PureError { variance: 0.0, degrees: KNOWN })
            }
            Noise::None | Noise::Auto => estimated(data, &replicated),
            Noise::Sd(_) | Noise::Variance(_) => {
                noise.known_variance().map(|variance| PureError { variance, degrees: KNOWN })
            }
        }
    }

    /// The first two outcomes that differ at one point.
    pub fn contradiction(&self, replicated: &Replicated) -> Option<Contradiction> {
        let rounding = rounding(&self.data);
        let differs = |group: &&[usize]| {
            let y = |row: usize| self.data.y()[row];
            group[1..].iter().find(|&&row| (y(row) - y(group[0])).abs() > rounding).map(|&row| (group[0], row))
        };
        replicated.groups().iter().find_map(differs).map(|rows| Contradiction { rows })
    }
}

fn rounding(data: &Dataset) -> f64 {
    let (low, high) = data.y().iter().fold((f64::MAX, f64::MIN), |(low, high), &y| (low.min(y), high.max(y)));
    ROUNDING * (high / 2.0 - low / 2.0).max(0.0) * 2.0
}

/// The pure error of replicates without a known variance. Those that all agree show that there is none only if they are at several
/// points of different outcomes, a good one among them: a dead corner returns 0 twice, and proves nothing.
fn estimated(data: &Dataset, replicated: &Replicated) -> Option<PureError> {
    let own = |group: &&[usize]| group.iter().all(|&row| data.noise_of(row, -1.0) < 0.0);
    let groups: Vec<&[usize]> = replicated.groups().into_iter().filter(own).collect();
    let degrees = groups.iter().map(|group| group.len() - 1).sum::<usize>() as f64;
    let mean = |group: &[usize]| group.iter().map(|&row| data.y()[row] / group.len() as f64).sum::<f64>();
    let squares = |group: &[usize]| {
        let mean = mean(group);
        group.iter().map(|&row| (data.y()[row] - mean).powi(2)).sum::<f64>()
    };
    let variance = groups.iter().map(|group| squares(group)).sum::<f64>() / degrees;
    if groups.is_empty() || !variance.is_finite() {
        return None;
    }
    let rounding = rounding(data);
    if variance > rounding * rounding {
        return Some(PureError { variance, degrees });
    }
    let mut levels: Vec<f64> = groups.iter().map(|group| mean(group)).collect();
    levels.sort_by(f64::total_cmp);
    levels.dedup_by(|a, b| (*a - *b).abs() <= rounding);
    let good = data.y()[sorted_by_value(data.y())[data.len() / 2]];
    let is_proof = groups.len() >= AGREEING && levels.len() >= 2 && levels.last().is_some_and(|&best| best >= good);
    is_proof.then_some(PureError { variance: 0.0, degrees })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Mat;
    use crate::rng::{Purpose, normal, stream};

    /// A line of 40 points, of which some have a second outcome.
    fn line(pairs: &[usize], noise: f64, seed: u64) -> ObservedOutput {
        let mut rng = stream(seed, Purpose::Data, 0, 0);
        let at: Vec<usize> = (0..40).chain(pairs.iter().copied()).collect();
        let y = at.iter().map(|&i| i as f64 + noise * normal(&mut rng)).collect();
        let x = Mat::from_fn(at.len(), 1, |row, _| at[row] as f64 / 40.0);
        ObservedOutput::of(Dataset::new(x, y).unwrap())
    }

    #[test]
    fn the_pure_error_is_the_variance_of_replicates() {
        let pairs: Vec<usize> = (0..40).collect();
        let mean = (0..50).map(|seed| line(&pairs, 0.3, seed).pure_error(Noise::Auto).unwrap().variance).sum::<f64>();
        assert!((mean / 50.0 / 0.09 - 1.0).abs() < 0.1, "{mean}");
    }

    #[test]
    fn replicates_that_agree_are_proof_only_at_several_levels_with_a_good_one() {
        let exact = |pairs: &[usize]| line(pairs, 0.0, 0).pure_error(Noise::Auto).is_some_and(|error| error.is_exact());
        assert!(exact(&[3, 20, 38]) && exact(&[3, 10, 30]));
        assert!(!exact(&[]) && !exact(&[3, 38]) && !exact(&[38, 38, 38]) && !exact(&[3, 10, 15]));
        // A later pair that differs withdraws it.
        let mut doubted = line(&[3, 20, 38, 30], 0.0, 0);
        let mut y = doubted.data.y().to_vec();
        y[43] += 0.5;
        doubted.data = doubted.data.with_outcomes(y);
        let error = doubted.pure_error(Noise::Auto).unwrap();
        assert!((error.variance - 0.125 / 4.0).abs() < 1e-12, "{error:?}");
        // Said to be exact, and contradicted.
        assert_eq!(doubted.pure_error(Noise::None), Some(error));
        assert_eq!(doubted.contradiction(&Replicated::of(&doubted.data)), Some(Contradiction { rows: (30, 43) }));
        assert!(line(&[], 0.0, 0).pure_error(Noise::None).unwrap().is_exact());
    }

    #[test]
    fn misfit_is_shown_by_enough_replicates_or_by_what_is_known() {
        let error = |degrees: f64| PureError { variance: 1.0, degrees };
        // Ten pairs show a factor of 6 and not one of 4, which 40 show.
        assert!(error(10.0).shows_misfit(6.0) && !error(10.0).shows_misfit(4.0) && error(40.0).shows_misfit(4.0));
        assert!(error(KNOWN).shows_misfit(1.2) && !error(KNOWN).shows_misfit(1.1));
        assert!(!error(KNOWN).shows_misfit(0.5), "noise learned below the pure error is no misfit");
        let exact = PureError { variance: 0.0, degrees: 3.0 };
        assert!(exact.is_exact() && exact.shows_misfit(f64::INFINITY));
    }
}
