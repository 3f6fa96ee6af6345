//! Points spread evenly over a box, wherever the data are.

use crate::linalg::{Mat, MatRef, column};
use crate::math::sobol::Sobol;
use rand_chacha::ChaCha8Rng;

/// `m` points in the box, (lower, upper) per input.
pub(super) fn uniform(bounds: &[(f64, f64)], m: usize, rng: &mut ChaCha8Rng) -> Mat {
    let sobol = Sobol::new(m, bounds.len(), rng);
    Mat::from_fn(m, bounds.len(), |i, k| {
        let (lower, upper) = bounds[k];
        lower + (upper - lower) * sobol.coordinate(i, k)
    })
}

/// The box around the data.
pub(super) fn bounding_box(x: MatRef<'_>) -> Vec<(f64, f64)> {
    (0..x.ncols())
        .map(|k| column(x, k).iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &v| (l.min(v), h.max(v))))
        .collect()
}
