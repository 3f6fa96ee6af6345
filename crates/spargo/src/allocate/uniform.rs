//! Points spread evenly over a box, wherever the data are.
//!
//! A scrambled Sobol sequence (Owen 1998; Burley 2020). One scramble serves 65,536 points and 256 dimensions; further
//! points and dimensions get a scramble of their own, which is independent of the first.

use crate::linalg::{Mat, MatRef, column};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// `m` points in the box, (lower, upper) an input.
pub(super) fn uniform(bounds: &[(f64, f64)], m: usize, rng: &mut ChaCha8Rng) -> Mat<f64> {
    let (blocks, groups) = (m.div_ceil(POINTS), bounds.len().div_ceil(DIMENSIONS));
    let seeds: Vec<u32> = (0..blocks * groups).map(|_| rng.random()).collect();
    Mat::from_fn(m, bounds.len(), |i, k| {
        let seed = seeds[i / POINTS * groups + k / DIMENSIONS];
        let unit = sobol_burley::sample((i % POINTS) as u32, (k % DIMENSIONS) as u32, seed);
        let (lower, upper) = bounds[k];
        lower + (upper - lower) * f64::from(unit)
    })
}

/// The box around the data.
pub(super) fn bounding_box(x: MatRef<'_, f64>) -> Vec<(f64, f64)> {
    (0..x.ncols())
        .map(|k| column(x, k).iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &v| (l.min(v), h.max(v))))
        .collect()
}

const POINTS: usize = 1 << 16;
const DIMENSIONS: usize = sobol_burley::NUM_DIMENSIONS as usize;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, stream};

    #[test]
    fn stratified_in_every_input_also_beyond_the_tables() {
        let bounds = vec![(-2.0, 6.0); DIMENSIONS + 3];
        let z = uniform(&bounds, 64, &mut stream(1, Purpose::Allocation, 0, 0));
        for k in [0, 1, DIMENSIONS - 1, DIMENSIONS, DIMENSIONS + 2] {
            // 64 points of a Sobol sequence have exactly one in each 64th of every axis.
            let mut cells: Vec<usize> = (0..64).map(|i| ((z[(i, k)] + 2.0) * 8.0) as usize).collect();
            cells.sort_unstable();
            assert_eq!(cells, (0..64).collect::<Vec<_>>(), "input {k}");
        }
        assert!((0..64).any(|i| z[(i, 0)] != z[(i, DIMENSIONS)]));
    }

    #[test]
    fn continues_past_one_scramble() {
        let z = uniform(&[(0.0, 1.0)], POINTS + 8, &mut stream(1, Purpose::Allocation, 0, 0));
        let tail: Vec<f64> = (0..8).map(|i| z[(POINTS + i, 0)]).collect();
        let mut cells: Vec<usize> = tail.iter().map(|v| (v * 8.0) as usize).collect();
        cells.sort_unstable();
        assert_eq!(cells, (0..8).collect::<Vec<_>>());
        assert!((0..8).any(|i| z[(i, 0)] != tail[i]));
    }
}
