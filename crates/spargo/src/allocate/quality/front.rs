//! Closeness to the Pareto front of several objectives, the same all along it.
//!
//! ```text
//!     δ(x)       = min_{p ∈ front of μ} max_k |μ_k(x) − μ_k(p)|/s_k,       s_k the range of objective k along the front
//!     q_FRONT(x) = 1/(1 + δ(x)/h),                                         h the median of δ off the front
//! ```
//!
//! Why: q_HV is a volume, and the largest box under a front stands in its middle: at either end one factor is small, so
//! points that are optimal there count for nothing. And it is measured from the worst point that was ever seen, from
//! which everything near the front looks alike. q_FRONT is 1 at every point that no other dominates, be it at an end, in
//! a dent or on an island, and ½ at the typical distance of the data: it becomes sharper as the search closes in, and
//! hardly prefers anything as long as few data are all over the place. It has no parameter; shifts and scales of the
//! objectives drop out.
//!
//! A distance, not the way left along a ray or until nothing dominates: points that are best in one objective and
//! hopeless in the others (in ZDT3 a whole face of the box) have none of either. Its tail is heavy: where there are no
//! inducing points a sparse model falls back to its prior mean, and if that is good, hopeless points are believed to
//! dominate the front.

use crate::data::PosteriorAtData;
use crate::math::pareto;
use rayon::prelude::*;

/// q_FRONT; the front is that of feasible points, as long as there are any.
pub(super) fn closeness(outputs: &[PosteriorAtData], feasible: Option<&[bool]>) -> Vec<f64> {
    let means: Vec<Vec<f64>> = outputs.iter().map(|posterior| posterior.mean().to_vec()).collect();
    let front = front(&rows(&means), feasible);
    let columns: Vec<Vec<f64>> = means.iter().filter_map(|means| in_ranges(means, &front)).collect();
    if columns.is_empty() {
        return vec![0.0; outputs[0].mean().len()];
    }
    let points = rows(&columns);
    let distance = |point: &Vec<f64>| front.iter().map(|&p| apart(point, &points[p])).fold(f64::INFINITY, f64::min);
    let distances: Vec<f64> = points.par_iter().map(distance).collect();
    let typical = median(distances.iter().copied().filter(|distance| *distance > 0.0).collect());
    distances.iter().map(|distance| typical.map_or(1.0, |h| 1.0 / (1.0 + distance / h))).collect()
}

/// The rows that no other row, of those that count, dominates.
fn front(points: &[Vec<f64>], feasible: Option<&[bool]>) -> Vec<usize> {
    let mut counting: Vec<usize> = (0..points.len()).filter(|&i| feasible.is_none_or(|feasible| feasible[i])).collect();
    if counting.is_empty() {
        counting = (0..points.len()).collect();
    }
    let points: Vec<&[f64]> = counting.iter().map(|&i| points[i].as_slice()).collect();
    pareto::front(&points).into_iter().map(|i| counting[i]).collect()
}

/// Means of an objective in units of its range along the front; of all data, if it is the same all along; `None` if it
/// is the same everywhere. Halved, so that no range overflows.
fn in_ranges(means: &[f64], front: &[usize]) -> Option<Vec<f64>> {
    let range = |values: &mut dyn Iterator<Item = f64>| {
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        high / 2.0 - low / 2.0
    };
    let along = range(&mut front.iter().map(|&i| means[i]));
    let unit = if along > 0.0 { along } else { range(&mut means.iter().copied()) };
    (unit > 0.0).then(|| means.iter().map(|mean| (mean / 2.0) / unit).collect())
}

/// The columns' values at each data point.
pub(super) fn rows(columns: &[Vec<f64>]) -> Vec<Vec<f64>> {
    (0..columns[0].len()).map(|i| columns.iter().map(|column| column[i]).collect()).collect()
}

/// max_k |a_k − b_k|, where equal infinities are not apart.
fn apart(a: &[f64], b: &[f64]) -> f64 {
    let gap = |(a, b): (&f64, &f64)| if a == b { 0.0 } else { (a - b).abs() };
    a.iter().zip(b).map(gap).fold(0.0, f64::max)
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exact(columns: &[&[f64]]) -> Vec<PosteriorAtData> {
        columns.iter().map(|y| PosteriorAtData::exact(y.to_vec()).unwrap()).collect()
    }

    #[test]
    fn one_everywhere_on_the_front_and_less_with_the_distance() {
        // Front (4,0) (3,3) (0,4), ranges 4.
        let outputs = exact(&[&[4.0, 3.0, 0.0, 2.0, 2.0, 0.0, 4.0], &[0.0, 3.0, 4.0, 2.0, 0.0, 0.0, -3.0]]);
        let distances = [0.0, 0.0, 0.0, 0.25, 0.5, 0.75, 0.75];
        for (found, distance) in closeness(&outputs, None).iter().zip(distances) {
            assert!((found - 1.0 / (1.0 + distance / 0.75)).abs() < 1e-15, "{found} {distance}");
        }
    }

    #[test]
    fn the_front_is_that_of_feasible_points() {
        // (3, 3) is not allowed: (2, 2) is on the front then, and (3, 3) as far from it as it is better.
        let outputs = exact(&[&[4.0, 3.0, 0.0, 2.0, 0.0], &[0.0, 3.0, 4.0, 2.0, 0.0]]);
        let found = closeness(&outputs, Some(&[true, false, true, true, true]));
        let expected = [0.0, 0.25, 0.0, 0.0, 0.5].map(|distance| 1.0 / (1.0 + distance / 0.5));
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15), "{found:?} {expected:?}");
        assert_eq!(closeness(&outputs, Some(&[false; 5])), closeness(&outputs, None));
    }

    /// As few data as possible, and objectives that are all alike.
    #[test]
    fn degenerate_fronts_have_a_quality() {
        assert_eq!(closeness(&exact(&[&[1.0; 3], &[2.0; 3]]), None), [0.0; 3]);
        assert_eq!(closeness(&exact(&[&[1.0, 2.0], &[2.0, 1.0]]), None), [1.0; 2]);
        // One point dominates: distances in units of all data.
        for second in [[4.0, 2.0, 0.0], [7.0; 3]] {
            let found = closeness(&exact(&[&[4.0, 2.0, 0.0], &second]), None);
            assert!(found.iter().zip([1.0, 2.0 / 3.0, 0.5]).all(|(a, b)| (a - b).abs() < 1e-15), "{found:?}");
        }
        let extreme = closeness(&exact(&[&[1e308, -1e308, 0.0], &[-1e-308, 1e-308, -1e-307]]), None);
        assert!(extreme.iter().all(|q| (0.0..=1.0).contains(q)) && extreme[0] == 1.0, "{extreme:?}");
    }
}
