//! A line search for the strong Wolfe conditions (Moré & Thuente 1994).
//!
//! Along `φ(t) = f(x + t d)` it looks for a step with
//!
//! ```text
//! φ(t) ≤ φ(0) + μ t φ′(0)   and   |φ′(t)| ≤ η |φ′(0)|,     μ = 10⁻³, η = 0.9.
//! ```
//!
//! It keeps the best knot so far and an interval that, once bracketed, contains such a step; a
//! safeguarded cubic or quadratic interpolation chooses the next trial. Until a trial satisfies the
//! first condition with a non-negative slope, the auxiliary `ψ(t) = φ(t) − μ t φ′(0)` stands in for
//! `φ` wherever a lower `φ` alone would mislead. The search asks for one step at a time, so that
//! many searches can share a batched evaluation.

use super::interpolate::{Knot, across, inside, midpoint, onwards, opposite, outwards};

const SUFFICIENT: f64 = 1e-3;
const CURVATURE: f64 = 0.9;
/// A bracket narrower than this, relative to its far end, is not worth another evaluation.
const NARROW: f64 = 0.1;
const MAX_TRIALS: usize = 20;
/// How much of a step is kept when the function is not finite at its end.
const SHORTEN: f64 = 0.25;

/// What the last trial means for the search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Verdict {
    /// Evaluate `φ` at the new [`LineSearch::step`].
    Continue,
    /// The last trial is good.
    Accept,
    /// No better trial is to be expected.
    Exhausted,
}

/// The state of one search.
#[derive(Clone, Debug)]
pub(super) struct LineSearch {
    origin: Knot,
    step: f64,
    longest: f64,
    best: Knot,
    /// The other end of the interval, once there is one.
    other: Option<Knot>,
    /// Whether `ψ` may still stand in for `φ`.
    auxiliary: bool,
    width: f64,
    previous_width: f64,
    trials: usize,
}

impl LineSearch {
    /// A search that first tries `step` and never goes beyond `longest`; `slope` is negative.
    pub(super) fn new(value: f64, slope: f64, step: f64, longest: f64) -> Self {
        let origin = Knot { step: 0.0, value, slope };
        Self {
            origin,
            step: step.min(longest),
            longest,
            best: origin,
            other: None,
            auxiliary: true,
            width: longest,
            previous_width: 2.0 * longest,
            trials: 0,
        }
    }

    /// The step to try next, or the last one tried once the search has ended with `Accept`.
    pub(super) fn step(&self) -> f64 {
        self.step
    }

    /// Whether `value` at the current step decreases enough.
    pub(super) fn is_sufficient(&self, value: f64) -> bool {
        value <= self.origin.value + self.step * self.target_slope()
    }

    /// Judges the value and slope at the current step.
    pub(super) fn judge(&mut self, value: f64, slope: f64) -> Verdict {
        let sufficient = self.is_sufficient(value);
        let flat = slope.abs() <= CURVATURE * self.origin.slope.abs();
        let at_the_end = self.step == self.longest && slope <= self.target_slope();
        if sufficient && (flat || at_the_end) {
            return Verdict::Accept;
        }
        if sufficient && slope >= 0.0 {
            self.auxiliary = false;
        }
        let misleading = self.auxiliary && !sufficient && value <= self.best.value;
        let tilt = if misleading { self.target_slope() } else { 0.0 };
        let step = self.step;
        self.step = self.next_step(Knot { step, value, slope }, tilt);
        self.verdict()
    }

    /// Steps back from a trial at which the function is not finite, never to go as far again.
    pub(super) fn shorten(&mut self) -> Verdict {
        let from = self.best.step;
        let outwards = self.step > from;
        self.step = from + SHORTEN * (self.step - from);
        if outwards {
            self.longest = self.step;
        }
        self.verdict()
    }

    fn target_slope(&self) -> f64 {
        SUFFICIENT * self.origin.slope
    }

    fn verdict(&mut self) -> Verdict {
        self.trials += 1;
        let closed = self
            .interval()
            .is_some_and(|(low, high)| self.step <= low || self.step >= high || high - low <= NARROW * high);
        if closed || self.trials >= MAX_TRIALS || self.step == self.best.step {
            Verdict::Exhausted
        } else {
            Verdict::Continue
        }
    }

    fn interval(&self) -> Option<(f64, f64)> {
        let best = self.best.step;
        self.other.map(|other| (best.min(other.step), best.max(other.step)))
    }

    /// Interpolates the step after `trial` and updates the interval, on `φ(t) − tilt · t`.
    fn next_step(&mut self, trial: Knot, tilt: f64) -> f64 {
        let best = self.best.tilted(tilt);
        let other = self.other.map(|knot| knot.tilted(tilt));
        let probe = trial.tilted(tilt);
        let next = match other {
            _ if probe.value > best.value => inside(best, probe),
            _ if opposite(best.slope, probe.slope) => across(best, probe),
            Some(other) => onwards(best, other, probe),
            None => outwards(best, probe, self.reach(trial.step)),
        };
        if probe.value > best.value {
            self.other = Some(trial);
        } else {
            if opposite(best.slope, probe.slope) {
                self.other = Some(self.best);
            }
            self.best = trial;
        }
        self.safeguarded(next)
    }

    /// Where to look while there is no bracket: further out by 1.1 to 4 strides.
    fn reach(&self, step: f64) -> (f64, f64) {
        let stride = step - self.best.step;
        let least = if self.best.step > 0.0 { 1.1 } else { 0.0 };
        (step + least * stride, step + 4.0 * stride)
    }

    /// Bisects a bracket that shrank too slowly over its last two updates.
    fn safeguarded(&mut self, next: f64) -> f64 {
        let Some(other) = self.other else {
            return next.min(self.longest);
        };
        let width = (other.step - self.best.step).abs();
        let slow = width >= 0.66 * self.previous_width;
        self.previous_width = self.width;
        self.width = width;
        let next = if slow || !next.is_finite() { midpoint(self.best.step, other.step) } else { next };
        next.min(self.longest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOLDEN: &str = include_str!("../../tests/golden/lbfgsb_scipy.json");

    /// The steps tried and how the search ended.
    fn run(phi: impl Fn(f64) -> (f64, f64), first: f64, longest: f64) -> (Verdict, Vec<f64>) {
        let (value, slope) = phi(0.0);
        let mut search = LineSearch::new(value, slope, first, longest);
        let mut steps = Vec::new();
        loop {
            steps.push(search.step());
            let (value, slope) = phi(search.step());
            let verdict = if value.is_finite() { search.judge(value, slope) } else { search.shorten() };
            if verdict != Verdict::Continue {
                return (verdict, steps);
            }
        }
    }

    fn function(name: &str, t: f64) -> (f64, f64) {
        match name {
            "rational" => {
                let q = t * t + 2.0;
                (-t / q, (t * t - 2.0) / (q * q))
            }
            "two_roots" => {
                let a = (1.0 + 1e-6 + (1.0 - t).powi(2)).sqrt();
                let b = (1e-6 + t * t).sqrt();
                let slope = -1e-3 * (1.0 - t) / a + t / b - 2e-3;
                (1e-3 * a + b - 2e-3 * t, slope)
            }
            "wavy" => {
                let (sine, cosine) = (3.0 * t).sin_cos();
                (-t / 20.0 + cosine / 5.0, -0.05 - 0.6 * sine)
            }
            "quartic" => {
                let s = t - 3.0;
                (s.powi(4) / 8.0 - 5.0 * t, s.powi(3) / 2.0 - 5.0)
            }
            "cliff" => {
                let q = 1.0 + 1e4 * t;
                let slope = -2e-4 - 1.0 / (q * q) + 4e-5 * t.powi(3);
                (-2e-4 * t - t / q + 1e-5 * t.powi(4), slope)
            }
            "hinge" => {
                let s = t - 1.0;
                let root = (s * s + 1e-6).sqrt();
                (-t + 10.0 * (s + root), -1.0 + 10.0 * (1.0 + s / root))
            }
            "bent" => {
                let s = t - 4.0;
                let slope = -t.cosh().powi(-2) + 4e-3 * s.powi(3);
                (-t.tanh() + 1e-3 * s.powi(4), slope)
            }
            other => panic!("no function called {other}"),
        }
    }

    /// From first steps far too short to far too long.
    #[test]
    fn the_steps_are_those_of_scipy() {
        let golden: serde_json::Value = serde_json::from_str(GOLDEN).unwrap();
        let searches = golden["searches"].as_array().unwrap();
        assert!(searches.len() >= 20);
        for search in searches {
            let name = search["function"].as_str().unwrap();
            let list = search["steps"].as_array().unwrap();
            let expected: Vec<f64> = list.iter().map(|s| s.as_f64().unwrap()).collect();
            let ending = if search["converged"] == true { Verdict::Accept } else { Verdict::Exhausted };
            let (verdict, steps) = run(|t| function(name, t), expected[0], 1e10);
            let close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-6 * b;
            let same = steps.len() == expected.len() && steps.iter().zip(&expected).all(close);
            assert!(same, "{name}: {steps:?} for {expected:?}");
            assert_eq!(verdict, ending, "{name}: {steps:?}");
        }
    }

    #[test]
    fn the_longest_step_is_accepted_and_not_exceeded() {
        let (verdict, steps) = run(|t| (-t, -1.0), 1.0, 7.0);
        assert_eq!((verdict, steps), (Verdict::Accept, vec![1.0, 5.0, 7.0]));
    }

    #[test]
    fn a_wall_of_nan_is_backed_away_from() {
        let wall = |t: f64| {
            if t < 1e-3 { (-t, -1.0) } else { (f64::NAN, f64::NAN) }
        };
        let (verdict, steps) = run(wall, 1.0, 1e10);
        assert_eq!(verdict, Verdict::Accept);
        assert_eq!(steps, (0..6).map(|k| SHORTEN.powi(k)).collect::<Vec<f64>>());
    }

    #[test]
    fn an_ascent_ends() {
        let (verdict, steps) = run(|t| (t, -1.0), 1.0, 1e10);
        assert_eq!(verdict, Verdict::Exhausted);
        assert!(steps.len() <= MAX_TRIALS);
    }
}
