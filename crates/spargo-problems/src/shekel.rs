//! The four-dimensional Shekel function on [0, 10]⁴ with ten foxholes (Shekel 1971; Dixon & Szegő 1978).
//!
//! ```text
//!     f(x) = −Σᵢ 1 / (βᵢ + |x − cᵢ|²)
//! ```

use super::Problem;

/// β.
const WIDTHS: [f64; 10] = [0.1, 0.2, 0.2, 0.4, 0.4, 0.6, 0.3, 0.7, 0.5, 0.5];

/// c: its coordinates three and four repeat the first two.
const CENTRES: [[f64; 2]; 10] = [
    [4.0, 4.0],
    [1.0, 1.0],
    [8.0, 8.0],
    [6.0, 6.0],
    [3.0, 7.0],
    [2.0, 9.0],
    [5.0, 3.0],
    [8.0, 1.0],
    [6.0, 2.0],
    [7.0, 3.6],
];

/// Ten narrow holes in a plain: scaled, the deepest is a spike 57 standard deviations high.
pub static SHEKEL4: Problem = Problem {
    name: "shekel4",
    bounds: &[(0.0, 10.0); 4],
    minimum: -10.53644315348353,
    minimisers: &[&[4.0007468682706, 3.9995094800858, 4.0007468682706, 3.9995094800858]],
    mean: -0.30303689,
    std: 0.1800743,
    noise: 0.01,
    citation: "Shekel 1971, Test functions for multimodal search techniques",
    function: shekel4,
};

fn shekel4(x: &[f64]) -> f64 {
    let hole = |(beta, centre): (&f64, &[f64; 2])| {
        let r2: f64 = x.iter().zip(centre.iter().cycle()).map(|(v, c)| (v - c).powi(2)).sum();
        1.0 / (beta + r2)
    };
    -WIDTHS.iter().zip(&CENTRES).map(hole).sum::<f64>()
}
