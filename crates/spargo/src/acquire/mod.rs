//! The next batch: which points are worth evaluating, given the posterior and what is already under way.
//!
//! A rule is a [`BatchedObjective`](crate::optim::BatchedObjective) that is maximised. [`thompson`] maximises one path for each point of
//! the batch, all at once. [`one_by_one`] chooses point by point: those asked for and not told yet, and those just chosen,
//! are *believed* at their posterior mean ([`Fantasy`]), so that the mean stays and the variance falls around them. What a
//! point is then worth is its [`Merit`]: the logarithm of the expected improvement, the information about the maximum, what a
//! yes or no tells, or closeness to a level. Where evaluations keep failing, a [`FailureModel`] takes worth away.
//!
//! With several objectives or with constraints each output has a posterior of its own: [`acquire_several`]. Many points at
//! once are [`Chebyshev`] compromises, [`ConstrainedObjective`] on sampled constraints; point by point they have a [`JointMerit`], the
//! logarithm of the expected hypervolume improvement and of the probability that all limits hold.

mod bald;
mod bounds;
mod chebyshev;
mod constrained;
mod ehvi;
mod failure;
mod failure_kernel;
mod fantasy;
mod front;
mod gibbon;
mod hippo;
mod interval;
mod joint;
mod log_ei;
mod merit;
mod one_by_one;
pub mod optimizer;
mod outputs;
mod pool;
mod sequential;
mod several;
mod straddle;
mod thompson;

pub use bald::{bald, bald_slopes};
pub use bounds::ConstraintBounds;
pub use chebyshev::{Chebyshev, Scale};
pub use constrained::{ConstrainedObjective, SampledConstraint};
pub use ehvi::Ehvi;
pub use failure::{FailureModel, SuccessWeighted, SuccessWeighting};
pub use fantasy::{Believed, Fantasy};
pub use hippo::Penalty;
pub use joint::{JointAcquisition, JointMerit};
pub use merit::{Merit, Moments, Slopes};
pub use one_by_one::{OneByOne, one_by_one};
pub use outputs::{Constraint, Output, Outputs, ParetoState};
pub use pool::Pool;
pub use sequential::sequential;
pub use several::{Several, acquire_several};
pub use thompson::thompson;

use front::Front;

use crate::acquire::optimizer::{AcquisitionOptimizer, Excluded};
use crate::error::{Error, Result};
use crate::linalg::{Mat, MatRef};
use crate::model::Posterior;
use crate::sample::SamplingOptions;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// How a batch is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Rule {
    /// The maximiser of a path of its own for each point: the one for large batches. Several objectives are weighed otherwise
    /// for each point, and limits hold on paths as well.
    #[default]
    Thompson,
    /// The logarithm of the expected improvement, point by point; with limits, times the probability that they hold.
    LogEi,
    /// Information about the maximum, point by point (Moss et al. 2021).
    Gibbon,
    /// The expected hypervolume improvement of two or three objectives, point by point, those under way believed.
    Ehvi,
    /// The same, away from the outcomes expected of those under way (Paleyes et al. 2022): the one for large batches.
    Hippo,
    /// Information about a class, in batches that are diverse (Houlsby et al. 2011).
    Bald,
    /// Uncertain and close to a level, point by point (Bryan et al. 2005).
    Straddle,
}

impl Rule {
    /// Every rule, for help texts and tests.
    pub const ALL: [Rule; 7] =
        [Rule::Thompson, Rule::LogEi, Rule::Gibbon, Rule::Ehvi, Rule::Hippo, Rule::Bald, Rule::Straddle];

    /// The rules for one objective without limits.
    pub const OF_ONE: [Rule; 3] = [Rule::Thompson, Rule::LogEi, Rule::Gibbon];

    /// What settings call it.
    pub fn name(self) -> &'static str {
        match self {
            Rule::Thompson => "thompson",
            Rule::LogEi => "log-ei",
            Rule::Gibbon => "gibbon",
            Rule::Ehvi => "ehvi",
            Rule::Hippo => "hippo",
            Rule::Bald => "bald",
            Rule::Straddle => "straddle",
        }
    }
}

/// What a batch is chosen from.
#[derive(Debug, Clone, Copy)]
pub struct Situation<'a> {
    /// f given the data.
    pub posterior: &'a Posterior,
    /// σ², the noise variance of an observation.
    pub noise: f64,
    /// Where maxima are looked for.
    pub search: &'a AcquisitionOptimizer<'a>,
    /// How paths are drawn.
    pub sampling: &'a SamplingOptions,
    /// Points that succeeded, [n, inputs]; at least one.
    pub observed: MatRef<'a, f64>,
    /// Points that failed, [n, inputs].
    pub failed: MatRef<'a, f64>,
    /// Points under way, [n, inputs].
    pub pending: MatRef<'a, f64>,
    /// Of every draw.
    pub seed: u64,
    /// The number of this batch.
    pub step: u64,
}

/// Points number `numbers` of a batch, [points, inputs]; none is taken before, all are afterwards.
pub fn acquire(
    rule: Rule,
    situation: &Situation<'_>,
    numbers: Range<usize>,
    excluded: &mut Excluded,
) -> Result<Mat<f64>> {
    match rule {
        Rule::Thompson => thompson(situation, numbers, excluded),
        Rule::LogEi => {
            let best = situation.means()?.into_iter().fold(f64::NEG_INFINITY, f64::max);
            sequential(situation, &Merit::LogEi { baseline: best }, numbers.len(), excluded)
        }
        Rule::Gibbon => {
            let maxima = sequential::maxima(situation)?;
            sequential(situation, &Merit::Gibbon { maxima }, numbers.len(), excluded)
        }
        Rule::Bald => sequential(situation, &Merit::Bald, numbers.len(), excluded),
        Rule::Ehvi | Rule::Hippo | Rule::Straddle => Err(Error::Unsupported {
            what: format!("the rule '{}' for one posterior alone", rule.name()),
            remedy: "use acquire_several for several outputs, and sequential with a level".into(),
        }),
    }
}

impl Situation<'_> {
    /// The posterior mean at each point that succeeded.
    fn means(&self) -> Result<Vec<f64>> {
        self.posterior.mean(self.observed)
    }

    /// Who succeeded and who failed.
    fn vote(&self) -> Result<FailureModel> {
        FailureModel::foretelling(self.posterior.kernel(), self.observed, self.failed)
    }
}
