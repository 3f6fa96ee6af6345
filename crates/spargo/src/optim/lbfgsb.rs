//! L-BFGS-B: limited-memory BFGS inside a box (Byrd, Lu, Nocedal & Zhu 1995; Zhu et al. 1997).
//!
//! At the iterate `x` the function is modelled by `q(z) = gᵀ(z − x) + ½ (z − x)ᵀ B (z − x)`:
//!
//! 1. the generalised Cauchy point, minimising `q` along the projected gradient path, decides which
//!    variables rest at their limits (`cauchy`);
//! 2. `q` is minimised over the others and brought back into the box (`subspace`);
//! 3. a strong Wolfe search towards that point gives the next iterate (`line_search`);
//! 4. the change of the gradient updates `B` (`memory`).
//!
//! A [`Problem`] is this loop turned inside out: it names the next point to evaluate and is handed
//! the result, so that many problems can share one batched evaluation.

use serde::{Deserialize, Serialize};

use super::bounds::Bounds;
use super::cauchy::cauchy_point;
use super::dense::{difference, dot};
use super::line_search::{LineSearch, Verdict};
use super::memory::Memory;
use super::search::{Sample, Segment};
use super::subspace::subspace_point;
use super::{Minimum, Stepwise, Stop};

/// The longest step, in units of the search direction, of an unlimited search.
const LONGEST_STEP: f64 = 1e10;

/// Options of L-BFGS-B.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Lbfgsb {
    /// Correction pairs kept to model the curvature.
    pub memory: usize,
    /// Limit on accepted steps.
    pub max_iterations: usize,
    /// Limit on evaluations, per problem; the start is always evaluated.
    pub max_evaluations: usize,
    /// Stop once no component of the projected gradient exceeds this.
    pub gradient_tolerance: f64,
    /// Stop once `(f_k − f_{k+1}) / max(|f_k|, |f_{k+1}|, 1)` is at most this; not asked of the
    /// first step, whose length is a guess.
    pub value_tolerance: f64,
}

impl Default for Lbfgsb {
    fn default() -> Self {
        Self {
            memory: 10,
            max_iterations: 200,
            max_evaluations: 1000,
            gradient_tolerance: 1e-5,
            value_tolerance: 2.2e-9,
        }
    }
}

/// One minimisation, driven from outside: evaluate [`Problem::next_point`], hand the result to
/// [`Problem::accept`], for as long as [`Problem::is_running`].
#[derive(Debug)]
pub(super) struct Problem<'a> {
    bounds: &'a Bounds,
    options: &'a Lbfgsb,
    trial: Vec<f64>,
    iterate: Sample,
    best: Sample,
    memory: Memory,
    phase: Phase,
    iterations: usize,
    evaluations: usize,
}

#[derive(Debug)]
enum Phase {
    Start,
    Searching(Box<Segment>),
    Done(Stop),
}

impl<'a> Problem<'a> {
    pub(super) fn new(start: &[f64], bounds: &'a Bounds, options: &'a Lbfgsb) -> Self {
        debug_assert!(bounds.is_valid(), "malformed bounds: {bounds:?}");
        debug_assert_eq!(start.len(), bounds.dimension(), "start and bounds disagree");
        Self {
            bounds,
            options,
            trial: bounds.project(start),
            iterate: Sample::default(),
            best: Sample::default(),
            memory: Memory::new(options.memory),
            phase: Phase::Start,
            iterations: 0,
            evaluations: 0,
        }
    }
}

impl Stepwise for Problem<'_> {
    fn is_running(&self) -> bool {
        !matches!(self.phase, Phase::Done(_))
    }

    /// Where the function is wanted next.
    fn next_point(&self) -> &[f64] {
        &self.trial
    }

    /// Takes the value and gradient at [`Problem::next_point`] and moves on.
    fn accept(&mut self, value: f64, gradient: &[f64]) {
        self.evaluations += 1;
        let sample = Sample { point: self.trial.clone(), value, gradient: gradient.to_vec() };
        let phase = std::mem::replace(&mut self.phase, Phase::Done(Stop::LineSearch));
        self.phase = match phase {
            Phase::Start => self.begin(sample),
            Phase::Searching(search) => self.advance(search, sample),
            Phase::Done(stop) => Phase::Done(stop),
        };
        if self.is_running() && self.evaluations >= self.options.max_evaluations {
            self.phase = Phase::Done(Stop::Evaluations);
        }
        if let Phase::Searching(search) = &self.phase {
            self.trial = search.point(&self.iterate.point, self.bounds);
        }
    }

    fn into_minimum(self) -> Minimum {
        let stop = match self.phase {
            Phase::Done(stop) => stop,
            Phase::Start | Phase::Searching(_) => Stop::Evaluations,
        };
        let Sample { point, value, gradient } = self.best;
        Minimum { point, value, gradient, iterations: self.iterations, evaluations: self.evaluations, stop }
    }
}

impl Problem<'_> {
    fn begin(&mut self, start: Sample) -> Phase {
        self.best = start.clone();
        self.iterate = start;
        if !self.iterate.is_finite() {
            Phase::Done(Stop::NonFinite)
        } else if self.is_stationary() {
            Phase::Done(Stop::Gradient)
        } else if self.options.max_iterations == 0 {
            Phase::Done(Stop::Iterations)
        } else {
            self.new_search()
        }
    }

    /// One trial of the line search.
    fn advance(&mut self, mut search: Box<Segment>, sample: Sample) -> Phase {
        let verdict = if sample.is_finite() {
            if sample.value <= self.best.value {
                self.best = sample.clone();
            }
            search.note(&sample);
            let slope = dot(&sample.gradient, &search.direction);
            search.line.judge(sample.value, slope)
        } else {
            search.line.shorten()
        };
        match (verdict, search.fallback.take()) {
            (Verdict::Accept, _) => self.move_to(sample),
            (Verdict::Exhausted, Some(lowest)) => self.move_to(lowest),
            (Verdict::Exhausted, None) => self.restart(),
            (Verdict::Continue, fallback) => {
                search.fallback = fallback;
                Phase::Searching(search)
            }
        }
    }

    fn move_to(&mut self, next: Sample) -> Phase {
        let step = difference(&next.point, &self.iterate.point);
        let change = difference(&next.gradient, &self.iterate.gradient);
        let slope = dot(&self.iterate.gradient, &step);
        self.memory.push(step, change, slope);
        let previous = std::mem::replace(&mut self.iterate, next).value;
        self.iterations += 1;
        if self.is_stationary() {
            Phase::Done(Stop::Gradient)
        } else if self.iterations > 1 && self.has_settled(previous) {
            Phase::Done(Stop::Value)
        } else if self.iterations >= self.options.max_iterations {
            Phase::Done(Stop::Iterations)
        } else {
            self.new_search()
        }
    }

    fn is_stationary(&self) -> bool {
        let Sample { point, gradient, .. } = &self.iterate;
        self.bounds.projected_gradient(point, gradient) <= self.options.gradient_tolerance
    }

    fn has_settled(&self, previous: f64) -> bool {
        let value = self.iterate.value;
        let scale = previous.abs().max(value.abs()).max(1.0);
        previous - value <= self.options.value_tolerance * scale
    }

    /// A search from the iterate, without the memory if the memory leads nowhere.
    fn new_search(&mut self) -> Phase {
        match self.propose() {
            Some(search) => Phase::Searching(Box::new(search)),
            None => self.restart(),
        }
    }

    /// Falls back on steepest descent, once: with nothing left to forget, the search is over.
    fn restart(&mut self) -> Phase {
        if self.memory.is_empty() {
            return Phase::Done(Stop::LineSearch);
        }
        self.memory.clear();
        self.new_search()
    }

    /// The search towards the minimiser of the model, if that is a descent direction.
    fn propose(&self) -> Option<Segment> {
        let Sample { point: x, gradient: g, value } = &self.iterate;
        let cauchy = cauchy_point(x, g, self.bounds, &self.memory);
        let target = subspace_point(x, g, self.bounds, &self.memory, cauchy)?;
        let direction = difference(&target, x);
        let slope = dot(g, &direction);
        if !(slope < 0.0 && slope.is_finite()) {
            return None;
        }
        let longest = self.longest_step(&direction);
        let step = self.first_step(&direction).min(longest);
        Some(Segment { line: LineSearch::new(*value, slope, step, longest), target, direction, fallback: None })
    }

    /// How far the search may go inside the box. The first direction is blind to scale, so
    /// stretching it is no better than learning from it.
    fn longest_step(&self, direction: &[f64]) -> f64 {
        if self.iterations == 0 && self.bounds.any_limit() {
            return 1.0;
        }
        let room = |i: usize| self.bounds.time_to_limit(i, self.iterate.point[i], direction[i]);
        // The target is inside the box, whatever rounding says.
        (0..direction.len()).map(room).fold(LONGEST_STEP, f64::min).max(1.0)
    }

    /// To the minimiser of the model; while there is no memory and no closed box to give a scale,
    /// a step of unit length.
    fn first_step(&self, direction: &[f64]) -> f64 {
        if self.memory.is_empty() && !self.bounds.all_boxed() { dot(direction, direction).sqrt().recip() } else { 1.0 }
    }
}
