//! Points spread evenly over the unit cube: a scrambled Sobol sequence (Owen 1998; Burley 2020).
//!
//! One scramble serves 65,536 points and 256 dimensions; further points and dimensions get a scramble of their own, which
//! is independent of the first.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Points of one scramble.
const POINTS: usize = 1 << 16;

/// Dimensions of one scramble.
const DIMENSIONS: usize = sobol_burley::NUM_DIMENSIONS as usize;

/// A scrambled sequence; a longer one with the same stream begins with the same points.
#[derive(Debug, Clone)]
pub struct Sobol {
    /// One per block of points and group of dimensions.
    scrambles: Vec<u32>,
    groups: usize,
}

impl Sobol {
    /// A sequence of so many points.
    pub fn new(points: usize, dimensions: usize, rng: &mut ChaCha8Rng) -> Self {
        let (blocks, groups) = (points.div_ceil(POINTS), dimensions.div_ceil(DIMENSIONS));
        Sobol { scrambles: (0..blocks * groups).map(|_| rng.random()).collect(), groups }
    }

    /// Coordinate k of point i, in [0, 1).
    pub fn coordinate(&self, i: usize, k: usize) -> f64 {
        let scramble = self.scrambles[i / POINTS * self.groups + k / DIMENSIONS];
        f64::from(sobol_burley::sample((i % POINTS) as u32, (k % DIMENSIONS) as u32, scramble))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, stream};

    fn sequence(points: usize, dimensions: usize) -> Sobol {
        Sobol::new(points, dimensions, &mut stream(1, Purpose::Allocation, 0, 0))
    }

    /// 2ⁿ points of a Sobol sequence have exactly one in each 2ⁿth of every axis.
    fn assert_stratified(values: &[f64]) {
        let mut cells: Vec<usize> = values.iter().map(|v| (v * values.len() as f64) as usize).collect();
        cells.sort_unstable();
        assert_eq!(cells, (0..values.len()).collect::<Vec<_>>());
    }

    #[test]
    fn stratified_in_every_input_also_beyond_the_tables() {
        let z = sequence(64, DIMENSIONS + 3);
        let axis = |k| (0..64).map(|i| z.coordinate(i, k)).collect::<Vec<f64>>();
        [0, 1, DIMENSIONS - 1, DIMENSIONS, DIMENSIONS + 2].iter().for_each(|&k| assert_stratified(&axis(k)));
        assert_ne!(axis(0), axis(DIMENSIONS));
    }

    #[test]
    fn continues_past_one_scramble_and_begins_alike() {
        let (short, long) = (sequence(8, 1), sequence(POINTS + 8, 1));
        let part = |z: &Sobol, first| (first..first + 8).map(|i| z.coordinate(i, 0)).collect::<Vec<f64>>();
        assert_stratified(&part(&long, POINTS));
        assert_ne!(part(&long, 0), part(&long, POINTS));
        assert_eq!(part(&long, 0), part(&short, 0));
    }
}
