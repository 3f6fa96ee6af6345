//! What a first model believes at the data: the evidence by which inducing points are chosen.

use miette::{IntoDiagnostic, Result};
use spargo::data::{Belief, Dataset, Evidence};
use spargo::linalg::select_rows;
use spargo::model::{Fitting, Hyperparameters, Inference, fit};
use spargo::rng::{Purpose, distinct_indices, stream};

/// Up to this many rows the first model is exact, beyond it sparse.
const EXACT_ROWS: usize = 5000;

/// Random inducing points of a sparse first model.
const INDUCING: usize = 500;

/// Fits from `start` (exactly, or on random inducing points) and returns the hyperparameters with the beliefs at the
/// data, everything in the model's units.
pub fn believe(data: &Dataset, start: &Hyperparameters, fitting: &Fitting) -> Result<(Hyperparameters, Evidence)> {
    let inference = if data.len() <= EXACT_ROWS { Inference::Exact } else { Inference::Sparse };
    let mut rng = stream(fitting.seed, Purpose::Allocation, 0, 1);
    let z = select_rows(data.x(), &distinct_indices(data.len(), INDUCING, &mut rng));
    let first = fit(start, data, z.as_ref(), &Fitting { inference, ..fitting.clone() }).into_diagnostic()?;
    let prediction = first.posterior.predict(data.x()).into_diagnostic()?;
    let noise = data.noise(first.hyper.noise);
    let belief = Belief::new(data.y().to_vec(), prediction.mean, prediction.variance, noise).into_diagnostic()?;
    Ok((first.hyper, Evidence::new(vec![belief]).into_diagnostic()?))
}
