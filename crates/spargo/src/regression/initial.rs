//! An initial model's posterior at the data, by which inducing points are chosen.

use crate::allocate::{Needs, Quality};
use crate::data::{AllocationContext, Dataset, Direction, PosteriorAtData};
use crate::error::Result;
use crate::linalg::select_rows;
use crate::model::sgpr::Jitter;
use crate::model::{FitOptions, Hyperparameters, Inference, Prediction, fit};
use crate::rng::{Purpose, distinct_indices, stream};

/// Up to this many rows the initial model is exact, beyond it sparse.
const EXACT_ROWS: usize = 5000;

/// Random inducing points of a sparse initial model.
const INDUCING: usize = 500;

/// The outcomes that matter, for the qualities that depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Target {
    /// Whether large outcomes are good, or small ones.
    pub direction: Direction,
    /// The level around which outcomes are to be known well.
    pub level: f64,
}

impl Target {
    /// The context of an allocation for one output, to be maximised; everything is in the units of y.
    pub fn context(&self, y: &[f64], prediction: Prediction, noise: Vec<f64>) -> Result<AllocationContext> {
        let sign = self.direction.sign();
        let turned = |values: &[f64]| values.iter().map(|v| sign * v).collect::<Vec<_>>();
        let posterior = PosteriorAtData::new(turned(y), turned(&prediction.mean), prediction.variance, noise)?;
        AllocationContext::of_rows(y.len()).with_outputs(vec![posterior.with_level(sign * self.level)?])
    }
}

/// An initial model, in the model's units.
#[derive(Debug, Clone)]
pub struct InitialFit {
    /// Its hyperparameters.
    pub hyper: Hyperparameters,
    /// Its posterior at the data, if the quality needs one.
    pub prediction: Option<Prediction>,
    /// Evaluations that the search for its hyperparameters took.
    pub evaluations: usize,
}

/// Fits an initial model from `start`, and predicts at the data if `quality` needs it.
pub fn fit_initial(
    data: &Dataset,
    start: &Hyperparameters,
    fitting: &FitOptions,
    quality: &Quality,
) -> Result<InitialFit> {
    let needed = quality.needs() != Needs::Nothing;
    let inference = if !fitting.likelihood.is_conjugate() {
        Inference::Variational
    } else if needed && data.len() <= EXACT_ROWS {
        Inference::Exact
    } else {
        Inference::Sparse
    };
    let mut rng = stream(fitting.seed, Purpose::Allocation, 0, 1);
    let z = select_rows(data.x(), &distinct_indices(data.len(), INDUCING, &mut rng));
    let fitting = FitOptions { inference, jitter: Jitter::default(), q: None, ..fitting.clone() };
    let first = fit(start, data, z.as_ref(), &fitting)?;
    let prediction = needed.then(|| first.posterior.predict(data.x())).transpose()?;
    Ok(InitialFit { hyper: first.hyper, prediction, evaluations: first.report.evaluations })
}
