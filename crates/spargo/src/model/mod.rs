//! Gaussian process models: exact, collapsed sparse and variational, all returning one [`Posterior`].
//!
//! Two questions are kept apart. *Which hyperparameters?* Those that maximise the exact likelihood of a subset, the
//! collapsed bound, or the variational bound. *Which posterior?* Exact, sparse or variational, at those hyperparameters.

pub mod exact;
mod fit;
mod leave_one_out;
pub mod likelihood;
mod noise;
pub mod params;
mod posterior;
mod rows;
mod search;
pub mod sgpr;
pub mod svgp;
mod transform;

pub use fit::{EXACT_LIMIT, Fit, FitOptions, FitReport, HyperparameterObjective, Inference, fit};
pub(crate) use leave_one_out::at_data;
pub use leave_one_out::{leave_one_out, leave_site_out};
pub use likelihood::Likelihood;
pub use noise::noise_bound;
pub use params::{Hyperparameters, Priors};
pub(crate) use posterior::Local;
pub use posterior::{InducingCovariance, Posterior, Prediction};
pub use search::Start;
pub use transform::{ASINH_WARPS, CANDIDATE_WARPS, learn_outcome_transform};

/// An objective at one θ.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// Log likelihood or bound, summed over the data.
    pub value: f64,
    /// Its gradient in the unconstrained vector θ.
    pub gradient: Vec<f64>,
}

/// A posterior, with what its model maximises.
#[derive(Debug, Clone)]
pub struct Inferred {
    /// The posterior.
    pub posterior: Posterior,
    /// Log marginal likelihood or bound, summed over the data.
    pub objective: f64,
}
