//! Labels, of which a share may be wrong.
//!
//! ```text
//!     p(y = 1 | f) = ε + (1 − 2ε)Φ(f):     E(m, v) = Σₖ wₖ ℓ(±(m + √v xₖ)),   ℓ(t) = log(ε + (1 − 2ε)Φ(t))
//! ```

use super::{Expectation, ObservationModel};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::math::normal;
use crate::math::quadrature::GaussHermite;
use std::f64::consts::PI;
use std::sync::LazyLock;

/// Twenty nodes are exact to 1e-3 nats where Φ is steep against q and far better elsewhere.
static QUADRATURE: LazyLock<GaussHermite> = LazyLock::new(|| GaussHermite::new(20));

/// Below this variance a difference of slopes would cancel, and curvatures are summed instead.
pub(super) const SMALL_VARIANCE: f64 = 1e-6;

pub(super) struct Bernoulli {
    /// ε, the share of wrong labels.
    pub rate: f64,
}

impl ObservationModel for Bernoulli {
    fn check(&self, data: &Dataset) -> Result<()> {
        if !(0.0..0.5).contains(&self.rate) {
            let must = "at least 0 and less than ½".into();
            return Err(Error::Parameter { name: "the rate of wrong labels".into(), value: self.rate, must });
        }
        match data.y().iter().position(|&y| y != 0.0 && y != 1.0) {
            Some(row) => {
                let must = "0 or 1 for a Bernoulli likelihood".into();
                Err(Error::Parameter { name: format!("the outcome of row {row}"), value: data.y()[row], must })
            }
            None => Ok(()),
        }
    }

    fn is_conjugate(&self) -> bool {
        false
    }

    fn has_noise(&self) -> bool {
        false
    }

    fn expectation(&self, y: f64, _: f64, mean: f64, variance: f64) -> Expectation {
        let sign = if y > 0.5 { 1.0 } else { -1.0 };
        // Rounding may leave a variance just below 0.
        let deviation = variance.max(0.0).sqrt();
        let mut total = Expectation::default();
        for (&x, &w) in QUADRATURE.nodes.iter().zip(&QUADRATURE.weights) {
            let t = sign * (mean + deviation * x);
            let (log, slope) = log_link(t, self.rate);
            total.value += w * log;
            total.by_mean += w * sign * slope;
            // ∂√v/∂v = ½/√v, or in the limit (Price's theorem) ½ E ℓ″
            let by_variance =
                if variance > SMALL_VARIANCE { sign * slope * x / deviation } else { curvature(t, slope, self.rate) };
            total.by_variance += 0.5 * w * by_variance;
        }
        total
    }

    fn moments(&self, mean: f64, variance: f64, _: f64) -> (f64, f64) {
        // E Φ(f) = Φ(m/√(1 + v))
        let p = self.rate + (1.0 - 2.0 * self.rate) * normal::cdf(mean / (1.0 + variance).sqrt());
        (p, p * (1.0 - p))
    }
}

/// ℓ(t) = log(ε + (1 − 2ε)Φ(t)) and ℓ′(t).
fn log_link(t: f64, rate: f64) -> (f64, f64) {
    if rate > 0.0 {
        let p = rate + (1.0 - 2.0 * rate) * normal::cdf(t);
        return (p.ln(), (1.0 - 2.0 * rate) * normal::pdf(t) / p);
    }
    let slope = normal::pdf_over_cdf(t);
    // log Φ = log φ − log(φ/Φ): the ratio is the costly part in the lower tail, and in the upper one it cancels.
    let log = if t < 0.0 { -0.5 * (t * t + (2.0 * PI).ln()) - slope.ln() } else { normal::log_cdf(t) };
    (log, slope)
}

/// ℓ″(t).
fn curvature(t: f64, slope: f64, rate: f64) -> f64 {
    if rate > 0.0 { -slope * (t + slope) } else { normal::truncated_variance(t) - 1.0 }
}
