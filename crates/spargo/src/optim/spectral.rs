//! The spectral projected gradient method (Birgin, Martínez & Raydan 2000): minimisation over a polytope.
//!
//! ```text
//!     d = P(x − α g) − x,      x ← x + λ d,      α = sᵀs / sᵀy,      f(x + λ d) ≤ max of the last ten f + γ λ gᵀd
//! ```
//!
//! A [`Problem`] is the loop turned inside out, as that of L-BFGS-B is: it names the next point to evaluate, so that many problems
//! share one batched evaluation.

use super::dense::{difference, dot};
use super::polytope::Polytope;
use super::search::Sample;
use super::{Lbfgsb, Minimum, Stepwise, Stop};
use std::collections::VecDeque;

/// Values that a step is compared with.
const REMEMBERED: usize = 10;

/// γ: the share of the predicted decrease that a step must have.
const SUFFICIENT: f64 = 1e-4;

/// The least and the largest α.
const STEPS: (f64, f64) = (1e-10, 1e10);

/// A step is shortened to between these shares of it.
const SHORTENED: (f64, f64) = (0.1, 0.5);

/// Steps shorter than this share of the direction end the search.
const SHORTEST: f64 = 1e-10;

/// One minimisation, driven from outside.
#[derive(Debug)]
pub(super) struct Problem<'a> {
    set: &'a Polytope,
    options: &'a Lbfgsb,
    iterate: Sample,
    best: Sample,
    /// d, and λ of the point that is being evaluated.
    direction: Vec<f64>,
    length: f64,
    trial: Vec<f64>,
    /// α.
    step: f64,
    recent: VecDeque<f64>,
    iterations: usize,
    evaluations: usize,
    stop: Option<Stop>,
}

impl<'a> Problem<'a> {
    /// From a start, which is projected onto the polytope.
    pub(super) fn new(start: &[f64], set: &'a Polytope, options: &'a Lbfgsb) -> Self {
        let mut trial = start.to_vec();
        let stop = if set.project(&mut trial) { None } else { Some(Stop::NonFinite) };
        Problem {
            set,
            options,
            iterate: Sample::default(),
            best: Sample { point: trial.clone(), value: f64::NAN, gradient: vec![0.0; start.len()] },
            direction: Vec::new(),
            length: 1.0,
            trial,
            step: 1.0,
            recent: VecDeque::new(),
            iterations: 0,
            evaluations: 0,
            stop,
        }
    }
}

impl Stepwise for Problem<'_> {
    fn is_running(&self) -> bool {
        self.stop.is_none()
    }

    fn next_point(&self) -> &[f64] {
        &self.trial
    }

    /// Takes the value and gradient at [`Problem::next_point`] and moves on.
    fn accept(&mut self, value: f64, gradient: &[f64]) {
        self.evaluations += 1;
        let sample = Sample { point: self.trial.clone(), value, gradient: gradient.to_vec() };
        self.stop = if self.evaluations == 1 { self.begin(sample) } else { self.advance(sample) };
        if self.stop.is_none() && self.evaluations >= self.options.max_evaluations {
            self.stop = Some(Stop::Evaluations);
        }
    }

    fn into_minimum(self) -> Minimum {
        let Sample { point, value, gradient } = self.best;
        let stop = self.stop.unwrap_or(Stop::Evaluations);
        Minimum { point, value, gradient, iterations: self.iterations, evaluations: self.evaluations, stop }
    }
}

impl Problem<'_> {
    fn begin(&mut self, start: Sample) -> Option<Stop> {
        self.best = start.clone();
        self.iterate = start;
        if !self.iterate.is_finite() {
            return Some(Stop::NonFinite);
        }
        let size = self.iterate.gradient.iter().fold(0.0, |size: f64, g| size.max(g.abs()));
        // The first step goes a tenth of the box along the steepest variable.
        self.step = if size > 0.0 { (0.1 / size).clamp(STEPS.0, STEPS.1) } else { 1.0 };
        self.search_from_here()
    }

    fn advance(&mut self, sample: Sample) -> Option<Stop> {
        let slope = dot(&self.iterate.gradient, &self.direction);
        let highest = self.recent.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if !sample.is_finite() || sample.value > highest + SUFFICIENT * self.length * slope {
            return self.shorten(sample.value, slope);
        }
        let moved = difference(&sample.point, &self.iterate.point);
        let turned = difference(&sample.gradient, &self.iterate.gradient);
        let curvature = dot(&moved, &turned);
        self.step = if curvature > 0.0 { (dot(&moved, &moved) / curvature).clamp(STEPS.0, STEPS.1) } else { STEPS.1 };
        let gain = self.iterate.value - sample.value;
        let scale = self.iterate.value.abs().max(sample.value.abs()).max(1.0);
        self.iterate = sample;
        if self.iterate.value < self.best.value {
            self.best = self.iterate.clone();
        }
        self.iterations += 1;
        if self.iterations >= self.options.max_iterations {
            Some(Stop::Iterations)
        } else if self.iterations > 1 && gain.abs() <= self.options.value_tolerance * scale {
            Some(Stop::Value)
        } else {
            self.search_from_here()
        }
    }

    /// A new direction from the iterate.
    fn search_from_here(&mut self) -> Option<Stop> {
        let Sample { point, value, gradient } = &self.iterate;
        if self.recent.len() == REMEMBERED {
            self.recent.pop_front();
        }
        self.recent.push_back(*value);
        let is_stationary = |direction: &[f64]| direction.iter().all(|d| d.abs() <= self.options.gradient_tolerance);
        if is_stationary(&self.towards(point, gradient, 1.0)) {
            return Some(Stop::Gradient);
        }
        self.direction = self.towards(point, gradient, self.step);
        if dot(gradient, &self.direction) >= 0.0 {
            return Some(Stop::LineSearch);
        }
        self.length = 1.0;
        self.set_trial();
        None
    }

    /// P(x − α g) − x.
    fn towards(&self, point: &[f64], gradient: &[f64], step: f64) -> Vec<f64> {
        // A step beyond the box is as good as one to its far side, and keeps the digits of the point.
        let mut target: Vec<f64> = point.iter().zip(gradient).map(|(x, g)| x - (step * g).clamp(-1e3, 1e3)).collect();
        self.set.project(&mut target);
        target.iter_mut().zip(point).for_each(|(t, x)| *t -= x);
        target
    }

    /// A shorter step, by a parabola through what is known.
    fn shorten(&mut self, value: f64, slope: f64) -> Option<Stop> {
        let rise = value - self.iterate.value - self.length * slope;
        let parabola = -0.5 * slope * self.length * self.length / rise;
        let (least, most) = (SHORTENED.0 * self.length, SHORTENED.1 * self.length);
        self.length = if parabola.is_finite() { parabola.clamp(least, most) } else { most };
        if self.length < SHORTEST {
            return Some(Stop::LineSearch);
        }
        self.set_trial();
        None
    }

    fn set_trial(&mut self) {
        let moved = self.iterate.point.iter().zip(&self.direction).map(|(x, d)| x + self.length * d);
        self.trial = moved.enumerate().map(|(k, x)| self.set.bounds.clamp(k, x)).collect();
    }
}
