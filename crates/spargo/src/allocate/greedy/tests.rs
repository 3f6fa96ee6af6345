//! The lazy search and the plain one, which looks at every row at every step (Chen, Zhang & Zhou 2018), choose identical rows
//! with identical variances.

use super::super::factor::{Candidate, Factor};
use super::super::{ErrorBound, Search, allocate_by, conditional_variance, greedy, most_rows};
use super::lazy::EVERY;
use super::{Picks, Pool, lazy};
use crate::kernel::{Family, Kernel};
use crate::linalg::{Mat, cholesky, select_rows};
use crate::rng::{Purpose, stream};
use proptest::prelude::*;
use rand::RngExt;

#[derive(Debug, Clone, Copy)]
enum Layout {
    Uniform,
    Clustered,
    Grid,
    Repeated,
}

#[derive(Debug, Clone, Copy)]
enum Weights {
    Unit,
    Smooth,
    MostlyZero,
    Tied,
    Extreme,
}

fn points(layout: Layout, n: usize, d: usize, seed: u64) -> Mat {
    let mut rng = stream(seed, Purpose::Data, 0, 0);
    let centres: Vec<Vec<f64>> = (0..5).map(|_| (0..d).map(|_| rng.random::<f64>()).collect()).collect();
    Mat::from_fn(n, d, |i, k| match layout {
        Layout::Uniform => rng.random::<f64>(),
        Layout::Clustered => centres[i % 5][k] + 1e-3 * rng.random::<f64>(),
        // Few different values: duplicates and exact ties.
        Layout::Grid => f64::from(rng.random_range(0..4)) / 3.0,
        Layout::Repeated => centres[i % 5][k],
    })
}

fn qualities(weights: Weights, n: usize, seed: u64) -> Vec<f64> {
    let mut rng = stream(seed, Purpose::Data, 1, 0);
    let mut one = |i: usize| match weights {
        Weights::Unit => 1.0,
        Weights::Smooth => rng.random::<f64>(),
        Weights::MostlyZero => {
            if i % 7 == 3 {
                rng.random::<f64>()
            } else {
                0.0
            }
        }
        Weights::Tied => f64::from(rng.random_range(0..3)),
        Weights::Extreme => 10f64.powi(rng.random_range(-300..300)),
    };
    (0..n).map(&mut one).collect()
}

fn plain(pool: &Pool<'_>) -> Picks {
    let mut factor = Factor::new(pool.kernel, pool.m, pool.x.ncols());
    let mut candidates: Vec<_> = pool.diagonal.iter().map(|&variance| Candidate::new(variance)).enumerate().collect();
    let mut picks = Picks::default();
    while picks.rows.len() < pool.m {
        factor.advance(pool.x, &mut candidates);
        let best = candidates.iter().filter_map(|(row, candidate)| pool.rank(*row, candidate.variance)).max();
        let Some(row) = best.map(|rank| rank.row()) else { break };
        let chosen = std::mem::take(&mut candidates[row].1);
        picks.rows.push(row);
        picks.variance.push(chosen.variance);
        factor.push(pool.x.subrows(row, 1), chosen);
    }
    picks
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn lazy_equals_plain(
        seed in any::<u64>(),
        n in 1usize..700,
        d in 1usize..5,
        m in 1usize..90,
        layout in prop::sample::select(vec![Layout::Uniform, Layout::Clustered, Layout::Grid, Layout::Repeated]),
        weights in prop::sample::select(vec![
            Weights::Unit, Weights::Smooth, Weights::MostlyZero, Weights::Tied, Weights::Extreme,
        ]),
        family in prop::sample::select(Family::ALL.to_vec()),
        lengthscale in prop::sample::select(vec![1e-9, 1e-2, 0.1, 0.4, 2.0, 50.0, 1e6]),
        variance in prop::sample::select(vec![1e-12, 1.0, 1e9]),
    ) {
        let x = points(layout, n, d, seed);
        let quality = qualities(weights, n, seed);
        let kernel = Kernel::stationary(family, variance, lengthscale, d);
        let pool = Pool::new(x.as_ref(), &kernel, &quality, m).unwrap();
        let Picks { mut rows, variance } = lazy(&pool, &[]);
        prop_assert_eq!(&Picks { rows: rows.clone(), variance: variance.clone() }, &plain(&pool));

        prop_assert!(!rows.is_empty() && rows.len() <= m.min(n));
        let z = select_rows(x.as_ref(), &rows);
        prop_assert_eq!(cholesky(kernel.matrix(z.as_ref(), z.as_ref()), 0.0).map(|l| l.jitter), Ok(0.0));
        rows.sort_unstable();
        rows.dedup();
        prop_assert_eq!(rows.len(), variance.len());
    }
}

/// Large enough for several blocks, batches and padded vectors.
#[test]
fn lazy_equals_plain_at_size() {
    for weights in [Weights::Unit, Weights::Smooth] {
        let x = points(Layout::Uniform, 3000, 6, 1);
        let quality = qualities(weights, 3000, 1);
        let kernel = Kernel::stationary(Family::Matern52, 1.0, 0.5, 6);
        let pool = Pool::new(x.as_ref(), &kernel, &quality, 300).unwrap();
        let lazy = lazy(&pool, &[]);
        assert_eq!(lazy, plain(&pool));
        assert_eq!(lazy.rows.len(), 300);
    }
}

/// Among many rows, a subsample loses little of the determinant, a twentieth of a nat per point at most, and nothing if it has all rows
/// that matter.
#[test]
fn a_subsample_loses_little_of_the_determinant() {
    let (n, m, d) = (40_000, 150, 4);
    let kernel = Kernel::stationary(Family::Matern52, 1.0, 0.4, d);
    for weights in [Weights::Unit, Weights::Smooth, Weights::MostlyZero] {
        let (x, quality) = (points(Layout::Uniform, n, d, 1), qualities(weights, n, 1));
        let pool = Pool::new(x.as_ref(), &kernel, &quality, m).unwrap();
        let all = lazy(&pool, &[]);
        let mut rng = stream(1, Purpose::Allocation, 0, 0);
        let some = allocate_by(|i| quality[i], Search::Lazy, x.as_ref(), &kernel, m, &mut rng).unwrap();
        let log_determinant = |rows: &[usize], variance: &[f64]| -> f64 {
            rows.iter().zip(variance).map(|(&row, v)| (quality[row] * quality[row] * v).ln()).sum()
        };
        let rows = some.rows.unwrap();
        assert_eq!((rows.len(), all.rows.len()), (m, m));
        assert_eq!(rows == all.rows, matches!(weights, Weights::MostlyZero));
        let loss = log_determinant(&all.rows, &all.variance) - log_determinant(&rows, &some.variance);
        assert!(loss < 0.05 * m as f64, "{weights:?}: {} per point", loss / m as f64);
    }
}

/// Up to the limit all rows are looked at: the choice is that of the plain search, digit by digit.
#[test]
fn up_to_the_limit_nothing_is_left_out() {
    let n = most_rows(20);
    let (x, quality) = (points(Layout::Uniform, n, 3, 2), qualities(Weights::Smooth, n, 2));
    let kernel = Kernel::stationary(Family::Matern32, 1.0, 0.3, 3);
    let pool = Pool::new(x.as_ref(), &kernel, &quality, 20).unwrap();
    let mut rng = stream(1, Purpose::Allocation, 0, 0);
    let found = allocate_by(|i| quality[i], Search::Lazy, x.as_ref(), &kernel, 20, &mut rng).unwrap();
    assert_eq!(Picks { rows: found.rows.unwrap(), variance: found.variance }, plain(&pool));
}

/// The search ends at the first look at which what the chosen points leave meets the bound, by the trace of `trace.rs`.
#[test]
fn the_search_ends_where_the_bound_is_met() {
    let (n, d, m) = (900, 3, 200);
    let kernel = Kernel::stationary(Family::Matern52, 2.0, 0.8, d);
    let x = points(Layout::Uniform, n, d, 5);
    let noise: Vec<f64> = (0..n).map(|i| if i % 3 == 0 { 0.1 } else { 0.02 }).collect();
    let multiplicity: Vec<f64> = (0..n).map(|i| 1.0 + (i % 4) as f64).collect();
    for weights in [Weights::Unit, Weights::Smooth, Weights::MostlyZero] {
        let quality = qualities(weights, n, 5);
        let all = lazy(&Pool::new(x.as_ref(), &kernel, &quality, m).unwrap(), &[]);
        // t^q(Z)/σ² per Σ q², row by row.
        let error = |count: usize| {
            let z = select_rows(x.as_ref(), &all.rows[..count]);
            let variance = conditional_variance(z.as_ref(), x.as_ref(), &kernel).unwrap();
            let weight = |i: usize| multiplicity[i] * quality[i] * quality[i];
            let left: f64 = (0..n).map(|i| weight(i) * variance[i] / noise[i]).sum();
            left / (0..n).map(weight).sum::<f64>()
        };
        for tolerance in [1e6, 10.0, 2.0, 0.5, 1e-9] {
            let bound = ErrorBound { noise: noise.clone(), multiplicity: multiplicity.clone(), tolerance };
            let pool = Pool::new(x.as_ref(), &kernel, &quality, m).unwrap().within(Some(&bound));
            let some = lazy(&pool, &[]);
            let count = some.rows.len();
            assert_eq!((&some.rows[..], &some.variance[..]), (&all.rows[..count], &all.variance[..count]));
            let met = count < all.rows.len();
            let is_look = count > 0 && count.is_multiple_of(EVERY);
            assert!(!met || (is_look && error(count) <= tolerance), "{weights:?} {tolerance}: {count}");
            assert!(
                count <= EVERY || error(count - EVERY) > tolerance,
                "{weights:?} {tolerance}: {count} are too many"
            );
            // The few rows that have quality can all be chosen.
            let reachable = tolerance > 1e-6 || matches!(weights, Weights::MostlyZero);
            assert_eq!(met, reachable, "{weights:?} {tolerance}: {count}");
        }
    }
}

/// Of a subsample, the number of points is close to that of all rows.
#[test]
fn a_subsample_ends_where_all_rows_would() {
    let (n, m, d) = (40_000, 400, 3);
    let kernel = Kernel::stationary(Family::Matern52, 1.0, 0.5, d);
    for weights in [Weights::Unit, Weights::Smooth, Weights::MostlyZero] {
        let (x, quality) = (points(Layout::Uniform, n, d, 1), qualities(weights, n, 1));
        let bound = ErrorBound { noise: vec![0.01; n], multiplicity: vec![1.0; n], tolerance: 0.3 };
        let all = lazy(&Pool::new(x.as_ref(), &kernel, &quality, m).unwrap().within(Some(&bound)), &[]).rows.len();
        let mut rng = stream(1, Purpose::Allocation, 0, 0);
        let some = greedy(Some(&bound), &quality, x.as_ref(), &kernel, m, &mut rng).unwrap().points.nrows();
        assert!(all < m && some.abs_diff(all) <= 2 * EVERY, "{weights:?}: {some} and {all}");
    }
}
