//! A rover's way through obstacles, from 30 way-points (Wang, Gehring, Kohli & Jegelka 2018).
//!
//! ```text
//!     f(x) = ∫ c(r) |dr| + 10 |r(0) − start|₁ + 10 |r(1) − goal|₁ − 5,     p = −0.1 + 1.2 x
//!     c(r) = 0.05 + 20 [r in an obstacle or off the map],     r = the least-squares cubic through p
//! ```
//!
//! The reference code smooths p by a spline whose default tolerance always leaves a single cubic: that is what stands
//! here. It also adds normal noise of standard deviation 1e-4 to p, which is left out.

mod least_squares;
mod obstacles;

use super::Problem;
use least_squares::least_squares;
use obstacles::CENTRES;
use spargo::Result;
use spargo::linalg::Mat;

/// Sixty inputs: 30 way-points in the plane.
///
/// No way is shorter than the straight line, nor does missing an end pay: that is the bound given as its minimum.
pub static ROVER60: Problem = Problem {
    name: "rover60",
    bounds: &[(0.0, 1.0); 60],
    // −5 + 0.05 |goal − start|
    minimum: -5.0 + 0.05 * 0.9 * std::f64::consts::SQRT_2,
    minimisers: &[],
    // Over 10⁶ uniform samples of this library's streams; the standard error of the mean is 0.006.
    mean: 19.213780,
    std: 5.515065,
    noise: 0.01,
    citation: "Wang, Gehring, Kohli & Jegelka 2018, Batched large-scale Bayesian optimization in high-dimensional spaces",
    function: |x| value(x).unwrap_or(f64::NAN),
};

type Point = [f64; 2];

const START: Point = [0.05, 0.05];
const GOAL: Point = [0.95, 0.95];

/// Points along the curve, for the trapezoid rule.
const SAMPLES: usize = 1000;

/// Half the side of an obstacle.
const HALF: f64 = 0.025;

fn value(x: &[f64]) -> Result<f64> {
    let waypoints: Vec<Point> = x.chunks_exact(2).map(|p| [-0.1 + 1.2 * p[0], -0.1 + 1.2 * p[1]]).collect();
    let control = fit_cubic(&waypoints)?;
    let way: Vec<Point> = (0..SAMPLES).map(|i| on_curve(&control, i as f64 / (SAMPLES - 1) as f64)).collect();
    let costs: Vec<f64> = way.iter().map(|&r| cost(r)).collect();
    let pieces = way.windows(2).zip(costs.windows(2));
    let along: f64 = pieces.map(|(r, c)| 0.5 * (c[0] + c[1]) * distance(r[0], r[1])).sum();
    Ok(along + 10.0 * taxicab(way[0], START) + 10.0 * taxicab(way[SAMPLES - 1], GOAL) - 5.0)
}

/// The control points, [4, 2], of the cubic Bézier curve nearest to the way-points.
fn fit_cubic(waypoints: &[Point]) -> Result<Mat> {
    let parameters = chord_lengths(waypoints);
    let basis: Vec<[f64; 4]> = parameters.into_iter().map(bernstein).collect();
    let basis = Mat::from_fn(waypoints.len(), 4, |i, j| basis[i][j]);
    let points = Mat::from_fn(waypoints.len(), 2, |i, j| waypoints[i][j]);
    least_squares(basis.as_ref(), points.as_ref())
}

/// Each way-point's share, from 0 to 1, of the length of the polygon.
fn chord_lengths(waypoints: &[Point]) -> Vec<f64> {
    let steps = waypoints.windows(2).map(|pair| distance(pair[0], pair[1]));
    let sums = steps.scan(0.0, |sum, step| {
        *sum += step;
        Some(*sum)
    });
    let lengths: Vec<f64> = std::iter::once(0.0).chain(sums).collect();
    match lengths[lengths.len() - 1] {
        // All way-points coincide: any parameters then give the curve that stays there.
        0.0 => (0..lengths.len()).map(|i| i as f64 / lengths.len() as f64).collect(),
        total => lengths.into_iter().map(|length| length / total).collect(),
    }
}

/// Bernstein's cubics.
fn bernstein(t: f64) -> [f64; 4] {
    let s = 1.0 - t;
    [s * s * s, 3.0 * t * s * s, 3.0 * t * t * s, t * t * t]
}

fn on_curve(control: &Mat, t: f64) -> Point {
    let weights = bernstein(t);
    [0, 1].map(|axis| (0..4).map(|j| weights[j] * control[(j, axis)]).sum())
}

fn cost([x, y]: Point) -> f64 {
    let within = |v: f64, centre: f64| centre - HALF <= v && v < centre + HALF;
    let on_map = (0.0..1.0).contains(&x) && (0.0..1.0).contains(&y);
    match on_map && !CENTRES.iter().any(|&[a, b]| within(x, a) && within(y, b)) {
        true => 0.05,
        false => 20.05,
    }
}

fn distance(a: Point, b: Point) -> f64 {
    ((a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2)).sqrt()
}

fn taxicab(a: Point, b: Point) -> f64 {
    (a[0] - b[0]).abs() + (a[1] - b[1]).abs()
}
