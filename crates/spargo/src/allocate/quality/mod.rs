//! How much each data point matters to the decision: the q of the quality-weighted determinant |q_i k(x_i, x_j) q_j|.
//!
//! ```text
//!     unit   1                                          CVR
//!     lin    y_i − min y                                noise-free outcomes
//!     imp    E max(f(x_i) − f̂, 0)                       the paper's choice, f̂ = min μ
//!     ent    exp(c·α/(1−α)·IG(y_i; f*)),  c = 1/M or 1  information about the maximum
//!     al     max_j E|f(x_j) − level| − E|f(x_i) − level|   classification and level sets
//!     hv     Π_k E max(f_k(x_i) − f̂_k, 0)               several objectives
//!     front  1/(1 + δ_i/h)                              several objectives, δ the distance to their front
//! ```
//!
//! Every quality is finite and not negative, does not notice a shift of the outcomes, and a rescaling of them changes it
//! by a factor only, which no choice depends on.

mod entropy;
mod front;
mod improvement;
mod level;

pub use entropy::{Entropy, Share};
pub use improvement::{Baseline, Improvement, Link};

use crate::data::{AllocationContext, PosteriorAtData};
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// A quality function.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Quality {
    /// 1 everywhere.
    #[default]
    Unit,
    /// The outcome above the worst one.
    Lin,
    /// The expected improvement over a baseline.
    Imp(Improvement),
    /// The information about the maximum.
    Ent(Entropy),
    /// Closeness to a level.
    Al,
    /// The product of the improvements of several objectives.
    Hv,
    /// Closeness to the Pareto front, the same all along it.
    Front,
}

impl Quality {
    /// The quality of each of the N rows when M of them are to be chosen.
    pub fn evaluate(&self, evidence: &AllocationContext, n: usize, m: usize) -> Result<Vec<f64>> {
        if let Some(output) = evidence.outputs().iter().find(|output| output.y().len() != n) {
            return Err(Error::Shape { what: "the evidence".into(), found: output.y().len(), expected: n });
        }
        match self {
            Quality::Unit => Ok(vec![1.0; n]),
            Quality::Lin => self.single(evidence).map(|belief| above(belief.y(), lowest(belief.y()))),
            Quality::Imp(settings) => self.single(evidence).map(|belief| settings.evaluate(belief)),
            Quality::Ent(settings) => settings.evaluate(self.single(evidence)?, m),
            Quality::Al => self.single(evidence).map(level::evaluate),
            Quality::Hv => self.several(evidence).map(front::hypervolume),
            Quality::Front => self.several(evidence).map(|outputs| front::evaluate(outputs, evidence.feasible())),
        }
    }

    /// Its name in settings.
    pub fn name(&self) -> &'static str {
        match self {
            Quality::Unit => "unit",
            Quality::Lin => "lin",
            Quality::Imp(_) => "imp",
            Quality::Ent(_) => "ent",
            Quality::Al => "al",
            Quality::Hv => "hv",
            Quality::Front => "front",
        }
    }

    fn single<'a>(&self, evidence: &'a AllocationContext) -> Result<&'a PosteriorAtData> {
        match evidence.outputs() {
            [belief] => Ok(belief),
            outputs => Err(Error::Unsupported {
                what: format!("the quality {} with evidence of {} outputs", self.name(), outputs.len()),
                remedy: "it needs evidence of one output; several objectives go with hv or front, none with unit"
                    .into(),
            }),
        }
    }

    fn several<'a>(&self, evidence: &'a AllocationContext) -> Result<&'a [PosteriorAtData]> {
        match evidence.outputs() {
            [] => Err(Error::Unsupported {
                what: format!("the quality {} without evidence", self.name()),
                remedy: "give the previous posterior of every objective, or use the unit quality".into(),
            }),
            outputs => Ok(outputs),
        }
    }
}

/// values − floor, never below 0.
fn above(values: &[f64], floor: f64) -> Vec<f64> {
    values.iter().map(|v| (v - floor).max(0.0)).collect()
}

fn lowest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

fn highest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// Mean and standard deviation, computed in units of the range so that squares neither overflow nor vanish.
fn moments(values: &[f64]) -> (f64, f64) {
    let (low, n) = (lowest(values), values.len() as f64);
    let range = highest(values) - low;
    if range == 0.0 {
        return (low, 0.0);
    }
    let mean = values.iter().map(|v| (v - low) / range).sum::<f64>() / n;
    let variance = values.iter().map(|v| ((v - low) / range - mean).powi(2)).sum::<f64>() / n;
    (low + range * mean, range * variance.sqrt())
}
