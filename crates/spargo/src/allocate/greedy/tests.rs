//! The lazy search and the plain one, which looks at every row at every step (Chen, Zhang & Zhou 2018), choose identical rows
//! with identical variances.

use super::super::factor::{Candidate, Factor};
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
