//! The lazy search and the plain one choose identical rows with identical variances.

use crate::{is_nonsingular, rng};
use proptest::prelude::*;
use rand::RngExt;
use spargo::allocate::{Search, allocate_by};
use spargo::kernel::{Family, Kernel};
use spargo::linalg::Mat;
use spargo::rng::{Purpose, stream};

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

fn points(layout: Layout, n: usize, d: usize, seed: u64) -> Mat<f64> {
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
        let run = |search| allocate_by(|i| quality[i], search, x.as_ref(), &kernel, m, &mut rng(0)).unwrap();
        let (lazy, plain) = (run(Search::Lazy), run(Search::Plain));
        prop_assert_eq!(&lazy.rows, &plain.rows);
        prop_assert_eq!(&lazy.variance, &plain.variance);

        let mut rows = lazy.rows.unwrap();
        prop_assert!(!rows.is_empty() && rows.len() <= m.min(n));
        prop_assert!(is_nonsingular(&kernel, &lazy.points));
        rows.sort_unstable();
        rows.dedup();
        prop_assert_eq!(rows.len(), lazy.variance.len());
    }
}

/// Large enough for several blocks, batches and padded vectors.
#[test]
fn lazy_equals_plain_at_size() {
    for weights in [Weights::Unit, Weights::Smooth] {
        let x = points(Layout::Uniform, 3000, 6, 1);
        let quality = qualities(weights, 3000, 1);
        let kernel = Kernel::stationary(Family::Matern52, 1.0, 0.5, 6);
        let run = |search| allocate_by(|i| quality[i], search, x.as_ref(), &kernel, 300, &mut rng(0)).unwrap();
        let (lazy, plain) = (run(Search::Lazy), run(Search::Plain));
        assert_eq!(lazy.rows, plain.rows);
        assert_eq!(lazy.variance, plain.variance);
        assert_eq!(lazy.variance.len(), 300);
    }
}
