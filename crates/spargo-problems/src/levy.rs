//! The Levy function on [−10, 10]¹⁰ (Levy & Montalvo 1985; the variant of Laguna & Martí 2005): a rippled bowl.
//!
//! ```text
//!     f(x) = sin²(π w₁) + Σₖ (wₖ − 1)² (1 + 10 sin²(π wₖ + 1)) + (w_d − 1)² (1 + sin²(2π w_d))
//!     w    = 1 + (x − 1) / 4,     k = 1, …, d − 1
//! ```

use super::Problem;
use std::f64::consts::PI;

/// Ripples on a bowl, in ten dimensions.
pub static LEVY10: Problem = Problem {
    name: "levy10",
    bounds: &[(-10.0, 10.0); 10],
    minimum: 0.0,
    minimisers: &[&[1.0; 10]],
    // Over 10⁷ uniform samples of this library's streams; the standard error of the mean is 0.015.
    mean: 120.191683,
    std: 48.123132,
    noise: 0.01,
    citation: "Laguna & Martí 2005, Experimental testing of advanced scatter search designs for global optimization",
    function: levy,
};

fn levy(x: &[f64]) -> f64 {
    let Some((last, rest)) = x.split_last() else { return 0.0 };
    let w = |v: f64| 1.0 + (v - 1.0) / 4.0;
    let ripple = |v: f64| (w(v) - 1.0).powi(2) * (1.0 + 10.0 * (PI * w(v) + 1.0).sin().powi(2));
    let end = (w(*last) - 1.0).powi(2) * (1.0 + (2.0 * PI * w(*last)).sin().powi(2));
    (PI * w(x[0])).sin().powi(2) + rest.iter().map(|&v| ripple(v)).sum::<f64>() + end
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn agrees_with_trieste_in_eight_dimensions() {
        let file: Value = serde_json::from_str(include_str!("../tests/golden/functions.json")).unwrap();
        let list = |value: &Value| -> Vec<f64> { serde_json::from_value(value.clone()).unwrap() };
        let golden = &file["functions"]["Levy8"];
        for (row, expected) in golden["X"].as_array().unwrap().iter().zip(list(&golden["f"])) {
            let x: Vec<f64> = list(row).iter().map(|u| 20.0 * u - 10.0).collect();
            // Trieste divides by 450.
            let found = levy(&x) / 450.0;
            assert!((found - expected).abs() <= 1e-12 * expected, "found {found}, expected {expected}");
        }
    }
}
