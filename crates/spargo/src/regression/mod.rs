//! Models of plain arrays in their user's units: standardize, choose inducing points, fit.
//!
//! ```text
//!     data ─▶ unit cube, mean 0, variance 1 ─▶ θ̂ of an initial model ─▶ Z ─▶ θ̂, posterior
//! ```
//!
//! Hyperparameters that are given stay as they are, the others are learned. A study knows the bounds of its inputs from its
//! space; here they are those of the data.

mod allocation;
mod initial;
mod units;

pub use allocation::AllocationOptions;
pub use initial::{InitialFit, Target, fit_initial};
pub use units::{FixedHyperparameters, UserHyperparameters, standardizer};

use crate::allocate::{Allocation, allocate};
use crate::data::{AllocationContext, Dataset, InputTransform, OutcomeTransform, Standardizer};
use crate::error::{Error, Result};
use crate::kernel::{Family, Kernel};
use crate::linalg::{Mat, MatRef};
use crate::model::sgpr::Jitter;
use crate::model::{Fit, FitOptions, HyperparameterObjective, Hyperparameters, Inference, Posterior, Start, fit};
use crate::rng::{Purpose, stream};
use serde::{Deserialize, Serialize};

/// Where inducing points come from; in settings, a count.
#[derive(Debug, Clone, Deserialize)]
#[serde(from = "usize")]
pub enum Inducing {
    /// So many are chosen.
    Count(usize),
    /// They are given, [m, d], in the user's units.
    Points(Mat),
}

impl From<usize> for Inducing {
    fn from(count: usize) -> Self {
        Inducing::Count(count)
    }
}

/// How to model.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default)]
pub struct RegressionOptions {
    /// Where inducing points come from, if the model has any.
    #[serde(skip_serializing)]
    pub inducing: Inducing,
    /// How they are chosen.
    pub allocation: Allocation,
    /// The outcomes that matter, for allocations that depend on it.
    #[serde(skip)]
    pub target: Target,
    /// The kernel's family.
    #[serde(rename = "kernel")]
    pub family: Family,
    /// Hyperparameters that are known.
    #[serde(flatten)]
    pub given: FixedHyperparameters,
    /// The least amount added to the diagonal of Kzz, in the user's units; if not given it is relative.
    pub jitter: Option<f64>,
    /// How the others are learned, and which posterior is computed; the jitter and the fixed parameters come from the fields
    /// above. With [`HyperparameterObjective::Fixed`] nothing is learned, and data stay in the user's units.
    #[serde(flatten)]
    pub fit: FitOptions,
}

impl Default for RegressionOptions {
    fn default() -> Self {
        RegressionOptions {
            inducing: Inducing::Count(500),
            allocation: Allocation::Random,
            target: Target::default(),
            family: Family::Matern52,
            given: FixedHyperparameters::default(),
            jitter: None,
            fit: FitOptions::default(),
        }
    }
}

/// A fitted model with the units of its data.
#[derive(Debug, Clone)]
pub struct Regression {
    /// Between the user's units and the model's.
    pub units: Standardizer,
    /// The model, in its own units.
    pub fit: Fit,
    /// The number of observations.
    pub rows: usize,
    /// Z in the model's units, [m, d]; none if the posterior is exact.
    pub inducing: Option<Mat>,
}

impl Regression {
    /// Fits. A method of choice that looks at a model gets two rounds: a fit on random inducing points, then the choice by its
    /// kernel and posterior, and a refit that starts from its hyperparameters.
    pub fn fit(data: &Dataset, settings: &RegressionOptions) -> Result<Self> {
        let units = settings.units(data)?;
        let standard = units.apply(data);
        let cold = Hyperparameters::cold(Kernel::cold(settings.family, data.dimension()));
        let start = settings.given.complete(UserHyperparameters::from_model(&cold, &units))?.to_model(&units);
        let mut fitting = settings.fitting(&units);
        let mut first = InitialFit { hyper: start, prediction: None, evaluations: 0 };
        let needs_points =
            fitting.inference != Inference::Exact || fitting.hyperparameters == HyperparameterObjective::Bound;
        let z = match &settings.inducing {
            _ if !needs_points => Mat::zeros(0, data.dimension()),
            Inducing::Points(z) => inputs(&units, z.as_ref())?,
            Inducing::Count(count) => {
                if !matches!(settings.allocation, Allocation::Random | Allocation::Uniform) {
                    first = fit_initial(&standard, &first.hyper, &fitting, &settings.allocation.quality())?;
                    fitting.start = Start::Warm;
                }
                settings.choose(&standard, &units, &first, *count)?
            }
        };
        let mut regression = Regression::of_standard(&standard, units, &first.hyper, z, &fitting)?;
        regression.fit.report.evaluations += first.evaluations;
        Ok(regression)
    }

    /// The model at hyperparameters and inducing points (none for an exact posterior) in the model's units.
    pub fn at(
        hyper: &Hyperparameters,
        data: &Dataset,
        units: Standardizer,
        inducing: Option<Mat>,
        settings: &RegressionOptions,
    ) -> Result<Self> {
        let fitting = FitOptions { hyperparameters: HyperparameterObjective::Fixed, ..settings.fitting(&units) };
        let z = inducing.unwrap_or_else(|| Mat::zeros(0, data.dimension()));
        Regression::of_standard(&units.apply(data), units, hyper, z, &fitting)
    }

    /// Fits data in the model's units from a start, with these inducing points.
    fn of_standard(
        data: &Dataset,
        units: Standardizer,
        start: &Hyperparameters,
        z: Mat,
        fitting: &FitOptions,
    ) -> Result<Self> {
        let fit = fit(start, data, z.as_ref(), fitting)?;
        let inducing = (fitting.inference != Inference::Exact).then_some(z);
        Ok(Regression { units, fit, rows: data.len(), inducing })
    }

    /// f given the data, in the model's units.
    pub fn posterior(&self) -> &Posterior {
        &self.fit.posterior
    }

    /// The hyperparameters in the user's units.
    pub fn hyperparameters(&self) -> UserHyperparameters {
        UserHyperparameters::from_model(&self.fit.hyper, &self.units)
    }

    /// The log likelihood of all data, or its bound, in the user's units.
    pub fn objective(&self) -> f64 {
        let rows = self.rows as f64;
        rows * (self.fit.report.objective / rows + self.units.outcomes.log_slope(0.0))
    }
}

impl RegressionOptions {
    /// The units in which data are standardized; labels stay labels.
    fn units(&self, data: &Dataset) -> Result<Standardizer> {
        let units = match self.fit.hyperparameters {
            HyperparameterObjective::Fixed => Standardizer {
                inputs: InputTransform::identity(data.dimension()),
                outcomes: OutcomeTransform::identity(),
            },
            _ if self.fit.likelihood.is_conjugate() => standardizer(data)?,
            _ => Standardizer { inputs: InputTransform::of(data.x()), outcomes: OutcomeTransform::identity() },
        };
        Ok(units)
    }

    fn fitting(&self, units: &Standardizer) -> FitOptions {
        let scale = units.outcomes.scale();
        let jitter = self.jitter.map_or(Jitter::default(), |jitter| Jitter::Fixed(jitter / scale / scale));
        FitOptions { fixed: self.given.fixed(), jitter, ..self.fit.clone() }
    }

    /// The inducing points, by the initial model's posterior.
    fn choose(&self, standard: &Dataset, units: &Standardizer, first: &InitialFit, count: usize) -> Result<Mat> {
        let level = units.outcomes.to_model(self.target.level);
        let noise = standard.noise(first.hyper.noise);
        let context = match first.prediction.clone() {
            Some(prediction) => Target { level, ..self.target }.context(standard.y(), prediction, noise)?,
            None => AllocationContext::of_rows(standard.len()),
        };
        let mut rng = stream(self.fit.seed, Purpose::Allocation, 0, 0);
        Ok(allocate(&self.allocation, standard.x(), &first.hyper.kernel, &context, count, &mut rng)?.points)
    }
}

/// Points in the model's units.
fn inputs(units: &Standardizer, x: MatRef<'_>) -> Result<Mat> {
    let (found, expected) = (x.ncols(), units.inputs.lower.len());
    if found == expected {
        Ok(units.inputs.to_model(x))
    } else {
        Err(Error::Shape { what: "each inducing point".into(), found, expected })
    }
}
