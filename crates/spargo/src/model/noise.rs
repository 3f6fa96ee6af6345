//! A limit to the noise variance that no misfit of a model can raise: what neighbours differ by.
//!
//! ```text
//!     ½ (yᵢ − yⱼ)² = σ² χ²₁ + what f differs by,          σ² ≤ min_p Σ_{p closest pairs} ½ (yᵢ − yⱼ)² / χ²_p(α)
//! ```
//!
//! A function that the kernel cannot follow, such as one with ridges, is explained as noise by the likelihood. Pairs of
//! neighbours know better (Rice 1984): each number p of disjoint pairs gives an upper confidence limit whatever f is, and the
//! lowest one counts. The noise is taken to be the same everywhere: hence outcomes in the user's units, and at least a tenth
//! of all pairs, so that many trials close to the optimum do not speak for all others.

use crate::data::Dataset;
use crate::rng::{Purpose, distinct_indices, normal, stream};
use rand_chacha::ChaCha8Rng;

/// Fewer pairs say too little.
const FEWEST: usize = 16;

/// Directions, and neighbours along each, that a row is compared with.
const DIRECTIONS: usize = 8;
const WINDOW: usize = 5;

/// Rows among which pairs are looked for, at most.
const SCANNED: usize = 20_000;

/// An upper confidence limit to the noise variance of rows without a known one; infinite if there are too few of them.
///
/// `scales` are the inputs' length scales.
pub fn noise_bound(data: &Dataset, scales: &[f64], seed: u64) -> f64 {
    let mut rng = stream(seed, Purpose::Subset, 2, 0);
    let mut rows = distinct_indices(data.len(), SCANNED, &mut rng);
    rows.retain(|&i| data.noise_of(i, -1.0) < 0.0);
    let pairs = closest_pairs(data, &rows, scales, &mut rng);
    let mut next = FEWEST.max(pairs.len() / 10);
    let (mut sum, mut limit) = (0.0, f64::INFINITY);
    for (count, (i, j)) in pairs.into_iter().enumerate() {
        sum += 0.5 * (data.y()[i] - data.y()[j]).powi(2);
        if count + 1 == next {
            // Outcomes that are all equal say that they were rounded or cut off, not that there is no noise.
            limit = if sum > 0.0 { limit.min(sum / chi_squared(next as f64)) } else { limit };
            next *= 2;
        }
    }
    limit
}

/// The lower thousandth of χ² with p degrees of freedom (Wilson & Hilferty 1931).
fn chi_squared(p: f64) -> f64 {
    let ninth = 2.0 / (9.0 * p);
    p * (1.0 - ninth - 3.0902 * ninth.sqrt()).powi(3)
}

/// Disjoint pairs, the closest first. Neighbours along a few random directions are compared, not all rows with all: a pair
/// that is missed costs a little power, and nothing else.
fn closest_pairs(data: &Dataset, rows: &[usize], scales: &[f64], rng: &mut ChaCha8Rng) -> Vec<(usize, usize)> {
    let x = data.x();
    let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
    for _ in 0..DIRECTIONS {
        let direction: Vec<f64> = scales.iter().map(|scale| normal(rng) / scale).collect();
        let along = |i: usize| -> f64 { direction.iter().enumerate().map(|(k, w)| w * x[(i, k)]).sum() };
        let mut order: Vec<(f64, usize)> = rows.iter().map(|&i| (along(i), i)).collect();
        order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for (a, &(_, i)) in order.iter().enumerate() {
            for &(_, j) in order[a + 1..].iter().take(WINDOW) {
                let distance = scales.iter().enumerate().map(|(k, s)| ((x[(i, k)] - x[(j, k)]) / s).powi(2)).sum();
                pairs.push((distance, i, j));
            }
        }
    }
    pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let mut used = vec![false; data.len()];
    let mut disjoint = Vec::new();
    for (_, i, j) in pairs {
        if !used[i] && !used[j] {
            (used[i], used[j]) = (true, true);
            disjoint.push((i, j));
        }
    }
    disjoint
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Mat;
    use crate::rng::uniform;

    /// `f` at random points of the unit square, with noise of variance 0.01.
    fn noisy(rows: usize, seed: u64, f: impl Fn(f64, f64) -> f64) -> Dataset {
        let mut rng = stream(seed, Purpose::Data, 0, 0);
        let x = Mat::from_fn(rows, 2, |_, _| uniform(&mut rng));
        let y = (0..rows).map(|i| f(x[(i, 0)], x[(i, 1)]) + 0.1 * normal(&mut rng)).collect();
        Dataset::new(x, y).unwrap()
    }

    #[test]
    fn the_bound_holds_for_any_function_and_is_tight_for_smooth_ones() {
        let functions: [fn(f64, f64) -> f64; 3] =
            [|_, _| 0.0, |a, b| (9.0 * a).sin() * b, |a, b| f64::from((20.0 * a).sin() * (20.0 * b).sin() > 0.9)];
        for (which, f) in functions.into_iter().enumerate() {
            let limits: Vec<f64> = (0..100).map(|seed| noise_bound(&noisy(1000, seed, f), &[1.0; 2], seed)).collect();
            // The least of several limits of 99.9 % each.
            assert!(limits.iter().filter(|&&limit| limit < 0.01).count() <= 3, "{which}: {limits:?}");
            let mean = limits.iter().sum::<f64>() / 100.0;
            assert!(mean < [0.015, 0.017, 0.05][which], "{which}: {mean}");
        }
    }

    #[test]
    fn quantiles_of_chi_squared_are_those_of_tables() {
        // Lower thousandths, as in any table; the approximation errs towards a looser limit.
        for (p, quantile) in [(16.0, 3.942), (20.0, 5.921), (50.0, 24.674), (100.0, 61.918)] {
            assert!((0.97..1.001).contains(&(chi_squared(p) / quantile)), "{p}: {}", chi_squared(p));
        }
    }

    #[test]
    fn the_bound_follows_the_scale_and_uses_duplicates() {
        let data = noisy(500, 1, |a, _| a);
        for scale in [1e-12, 1.0, 1e12] {
            let scaled = data.with_outcomes(data.y().iter().map(|y| scale * y).collect());
            let ratio = noise_bound(&scaled, &[1.0; 2], 0) / (scale * scale * noise_bound(&data, &[1.0; 2], 0));
            assert!((ratio - 1.0).abs() < 1e-9, "{scale}: {ratio}");
        }
        // Every point twice, of a function that no kernel could follow.
        let mut rng = stream(2, Purpose::Data, 0, 0);
        let (x, f) = (Mat::from_fn(200, 2, |i, k| ((i / 2) as f64 * [0.618, 0.414][k]).fract()), 1e3);
        let y = (0..200).map(|i| f * ((i / 2) as f64).sin() + 0.1 * normal(&mut rng)).collect();
        let limit = noise_bound(&Dataset::new(x, y).unwrap(), &[1.0; 2], 0);
        assert!((0.008..0.03).contains(&limit), "{limit}");
    }

    #[test]
    fn few_rows_and_rows_with_known_noise_set_no_bound() {
        let data = noisy(30, 1, |_, _| 0.0);
        assert_eq!(noise_bound(&data, &[1.0; 2], 0), f64::INFINITY);
        let data = noisy(100, 1, |_, _| 0.0);
        assert!(noise_bound(&data, &[1.0; 2], 0).is_finite());
        let known = data.with_known_noise(vec![Some(0.01); 100]).unwrap();
        assert_eq!(noise_bound(&known, &[1.0; 2], 0), f64::INFINITY);
        let constant = noisy(100, 1, |_, _| 0.0).with_outcomes(vec![3.0; 100]);
        assert_eq!(noise_bound(&constant, &[1.0; 2], 0), f64::INFINITY);
        // Half of the outcomes cut off at the same value: the other half have their say.
        let cut = noisy(400, 1, |_, _| 0.0);
        let cut = cut.with_outcomes(cut.y().iter().map(|y| y.max(0.0)).collect());
        assert!((0.001..0.02).contains(&noise_bound(&cut, &[1.0; 2], 0)));
    }
}
