//! Where f crosses a level: uncertain, and close to it (the straddle heuristic: Bryan et al. 2005).
//!
//! ```text
//!     α(x) = 1.96 σ_P(x) − |μ(x) − level|
//! ```
//!
//! σ_P is the standard deviation given outcomes at the pending points, so the points of a batch spread. Where α is negative,
//! f is on one side of the level with 97.5 % confidence.

use super::failure::SuccessWeighting;
use super::function::{AcquisitionFunction, Moments};
use crate::error::{Result, check_finite};

/// The normal distribution's 97.5 % quantile, to the digits of the source.
const WIDTH: f64 = 1.96;

/// Closeness to where f crosses a level, and uncertainty.
#[derive(Debug, Clone, PartialEq)]
pub struct Straddle {
    level: f64,
}

impl Straddle {
    /// Around this level, in the model's units.
    pub fn new(level: f64) -> Result<Self> {
        check_finite("the level", &[level])?;
        Ok(Straddle { level })
    }
}

impl AcquisitionFunction for Straddle {
    fn given_pending(&self, at: &[Moments]) -> f64 {
        WIDTH * at[0].conditional.sqrt() - (at[0].mean - self.level).abs().min(f64::MAX)
    }

    fn gradient(&self, at: &[Moments], out: &mut [Moments]) {
        let above = at[0].mean - self.level;
        let mean = if above == 0.0 { 0.0 } else { -above.signum() };
        // What is certain stays so: all its slope is rounding.
        let deviation = at[0].conditional.sqrt();
        let conditional = if deviation == 0.0 { 0.0 } else { 0.5 * WIDTH / deviation };
        out[0] = Moments { mean, variance: 0.0, conditional }.capped();
    }

    fn weighting(&self) -> SuccessWeighting {
        SuccessWeighting::Above { baseline: 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_slopes_by_hand() {
        let at = |mean: f64, conditional: f64| [Moments { mean, variance: 9.0, conditional }];
        let straddle = Straddle::new(1.0).unwrap();
        let values = [at(1.0, 4.0), at(-1.0, 0.25), at(4.0, 0.0)].map(|at| straddle.value(&at));
        assert_eq!(values, [3.92, 0.98 - 2.0, -3.0]);
        let slopes = |mean: f64, conditional: f64| {
            let mut out = [Moments::default()];
            straddle.gradient(&at(mean, conditional), &mut out);
            (out[0].mean, out[0].conditional)
        };
        assert_eq!([slopes(3.0, 4.0), slopes(-1.0, 0.0)], [(-1.0, 0.49), (1.0, 0.0)]);
    }
}
