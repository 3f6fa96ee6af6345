//! DTLZ2 (Deb, Thiele, Laumanns & Zitzler 2002) with three objectives, all to be minimised, on [0, 1]⁵.
//!
//! ```text
//!     f₁ = (1 + g) cos(πx₁/2) cos(πx₂/2),   f₂ = (1 + g) cos(πx₁/2) sin(πx₂/2),   f₃ = (1 + g) sin(πx₁/2)
//!     g  = Σ_{k ≥ 3} (x_k − ½)²
//! ```
//!
//! The front is an octant of the unit sphere, so a reference ρ ≥ 1 leaves ρ³ − π/6.

use super::parts::same;
use super::{Input, MaximumHypervolume, MultiObjectiveProblem, Objective};
use std::f64::consts::{FRAC_PI_2, PI};

/// An octant of a sphere.
pub static DTLZ2: MultiObjectiveProblem = MultiObjectiveProblem {
    name: "dtlz2",
    inputs: &INPUTS,
    objectives: &[
        Objective::minimize("f1", REFERENCE, 0.3716747372361),
        Objective::minimize("f2", REFERENCE, 0.3716747372361),
        Objective::minimize("f3", REFERENCE, 0.3953807475949),
    ],
    constraints: &[],
    noise: 0.01,
    maximum_hypervolume: MaximumHypervolume::Exactly(REFERENCE * REFERENCE * REFERENCE - PI / 6.0),
    citation: "Deb, Thiele, Laumanns & Zitzler 2002, Scalable multi-objective optimization test problems",
    function: dtlz2,
};

const INPUTS: [Input; 5] = same(0.0, 1.0);

/// BoTorch's.
const REFERENCE: f64 = 1.1;

fn dtlz2(x: &[f64]) -> Vec<f64> {
    let radius = 1.0 + x[2..].iter().map(|v| (v - 0.5).powi(2)).sum::<f64>();
    let ((s1, c1), (s2, c2)) = ((FRAC_PI_2 * x[0]).sin_cos(), (FRAC_PI_2 * x[1]).sin_cos());
    vec![radius * c1 * c2, radius * c1 * s2, radius * s1]
}
