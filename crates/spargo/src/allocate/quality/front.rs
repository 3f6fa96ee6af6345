//! Qualities for several objectives: the dominated volume (the paper's q_HV), and an even focus along the whole front.
//!
//! ```text
//!     u_k(x)   = E max(f_k(x) − f̂_k, 0) in units of its largest value,   f̂_k = min μ_k
//!     q_HV(x)  = Π_k u_k(x)
//!     r(x)     = min_{p ∈ front of u} max_k u_k(x) / u_k(p)          ∈ [0, 1]
//!     q_FRONT(x) = r(x)^K
//! ```
//!
//! Why: q_HV is a volume, and the largest box under a front stands in its middle: at either end one factor is small, so
//! points that are optimal there count for nothing. Look along a ray from the worst corner through u(x): it meets the
//! front's staircase at u(x)/r(x), and along the ray q_HV grows as the K-th power of the way gone. So
//! q_HV(x)/q_HV(u(x)/r(x)) = r(x)^K: q_FRONT *is* q_HV in units of the best that is attained in the same direction of
//! compromise. It is 1 at every point that no other dominates, be it at an end, in a dent or on an island of the front,
//! and falls towards the worst corner as fast as q_HV does. It has no parameter; with one objective it is q_IMP; only
//! ratios of u_k enter, so shifts and scales of the objectives drop out.

use super::highest;
use super::improvement::Improvement;
use crate::data::Belief;
use crate::math::pareto;
use rayon::prelude::*;

/// q_HV.
pub(super) fn hypervolume(outputs: &[Belief]) -> Vec<f64> {
    improvements(outputs).iter().map(|u| u.iter().product()).collect()
}

/// q_FRONT.
pub(super) fn evaluate(outputs: &[Belief]) -> Vec<f64> {
    let points = improvements(outputs);
    let front: Vec<&[f64]> = pareto::front(&points).into_iter().map(|i| points[i].as_slice()).collect();
    points.par_iter().map(|u| radius(u, &front).powi(outputs.len() as i32)).collect()
}

/// u, a row a data point.
fn improvements(outputs: &[Belief]) -> Vec<Vec<f64>> {
    let columns: Vec<Vec<f64>> = outputs
        .iter()
        .map(|belief| {
            let gains = Improvement::default().evaluate(belief);
            let largest = highest(&gains);
            gains.iter().map(|gain| if largest > 0.0 { gain / largest } else { 0.0 }).collect()
        })
        .collect();
    (0..columns[0].len()).map(|i| columns.iter().map(|column| column[i]).collect()).collect()
}

/// r: how far u lies on the way from the worst corner to the front.
fn radius(u: &[f64], front: &[&[f64]]) -> f64 {
    front.iter().map(|p| u.iter().zip(*p).map(|(&u, &p)| share(u, p)).fold(0.0, f64::max)).fold(1.0, f64::min)
}

/// u/p; a coordinate in which u has gained nothing says nothing, whatever p is.
fn share(u: f64, p: f64) -> f64 {
    if u == 0.0 { 0.0 } else { u / p }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exact(columns: &[&[f64]]) -> Vec<Belief> {
        columns.iter().map(|y| Belief::exact(y.to_vec()).unwrap()).collect()
    }

    #[test]
    fn one_everywhere_on_the_front_and_the_power_of_the_radius_behind_it() {
        // Front (4,0) (3,3) (0,4); (1.5,1.5) is half way to (3,3); (2,0) half way to the end (4,0); the origin is worst.
        let outputs = exact(&[&[4.0, 3.0, 0.0, 1.5, 2.0, 0.0], &[0.0, 3.0, 4.0, 1.5, 0.0, 0.0]]);
        assert_eq!(evaluate(&outputs), [1.0, 1.0, 1.0, 0.25, 0.25, 0.0]);
        let volume: Vec<f64> = [0.0, 9.0, 0.0, 2.25, 0.0, 0.0].iter().map(|v| v / 16.0).collect();
        assert_eq!(hypervolume(&outputs), volume);
    }

    #[test]
    fn is_the_improvement_for_one_objective() {
        let y = [3.0, -1.0, 0.5, 7.0];
        let expected: Vec<f64> = y.iter().map(|v| (v + 1.0) / 8.0).collect();
        assert_eq!(evaluate(&exact(&[&y])), expected);
    }

    #[test]
    fn constant_objectives_carry_no_quality() {
        assert_eq!(evaluate(&exact(&[&[1.0; 3], &[2.0; 3]])), [0.0; 3]);
    }
}
