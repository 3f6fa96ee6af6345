//! The expected growth of the dominated volume, as a logarithm (Emmerich et al. 2005; by boxes: Yang et al. 2019).
//!
//! ```text
//!     EHVI = Σ_boxes Π_k ψ_k(l_k, u_k),        ψ_k(l, u) = ∫_l^u P(f_k > t) dt        (independent outputs)
//!     log EHVI = log Σ exp Σ_k log ψ_k,        ∂ log EHVI = Σ_boxes p Σ_k ∂ log ψ_k,   p the share of the box
//! ```
//!
//! A new outcome f adds to each box of what is free the part below f, Π_k (min(f_k, u_k) − l_k)⁺, and expectations of
//! independent factors multiply. Everything stays a logarithm, so there are slopes where the volume underflows. With one
//! objective this is the expected improvement.

use super::function::Moments;
use super::interval::{Edge, Log, NEVER};
use crate::error::Result;
use crate::math::pareto::{Cell, cells};

/// The front to be improved on.
#[derive(Debug, Clone, PartialEq)]
pub struct Ehvi {
    axes: Vec<Axis>,
    /// For each box its interval on each axis.
    boxes: Vec<Vec<usize>>,
}

/// One objective.
#[derive(Debug, Clone, PartialEq, Default)]
struct Axis {
    /// Where boxes begin and end, by size.
    edges: Vec<f64>,
    /// Pairs of them.
    intervals: Vec<[usize; 2]>,
}

impl Ehvi {
    /// The improvement on a front of one to three objectives, all to be maximised, above a reference.
    pub fn new(front: &[Vec<f64>], reference: &[f64]) -> Result<Self> {
        let cells = cells(front, reference)?;
        let (axes, indices): (Vec<Axis>, Vec<Vec<usize>>) = (0..reference.len()).map(|k| Axis::of(&cells, k)).unzip();
        let boxes = (0..cells.len()).map(|cell| indices.iter().map(|own| own[cell]).collect()).collect();
        Ok(Ehvi { axes, boxes })
    }

    /// The number of objectives.
    pub fn objectives(&self) -> usize {
        self.axes.len()
    }

    /// log EHVI of an outcome with these moments, once pending points are told: finite, if they are.
    pub fn value(&self, at: &[Moments]) -> f64 {
        let logs = self.logs(at, Edge::plain);
        let largest = self.sums(&logs).fold(NEVER, f64::max);
        largest + self.sums(&logs).map(|sum| (sum - largest).exp()).sum::<f64>().ln()
    }

    /// ∂ log EHVI/∂(moments of each objective), finite.
    pub fn gradient(&self, at: &[Moments], out: &mut [Moments]) {
        let logs = self.logs(at, Edge::with_slopes);
        let largest = self.sums(&logs).fold(NEVER, f64::max);
        let (mut slopes, mut total) = (vec![(0.0, 0.0); self.axes.len()], 0.0);
        for (cell, sum) in self.boxes.iter().zip(self.sums(&logs)) {
            let share = (sum - largest).exp();
            total += share;
            // Nothing times an infinite slope is nothing.
            if share > 0.0 {
                for ((slopes, logs), &interval) in slopes.iter_mut().zip(&logs).zip(cell) {
                    slopes.0 += share * logs[interval].by_mean;
                    slopes.1 += share * logs[interval].by_variance;
                }
            }
        }
        for (out, (mean, conditional)) in out.iter_mut().zip(slopes) {
            *out = Moments { mean: mean / total, variance: 0.0, conditional: conditional / total }.capped();
        }
    }

    /// log ψ of every interval of every axis.
    fn logs(&self, at: &[Moments], edge: fn(f64, f64, f64) -> Edge) -> Vec<Vec<Log>> {
        self.axes.iter().zip(at).map(|(axis, at)| axis.logs(at.mean, at.conditional, edge)).collect()
    }

    /// Σ_k log ψ_k of every box.
    fn sums<'a>(&'a self, logs: &'a [Vec<Log>]) -> impl Iterator<Item = f64> + 'a {
        let sum =
            move |cell: &Vec<usize>| cell.iter().zip(logs).map(|(&interval, logs)| logs[interval].value).sum::<f64>();
        self.boxes.iter().map(move |cell| sum(cell).max(NEVER))
    }
}

impl Axis {
    /// The axis of objective k, and the interval of each box on it.
    fn of(cells: &[Cell], k: usize) -> (Self, Vec<usize>) {
        let mut edges: Vec<f64> = cells.iter().flat_map(|cell| [cell.lower[k], cell.upper[k]]).collect();
        edges.sort_by(f64::total_cmp);
        edges.dedup();
        let place = |value: f64| edges.partition_point(|&edge| edge < value);
        let own: Vec<[usize; 2]> = cells.iter().map(|cell| [place(cell.lower[k]), place(cell.upper[k])]).collect();
        let mut intervals = own.clone();
        intervals.sort_unstable();
        intervals.dedup();
        let index = own.iter().map(|interval| intervals.partition_point(|other| other < interval)).collect();
        (Axis { edges, intervals }, index)
    }

    fn logs(&self, mean: f64, variance: f64, edge: fn(f64, f64, f64) -> Edge) -> Vec<Log> {
        let edges: Vec<Edge> = self.edges.iter().map(|&at| edge(at, mean, variance)).collect();
        let log = |&[lower, upper]: &[usize; 2]| edges[lower].gain_up_to(&edges[upper], mean, variance);
        self.intervals.iter().map(log).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, normal, stream};
    use serde_json::Value;

    fn moments(mean: &[f64], variance: &[f64]) -> Vec<Moments> {
        let at = |(&mean, &variance): (&f64, &f64)| Moments { mean, variance, conditional: variance };
        mean.iter().zip(variance).map(at).collect()
    }

    /// The golden file minimises.
    #[test]
    fn golden() {
        let golden: Value = serde_json::from_str(include_str!("../../tests/golden/ehvi.json")).unwrap();
        let list = |value: &Value, sign: f64| -> Vec<f64> {
            value.as_array().unwrap().iter().map(|v| sign * v.as_f64().unwrap()).collect()
        };
        let rows = |value: &Value, sign: f64| -> Vec<Vec<f64>> {
            value.as_array().unwrap().iter().map(|row| list(row, sign)).collect()
        };
        let cases = golden["cases"].as_array().unwrap();
        assert_eq!(cases.len(), 2);
        for case in cases {
            let ehvi = Ehvi::new(&rows(&case["front"], -1.0), &list(&case["reference"], -1.0)).unwrap();
            let points = rows(&case["mean"], -1.0).into_iter().zip(rows(&case["var"], 1.0));
            for ((mean, variance), expected) in points.zip(list(&case["ehvi"], 1.0)) {
                let found = ehvi.value(&moments(&mean, &variance)).exp();
                assert!((found - expected).abs() < 1e-8 * expected.max(1e-4), "{mean:?}: {found} {expected}");
            }
        }
    }

    /// The part of the volume above the reference that y adds, counted by inclusion and exclusion over the front.
    fn growth(front: &[Vec<f64>], reference: &[f64], y: &[f64]) -> f64 {
        let volume = |corner: &[f64]| corner.iter().zip(reference).map(|(c, r)| (c - r).max(0.0)).product::<f64>();
        let dominated: f64 = (1..1usize << front.len())
            .map(|subset| {
                let elements = (0..front.len()).filter(|i| subset >> i & 1 == 1);
                let corner = elements
                    .fold(y.to_vec(), |corner, i| corner.iter().zip(&front[i]).map(|(a, b)| a.min(*b)).collect());
                if subset.count_ones() % 2 == 1 { volume(&corner) } else { -volume(&corner) }
            })
            .sum();
        volume(y) - dominated
    }

    #[test]
    fn it_is_the_mean_growth_over_draws() {
        let two = vec![vec![1.0, 0.1], vec![0.6, 0.5], vec![0.2, 0.9]];
        let three = vec![vec![0.9, 0.2, 0.4], vec![0.3, 0.8, 0.5], vec![0.5, 0.5, 0.2], vec![0.1, 0.3, 0.9]];
        let mut rng = stream(7, Purpose::Data, 0, 0);
        for (front, mean, sd) in
            [(two, vec![0.5, 0.6], vec![0.3, 0.2]), (three, vec![0.4, 0.3, 0.6], vec![0.5, 0.3, 0.2])]
        {
            let reference = vec![0.0; mean.len()];
            let variance: Vec<f64> = sd.iter().map(|sd| sd * sd).collect();
            let found = Ehvi::new(&front, &reference).unwrap().value(&moments(&mean, &variance)).exp();
            let (mut sum, mut squares, count) = (0.0, 0.0, 1_000_000);
            for _ in 0..count {
                let y: Vec<f64> = mean.iter().zip(&sd).map(|(mean, sd)| mean + sd * normal(&mut rng)).collect();
                let gain = growth(&front, &reference, &y);
                sum += gain;
                squares += gain * gain;
            }
            let average = sum / count as f64;
            let error = ((squares / count as f64 - average * average) / count as f64).sqrt();
            assert!((found - average).abs() < 4.0 * error, "{found} {average} ± {error}");
        }
    }

    /// One objective: the expected improvement on the best. No front: the improvement on the reference.
    #[test]
    fn special_cases() {
        let at = moments(&[0.3], &[0.2]);
        let one = Ehvi::new(&[vec![0.1], vec![0.5]], &[0.0]).unwrap();
        assert!((one.value(&at) - super::super::log_ei::value(-0.2, 0.2)).abs() < 1e-14);
        let none = Ehvi::new(&[], &[0.1, -0.4]).unwrap();
        let expected = super::super::log_ei::value(0.2, 0.2) + super::super::log_ei::value(0.9, 0.3);
        assert!((none.value(&moments(&[0.3, 0.5], &[0.2, 0.3])) - expected).abs() < 1e-14);
        assert!(Ehvi::new(&[vec![f64::NAN]], &[0.0]).is_err() && Ehvi::new(&[], &[f64::INFINITY]).is_err());
    }

    #[test]
    fn gradients_lead_out_of_the_far_tails() {
        let front = vec![vec![1.0, 0.1, 0.3], vec![0.6, 0.5, 0.2], vec![0.2, 0.9, 0.8]];
        let ehvi = Ehvi::new(&front, &[0.0; 3]).unwrap();
        for far in [0.0, 1.0, 50.0, 1e4] {
            let (mean, variance) = ([0.4 - far, 0.5, 0.3 - far], [0.3, 0.02, 0.1]);
            let value = |mean: [f64; 3], variance: [f64; 3]| ehvi.value(&moments(&mean, &variance));
            let mut found = [Moments::default(); 3];
            ehvi.gradient(&moments(&mean, &variance), &mut found);
            assert!(value(mean, variance).is_finite());
            // Of the differences below: the smallest step is 1e-5.
            let rounding = f64::EPSILON * value(mean, variance).abs() / 1e-5;
            for k in 0..3 {
                let slope = |f: &dyn Fn(f64) -> f64, h: f64| {
                    let slope = |h: f64| (f(h) - f(-h)) / (2.0 * h);
                    (4.0 * slope(h / 2.0) - slope(h)) / 3.0
                };
                let moved = |list: [f64; 3], h: f64| {
                    let mut list = list;
                    list[k] += h;
                    list
                };
                let expected = [
                    slope(&|h| value(moved(mean, h), variance), 1e-3),
                    slope(&|h| value(mean, moved(variance, h)), 1e-3 * variance[k]),
                ];
                for (found, expected) in [found[k].mean, found[k].conditional].into_iter().zip(expected) {
                    assert!(
                        (found - expected).abs() < 1e-6 * expected.abs().max(1e-2) + rounding,
                        "{far} {k}: {found} {expected}"
                    );
                }
            }
        }
    }
}
