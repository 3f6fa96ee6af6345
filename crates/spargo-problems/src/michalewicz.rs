//! The Michalewicz function on [0, π]⁵ (Michalewicz 1992): d! local minima at the crossings of narrow valleys.
//!
//! ```text
//!     f(x) = −Σₖ sin(xₖ) sin²⁰(k xₖ² / π),     k = 1, …, d
//! ```

use super::Problem;
use std::f64::consts::{FRAC_PI_2, PI};

/// Valleys on a plateau, in five dimensions.
pub static MICHALEWICZ5: Problem = Problem {
    name: "michalewicz5",
    bounds: &[(0.0, PI); 5],
    minimum: -4.687658179088146,
    minimisers: &[&[2.2029055201726, FRAC_PI_2, 1.2849915705529, 1.9230584698664, 1.7204697725658]],
    mean: -0.542832,
    std: 0.51496197,
    noise: 0.01,
    citation: "Michalewicz 1992, Genetic algorithms + data structures = evolution programs",
    function: michalewicz,
};

fn michalewicz(x: &[f64]) -> f64 {
    let valley = |(k, v): (usize, &f64)| v.sin() * ((k + 1) as f64 * v * v / PI).sin().powi(20);
    -x.iter().enumerate().map(valley).sum::<f64>()
}
