//! Minima over polytopes, where they are known.

use super::*;
use crate::rng::{Purpose, normal, stream, uniform};

fn minimize_one(start: &[f64], set: &Polytope, f: impl Fn(&[f64], &mut [f64]) -> f64) -> Minimum {
    let evaluate = |batch: Batch<'_>| batch.values[0] = f(batch.points, batch.gradients);
    let options = Lbfgsb { gradient_tolerance: 1e-9, value_tolerance: 0.0, max_iterations: 2000, ..Lbfgsb::default() };
    minimize_within(&[start.to_vec()], std::slice::from_ref(set), &options, evaluate).swap_remove(0)
}

fn simplex(dimension: usize) -> Polytope {
    let sum = Row { terms: (0..dimension).map(|k| (k, 1.0)).collect(), lower: 1.0, upper: 1.0 };
    Polytope { bounds: Bounds::new(vec![0.0; dimension], vec![1.0; dimension]), rows: vec![sum] }
}

#[test]
fn the_nearest_point_of_a_simplex_is_its_projection() {
    let mut rng = stream(1, Purpose::Data, 0, 0);
    for dimension in [2, 5, 20] {
        let weights: Vec<f64> = (0..dimension).map(|_| 0.1 + 10.0 * uniform(&mut rng)).collect();
        let target: Vec<f64> = (0..dimension).map(|_| 0.3 * normal(&mut rng)).collect();
        let found = minimize_one(&vec![1.0; dimension], &simplex(dimension), |x, g| {
            let mut sum = 0.0;
            for k in 0..x.len() {
                sum += 0.5 * weights[k] * (x[k] - target[k]).powi(2);
                g[k] = weights[k] * (x[k] - target[k]);
            }
            sum
        });
        // First order conditions: equal slopes where x is free, no smaller ones where it is 0.
        let slopes: Vec<f64> = (0..dimension).map(|k| weights[k] * (found.point[k] - target[k])).collect();
        let free: Vec<f64> = (0..dimension).filter(|&k| found.point[k] > 1e-7).map(|k| slopes[k]).collect();
        let common = free.iter().sum::<f64>() / free.len() as f64;
        assert!(free.iter().all(|slope| (slope - common).abs() < 1e-5), "{free:?}");
        assert!(slopes.iter().all(|&slope| slope > common - 1e-5), "{slopes:?}");
        assert!((found.point.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
}

/// Hock & Schittkowski 1981, problem 24 among others: the minimum −1 of a cubic at (3, √3).
#[test]
fn a_problem_with_a_known_constrained_minimum() {
    let root = 3f64.sqrt();
    let row = |a: f64, b: f64, lower, upper| Row { terms: vec![(0, a), (1, b)], lower, upper };
    let rows = vec![row(1.0 / root, -1.0, 0.0, f64::INFINITY), row(1.0, root, 0.0, 6.0)];
    let set = Polytope { bounds: Bounds::new(vec![0.0; 2], vec![10.0; 2]), rows };
    let found = minimize_one(&[1.0, 0.5], &set, |x, g| {
        let scale = 27.0 * root;
        let a = (x[0] - 3.0).powi(2) - 9.0;
        g[0] = 2.0 * (x[0] - 3.0) * x[1].powi(3) / scale;
        g[1] = a * 3.0 * x[1].powi(2) / scale;
        a * x[1].powi(3) / scale
    });
    assert!((found.value + 1.0).abs() < 1e-8, "{found:?}");
    assert!((found.point[0] - 3.0).abs() < 1e-4 && (found.point[1] - root).abs() < 1e-4);
}

#[test]
fn an_empty_polytope_is_not_evaluated() {
    let row = Row { terms: vec![(0, 1.0)], lower: 2.0, upper: 3.0 };
    let set = Polytope { bounds: Bounds::new(vec![0.0], vec![1.0]), rows: vec![row] };
    let found = minimize_one(&[0.5], &set, |_, _| unreachable!());
    assert!(found.value.is_nan() && found.evaluations == 0);
}
