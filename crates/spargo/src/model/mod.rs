//! Gaussian process models: exact, collapsed sparse and variational, all returning one [`Posterior`].
//!
//! Two questions are kept apart. *Which hyperparameters?* Those that maximise the exact likelihood of a subset, the
//! collapsed bound, or the variational bound. *Which posterior?* Exact, sparse or variational, at those hyperparameters.

pub mod exact;
mod fit;
mod left_out;
pub mod likelihood;
mod noise;
pub mod params;
mod posterior;
mod rows;
mod search;
pub mod sgpr;
pub mod svgp;
mod warp;

pub use fit::{EXACT_LIMIT, Fit, FitReport, Fitting, Inference, Learning, fit};
pub use left_out::left_out;
pub use likelihood::Likelihood;
pub use noise::noise_limit;
pub use params::{Hyperparameters, Priors};
pub(crate) use posterior::Local;
pub use posterior::{Posterior, Prediction, Spread};
pub use search::Start;
pub use warp::{WARPS, WarpRows, learn_warp};

/// An objective at one θ.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// Log likelihood or bound, summed over the data.
    pub value: f64,
    /// Its gradient in the unconstrained vector θ.
    pub gradient: Vec<f64>,
    /// The jitter its covariance matrix needed.
    pub jitter: f64,
}

/// A posterior, with what its model maximises.
#[derive(Debug, Clone)]
pub struct Inferred {
    /// The posterior.
    pub posterior: Posterior,
    /// Log marginal likelihood or bound, summed over the data.
    pub objective: f64,
}
