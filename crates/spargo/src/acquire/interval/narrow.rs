//! Gains and probabilities between bounds close to each other: integrals of what hardly changes, by five nodes of Gauss and Legendre.

use super::{Log, NEVER, Standard};
use crate::math::normal::{log_cdf, pdf_over_cdf};

/// Nodes and weights of the rule with five nodes on (−1, 1).
const NODES: [(f64, f64); 5] = [
    (-0.906_179_845_938_664, 0.236_926_885_056_189_1),
    (-0.538_469_310_105_683_1, 0.478_628_670_499_366_47),
    (0.0, 0.568_888_888_888_888_9),
    (0.538_469_310_105_683_1, 0.478_628_670_499_366_47),
    (0.906_179_845_938_664, 0.236_926_885_056_189_1),
];

/// log(Φ(a + width) − Φ(a)).
pub(super) fn probability(a: f64, width: f64) -> Standard {
    let (middle, half) = (a + 0.5 * width, 0.5 * width);
    // So far out that the interval is beyond the last number, too.
    if half <= 0.0 || a <= -1e149 {
        return Standard { value: NEVER, by_shift: 0.0, by_scale: 0.0 };
    }
    // φ(z)/φ(middle)
    let relative = |z: f64| gently(-0.5 * (z - middle) * (z + middle)).exp();
    let (mut sum, mut shifted, mut stretched) = (0.0, 0.0, 0.0);
    for (node, weight) in NODES {
        let z = middle + half * node;
        sum += weight * relative(z);
        shifted -= weight * relative(z) * z;
        stretched -= weight * relative(z) * z * z;
    }
    let log_density = -0.5 * (middle * middle + (2.0 * std::f64::consts::PI).ln());
    Standard { value: log_density + (half * sum).ln(), by_shift: shifted / sum, by_scale: 1.0 + stretched / sum }
}

/// log ψ.
pub(super) fn gain(lower: f64, upper: f64, mean: f64, variance: f64) -> Log {
    let (middle, half, deviation) = (0.5 * (lower + upper), 0.5 * (upper - lower), variance.sqrt());
    if half <= 0.0 {
        return Log { value: NEVER, by_mean: 0.0, by_variance: 0.0 };
    }
    // What is certain is certainly above both.
    if deviation == 0.0 {
        return Log { value: (2.0 * half).ln(), by_mean: 0.0, by_variance: 0.0 };
    }
    let z = |node: f64| ((mean - (middle + half * node)) / deviation).clamp(-1e149, 1e149);
    let log_middle = log_cdf(z(0.0));
    let (mut sum, mut by_mean, mut by_variance) = (0.0, 0.0, 0.0);
    for (node, weight) in NODES {
        let z = z(node);
        let part = weight * gently(log_cdf(z) - log_middle).exp();
        sum += part;
        by_mean += part * pdf_over_cdf(z);
        by_variance -= part * pdf_over_cdf(z) * z;
    }
    Log {
        value: log_middle + (half * sum).ln(),
        by_mean: by_mean / sum / deviation,
        by_variance: 0.5 * by_variance / sum / deviation / deviation,
    }
}

/// What changes little along a narrow interval; so far out that rounding exceeds it, it must not overflow.
fn gently(change: f64) -> f64 {
    change.clamp(-1.0, 1.0)
}
