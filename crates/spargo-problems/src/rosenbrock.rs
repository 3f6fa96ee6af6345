//! The Rosenbrock function on [−5, 10]⁴ (Rosenbrock 1960), and the quadratic that Trieste 4.6 calls by its name.
//!
//! ```text
//!     f(x) = Σₖ 100 (xₖ₊₁ − xₖ²)² + (1 − xₖ)²
//!     t(x) = Σₖ 100 (xₖ₊₁ − xₖ)²  + (1 − xₖ)²          k = 1, …, d − 1
//! ```

use super::Problem;

/// A long curved valley, in four dimensions.
pub static ROSENBROCK4: Problem = Problem {
    name: "rosenbrock4",
    bounds: &[(-5.0, 10.0); 4],
    minimum: 0.0,
    minimisers: &[&[1.0; 4]],
    mean: 382504.59,
    std: 372972.45,
    noise: 0.01,
    citation: "Rosenbrock 1960, An automatic method for finding the greatest or least value of a function",
    function: |x| sum_over_pairs(x, |v| v * v),
};

/// Trieste's, without the inner square: convex, hence the easy panel of Moss, Ober & Picheny (2023).
///
/// Scaled to variance one as that paper says. Trieste itself divides by the constants of the true function,
/// (t − 382,700) / 375,500, which leaves a standard deviation of 0.022.
pub static ROSENBROCK4_TRIESTE: Problem = Problem {
    name: "rosenbrock4-trieste",
    mean: 11307.805,
    std: 8398.0574,
    citation: "Picheny et al. 2023, Trieste: efficiently exploring the depths of black-box functions with TensorFlow",
    function: |x| sum_over_pairs(x, |v| v),
    ..ROSENBROCK4
};

fn sum_over_pairs(x: &[f64], valley: fn(f64) -> f64) -> f64 {
    x.windows(2).map(|pair| 100.0 * (pair[1] - valley(pair[0])).powi(2) + (1.0 - pair[0]).powi(2)).sum()
}
