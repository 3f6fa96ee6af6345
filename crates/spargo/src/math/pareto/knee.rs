//! The knee of a Pareto front: the point that gives up least of what is best in any coordinate.
//!
//! ```text
//!     argmin over points p of  maxₖ (bestₖ − pₖ)/(bestₖ − worstₖ),   best and worst over the front
//! ```

/// The row of the knee, for points to be maximised in every coordinate; the first of several, `None` without points.
pub fn knee<P: AsRef<[f64]>>(front: &[P]) -> Option<usize> {
    let coordinates = front.first()?.as_ref().len();
    let values = |k: usize| front.iter().map(move |point| point.as_ref()[k]);
    let best: Vec<f64> = (0..coordinates).map(|k| values(k).fold(f64::NEG_INFINITY, f64::max)).collect();
    let worst: Vec<f64> = (0..coordinates).map(|k| values(k).fold(f64::INFINITY, f64::min)).collect();
    let shortfall = |point: &P| {
        let share = |k: usize| {
            // Halved, so that no difference is beyond floating point.
            let range = 0.5 * best[k] - 0.5 * worst[k];
            if range > 0.0 { (0.5 * best[k] - 0.5 * point.as_ref()[k]) / range } else { 0.0 }
        };
        (0..coordinates).map(share).fold(0.0, f64::max)
    };
    let shortfalls: Vec<f64> = front.iter().map(shortfall).collect();
    (0..front.len()).min_by(|&i, &j| shortfalls[i].total_cmp(&shortfalls[j]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_knee_gives_up_least_whatever_the_scales() {
        let front = [[10.0, 0.0], [9.0, 0.7], [5.0, 0.8], [0.0, 1.0]];
        assert_eq!(knee(&front), Some(1));
        let scaled = front.map(|[a, b]| [1e9 * a - 4.0, 1e-9 * b]);
        assert_eq!(knee(&scaled), Some(1));
        assert_eq!(knee(&[[1.0, 2.0]]), Some(0));
        assert_eq!(knee(&[[f64::MAX, f64::MIN], [f64::MIN, f64::MAX], [1.0, 1.0]]), Some(2));
        assert_eq!(knee::<[f64; 2]>(&[]), None);
    }
}
