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
//! A quality is a function in a file of its own, and a variant of [`Quality`]; one from outside the crate implements
//! [`QualityFunction`]. Every quality is finite and not negative, does not notice a shift of the outcomes, and a rescaling of
//! them changes it by a factor only, which no choice depends on.

mod al;
mod custom;
mod ent;
mod front;
mod hv;
mod imp;
mod lin;

pub use custom::CustomQuality;
pub use ent::{Entropy, Share};
pub use imp::{Baseline, Improvement, Link};

use crate::data::{AllocationContext, PosteriorAtData};
use crate::error::{Error, Result, check_length};
use serde::{Deserialize, Serialize};
use std::fmt::Debug;

/// A quality from outside the crate: q, a function of the last posterior at the data.
pub trait QualityFunction: Debug + Send + Sync {
    /// The name by which settings, reports and errors call it.
    fn name(&self) -> &str;

    /// Which posteriors the context must have.
    fn needs(&self) -> Needs {
        Needs::Output
    }

    /// The quality of each row when `m` of them are to be chosen: finite and not negative.
    fn evaluate(&self, context: &AllocationContext, m: usize) -> Result<Vec<f64>>;
}

/// The posteriors that a quality is a function of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// None: the quality is the same without any model.
    Nothing,
    /// That of the output whose inducing points are chosen.
    Output,
    /// Those of all objectives.
    Objectives,
}

/// A quality as settings name it, with its parameters.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
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
    /// A function that was registered, by its name.
    Custom(CustomQuality),
}

impl Quality {
    /// The name by which settings, reports and errors call it.
    pub fn name(&self) -> &str {
        self.name_and_needs().0
    }

    /// Which posteriors the context must have.
    pub fn needs(&self) -> Needs {
        self.name_and_needs().1
    }

    fn name_and_needs(&self) -> (&str, Needs) {
        match self {
            Quality::Unit => ("unit", Needs::Nothing),
            Quality::Lin => ("lin", Needs::Output),
            Quality::Imp(_) => ("imp", Needs::Output),
            Quality::Ent(_) => ("ent", Needs::Output),
            Quality::Al => ("al", Needs::Output),
            Quality::Hv => ("hv", Needs::Objectives),
            Quality::Front => ("front", Needs::Objectives),
            Quality::Custom(custom) => (custom.name(), custom.needs()),
        }
    }

    /// The quality of each row when `m` of them are to be chosen.
    pub fn evaluate(&self, context: &AllocationContext, m: usize) -> Result<Vec<f64>> {
        let quality = match self {
            Quality::Unit => vec![1.0; context.rows()],
            Quality::Lin => lin::above_worst(self.single(context)?),
            Quality::Imp(improvement) => improvement.expected(self.single(context)?),
            Quality::Ent(entropy) => entropy.exponential(self.single(context)?, m)?,
            Quality::Al => al::closeness(self.single(context)?),
            Quality::Hv => hv::hypervolume(self.several(context)?),
            Quality::Front => front::closeness(self.several(context)?, context.feasible()),
            Quality::Custom(custom) => custom.function()?.evaluate(context, m)?,
        };
        check_length(format!("the list of qualities by '{}'", self.name()), quality.len(), context.rows())?;
        Ok(quality)
    }

    /// The posterior of one output, and of no other.
    fn single<'a>(&self, context: &'a AllocationContext) -> Result<&'a PosteriorAtData> {
        match context.outputs() {
            [posterior] => Ok(posterior),
            outputs => Err(Error::Unsupported {
                what: format!("the quality {} cannot use the posteriors of {} outputs", self.name(), outputs.len()),
                remedy: "give that of one output; several objectives go with hv or front, none with unit".into(),
            }),
        }
    }

    /// The posteriors of at least one objective.
    fn several<'a>(&self, context: &'a AllocationContext) -> Result<&'a [PosteriorAtData]> {
        match context.outputs() {
            [] => Err(Error::Unsupported {
                what: format!("the quality {} needs a posterior", self.name()),
                remedy: "give the previous posterior of every objective, or use the unit quality".into(),
            }),
            outputs => Ok(outputs),
        }
    }
}

fn lowest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

fn highest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// Mean and standard deviation, computed in units of the range so that squares neither overflow nor vanish; the least value and
/// 0 if they have no range.
pub(crate) fn moments(values: &[f64]) -> (f64, f64) {
    let (low, n) = (lowest(values), values.len() as f64);
    let range = highest(values) - low;
    if !(range > 0.0 && range.is_finite()) {
        return (low, 0.0);
    }
    let mean = values.iter().map(|v| (v - low) / range).sum::<f64>() / n;
    let variance = values.iter().map(|v| ((v - low) / range - mean).powi(2)).sum::<f64>() / n;
    (low + range * mean, range * variance.sqrt())
}
