//! An exact GP of some data, and sparse ones of the same data by different choices of inducing points: Figures 1 and 2.
//!
//! The exact GP learns its hyperparameters from the likelihood of all data. It is the "last posterior" from which a quality is
//! computed, and its kernel is the one inducing points are chosen by. Sparse models start from its hyperparameters and climb
//! the collapsed bound, as they would in the loop, or keep them, which leaves the inducing points as the only difference.

use crate::error::Result;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use spargo::allocate::{Allocation, allocate};
use spargo::data::{AllocationContext, Dataset, OutcomeTransform, PosteriorAtData, Warp};
use spargo::kernel::{Family, Kernel};
use spargo::linalg::{Mat, MatRef};
use spargo::math::normal::expected_positive_part;
use spargo::model::{
    Fit, FitOptions, HyperparameterObjective, Hyperparameters, Inference, Posterior, Prediction, Start, fit,
};

/// What a sparse model's hyperparameters are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Hyper {
    /// Those that maximise the collapsed bound.
    Bound,
    /// Those of the exact GP.
    Exact,
}

/// The exact GP of data in the unit cube.
pub struct Exact {
    pub data: Dataset,
    pub units: OutcomeTransform,
    pub hyper: Hyperparameters,
    pub posterior: Posterior,
}

/// Means and deviations in the units of the outcomes.
pub struct Curve {
    pub mean: Vec<f64>,
    pub deviation: Vec<f64>,
}

impl Exact {
    /// Fits inputs in the unit cube and outcomes that are maximised.
    pub fn new(x: Mat, y: Vec<f64>, seed: u64) -> Result<Self> {
        let (units, data) = (OutcomeTransform::of(&y, Warp::Identity), Dataset::new(x, y)?);
        let data = units.apply(&data);
        let start = Hyperparameters::cold(Kernel::cold(Family::Matern52, data.dimension()));
        let settings = FitOptions {
            hyperparameters: HyperparameterObjective::Subset(data.len()),
            inference: Inference::Exact,
            seed,
            ..FitOptions::default()
        };
        let Fit { posterior, hyper, .. } = fit(&start, &data, data.x(), &settings)?;
        Ok(Exact { data, units, hyper, posterior })
    }

    /// A sparse model of the same data.
    pub fn sparse(&self, allocation: &Allocation, m: usize, hyper: Hyper, rng: &mut ChaCha8Rng) -> Result<Posterior> {
        let Prediction { mean, variance } = self.posterior.predict(self.data.x())?;
        let posterior =
            PosteriorAtData::new(self.data.y().to_vec(), mean, variance, self.data.noise(self.hyper.noise))?;
        let context = AllocationContext::of_rows(self.data.len()).with_outputs(vec![posterior])?;
        let context = context.with_bounds(vec![(0.0, 1.0); self.data.dimension()])?;
        let chosen = allocate(allocation, self.data.x(), &self.hyper.kernel, &context, m, rng)?;
        let hyperparameters = match hyper {
            Hyper::Bound => HyperparameterObjective::Bound,
            Hyper::Exact => HyperparameterObjective::Fixed,
        };
        let settings =
            FitOptions { hyperparameters, inference: Inference::Sparse, start: Start::Warm, ..FitOptions::default() };
        Ok(fit(&self.hyper, &self.data, chosen.points.as_ref(), &settings)?.posterior)
    }

    /// What a model of these data says at some points.
    pub fn curve(&self, posterior: &Posterior, x: MatRef<'_>) -> Result<Curve> {
        let Prediction { mean, variance } = posterior.predict(x)?;
        let moments = mean.iter().zip(&variance).map(|(&mean, &variance)| self.units.moments(mean, variance));
        let (mean, deviation) = moments.map(|(mean, variance)| (mean, variance.sqrt())).unzip();
        Ok(Curve { mean, deviation })
    }

    /// Expected improvement over the best posterior mean at the data, in the model's units.
    pub fn improvement(&self, posterior: &Posterior, x: MatRef<'_>) -> Result<Vec<f64>> {
        let best = posterior.mean(self.data.x())?.into_iter().fold(f64::NEG_INFINITY, f64::max);
        let Prediction { mean, variance } = posterior.predict(x)?;
        let points = mean.iter().zip(&variance);
        Ok(points.map(|(mean, variance)| expected_positive_part(mean - best, variance.sqrt())).collect())
    }
}

/// The root of the mean squared difference where `counts` says so.
pub fn rmse(a: &[f64], b: &[f64], counts: impl Fn(usize) -> bool) -> f64 {
    let squares: Vec<f64> = (0..a.len()).filter(|&i| counts(i)).map(|i| (a[i] - b[i]).powi(2)).collect();
    (squares.iter().sum::<f64>() / squares.len() as f64).sqrt()
}

/// The correlation of two lists; 0 if one does not vary.
pub fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len() as f64;
    let (mean_a, mean_b) = (a.iter().sum::<f64>() / n, b.iter().sum::<f64>() / n);
    let sum = |f: &dyn Fn(usize) -> f64| (0..a.len()).map(f).sum::<f64>();
    let covariance = sum(&|i| (a[i] - mean_a) * (b[i] - mean_b));
    let scale = (sum(&|i| (a[i] - mean_a).powi(2)) * sum(&|i| (b[i] - mean_b).powi(2))).sqrt();
    if scale > 0.0 { covariance / scale } else { 0.0 }
}

/// The index of the largest value.
pub fn argmax(values: &[f64]) -> usize {
    (0..values.len()).max_by(|&i, &j| values[i].total_cmp(&values[j])).unwrap_or(0)
}
