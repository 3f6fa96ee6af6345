//! Three of the functions of Zitzler, Deb & Thiele 2000 on [0, 1]⁴, both objectives to be minimised.
//!
//! ```text
//!     f₁ = x₁,   f₂ = g h(f₁/g),   g = 1 + 9 mean(x₂ … x_d)
//!     h(r) =  1 − √r (ZDT1)     1 − r² (ZDT2)     1 − √r − r sin(10π f₁) (ZDT3)
//! ```
//!
//! The fronts have g = 1; with a reference ρ ≥ 1 in both objectives the volume left out is ∫₀¹ h: ρ² − ⅓ and ρ² − ⅔ for
//! the first two. In BoTorch's ZDT3 the last term lacks the factor g: the front is the same, the way to it is not.

use super::parts::same;
use super::{Input, MaximumHypervolume, MultiObjectiveProblem, Objective};
use std::f64::consts::PI;

/// A convex front.
pub static ZDT1: MultiObjectiveProblem = MultiObjectiveProblem {
    name: "zdt1",
    objectives: &[FIRST, Objective::minimize("f2", REFERENCE, 1.3951921906339)],
    maximum_hypervolume: MaximumHypervolume::Exactly(REFERENCE * REFERENCE - 1.0 / 3.0),
    ..zdt(|x| values(x, |r, _| 1.0 - r.sqrt()))
};

/// A concave front: weighted sums find only its ends.
pub static ZDT2: MultiObjectiveProblem = MultiObjectiveProblem {
    name: "zdt2",
    objectives: &[FIRST, Objective::minimize("f2", REFERENCE, 1.5224655034838)],
    maximum_hypervolume: MaximumHypervolume::Exactly(REFERENCE * REFERENCE - 2.0 / 3.0),
    ..zdt(|x| values(x, |r, _| 1.0 - r * r))
};

/// A front of five pieces.
pub static ZDT3: MultiObjectiveProblem = MultiObjectiveProblem {
    name: "zdt3",
    objectives: &[FIRST, Objective::minimize("f2", REFERENCE, 1.4359713641462)],
    // By quadrature over the pieces; 1.331762908657 with a reference of 1.1.
    maximum_hypervolume: MaximumHypervolume::Exactly(128.77811613069076),
    ..zdt(|x| values(x, |r, f1| 1.0 - r.sqrt() - r * (10.0 * PI * f1).sin()))
};

/// The pieces of ZDT3's front, by f₁; each but the first begins just above its lower end.
pub const ZDT3_PIECES: [(f64, f64); 5] = [
    (0.0, 0.0830015349),
    (0.1822287280, 0.2577623634),
    (0.4093136748, 0.4538821041),
    (0.6183967944, 0.6525117038),
    (0.8233317983, 0.8518328654),
];

const INPUTS: [Input; 4] = same(0.0, 1.0);

/// BoTorch's; every point is better.
const REFERENCE: f64 = 11.0;

/// x₁ itself: 1/√12 is the deviation of a uniform number.
const FIRST: Objective = Objective::minimize("f1", REFERENCE, 0.2886751345948);

/// What the three have in common.
const fn zdt(function: fn(&[f64]) -> Vec<f64>) -> MultiObjectiveProblem {
    MultiObjectiveProblem {
        name: "zdt",
        inputs: &INPUTS,
        objectives: &[],
        constraints: &[],
        noise: 0.01,
        maximum_hypervolume: MaximumHypervolume::AtLeast(0.0),
        citation: "Zitzler, Deb & Thiele 2000, Comparison of multiobjective evolutionary algorithms: empirical results",
        function,
    }
}

fn values(x: &[f64], shape: fn(f64, f64) -> f64) -> Vec<f64> {
    let (f1, others) = (x[0], &x[1..]);
    let g = 1.0 + 9.0 * others.iter().sum::<f64>() / others.len() as f64;
    vec![f1, g * shape(f1 / g, f1)]
}
