//! What a first model believes at the data: the evidence by which inducing points are chosen.

use miette::{IntoDiagnostic, Result};
use spargo::allocate::Quality;
use spargo::data::{Belief, Dataset, Evidence};
use spargo::linalg::select_rows;
use spargo::model::{Fit, Fitting, Hyperparameters, Inference, fit};
use spargo::rng::{Purpose, distinct_indices, stream};

/// Up to this many rows the first model is exact, beyond it sparse.
const EXACT_ROWS: usize = 5000;

/// Random inducing points of a sparse first model.
const INDUCING: usize = 500;

/// A first model, in the model's units.
pub struct First {
    pub hyper: Hyperparameters,
    /// What it believes at the data; nothing if nobody asks.
    pub evidence: Evidence,
    /// Evaluations that its hyperparameters took.
    pub evaluations: usize,
}

/// Fits from `start`, and asks for the beliefs at the data if `quality` needs them.
pub fn believe(data: &Dataset, start: &Hyperparameters, fitting: &Fitting, quality: Quality) -> Result<First> {
    let needed = quality != Quality::Unit;
    let inference = if needed && data.len() <= EXACT_ROWS { Inference::Exact } else { Inference::Sparse };
    let mut rng = stream(fitting.seed, Purpose::Allocation, 0, 1);
    let z = select_rows(data.x(), &distinct_indices(data.len(), INDUCING, &mut rng));
    let first = fit(start, data, z.as_ref(), &Fitting { inference, ..fitting.clone() }).into_diagnostic()?;
    let beliefs = needed.then(|| belief(&first, data)).transpose()?;
    let evidence = Evidence::new(beliefs.into_iter().collect()).into_diagnostic()?;
    Ok(First { hyper: first.hyper, evidence, evaluations: first.report.evaluations })
}

fn belief(first: &Fit, data: &Dataset) -> Result<Belief> {
    let prediction = first.posterior.predict(data.x()).into_diagnostic()?;
    let noise = data.noise(first.hyper.noise);
    Belief::new(data.y().to_vec(), prediction.mean, prediction.variance, noise).into_diagnostic()
}
