//! The Ackley function on [−32.768, 32.768]⁵ (Ackley 1987): ripples on a flat plain, a funnel at the origin.
//!
//! ```text
//!     f(x) = 20 + e − 20 exp(−0.2 √(Σ xₖ² / d)) − exp(Σ cos(2π xₖ) / d)
//! ```

use super::Problem;
use std::f64::consts::{E, TAU};

/// A needle's funnel under thousands of ripples, in five dimensions.
pub static ACKLEY5: Problem = Problem {
    name: "ackley5",
    bounds: &[(-32.768, 32.768); 5],
    minimum: 0.0,
    minimisers: &[&[0.0; 5]],
    mean: 20.97812,
    std: 0.80596004,
    noise: 0.01,
    citation: "Ackley 1987, A connectionist machine for genetic hillclimbing",
    function: ackley,
};

fn ackley(x: &[f64]) -> f64 {
    let d = x.len() as f64;
    let radius = (x.iter().map(|v| v * v).sum::<f64>() / d).sqrt();
    let ripples = x.iter().map(|v| (TAU * v).cos()).sum::<f64>() / d;
    // Differences first, so that the minimum is exactly 0.
    20.0 * (1.0 - (-0.2 * radius).exp()) + (E - ripples.exp())
}
