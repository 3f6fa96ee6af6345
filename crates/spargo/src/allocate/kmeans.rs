//! Centroids of clusters of the inputs.
//!
//! ```text
//!     min_{c_1…c_M} Σ_i min_j |x_i − c_j|²      start: Arthur & Vassilvitskii (2007); descent: Lloyd (1982)
//! ```
//!
//! Nearest centroids come from one matrix product per block of rows: |x − c|² = |x|² − 2 xᵀc + |c|², on centred inputs so
//! that little is lost to cancellation.

use crate::interrupt;
use crate::linalg::{Accumulate, Mat, MatRef, column, gemm, norm2};
use crate::rng::weighted_index;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// Iterations of Lloyd's descent; it is stopped when no point changes its cluster.
const MOST_ITERATIONS: usize = 100;

/// Points per task.
const BLOCK: usize = 256;

/// Up to `m` centroids of the rows of x with every input divided by its scale; none has an empty cluster.
pub(super) fn kmeans(x: MatRef<'_>, scales: &[f64], m: usize, rng: &mut ChaCha8Rng) -> Mat {
    let centre: Vec<f64> = (0..x.ncols()).map(|k| column(x, k).iter().map(|v| v / x.nrows() as f64).sum()).collect();
    // One point per column, so that a point is contiguous. [d, n]
    let points = Mat::from_fn(x.ncols(), x.nrows(), |k, i| (x[(i, k)] - centre[k]) / scales[k]);
    let centroids = lloyd(points.as_ref(), plus_plus(points.as_ref(), m, rng));
    Mat::from_fn(centroids.ncols(), x.ncols(), |j, k| centre[k] + scales[k] * centroids[(k, j)])
}

/// The start: points drawn with probability proportional to their squared distance from those drawn before.
fn plus_plus(points: MatRef<'_>, m: usize, rng: &mut ChaCha8Rng) -> Mat {
    let n = points.ncols();
    let mut chosen = vec![rng.random_range(0..n)];
    let mut distances = vec![f64::INFINITY; n];
    while chosen.len() < m {
        let newest = column(points, chosen[chosen.len() - 1]);
        for (i, distance) in distances.iter_mut().enumerate() {
            *distance = distance.min(squared_distance(column(points, i), newest));
        }
        match weighted_index(&distances, rng) {
            Some(i) => chosen.push(i),
            None => break,
        }
    }
    Mat::from_fn(points.nrows(), chosen.len(), |k, j| points[(k, chosen[j])])
}

fn lloyd(points: MatRef<'_>, mut centroids: Mat) -> Mat {
    let mut labels = Vec::new();
    for _ in 0..MOST_ITERATIONS {
        let mut nearest = assign(points, centroids.as_ref());
        fill_empty(points, centroids.as_ref(), &mut nearest);
        if nearest == labels || interrupt::poll().is_err() {
            break;
        }
        labels = nearest;
        centroids = means(points, &labels, centroids.ncols());
    }
    centroids
}

/// The nearest centroid of each point; ties go to the first.
fn assign(points: MatRef<'_>, centroids: MatRef<'_>) -> Vec<usize> {
    let squares: Vec<f64> = (0..centroids.ncols()).map(|j| norm2(column(centroids, j))).collect();
    let blocks = points.par_col_chunks(BLOCK).map(|block| {
        let mut scores = Mat::zeros(centroids.ncols(), block.ncols()); // −2 cᵀx, [m, block]
        gemm(scores.as_mut(), Accumulate::Replace, -2.0, centroids.transpose(), block);
        (0..block.ncols()).map(|i| smallest(column(scores.as_ref(), i), &squares)).collect::<Vec<_>>()
    });
    blocks.collect::<Vec<_>>().concat()
}

fn smallest(products: &[f64], squares: &[f64]) -> usize {
    let scores = products.iter().zip(squares).map(|(product, square)| product + square);
    scores.enumerate().min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(j, _)| j)
}

/// Gives each empty cluster the point furthest from its centroid among clusters with company.
fn fill_empty(points: MatRef<'_>, centroids: MatRef<'_>, labels: &mut [usize]) {
    let mut counts = vec![0usize; centroids.ncols()];
    labels.iter().for_each(|&j| counts[j] += 1);
    for empty in 0..counts.len() {
        if counts[empty] > 0 {
            continue;
        }
        let distance = |i: usize| squared_distance(column(points, i), column(centroids, labels[i]));
        let movable = (0..labels.len()).filter(|&i| counts[labels[i]] > 1);
        if let Some(i) = movable.max_by(|&a, &b| distance(a).total_cmp(&distance(b))) {
            counts[labels[i]] -= 1;
            counts[empty] += 1;
            labels[i] = empty;
        }
    }
}

fn means(points: MatRef<'_>, labels: &[usize], m: usize) -> Mat {
    let mut counts = vec![0.0; m];
    let mut sums = Mat::<f64>::zeros(points.nrows(), m);
    for (i, &j) in labels.iter().enumerate() {
        counts[j] += 1.0;
        for k in 0..points.nrows() {
            sums[(k, j)] += points[(k, i)];
        }
    }
    Mat::from_fn(points.nrows(), m, |k, j| sums[(k, j)] / counts[j])
}

fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, stream};

    #[test]
    fn finds_separate_clusters_in_the_users_units() {
        // Three clumps far from the origin, on inputs of very different scale.
        let centres = [[1e6, 0.0], [1e6 + 50.0, 0.001], [1e6, 0.002]];
        let x = Mat::from_fn(90, 2, |i, k| {
            centres[i % 3][k] + [1.0, 1e-5][k] * (((i * 7 + k * 3) % 11) as f64 / 11.0 - 0.5)
        });
        let found = kmeans(x.as_ref(), &[20.0, 0.001], 3, &mut stream(3, Purpose::Allocation, 0, 0));
        for centre in centres {
            let hit =
                (0..3).any(|j| (found[(j, 0)] - centre[0]).abs() < 1.0 && (found[(j, 1)] - centre[1]).abs() < 1e-5);
            assert!(hit, "{centre:?} not among {found:?}");
        }
    }

    #[test]
    fn an_empty_cluster_gets_the_furthest_point_with_company() {
        let points = Mat::from_fn(1, 5, |_, i| [0.0, 1.0, 9.0, 100.0, 3.0][i]);
        // No point is nearest to −50; 100 is alone with its own centroid and must stay.
        let centroids = Mat::from_fn(1, 3, |_, j| [0.0, -50.0, 99.0][j]);
        let mut labels = assign(points.as_ref(), centroids.as_ref());
        assert_eq!(labels, [0, 0, 0, 2, 0]);
        fill_empty(points.as_ref(), centroids.as_ref(), &mut labels);
        assert_eq!(labels, [0, 0, 1, 2, 0]);
    }

    #[test]
    fn no_descent_ends_above_its_start() {
        let mut rng = stream(5, Purpose::Data, 0, 0);
        let points = Mat::from_fn(2, 600, |_, _| rng.random::<f64>());
        let cost = |centroids: &Mat| -> f64 {
            let distance = |i, j| squared_distance(column(points.as_ref(), i), column(centroids.as_ref(), j));
            (0..600).map(|i| (0..40).map(|j| distance(i, j)).fold(f64::INFINITY, f64::min)).sum()
        };
        let start = plus_plus(points.as_ref(), 40, &mut rng);
        let end = lloyd(points.as_ref(), start.clone());
        assert!(cost(&end) < 0.8 * cost(&start), "{} {}", cost(&end), cost(&start));
        let labels = assign(points.as_ref(), end.as_ref());
        assert!((0..40).all(|j| labels.contains(&j)));
    }
}
