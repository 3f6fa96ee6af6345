//! The Branin function on [−5, 10] × [0, 15] (Branin 1972; Dixon & Szegő 1978): three equal minima.
//!
//! ```text
//!     f(x) = (x₂ − 5.1 x₁² / 4π² + 5 x₁ / π − 6)² + 10 (1 − 1 / 8π) cos x₁ + 10,     min f = 10 / 8π
//! ```

use super::Problem;
use std::f64::consts::PI;

/// Three valleys in the plane.
pub static BRANIN: Problem = Problem {
    name: "branin",
    bounds: &[(-5.0, 10.0), (0.0, 15.0)],
    minimum: 10.0 / (8.0 * PI),
    minimisers: &[&[-PI, 12.275], &[PI, 2.275], &[3.0 * PI, 2.475]],
    // Over 10⁷ uniform samples of this library's streams; the standard error of the mean is 0.016.
    mean: 54.323386,
    std: 51.253173,
    noise: 0.01,
    citation: "Branin 1972, Widely convergent method for finding multiple solutions of simultaneous nonlinear equations",
    function: branin,
};

fn branin(x: &[f64]) -> f64 {
    let off_parabola = x[1] - 5.1 / (4.0 * PI * PI) * x[0] * x[0] + 5.0 / PI * x[0] - 6.0;
    off_parabola * off_parabola + 10.0 * (1.0 - 1.0 / (8.0 * PI)) * x[0].cos() + 10.0
}
