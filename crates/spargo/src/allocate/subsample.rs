//! The rows that the greedy search looks at: all of them, or a weighted subsample of many.
//!
//! ```text
//!     key_i = e_i / q_i²,  e_i ~ Exp(1);   the least keys, and as many rows by chance          (Efraimidis & Spirakis 2006)
//! ```
//!
//! The search needs up to N×M numbers; over a subsample of S rows it needs S×M at any N. Half of them are drawn by quality, so that the
//! rows that matter to the decision are among them however rare they are, half by chance, so that the data are covered. Rows at
//! the same point count once, by the best of their qualities: a point that was evaluated again and again displaces no other.

use crate::linalg::{MatRef, PointMap, point_key};
use crate::rng::{distinct_indices, uniform};
use rand_chacha::ChaCha8Rng;

/// The search looks at so many rows at least, if there are that many: 64 MB for 500 inducing points.
const LEAST: usize = 1 << 14;

/// The search looks at so many rows per inducing point, if there are that many.
const PER_POINT: usize = 16;

/// The most rows among which `m` inducing points are looked for.
pub(crate) fn most_rows(m: usize) -> usize {
    LEAST.max(PER_POINT * m)
}

/// Some rows of many.
#[derive(Debug, Clone)]
pub(crate) struct Subsample {
    /// The rows, in their order.
    pub(crate) rows: Vec<usize>,
    /// How many points each stands for: the inverse of the probability with which it was drawn (Horvitz & Thompson 1952).
    pub(crate) multiplicity: Vec<f64>,
}

/// `count` rows of x at different points, in their order, half of them by quality; all such rows, if these are not more.
pub(crate) fn subsample(x: MatRef<'_>, quality: &[f64], count: usize, rng: &mut ChaCha8Rng) -> Subsample {
    let mut rows = distinct(x, quality);
    if rows.len() <= count {
        return Subsample { multiplicity: vec![1.0; rows.len()], rows };
    }
    let largest = rows.iter().map(|&row| quality[row]).fold(0.0, f64::max);
    let mut keys: Vec<(f64, usize)> = rows
        .iter()
        .map(|&row| (-(1.0 - uniform(rng)).ln() / (quality[row] / largest).powi(2), row))
        // Without quality a row is not drawn by it.
        .filter(|(key, _)| key.is_finite())
        .collect();
    let by_quality = keys.len().min(count / 2);
    if by_quality < keys.len() {
        keys.select_nth_unstable_by(by_quality, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    }
    // A row is among them by its quality if its key is below the least of the others.
    let threshold = keys.get(by_quality).map_or(f64::INFINITY, |(key, _)| *key);
    let mut drawn: Vec<usize> = keys[..by_quality].iter().map(|&(_, row)| row).collect();
    drawn.sort_unstable();
    rows.retain(|row| drawn.binary_search(row).is_err());
    let others = distinct_indices(rows.len(), count - by_quality, rng);
    let by_chance = others.len() as f64 / rows.len() as f64;
    drawn.extend(others.into_iter().map(|i| rows[i]));
    drawn.sort_unstable();
    let multiplicity = |&row: &usize| {
        let weight = (quality[row] / largest).powi(2);
        let missed = if weight > 0.0 { (-threshold * weight).exp() } else { 1.0 };
        1.0 / (1.0 - missed * (1.0 - by_chance))
    };
    Subsample { multiplicity: drawn.iter().map(multiplicity).collect(), rows: drawn }
}

/// A row of every point, in their order: the one of the best quality, of equal ones the first.
fn distinct(x: MatRef<'_>, quality: &[f64]) -> Vec<usize> {
    let mut best: PointMap<usize> = PointMap::with_capacity_and_hasher(x.nrows(), Default::default());
    for row in 0..x.nrows() {
        // Adding 0 makes −0 and 0 alike.
        let first = best.entry(point_key(x.row(row).iter().map(|v| v + 0.0))).or_insert(row);
        if quality[row] > quality[*first] {
            *first = row;
        }
    }
    let mut rows: Vec<usize> = best.into_values().collect();
    rows.sort_unstable();
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Mat;
    use crate::rng::{Purpose, stream};

    fn drawn(x: &Mat, quality: &[f64], count: usize) -> Vec<usize> {
        subsample(x.as_ref(), quality, count, &mut stream(3, Purpose::Allocation, 0, 0)).rows
    }

    /// Sums over all rows are estimated by those over a subsample, weighted or not, to a few per cent.
    #[test]
    fn a_row_stands_for_the_inverse_of_its_probability() {
        let (n, x) = (20_000, line(20_000));
        let quality: Vec<f64> = (0..n).map(|i| if i % 5 == 0 { (i as f64 / n as f64).powi(3) } else { 0.01 }).collect();
        let Subsample { rows, multiplicity } =
            subsample(x.as_ref(), &quality, 2000, &mut stream(3, Purpose::Allocation, 0, 0));
        for value in [|_: f64| 1.0, |q: f64| q * q, |q: f64| q * q * (9.0 * q).sin().abs()] {
            let all: f64 = quality.iter().map(|&q| value(q)).sum();
            let some: f64 = rows.iter().zip(&multiplicity).map(|(&row, weight)| weight * value(quality[row])).sum();
            assert!((some / all - 1.0).abs() < 0.05, "{some} for {all}");
        }
        let few = subsample(x.as_ref(), &quality, n, &mut stream(3, Purpose::Allocation, 0, 0));
        assert!(few.multiplicity.iter().all(|&one| one == 1.0));
    }

    fn line(n: usize) -> Mat {
        Mat::from_fn(n, 2, |i, k| (i * (k + 1)) as f64)
    }

    #[test]
    fn few_points_are_all_looked_at_whatever_their_replicates() {
        let x = Mat::from_fn(1000, 1, |i, _| if i < 990 { 0.0 } else { i as f64 });
        let mut quality = vec![1.0; 1000];
        quality[7] = 2.0;
        assert_eq!(drawn(&x, &quality, 11), [vec![7], (990..1000).collect()].concat());
        let zeros = Mat::from_fn(2, 1, |i, _| if i == 0 { 0.0 } else { -0.0 });
        assert_eq!(drawn(&zeros, &[1.0; 2], 5), [0]);
    }

    /// A row that matters is there however rare it is, and half of the rows do not depend on quality.
    #[test]
    fn half_of_the_rows_are_drawn_by_quality() {
        let (x, good) = (line(10_000), [17, 4711, 9999]);
        let mut quality = vec![1e-3; 10_000];
        good.iter().for_each(|&row| quality[row] = 1.0);
        let rows = drawn(&x, &quality, 200);
        assert_eq!(rows.len(), 200);
        assert!(rows.is_sorted() && rows.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(good.iter().all(|row| rows.contains(row)), "{rows:?}");
        // One row in ten has quality: it gets half of the draws, and a tenth of the other half.
        let tenth: Vec<f64> = (0..10_000).map(|i| f64::from(u8::from(i % 10 == 0))).collect();
        let with = drawn(&x, &tenth, 400).iter().filter(|&&row| tenth[row] > 0.0).count();
        assert!((200..=200 + 40).contains(&with), "{with}");
    }

    #[test]
    fn without_quality_all_rows_are_drawn_by_chance() {
        for quality in [vec![0.0; 3000], vec![1.0; 3000], vec![1e-300; 3000]] {
            let rows = drawn(&line(3000), &quality, 300);
            assert_eq!(rows.len(), 300);
            let low = rows.iter().filter(|&&row| row < 1500).count();
            // Five standard deviations of a binomial count.
            assert!((107..=193).contains(&low), "{low}");
        }
    }
}
