//! FRONT is accurate along the whole Pareto front where HV prefers its middle.

use crate::{matern, rng, uniform};
use spargo::allocate::{Allocation, allocate, conditional_variance};
use spargo::data::{AllocationContext, PosteriorAtData};
use spargo::linalg::Mat;
use spargo::math::pareto;
use std::f64::consts::{FRAC_PI_2, PI};

type Curve = fn(f64) -> (f64, f64);

/// Fronts as curves s ↦ (f₁, f₂), both maximised, with the worst corner at the origin.
const FRONTS: [(&str, Curve); 3] = [
    ("convex", |s| (1.0 - (FRAC_PI_2 * s).cos(), 1.0 - (FRAC_PI_2 * s).sin())),
    ("concave", |s| ((FRAC_PI_2 * s).sin(), (FRAC_PI_2 * s).cos())),
    // The islands of ZDT3.
    ("disconnected", |s| (1.0 - s, s.sqrt() + s * (10.0 * PI * s).sin())),
];

/// The Pareto set on a fine grid: the first input runs along the front, the second, 0 here, away from it.
fn pareto_set(curve: Curve) -> Mat {
    let grid: Vec<f64> = (0..=400).map(|i| f64::from(i) / 400.0).collect();
    let outcomes: Vec<Vec<f64>> = grid.iter().map(|&s| curve(s)).map(|(a, b)| vec![a, b]).collect();
    let front = pareto::front(&outcomes);
    Mat::from_fn(front.len(), 2, |i, k| if k == 0 { grid[front[i]] } else { 0.0 })
}

/// The largest conditional variance along the front, and its ratio to the mean one: 1 would be perfectly even.
fn left_along_the_front(allocation: Allocation, curve: Curve, m: usize) -> (f64, f64) {
    let n = 3000;
    let x = uniform(n, 2, 21);
    let outcomes = (0..n).map(|i| {
        let ((a, b), shrink) = (curve(x[(i, 0)]), 1.0 - x[(i, 1)]);
        (a * shrink, b * shrink)
    });
    let (first, second) = outcomes.unzip();
    let posterior =
        |values: Vec<f64>| PosteriorAtData::new(values.clone(), values, vec![1e-4; n], vec![1e-2; n]).unwrap();
    let context = AllocationContext::of_rows(n).with_outputs(vec![posterior(first), posterior(second)]).unwrap();
    let kernel = matern(0.3, 2);
    let z = allocate(&allocation, x.as_ref(), &kernel, &context, m, &mut rng(0)).unwrap().points;
    let left = conditional_variance(z.as_ref(), pareto_set(curve).as_ref(), &kernel).unwrap();
    let (largest, mean) = (left.iter().copied().fold(0.0, f64::max), left.iter().sum::<f64>() / left.len() as f64);
    (largest, largest / mean)
}

#[test]
fn front_is_even_along_every_shape() {
    for (name, curve) in FRONTS {
        for m in [30, 60] {
            let (front, front_ratio) = left_along_the_front(Allocation::FrontDpp, curve, m);
            let (hv, hv_ratio) = left_along_the_front(Allocation::HvDpp, curve, m);
            assert!(front < hv, "{name}, {m} points: at worst {front:.2e} is left, with hv {hv:.2e}");
            assert!(front_ratio < 0.6 * hv_ratio, "{name}, {m} points: {front_ratio} {hv_ratio}");
        }
    }
}
