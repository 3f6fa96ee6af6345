//! The next batch: which points to evaluate, given the posteriors and the pending points.
//!
//! ```text
//!     Context (posteriors, trials) ─▶ Rule ─▶ paths, or an AcquisitionFunction ─▶ AcquisitionOptimizer ─▶ batch
//! ```
//!
//! [`thompson`] maximises one path per point of the batch, all at once: a path of the objective, [`Chebyshev`] scalarisations of
//! several, within [`ConstrainedObjective`] if outputs are constrained. [`greedy`] maximises an [`AcquisitionFunction`] point by
//! point: pending points, and those just chosen, are fantasised at their posterior mean ([`Fantasy`]). Where evaluations keep
//! failing, a [`FailureModel`] takes value away. [`RULES`] lists every rule.

mod bald;
mod bounds;
mod chebyshev;
mod constrained;
mod context;
mod ehvi;
mod failure;
mod failure_kernel;
mod fantasy;
mod feasibility;
mod function;
mod gibbon;
mod greedy;
mod hippo;
mod interval;
mod log_ehvi;
mod log_ei;
pub mod optimizer;
mod pareto_state;
mod pool;
mod posterior_mean;
mod rules;
mod straddle;
mod thompson;

pub use bald::{Bald, bald};
pub use bounds::ConstraintBounds;
pub use chebyshev::{Chebyshev, Scale, simplex};
pub use constrained::{ConstrainedObjective, SampledConstraint};
pub use context::{Constraint, Context, OutputModel};
pub use ehvi::Ehvi;
pub use failure::{FailureModel, SuccessWeighted, SuccessWeighting};
pub use fantasy::{Fantasised, Fantasy};
pub use feasibility::FeasibilityWeighted;
pub use function::{AcquisitionFunction, Moments};
pub use gibbon::Gibbon;
pub use greedy::{greedy, greedy_from};
pub use hippo::Hippo;
pub use log_ehvi::LogEhvi;
pub use log_ei::LogEi;
pub use pareto_state::ParetoState;
pub use pool::PoolMoments;
pub use posterior_mean::PosteriorMean;
pub use rules::{RULES, Rule, Task};
pub use straddle::Straddle;
pub use thompson::thompson;
