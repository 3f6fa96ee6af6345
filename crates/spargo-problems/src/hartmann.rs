//! The six-dimensional Hartmann function on [0, 1]⁶ (Dixon & Szegő 1978): six local minima.
//!
//! ```text
//!     f(x) = −Σᵢ αᵢ exp(−Σₖ aᵢₖ (xₖ − pᵢₖ)²)
//! ```

use super::Problem;

/// α.
const HEIGHTS: [f64; 4] = [1.0, 1.2, 3.0, 3.2];

/// a.
const SHARPNESS: [[f64; 6]; 4] = [
    [10.0, 3.0, 17.0, 3.5, 1.7, 8.0],
    [0.05, 10.0, 17.0, 0.1, 8.0, 14.0],
    [3.0, 3.5, 1.7, 10.0, 17.0, 8.0],
    [17.0, 8.0, 0.05, 10.0, 0.1, 14.0],
];

/// p.
const CENTRES: [[f64; 6]; 4] = [
    [0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886],
    [0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991],
    [0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650],
    [0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381],
];

/// Six broad bumps in six dimensions.
pub static HARTMANN6: Problem = Problem {
    name: "hartmann6",
    bounds: &[(0.0, 1.0); 6],
    minimum: -3.322368011415515,
    minimisers: &[&[
        0.20168951100671,
        0.15001069182346,
        0.4768739742219,
        0.27533243049406,
        0.31165161660011,
        0.65730053406562,
    ]],
    mean: -0.25877077,
    std: 0.38449413,
    noise: 0.1,
    citation: "Dixon & Szegő 1978, The global optimization problem: an introduction",
    function: hartmann6,
};

fn hartmann6(x: &[f64]) -> f64 {
    let bump = |i: usize| {
        let r2: f64 = (0..6).map(|k| SHARPNESS[i][k] * (x[k] - CENTRES[i][k]).powi(2)).sum();
        HEIGHTS[i] * (-r2).exp()
    };
    -(0..4).map(bump).sum::<f64>()
}
