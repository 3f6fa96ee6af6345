//! VLMOP2 (Van Veldhuizen & Lamont 1999; Fonseca & Fleming 1995) on [−2, 2]², both objectives to be minimised.
//!
//! ```text
//!     f₁ = 1 − exp(−Σ (x_k − 1/√d)²),   f₂ = 1 − exp(−Σ (x_k + 1/√d)²)
//! ```
//!
//! The front is where all inputs are s/√d, −1 ≤ s ≤ 1. With the reference (1, 1) it dominates
//! ∫ (1 − f₂) df₁ + e⁻⁴ = ∫ 2(1 − s) e^(−2s² − 2) ds + e⁻⁴ = e⁻² √(2π) erf √2 + e⁻⁴; a reference ρ ≥ 1 adds ρ² − 1.

use super::parts::same;
use super::{Input, MaximumHypervolume, MultiObjectiveProblem, Objective};

/// Two pits in a plain: far from both, there is little to tell.
pub static VLMOP2: MultiObjectiveProblem = MultiObjectiveProblem {
    name: "vlmop2",
    inputs: &INPUTS,
    objectives: &[
        Objective::minimize("f1", REFERENCE, 0.2522402167331),
        Objective::minimize("f2", REFERENCE, 0.2522402167331),
    ],
    constraints: &[],
    noise: 0.01,
    maximum_hypervolume: MaximumHypervolume::Exactly(REFERENCE * REFERENCE - 1.0 + 0.3421155931198939),
    citation: "Van Veldhuizen & Lamont 1999, Multiobjective evolutionary algorithm test suites",
    function: vlmop2,
};

const INPUTS: [Input; 2] = same(-2.0, 2.0);

const REFERENCE: f64 = 1.1;

fn vlmop2(x: &[f64]) -> Vec<f64> {
    let centre = 1.0 / (x.len() as f64).sqrt();
    let pit = |centre: f64| -(-x.iter().map(|v| (v - centre).powi(2)).sum::<f64>()).exp_m1();
    vec![pit(centre), pit(-centre)]
}
