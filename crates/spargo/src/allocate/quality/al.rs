//! Closeness to a level (the paper's q_AL, for any level).
//!
//! ```text
//!     q_i = max_j E|f(x_j) − level| − E|f(x_i) − level|,     E|σξ + m| = σ (h(m/σ) + h(−m/σ))
//! ```
//!
//! The paper's f̂ = max|f| read as max|μ| can make q negative; the largest *expected* distance cannot.

use super::highest;
use crate::data::PosteriorAtData;
use crate::math::normal::expected_positive_part;

/// q_AL.
pub(super) fn closeness(posterior: &PosteriorAtData) -> Vec<f64> {
    let rows = posterior.mean().iter().zip(posterior.variance());
    let distance = |(mean, variance): (&f64, &f64)| expected_distance(mean - posterior.level(), variance.sqrt());
    let distances: Vec<f64> = rows.map(distance).collect();
    let furthest = highest(&distances);
    distances.iter().map(|distance| furthest - distance).collect()
}

/// The mean of the folded normal distribution.
fn expected_distance(mean: f64, deviation: f64) -> f64 {
    expected_positive_part(mean, deviation) + expected_positive_part(-mean, deviation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::normal::cdf;
    use std::f64::consts::PI;

    #[test]
    fn expected_distance_is_the_folded_normals_mean() {
        for (mean, deviation) in [(0.0, 1.0), (0.3, 2.0), (-4.0, 1.5), (5.0, 0.1), (2.0, 0.0)] {
            let naive = if deviation == 0.0 {
                f64::abs(mean)
            } else {
                let z: f64 = mean / deviation;
                deviation * (2.0 / PI).sqrt() * (-0.5 * z * z).exp() + mean * (1.0 - 2.0 * cdf(-z))
            };
            assert!((expected_distance(mean, deviation) - naive).abs() < 1e-14 * naive.max(1.0));
        }
    }

    #[test]
    fn is_largest_at_the_level_and_zero_at_the_furthest() {
        let posterior = PosteriorAtData::new(vec![0.0; 3], vec![1.0, 2.9, -4.0], vec![0.01; 3], vec![0.1; 3]).unwrap();
        let q = closeness(&posterior.with_level(3.0).unwrap());
        assert!(q[1] > q[0] && q[0] > q[2] && q[2] == 0.0);
    }
}
