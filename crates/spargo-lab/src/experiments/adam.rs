//! Adam with a learning rate that halves on plateaus, and early stopping (Kingma & Ba 2015).
//!
//! ```text
//! m ← β₁ m + (1 − β₁) g,   v ← β₂ v + (1 − β₂) g²,   x ← x − η m̂ / (√v̂ + ε),
//! ```
//!
//! with `m̂ = m / (1 − β₁ᵗ)`, `v̂ = v / (1 − β₂ᵗ)`. The rate `η` is halved after every
//! `halve_patience` iterations in a row without a new best loss, and after `patience` of them the
//! search ends.

use spargo::interrupt;

/// Options of [`minimize`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Adam {
    /// The first learning rate `η`.
    pub learning_rate: f64,
    /// Iterations without a new best loss before the search ends.
    pub patience: usize,
    /// Iterations without a new best loss before the learning rate is halved.
    pub halve_patience: usize,
    /// Limit on iterations.
    pub max_iterations: usize,
    /// Non-finite losses in a row before the search ends.
    pub max_failures: usize,
    /// Decay `β₁` of the mean gradient.
    pub beta1: f64,
    /// Decay `β₂` of the mean squared gradient.
    pub beta2: f64,
    /// The `ε` that keeps the division finite.
    pub epsilon: f64,
}

impl Default for Adam {
    fn default() -> Self {
        Self {
            learning_rate: 0.1,
            patience: 50,
            halve_patience: 10,
            max_iterations: 1000,
            max_failures: 10,
            beta1: 0.9,
            beta2: 0.999,
            epsilon: 1e-8,
        }
    }
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The iteration limit was reached.
    Iterations,
    /// There was no new best loss for the whole patience.
    Plateau,
    /// The start, or too many points in a row, have a non-finite loss or gradient.
    NonFinite,
}

/// The best point seen, and why the search stopped.
#[derive(Clone, Debug, PartialEq)]
pub struct Minimum {
    /// The point of lowest loss.
    pub point: Vec<f64>,
    /// The loss there.
    pub value: f64,
    /// The gradient there.
    pub gradient: Vec<f64>,
    /// Steps.
    pub iterations: usize,
    /// Evaluations of the loss.
    pub evaluations: usize,
    /// Why the search ended.
    pub stop: Stop,
}

/// Minimises by Adam; `f` returns the loss and writes its gradient.
///
/// Returns the best point seen, not the last. A non-finite loss or gradient halves the learning
/// rate and sends the search back to the best point.
pub fn minimize(start: &[f64], options: &Adam, mut f: impl FnMut(&[f64], &mut [f64]) -> f64) -> Minimum {
    let mut x = start.to_vec();
    let mut gradient = vec![f64::NAN; x.len()];
    let value = f(&x, &mut gradient);
    let mut best = Minimum {
        point: x.clone(),
        value,
        gradient: gradient.clone(),
        iterations: 0,
        evaluations: 1,
        stop: Stop::Iterations,
    };
    if !is_finite(value, &gradient) {
        best.stop = Stop::NonFinite;
        return best;
    }
    let mut moments = Moments::new(x.len());
    let mut schedule = Schedule::new(options);
    while best.iterations < options.max_iterations && interrupt::poll().is_ok() {
        moments.step(&mut x, &gradient, schedule.rate, options);
        gradient.fill(f64::NAN);
        let value = f(&x, &mut gradient);
        best.iterations += 1;
        best.evaluations += 1;
        let outcome = if !is_finite(value, &gradient) {
            x.clone_from(&best.point);
            gradient.clone_from(&best.gradient);
            moments = Moments::new(x.len());
            schedule.failed()
        } else if value < best.value {
            best.point.clone_from(&x);
            best.gradient.clone_from(&gradient);
            best.value = value;
            schedule.improved()
        } else {
            schedule.stalled()
        };
        if let Some(stop) = outcome {
            best.stop = stop;
            break;
        }
    }
    best
}

fn is_finite(value: f64, gradient: &[f64]) -> bool {
    value.is_finite() && gradient.iter().all(|g| g.is_finite())
}

/// The running means of the gradient and of its square, with the powers of their decays.
struct Moments {
    mean: Vec<f64>,
    square: Vec<f64>,
    decay1: f64,
    decay2: f64,
}

impl Moments {
    fn new(dimension: usize) -> Self {
        Self { mean: vec![0.0; dimension], square: vec![0.0; dimension], decay1: 1.0, decay2: 1.0 }
    }

    fn step(&mut self, x: &mut [f64], gradient: &[f64], rate: f64, options: &Adam) {
        let &Adam { beta1, beta2, epsilon, .. } = options;
        self.decay1 *= beta1;
        self.decay2 *= beta2;
        for (i, &g) in gradient.iter().enumerate() {
            self.mean[i] = beta1 * self.mean[i] + (1.0 - beta1) * g;
            self.square[i] = beta2 * self.square[i] + (1.0 - beta2) * g * g;
            let mean = self.mean[i] / (1.0 - self.decay1);
            let square = self.square[i] / (1.0 - self.decay2);
            x[i] -= rate * mean / (square.sqrt() + epsilon);
        }
    }
}

/// The learning rate and the patience left.
struct Schedule<'a> {
    options: &'a Adam,
    rate: f64,
    since_best: usize,
    failures: usize,
}

impl<'a> Schedule<'a> {
    fn new(options: &'a Adam) -> Self {
        Self { options, rate: options.learning_rate, since_best: 0, failures: 0 }
    }

    fn improved(&mut self) -> Option<Stop> {
        self.since_best = 0;
        self.failures = 0;
        None
    }

    fn stalled(&mut self) -> Option<Stop> {
        self.failures = 0;
        self.since_best += 1;
        if self.since_best.is_multiple_of(self.options.halve_patience.max(1)) {
            self.rate *= 0.5;
        }
        (self.since_best >= self.options.patience).then_some(Stop::Plateau)
    }

    fn failed(&mut self) -> Option<Stop> {
        self.rate *= 0.5;
        self.failures += 1;
        (self.failures >= self.options.max_failures).then_some(Stop::NonFinite)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CENTRE: [f64; 3] = [3.0, -2.0, 0.5];
    const WEIGHTS: [f64; 3] = [1.0, 10.0, 0.1];

    fn quadratic(x: &[f64], g: &mut [f64]) -> f64 {
        let mut value = 0.0;
        for i in 0..3 {
            let gap = x[i] - CENTRE[i];
            g[i] = WEIGHTS[i] * gap;
            value += 0.5 * WEIGHTS[i] * gap * gap;
        }
        value
    }

    fn distance(minimum: &Minimum) -> f64 {
        let gaps = minimum.point.iter().zip(CENTRE).map(|(x, c)| (x - c).abs());
        gaps.fold(0.0, f64::max)
    }

    /// Uniform on ±1, from a linear congruential generator.
    fn noise(state: &mut u64) -> f64 {
        *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    #[test]
    fn a_quadratic_is_minimised_with_and_without_noise() {
        let cases = [(0.0, 1e-6, Stop::Iterations), (0.02, 0.3, Stop::Plateau)];
        for (level, tolerance, stop) in cases {
            let mut state = 5;
            let minimum = minimize(&[0.0; 3], &Adam::default(), |x, g| {
                let value = quadratic(x, g);
                g.iter_mut().for_each(|g| *g += level * noise(&mut state));
                value + level * noise(&mut state)
            });
            assert!(distance(&minimum) < tolerance, "noise {level}: {minimum:?}");
            assert_eq!(minimum.stop, stop, "noise {level}: {minimum:?}");
            assert_eq!(minimum.evaluations, minimum.iterations + 1);
        }
    }

    /// A constant gradient makes every step exactly the learning rate (up to ε), and a loss that never
    /// improves shows the whole schedule.
    #[test]
    fn the_rate_halves_on_a_plateau_until_patience_ends() {
        let mut trace: Vec<f64> = Vec::new();
        let minimum = minimize(&[0.0], &Adam::default(), |x, g| {
            trace.push(x[0]);
            g[0] = 1.0;
            trace.len() as f64
        });
        assert_eq!((minimum.stop, minimum.iterations), (Stop::Plateau, 50));
        assert_eq!((minimum.point[0], minimum.value), (0.0, 1.0));
        for (k, pair) in trace.windows(2).enumerate() {
            let rate = 0.1 * 0.5f64.powi(k as i32 / 10);
            assert!((pair[0] - pair[1] - rate).abs() < 1e-6, "step {k} of {trace:?}");
        }
    }

    #[test]
    fn the_best_point_is_returned_not_the_last() {
        let options = Adam { learning_rate: 1.0, ..Adam::default() };
        let mut seen: Vec<(f64, Vec<f64>)> = Vec::new();
        let minimum = minimize(&[0.0; 3], &options, |x, g| {
            let value = quadratic(x, g);
            seen.push((value, x.to_vec()));
            value
        });
        let lowest = seen.iter().min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
        assert_eq!((&minimum.value, &minimum.point), (&lowest.0, &lowest.1));
        assert_ne!(minimum.point, seen.last().unwrap().1);
        let mut gradient = [0.0; 3];
        quadratic(&minimum.point, &mut gradient);
        assert_eq!(minimum.gradient, gradient);
    }

    #[test]
    fn iterations_are_limited() {
        let options = Adam { max_iterations: 7, ..Adam::default() };
        let minimum = minimize(&[0.0; 3], &options, quadratic);
        assert_eq!((minimum.stop, minimum.iterations, minimum.evaluations), (Stop::Iterations, 7, 8));
    }

    #[test]
    fn non_finite_losses_send_it_back_until_it_gives_up() {
        // The minimum lies 0.02 before a wall the first rate would jump through.
        let walled = minimize(&[0.0], &Adam::default(), |x, g| {
            g[0] = x[0] - 0.06;
            if x[0] < 0.08 { 0.5 * g[0] * g[0] } else { f64::NAN }
        });
        assert!((walled.point[0] - 0.06).abs() < 1e-3, "{walled:?}");
        assert_eq!(walled.stop, Stop::Plateau);

        let mut calls = 0;
        let hopeless = minimize(&[1.0], &Adam::default(), |_, g| {
            calls += 1;
            g[0] = if calls == 1 { 1.0 } else { f64::INFINITY };
            1.0
        });
        assert_eq!((hopeless.stop, hopeless.iterations), (Stop::NonFinite, 10));
        assert_eq!(hopeless.point, [1.0]);

        let stillborn = minimize(&[1.0], &Adam::default(), |_, g| {
            g[0] = 1.0;
            f64::NAN
        });
        assert_eq!((stillborn.stop, stillborn.evaluations), (Stop::NonFinite, 1));
    }

    /// Momentum gathered on the way into a wall must not survive the return to the best point.
    #[test]
    fn a_failure_forgets_the_momentum() {
        let mut trace: Vec<f64> = Vec::new();
        minimize(&[0.0], &Adam { max_iterations: 3, ..Adam::default() }, |x, g| {
            trace.push(x[0]);
            let (value, slope) = [(1.0, 1.0), (0.5, -1.0), (f64::NAN, 1.0), (1.0, 1.0)][trace.len() - 1];
            g[0] = slope;
            value
        });
        assert!((trace[3] - (trace[1] + 0.05)).abs() < 1e-6, "{trace:?}");
    }

    #[test]
    fn only_failures_in_a_row_count() {
        let mut calls = 0;
        let minimum = minimize(&[0.0], &Adam::default(), |_, g| {
            calls += 1;
            g[0] = 1.0;
            if calls % 2 == 0 { f64::NAN } else { 1.0 }
        });
        assert_eq!((minimum.stop, minimum.iterations), (Stop::Plateau, 100));
    }
}
