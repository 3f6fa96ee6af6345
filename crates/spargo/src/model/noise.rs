//! A limit to the noise variance that no misfit of a model can raise: what neighbours differ by.
//!
//! ```text
//!     ½ (yᵢ − yⱼ)² = σ² χ²₁ + what f differs by,          σ² ≤ min_p Σ_{p closest pairs} ½ (yᵢ − yⱼ)² / χ²_p(α)
//! ```
//!
//! A function that the kernel cannot follow, such as one with ridges, is explained as noise by the likelihood. Pairs of
//! neighbours know better (Rice 1984): each number p of disjoint pairs gives an upper confidence limit whatever f is, and the lowest one
//! counts.

use crate::data::Dataset;
use crate::rng::{Purpose, normal, stream};

/// An upper confidence limit to the noise variance of rows without a known one; infinite if there are too few of them.
///
/// `scales` are the inputs' length scales.
pub fn noise_limit(data: &Dataset, scales: &[f64], seed: u64) -> f64 {
    let rows: Vec<usize> = (0..data.len()).filter(|&i| data.noise_of(i, -1.0) < 0.0).collect();
    let pairs = closest_pairs(data, &rows, scales, seed);
    let mut sum = 0.0;
    let mut limit = f64::INFINITY;
    let mut next = FEWEST;
    for (count, (i, j)) in pairs.into_iter().enumerate() {
        sum += 0.5 * (data.y()[i] - data.y()[j]).powi(2);
        if count + 1 == next {
            limit = limit.min(sum / chi_squared(next as f64));
            next *= 2;
        }
    }
    limit
}

/// Fewer pairs say too little.
const FEWEST: usize = 8;

/// The lower hundredth of χ² with p degrees of freedom (Wilson & Hilferty 1931).
fn chi_squared(p: f64) -> f64 {
    let ninth = 2.0 / (9.0 * p);
    p * (1.0 - ninth - 2.326 * ninth.sqrt()).powi(3)
}

/// Disjoint pairs, the closest first. Neighbours along a few random directions are compared, not all rows with all: a pair
/// that is missed costs a little power, and nothing else.
fn closest_pairs(data: &Dataset, rows: &[usize], scales: &[f64], seed: u64) -> Vec<(usize, usize)> {
    let x = data.x();
    let mut rng = stream(seed, Purpose::Subset, 2, 0);
    let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
    for _ in 0..DIRECTIONS {
        let direction: Vec<f64> = scales.iter().map(|scale| normal(&mut rng) / scale).collect();
        let along = |i: usize| -> f64 { direction.iter().enumerate().map(|(k, w)| w * x[(i, k)]).sum() };
        let mut order: Vec<(f64, usize)> = rows.iter().map(|&i| (along(i), i)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (a, &(_, i)) in order.iter().enumerate() {
            for &(_, j) in order[a + 1..].iter().take(WINDOW) {
                let distance = scales.iter().enumerate().map(|(k, s)| ((x[(i, k)] - x[(j, k)]) / s).powi(2)).sum();
                pairs.push((distance, i, j));
            }
        }
    }
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
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

const DIRECTIONS: usize = 8;
const WINDOW: usize = 5;
