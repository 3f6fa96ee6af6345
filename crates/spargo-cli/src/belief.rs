//! What a first model believes at the data: the evidence by which inducing points are chosen.

use clap::{Args, ValueEnum};
use miette::{IntoDiagnostic, Result};
use spargo::allocate::Quality;
use spargo::data::{Belief, Dataset, Evidence};
use spargo::linalg::select_rows;
use spargo::model::{Fitting, Hyperparameters, Inference, Prediction, fit};
use spargo::rng::{Purpose, distinct_indices, stream};

/// What the user is after, for the methods that ask.
#[derive(Args, Debug, Clone, Copy)]
pub struct Wish {
    /// Whether large outcomes are good or small ones
    #[arg(long, value_enum, default_value = "max")]
    goal: Goal,
    /// The level that al-dpp stays close to, in the units of the target
    #[arg(long, default_value_t = 0.0, allow_negative_numbers = true)]
    pub level: f64,
}

impl Default for Wish {
    fn default() -> Self {
        Wish { goal: Goal::Max, level: 0.0 }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Goal {
    Max,
    Min,
}

impl Wish {
    /// The evidence of one output, to be maximised; `level` is in the units of y.
    pub fn evidence(&self, y: &[f64], prediction: Prediction, noise: Vec<f64>, level: f64) -> Result<Evidence> {
        let sign = if self.goal == Goal::Max { 1.0 } else { -1.0 };
        let turned = |values: &[f64]| values.iter().map(|v| sign * v).collect::<Vec<_>>();
        let belief = Belief::new(turned(y), turned(&prediction.mean), prediction.variance, noise);
        let belief = belief.and_then(|belief| belief.with_level(sign * level)).into_diagnostic()?;
        Evidence::new(vec![belief]).into_diagnostic()
    }
}

/// A first model, in the model's units.
pub struct First {
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
pub fn believe(data: &Dataset, start: &Hyperparameters, fitting: &Fitting, quality: Quality) -> Result<First> {
    let needed = quality != Quality::Unit;
    let inference = if needed && data.len() <= EXACT_ROWS { Inference::Exact } else { Inference::Sparse };
    let mut rng = stream(fitting.seed, Purpose::Allocation, 0, 1);
    let z = select_rows(data.x(), &distinct_indices(data.len(), INDUCING, &mut rng));
    let first = fit(start, data, z.as_ref(), &Fitting { inference, ..fitting.clone() }).into_diagnostic()?;
    let prediction = needed.then(|| first.posterior.predict(data.x())).transpose().into_diagnostic()?;
    Ok(First { hyper: first.hyper, prediction, evaluations: first.report.evaluations })
}
