//! Logarithms of what a normal variable f has between two bounds, however far out and however narrow, with their slopes.
//!
//! ```text
//!     gain:         ψ = ∫_l^u P(f > t) dt = E(f − l)⁺ − E(f − u)⁺
//!     probability:  P(l < f < u) = Φ(b) − Φ(a),      a = (l − μ)/σ,   b = (u − μ)/σ
//! ```
//!
//! Both are differences A − B. In logarithms, with δ = log A − log B, that is log A + log(1 − e^−δ); where δ is so small that
//! rounding shows, A − B is an integral over a short interval instead (`narrow`).

mod narrow;

use super::log_ei;
use crate::math::normal::{log_cdf, pdf_over_cdf};

/// The value of what cannot happen: finite, and below everything that can.
pub(super) const NEVER: f64 = -1e300;

/// A logarithm and its slopes in mean and variance; the slopes may be infinite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Log {
    pub value: f64,
    pub by_mean: f64,
    pub by_variance: f64,
}

/// log E(f − l)⁺, which gains over all intervals that begin or end at l share.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edge {
    at: f64,
    log: Log,
}

impl Edge {
    /// For f with this mean and variance, without the slopes: these cost as much as the value.
    pub(super) fn plain(at: f64, mean: f64, variance: f64) -> Self {
        let value = if at == f64::INFINITY { NEVER } else { log_ei::value(mean - at, variance) };
        Edge { at, log: Log { value, by_mean: 0.0, by_variance: 0.0 } }
    }

    /// With the slopes.
    pub(super) fn with_slopes(at: f64, mean: f64, variance: f64) -> Self {
        let value = Edge::plain(at, mean, variance).log.value;
        let (by_mean, by_variance) = if value <= NEVER { (0.0, 0.0) } else { log_ei::slopes(mean - at, variance) };
        // Slopes are subtracted from each other: infinite ones would make NaN.
        let finite = |slope: f64| slope.clamp(-1e200, 1e200);
        Edge { at, log: Log { value, by_mean: finite(by_mean), by_variance: finite(by_variance) } }
    }

    /// log ψ between this edge and one above it, for the same f; its slopes are right if the edges have theirs.
    pub(super) fn gain_up_to(&self, upper: &Edge, mean: f64, variance: f64) -> Log {
        let (a, b) = (self.log, upper.log);
        let delta = a.value - b.value;
        if a.value <= NEVER {
            Log { value: NEVER, by_mean: 0.0, by_variance: 0.0 }
        } else if delta > limit_of_narrow(a.value) {
            let share = 1.0 / -(-delta).exp_m1();
            let rest = share * (-delta).exp();
            let less = |a: f64, b: f64| share * a - rest * b;
            Log {
                value: a.value - share.ln(),
                by_mean: less(a.by_mean, b.by_mean),
                by_variance: less(a.by_variance, b.by_variance),
            }
        } else {
            narrow::gain(self.at, upper.at, mean, variance)
        }
    }
}

/// log P(l < f < u); either bound may be infinite.
pub(super) fn probability(lower: f64, upper: f64, mean: f64, variance: f64) -> Log {
    let deviation = variance.sqrt();
    if deviation == 0.0 {
        let value = if lower <= mean && mean <= upper { 0.0 } else { NEVER };
        return Log { value, by_mean: 0.0, by_variance: 0.0 };
    }
    let (a, b) = ((lower - mean) / deviation, (upper - mean) / deviation);
    // Below 0 nothing cancels; f and its mirror image have the same probability.
    let width = (upper - lower) / deviation;
    let is_above = a + b > 0.0;
    let log = if is_above { mirrored(standard_probability(-b, -a, width)) } else { standard_probability(a, b, width) };
    Log {
        value: log.value,
        by_mean: -log.by_shift / deviation,
        by_variance: -0.5 * log.by_scale / deviation / deviation,
    }
}

/// δ below which an interval is narrow: there rounding shows, and log-densities change by less than 0.1 along it.
fn limit_of_narrow(log: f64) -> f64 {
    f64::min(0.1, 1e-3 * (1.0 + log.abs()))
}

/// log(Φ(b) − Φ(a)), and its slopes as both move and as both are stretched.
struct Standard {
    value: f64,
    by_shift: f64,
    by_scale: f64,
}

fn mirrored(log: Standard) -> Standard {
    Standard { by_shift: -log.by_shift, ..log }
}

/// The width is b − a without its rounding.
fn standard_probability(a: f64, b: f64, width: f64) -> Standard {
    // Beyond this b² would overflow.
    let (a, b) = (a.max(-1e149), b.max(-1e149));
    let (log_a, log_b) = (log_cdf(a), log_cdf(b));
    let delta = log_b - log_a;
    if delta <= limit_of_narrow(log_b) {
        return narrow::probability(a, width);
    }
    let share = 1.0 / -(-delta).exp_m1();
    let density =
        |z: f64, weight: f64| if weight == 0.0 || z == f64::INFINITY { 0.0 } else { weight * pdf_over_cdf(z) };
    let (at_a, at_b) = (density(a, share * (-delta).exp()), density(b, share));
    let stretched = |z: f64, density: f64| if density == 0.0 { 0.0 } else { z * density };
    let by_scale = stretched(b, at_b) - stretched(a, at_a);
    Standard { value: log_b - share.ln(), by_shift: at_b - at_a, by_scale }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::normal::{cdf, improvement};

    fn gain(lower: f64, upper: f64, mean: f64, variance: f64) -> Log {
        let edge = |at: f64| Edge::with_slopes(at, mean, variance);
        edge(lower).gain_up_to(&edge(upper), mean, variance)
    }

    type Function = fn(f64, f64, f64, f64) -> Log;

    const FUNCTIONS: [Function; 2] = [gain, probability];

    /// Wide and narrow, near and far, on both sides.
    fn cases() -> Vec<[f64; 4]> {
        let mut cases = Vec::new();
        // Binary fractions, so that upper − lower is the width to the last bit.
        for width in
            [2f64.powi(-36), 2f64.powi(-20), 2f64.powi(-12), 0.0625, 0.09375, 0.125, 0.5, 3.0, 60.0, f64::INFINITY]
        {
            for lower in [-50.0, -9.0, -3.0, -1.0, -0.0078125, 0.0, 0.6875, 2.0, 6.0, 30.0] {
                cases.extend([[lower, lower + width, 0.1, 0.8], [lower, lower + width, 0.3, 1.4]]);
            }
        }
        cases
    }

    #[test]
    fn naive_where_naive_can() {
        for [lower, upper, mean, variance] in cases() {
            let sd = variance.sqrt();
            let (a, b) = ((lower - mean) / sd, (upper - mean) / sd);
            let at_b = if b.is_finite() { improvement(-b) } else { 0.0 };
            let naive = [sd * (improvement(-a) - at_b), cdf(b) - cdf(a)];
            // Rounding of the terms, and of their arguments.
            let of_arguments = 1e-15 * a.abs().max(1.0) / (b - a);
            let left =
                [1e-15 * sd * improvement(-a) + of_arguments * naive[0], 1e-15 * cdf(b) + of_arguments * naive[1]];
            for (function, (naive, left)) in FUNCTIONS.iter().zip(naive.into_iter().zip(left)) {
                let found = function(lower, upper, mean, variance).value.exp();
                assert!((found - naive).abs() <= 1e-10 * naive + left, "{lower} {upper} {mean}: {found} {naive}");
            }
        }
    }

    /// A narrow interval is its width times what is in its middle, and two halves make a whole.
    #[test]
    fn narrow_ones_keep_their_digits_and_halves_add_up() {
        for [lower, upper, mean, variance] in cases().into_iter().filter(|case| case[1].is_finite()) {
            let middle = 0.5 * (lower + upper);
            for function in FUNCTIONS {
                let log = |lower, upper| function(lower, upper, mean, variance).value;
                let (whole, low, high) = (log(lower, upper), log(lower, middle), log(middle, upper));
                let (larger, smaller) = (low.max(high), low.min(high));
                let sum = larger + (smaller - larger).exp().ln_1p();
                let exact = 1e-9 * whole.abs().max(1.0);
                assert!((whole - sum).abs() < exact, "{lower} {upper} {mean}: {whole} {sum}");
            }
        }
    }

    #[test]
    fn slopes_agree_with_central_differences() {
        for [lower, upper, mean, variance] in cases() {
            for function in FUNCTIONS {
                let found = function(lower, upper, mean, variance);
                let slope = |f: &dyn Fn(f64) -> f64| {
                    let slope = |h: f64| (f(h) - f(-h)) / (2.0 * h);
                    (4.0 * slope(5e-4) - slope(1e-3)) / 3.0
                };
                let by_mean = slope(&|h| function(lower, upper, mean + h, variance).value);
                let by_variance = slope(&|h| function(lower, upper, mean, variance + h).value);
                for (found, expected) in [(found.by_mean, by_mean), (found.by_variance, by_variance)] {
                    let close = (found - expected).abs() < 2e-6 * expected.abs().max(1e-2);
                    assert!(close, "{lower} {upper} {mean} {variance}: {found} {expected}");
                }
            }
        }
    }

    #[test]
    fn extremes_stay_finite_and_in_order() {
        let numbers = [-1e200, -1e20, -1e9, -1e5, -1.0, 0.0, 1e-300, 1e-9, 1.0, 1e9, 1e200, f64::INFINITY];
        for (lower, upper) in numbers.iter().flat_map(|&l| numbers.map(|u| (l, u))).filter(|(l, u)| l < u) {
            for (mean, variance) in numbers[..11].iter().flat_map(|&m| [0.0, 1e-300, 1e-18, 1.0, 1e200].map(|v| (m, v)))
            {
                for function in FUNCTIONS {
                    let Log { value, by_mean, by_variance } = function(lower, upper, mean, variance);
                    assert!(value.is_finite() && value >= NEVER, "{lower} {upper} {mean} {variance}: {value}");
                    assert!(!by_mean.is_nan() && !by_variance.is_nan(), "{lower} {upper} {mean} {variance}");
                }
                assert!(probability(lower, upper, mean, variance).value <= 0.0);
            }
        }
        assert_eq!(probability(f64::NEG_INFINITY, f64::INFINITY, 3.0, 1.0).value, 0.0);
        assert_eq!([probability(0.0, 1.0, 0.5, 0.0).value, probability(0.0, 1.0, 2.0, 0.0).value], [0.0, NEVER]);
        assert_eq!(gain(0.0, 1.0, 0.5, 0.0).value, 0.5f64.ln());
        assert!(gain(0.0, 1.0, 7.0, 0.0).value.abs() < 1e-15);
        // Far from a bound, the slope still says where to go.
        assert!(probability(0.0, f64::INFINITY, -1e6, 1.0).by_mean > 1e5);
        assert!(gain(0.0, 1.0, -1e6, 1.0).by_mean > 1e5);
    }
}
