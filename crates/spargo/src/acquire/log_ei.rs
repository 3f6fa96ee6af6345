//! The logarithm of the expected improvement, to the far tails (Jones et al. 1998; its logarithm: Ament et al. 2023).
//!
//! ```text
//!     log E max(f − f̂, 0) = log σ + log h(z),   z = (μ − f̂)/σ,   h(z) = φ(z) + zΦ(z)
//!     ∂/∂μ = (Φ/h)/σ,        ∂/∂σ² = (φ/h)/2σ²,        φ/h = 1 − zΦ/h
//! ```

use super::function::{AcquisitionFunction, Moments};
use crate::error::{Result, check_finite};
use crate::math::normal::{improvement, log_improvement, log_improvement_slope, pdf};

/// The value of what cannot improve: finite, so that it can be added to, and below everything that can.
const NEVER: f64 = -1e300;

/// The logarithm of the expected improvement of the first objective.
#[derive(Debug, Clone, PartialEq)]
pub struct LogEi {
    baseline: f64,
}

impl LogEi {
    /// The improvement on a baseline: for noisy data, the largest posterior mean at the data.
    pub fn new(baseline: f64) -> Result<Self> {
        check_finite("the baseline of the improvement", &[baseline])?;
        Ok(LogEi { baseline })
    }
}

impl AcquisitionFunction for LogEi {
    fn given_pending(&self, at: &[Moments]) -> f64 {
        value(at[0].mean - self.baseline, at[0].conditional)
    }

    fn gradient(&self, at: &[Moments], out: &mut [Moments]) {
        let (mean, conditional) = slopes(at[0].mean - self.baseline, at[0].conditional);
        out[0] = Moments { mean, variance: 0.0, conditional }.capped();
    }
}

/// log E max(gain + σξ, 0).
pub(super) fn value(gain: f64, variance: f64) -> f64 {
    let gain = gain.clamp(-f64::MAX, f64::MAX);
    match Case::of(gain, variance) {
        Case::Never => NEVER,
        Case::Certain => gain.ln(),
        Case::Open { z, deviation } => deviation.ln() + log_improvement(z),
    }
}

/// The slopes in gain and variance; they may be infinite.
pub(super) fn slopes(gain: f64, variance: f64) -> (f64, f64) {
    match Case::of(gain, variance) {
        Case::Never => (0.0, 0.0),
        Case::Certain => (1.0 / gain, 0.0),
        Case::Open { z, deviation } => {
            let slope = log_improvement_slope(z);
            // Each form where it does not cancel.
            let curve = if z < 0.0 { 1.0 - z * slope } else { pdf(z) / improvement(z) };
            (slope / deviation, 0.5 * curve / deviation / deviation)
        }
    }
}

/// What decides about an improvement.
enum Case {
    /// Nothing is uncertain, and nothing is gained.
    Never,
    /// The gain, as good as certain.
    Certain,
    /// Both.
    Open { z: f64, deviation: f64 },
}

impl Case {
    fn of(gain: f64, variance: f64) -> Self {
        let deviation = variance.sqrt();
        // Below −1e149, z² would overflow.
        let z = (gain / deviation).max(-1e149);
        if deviation == 0.0 {
            if gain > 0.0 { Case::Certain } else { Case::Never }
        } else if z > 40.0 {
            // There h(z) = z to the last bit.
            Case::Certain
        } else {
            Case::Open { z, deviation }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, normal, stream};
    use serde_json::Value;

    /// The golden file minimises: swapping both signs maximises, and −f has the improvement of f.
    #[test]
    fn golden_in_both_directions() {
        let golden: Value = serde_json::from_str(include_str!("../../tests/golden/ei.json")).unwrap();
        let rows = golden["rows"].as_array().unwrap();
        assert!(rows.len() > 80);
        for row in rows {
            let number = |key: &str| row[key].as_f64().unwrap();
            let (mean, baseline) = (-number("mean"), -number("baseline"));
            let (found, expected) = (value(mean - baseline, number("variance")), number("log_ei"));
            assert!((found - expected).abs() <= 1e-12 * expected.abs().max(1.0), "{row}: {found}");
            // E max(g, 0) − E max(−g, 0) = E g ties the other direction to this one.
            let (gain, other) = (mean - baseline, value(baseline - mean, number("variance")));
            let (up, down) = (found.exp(), other.exp());
            assert!((up - down - gain).abs() <= 1e-11 * up.max(down), "{row}: {up} {down}");
        }
    }

    #[test]
    fn beyond_the_golden_numbers() {
        // By mpmath with 200 digits.
        assert!((value(-1e5, 1.0) / -5000000023.94479 - 1.0).abs() < 1e-14);
        assert!((value(-1e-5, 1e-20) / (-5000000023.94479 - 10.0 * 10f64.ln()) - 1.0).abs() < 1e-13);
        assert!((value(1e8, 1.0) - 1e8f64.ln()).abs() < 1e-14);
        assert_eq!([value(2.5, 0.0), value(0.0, 0.0), value(-2.5, 0.0)], [2.5f64.ln(), NEVER, NEVER]);
        assert!(value(-1e140, 1e-10) > NEVER);
        assert_eq!([slopes(2.5, 0.0), slopes(-2.5, 0.0)], [(0.4, 0.0), (0.0, 0.0)]);
    }

    #[test]
    fn it_is_the_mean_over_draws() {
        let mut rng = stream(3, Purpose::Data, 0, 0);
        let draws: Vec<f64> = (0..400_000).map(|_| (0.6 * normal(&mut rng) - 0.5).max(0.0)).collect();
        let mean = draws.iter().sum::<f64>() / draws.len() as f64;
        let square = draws.iter().map(|draw| draw * draw).sum::<f64>() / draws.len() as f64;
        let error = ((square - mean * mean) / draws.len() as f64).sqrt();
        assert!((value(-0.5, 0.36).exp() - mean).abs() < 4.0 * error);
    }
}
