//! The context of an acquisition: outputs with their posteriors, trials, and where to search.

use super::optimizer::AcquisitionOptimizer;
use super::{ConstraintBounds, FailureModel, ParetoState};
use crate::error::{Error, Result, check_length};
use crate::linalg::MatRef;
use crate::model::Posterior;
use crate::rng::StepRng;
use crate::sample::SamplingOptions;

/// The model of one output, independent of the others given the data; objectives are to be maximised.
#[derive(Debug, Clone, Copy)]
pub struct OutputModel<'a> {
    /// f given the data.
    pub posterior: &'a Posterior,
    /// σ², the noise variance of an observation.
    pub noise: f64,
}

/// An output that must satisfy bounds.
#[derive(Debug, Clone, Copy)]
pub struct Constraint<'a> {
    /// The constrained output.
    pub output: OutputModel<'a>,
    /// The bounds, in the posterior's units.
    pub bounds: ConstraintBounds,
}

/// Everything a rule may look at; a single objective is a list of one.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// Outputs to be maximised, or the one output to be learned; at least one.
    pub objectives: &'a [OutputModel<'a>],
    /// Outputs that must satisfy bounds.
    pub constraints: &'a [Constraint<'a>],
    /// The level whose crossing is to be learned, in the model's units, if that is the goal.
    pub level: Option<f64>,
    /// The observed points by their posterior means.
    pub pareto: &'a ParetoState,
    /// Points that succeeded, [n, inputs]; at least one.
    pub observed: MatRef<'a>,
    /// Points that failed, [n, inputs].
    pub failed: MatRef<'a>,
    /// Pending points, [n, inputs].
    pub pending: MatRef<'a>,
    /// Where acquisition functions are maximised; good incumbents are those of the Pareto state.
    pub optimizer: &'a AcquisitionOptimizer<'a>,
    /// How paths are drawn.
    pub sampling: &'a SamplingOptions,
    /// The random streams of this step.
    pub rng: StepRng,
}

impl<'a> Context<'a> {
    /// All outputs: objectives first, then constrained ones.
    pub fn outputs(&self) -> impl Iterator<Item = OutputModel<'a>> {
        self.objectives.iter().copied().chain(self.constraints.iter().map(|constraint| constraint.output))
    }

    /// The probability of success, learned from the points that succeeded and failed.
    pub(super) fn failure_model(&self) -> Result<FailureModel> {
        FailureModel::fitted(self.objectives[0].posterior.kernel(), self.observed, self.failed)
    }
}

/// Refuses an empty list of objectives, outputs of different inputs, and bounds that nothing satisfies.
pub(super) fn check_outputs(objectives: &[OutputModel<'_>], constraints: &[Constraint<'_>]) -> Result<()> {
    let Some(first) = objectives.first() else {
        return Err(Error::Empty { what: "the list of objectives".into() });
    };
    let inputs = |output: &OutputModel<'_>| output.posterior.z().ncols();
    for output in objectives.iter().chain(constraints.iter().map(|constraint| &constraint.output)) {
        check_length("the inputs of an output", inputs(output), inputs(first))?;
    }
    constraints.iter().try_for_each(|constraint| constraint.bounds.check())
}
