//! Information that a batch carries about the maximum of f, chosen greedily (GIBBON: Moss, Leslie, Gonzalez & Rayson 2021).
//!
//! ```text
//!     α(B) = ½ log|R(B)| + Σ_{x ∈ B} α(x),        α(B ∪ x) − α(B) = α(x) + ½ log((var_B(x) + σ_n²)/(var(x) + σ_n²))
//! ```
//!
//! R is the predictive correlation of the noisy observations in B, α(x) the information of one alone
//! ([`information`](crate::math::information)). The increment holds as |C + σ_n²I| is the product of the conditional
//! variances of its rows. α(B) bounds the information from below, so an increment may be negative: then the point repeats
//! what the others say more than it adds.

use super::Context;
use super::failure::SuccessWeighting;
use super::function::{AcquisitionFunction, Moments};
use crate::error::{Error, Result, check_finite};
use crate::linalg::column;
use crate::math::information::{about_maximum, about_maximum_slopes};
use crate::sample::Paths;

/// Samples of the maximum over which the information is averaged.
const MAXIMA: usize = 32;

/// Rows at which paths are evaluated at a time.
const BLOCK: usize = 8192;

/// The information about the maximum of the first objective.
#[derive(Debug, Clone, PartialEq)]
pub struct Gibbon {
    maxima: Vec<f64>,
    noise: f64,
}

impl Gibbon {
    /// From samples of the maximum of f, such as the maxima of paths, and the noise variance of an observation.
    pub fn new(maxima: Vec<f64>, noise: f64) -> Result<Self> {
        if maxima.is_empty() {
            return Err(Error::Empty { what: "the list of samples of the maximum".into() });
        }
        check_finite("a sample of the maximum", &maxima)?;
        check_finite("the noise variance", &[noise])?;
        Ok(Gibbon { maxima, noise })
    }

    /// With the maxima of paths over the candidate pool and the data.
    pub fn of(context: &Context<'_>) -> Result<Self> {
        let objective = context.objectives[0];
        let paths = Paths::draw(objective.posterior, 0..MAXIMA, context.sampling, context.rng)?;
        let mut maxima = vec![f64::NEG_INFINITY; MAXIMA];
        for points in [context.optimizer.pool().points(), context.observed] {
            for first in (0..points.nrows()).step_by(BLOCK) {
                let values = paths.values(points.subrows(first, BLOCK.min(points.nrows() - first)))?;
                for (path, maximum) in maxima.iter_mut().enumerate() {
                    *maximum = column(values.as_ref(), path).iter().copied().fold(*maximum, f64::max);
                }
            }
        }
        Gibbon::new(maxima, objective.noise)
    }

    /// Whether no observation is uncertain there: then nothing is repeated.
    fn is_certain(&self, at: &Moments) -> bool {
        at.variance + self.noise == 0.0
    }
}

impl AcquisitionFunction for Gibbon {
    fn alone(&self, at: &[Moments]) -> f64 {
        about_maximum(at[0].mean, at[0].variance, self.noise, &self.maxima)
    }

    /// ½ log((var_B + σ_n²)/(var + σ_n²)).
    fn given_pending(&self, at: &[Moments]) -> f64 {
        if self.is_certain(&at[0]) {
            return 0.0;
        }
        let ratio = (at[0].conditional + self.noise) / (at[0].variance + self.noise);
        0.5 * ratio.max(f64::MIN_POSITIVE).ln()
    }

    fn gradient(&self, at: &[Moments], out: &mut [Moments]) {
        let (mean, own) = about_maximum_slopes(at[0].mean, at[0].variance, self.noise, &self.maxima);
        let (joint, conditional) = if self.is_certain(&at[0]) {
            (0.0, 0.0)
        } else {
            (-0.5 / (at[0].variance + self.noise), 0.5 / (at[0].conditional + self.noise))
        };
        out[0] = Moments { mean, variance: own + joint, conditional }.capped();
    }

    /// Information is gained if the evaluation succeeds.
    fn weighting(&self) -> SuccessWeighting {
        SuccessWeighting::Above { baseline: 0.0 }
    }
}
