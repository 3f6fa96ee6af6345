//! What a first model believes at the data: the evidence by which inducing points are chosen.

use crate::allocate::Quality;
use crate::data::{AllocationContext, Dataset, PosteriorAtData};
use crate::error::Result;
use crate::linalg::select_rows;
use crate::model::{FitOptions, Hyperparameters, Inference, Prediction, fit};
use crate::rng::{Purpose, distinct_indices, stream};

/// What is wanted of the outcomes, for the qualities that ask.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wish {
    /// 1 if large outcomes are good, −1 if small ones are.
    pub sign: f64,
    /// The level that is to be known well.
    pub level: f64,
}

impl Default for Wish {
    fn default() -> Self {
        Wish { sign: 1.0, level: 0.0 }
    }
}

impl Wish {
    /// The evidence of one output, to be maximised; everything is in the units of y.
    pub fn evidence(&self, y: &[f64], prediction: Prediction, noise: Vec<f64>) -> Result<AllocationContext> {
        let turned = |values: &[f64]| values.iter().map(|v| self.sign * v).collect::<Vec<_>>();
        let belief = PosteriorAtData::new(turned(y), turned(&prediction.mean), prediction.variance, noise)?;
        AllocationContext::new(vec![belief.with_level(self.sign * self.level)?])
    }
}

/// A first model, in the model's units.
#[derive(Debug, Clone)]
pub struct InitialFit {
    /// What it was computed with.
    pub hyper: Hyperparameters,
    /// What it predicts at the data; nothing if nobody asks.
    pub prediction: Option<Prediction>,
    /// Evaluations that its hyperparameters took.
    pub evaluations: usize,
}

/// Up to this many rows the first model is exact, beyond it sparse.
const EXACT_ROWS: usize = 5000;

/// Random inducing points of a sparse first model.
const INDUCING: usize = 500;

/// Fits from `start`, and predicts at the data if `quality` needs it.
pub fn fit_initial(
    data: &Dataset,
    start: &Hyperparameters,
    fitting: &FitOptions,
    quality: Quality,
) -> Result<InitialFit> {
    let needed = quality != Quality::Unit;
    let inference = match fitting.likelihood.is_conjugate() {
        true if needed && data.len() <= EXACT_ROWS => Inference::Exact,
        true => Inference::Sparse,
        false => Inference::Variational,
    };
    let mut rng = stream(fitting.seed, Purpose::Allocation, 0, 1);
    let z = select_rows(data.x(), &distinct_indices(data.len(), INDUCING, &mut rng));
    let first = fit(start, data, z.as_ref(), &FitOptions { inference, ..fitting.clone() })?;
    let prediction = needed.then(|| first.posterior.predict(data.x())).transpose()?;
    Ok(InitialFit { hyper: first.hyper, prediction, evaluations: first.report.evaluations })
}
