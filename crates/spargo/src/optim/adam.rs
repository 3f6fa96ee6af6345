//! Adam with a learning rate that halves on plateaus, and early stopping (Kingma & Ba 2015).
//!
//! ```text
//! m ← β₁ m + (1 − β₁) g,   v ← β₂ v + (1 − β₂) g²,   x ← x − η m̂ / (√v̂ + ε),
//! ```
//!
//! with `m̂ = m / (1 − β₁ᵗ)`, `v̂ = v / (1 − β₂ᵗ)`. The rate `η` is halved after every
//! `halve_patience` iterations in a row without a new best loss, and after `patience` of them the
//! search ends. The function may be stochastic (a minibatch per call): the best loss is then the
//! luckiest one observed, so the noise should be small against the decrease that still matters.

use serde::{Deserialize, Serialize};

use super::{Minimum, Stop};
use crate::interrupt;

/// Options of [`minimize`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
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
    let mut moments = GradientMoments::new(x.len());
    let (mut rate, mut since_best, mut failures) = (options.learning_rate, 0_usize, 0);
    while best.iterations < options.max_iterations && interrupt::poll().is_ok() {
        moments.step(&mut x, &gradient, rate, options);
        gradient.fill(f64::NAN);
        let value = f(&x, &mut gradient);
        best.iterations += 1;
        best.evaluations += 1;
        if !is_finite(value, &gradient) {
            x.clone_from(&best.point);
            gradient.clone_from(&best.gradient);
            moments = GradientMoments::new(x.len());
            rate *= 0.5;
            failures += 1;
            if failures >= options.max_failures {
                best.stop = Stop::NonFinite;
                break;
            }
            continue;
        }
        failures = 0;
        if value < best.value {
            best.point.clone_from(&x);
            best.gradient.clone_from(&gradient);
            best.value = value;
            since_best = 0;
            continue;
        }
        since_best += 1;
        if since_best.is_multiple_of(options.halve_patience.max(1)) {
            rate *= 0.5;
        }
        if since_best >= options.patience {
            best.stop = Stop::Plateau;
            break;
        }
    }
    best
}

fn is_finite(value: f64, gradient: &[f64]) -> bool {
    value.is_finite() && gradient.iter().all(|g| g.is_finite())
}

/// The running means of the gradient and of its square, with the powers of their decays.
struct GradientMoments {
    mean: Vec<f64>,
    square: Vec<f64>,
    decay1: f64,
    decay2: f64,
}

impl GradientMoments {
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
