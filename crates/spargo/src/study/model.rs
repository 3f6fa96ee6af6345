//! The model of a study: Algorithm 1's allocation and fit, from the last step's state to this one's.
//!
//! ```text
//!     previous posterior ─▶ kernel and quality ─▶ Z ─▶ θ̂ (warm) ─▶ posterior                (Moss et al. 2023, Algorithm 1)
//! ```

use super::config::{Config, Modelling, Warping};
use crate::allocate::{Allocation, Quality, allocate};
use crate::data::{Belief, Dataset, Evidence, Units, Warp};
use crate::error::Result;
use crate::kernel::Kernel;
use crate::linalg::{Mat, column_major};
use crate::maximize::Taken;
use crate::model::{
    EXACT_LIMIT, Fit, FitReport, Fitting, Hyperparameters, Inference, Learning, Posterior, Prediction, Start, fit,
    learn_warp,
};
use crate::optimize::Lbfgsb;
use crate::rng::{Purpose, stream};
use crate::space::{Dimension, Space};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Instant;

/// What the next step needs of this one.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct State {
    /// The units of the outcomes.
    pub units: Units,
    /// In those units.
    pub hyper: Hyperparameters,
    /// Z of a sparse posterior, [m, d]; none if it was exact.
    pub inducing: Option<Inducing>,
    /// Observations at the last search from several starts.
    pub searched: usize,
    /// The last tell that the model has seen.
    pub seen: u64,
}

/// Z, [m, d].
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Inducing(#[serde(with = "column_major")] pub Mat<f64>);

/// A model that has seen all data.
#[derive(Debug)]
pub(super) struct Model {
    pub posterior: Arc<Posterior>,
    pub units: Units,
    pub state: State,
    pub report: ModelReport,
}

/// How a model came about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelReport {
    /// Observations.
    pub observations: usize,
    /// Inducing points; the observations themselves if the posterior is exact.
    pub inducing: usize,
    /// Which posterior.
    pub inference: Inference,
    /// How outcomes are mapped before the model sees them.
    pub warp: Warp,
    /// Seconds for the previous posterior's belief and the choice of inducing points.
    pub allocate_s: f64,
    /// Seconds for warp, hyperparameters and posterior.
    pub fit_s: f64,
    /// How the fit came about; `None` if nothing was told since the last step's.
    pub fit: Option<FitReport>,
}

impl Model {
    /// Allocates and fits; `data` are encoded inputs and outcomes to be maximised.
    ///
    /// `last` is what the last step left, and the data that it had seen.
    pub fn new(
        config: &Config,
        last: Option<(&State, &Dataset)>,
        data: &Dataset,
        step: u64,
        seen: u64,
    ) -> Result<Self> {
        let started = Instant::now();
        let searched = last.map_or(0, |(last, _)| last.searched);
        // A search from one start can stay where few data had led it: look around again as they double.
        let cold = data.len() >= 2 * searched;
        let settings = Fitting {
            start: if cold { Start::Cold } else { Start::Warm },
            priors: config.model.priors,
            optimizer: if cold { Fitting::default().optimizer } else { LOOSE },
            seed: config.seed,
            ..Fitting::default()
        };
        let first = || Hyperparameters::cold(Kernel::for_space(&config.space, config.model.kernel));
        let units = match (config.model.warp, last) {
            (Warping::Off, _) => Units::of(data.y(), Warp::Identity),
            // They stay as they are until the data have doubled, and so does the meaning of the hyperparameters.
            (Warping::Learned, Some((last, _))) if !cold && last.units.suit(data.y()) => last.units,
            (Warping::Learned, last) => {
                learn_warp(&last.map_or_else(first, |(last, _)| last.hyper.clone()), data, &settings)
            }
        };
        let standard = units.apply(data);
        let start = last.map_or_else(first, |(last, _)| last.hyper_in(&units));
        let warp_s = started.elapsed().as_secs_f64();

        let inference = config.model.inference(data.len(), config.inducing);
        let started = Instant::now();
        let inducing = match inference {
            Inference::Sparse => Some(inducing_points(config, &start.kernel, last, &standard, &units, step)?),
            _ => None,
        };
        let allocate_s = started.elapsed().as_secs_f64();

        let started = Instant::now();
        let settings = Fitting { learning: config.model.learning_for(inference, data.len()), inference, ..settings };
        let z = inducing.as_ref().map_or(standard.x(), Mat::as_ref);
        let Fit { posterior, hyper, report } = fit(&start, &standard, z, &settings)?;
        let fit_s = warp_s + started.elapsed().as_secs_f64();
        let report = ModelReport {
            observations: data.len(),
            inducing: posterior.z().nrows(),
            inference,
            warp: units.warp(),
            allocate_s,
            fit_s,
            fit: Some(report),
        };
        let searched = if cold { data.len() } else { searched };
        let inducing = inducing.map(Inducing);
        let state = State { units, hyper, inducing, searched, seen };
        Ok(Model { posterior: Arc::new(posterior), units, state, report })
    }

    /// The model that left this state, given the same data.
    pub fn restored(state: &State, data: &Dataset) -> Result<Self> {
        let posterior = state.posterior(data)?;
        let report = ModelReport {
            observations: data.len(),
            inducing: posterior.z().nrows(),
            inference: state.inference(),
            warp: state.units.warp(),
            allocate_s: 0.0,
            fit_s: 0.0,
            fit: None,
        };
        Ok(Model { posterior: Arc::new(posterior), units: state.units, state: state.clone(), report })
    }
}

/// For searches that begin where the last step's ended: within some thousandths of a nat per observation, in a few
/// evaluations. The next step goes on from there.
const LOOSE: Lbfgsb =
    Lbfgsb { memory: 10, max_iterations: 50, max_evaluations: 100, gradient_tolerance: 1e-3, value_tolerance: 1e-4 };

impl Modelling {
    /// Exact while that is what the settings say, or no approximation is needed.
    fn inference(&self, observations: usize, inducing: usize) -> Inference {
        let exact = inducing.max(self.exact_until).min(EXACT_LIMIT);
        if observations <= exact { Inference::Exact } else { Inference::Sparse }
    }

    /// The bound at Z = X is the likelihood.
    fn learning_for(&self, inference: Inference, observations: usize) -> Learning {
        match (self.learning, inference) {
            (Learning::Bound, Inference::Exact) => Learning::Subset(observations),
            (learning, _) => learning,
        }
    }
}

impl State {
    fn inference(&self) -> Inference {
        if self.inducing.is_some() { Inference::Sparse } else { Inference::Exact }
    }

    /// Its hyperparameters in other units: another scale under the same warp, else as they are, as both are standardized.
    fn hyper_in(&self, units: &Units) -> Hyperparameters {
        if self.units.warp() != units.warp() {
            return Hyperparameters { mean: 0.0, ..self.hyper.clone() };
        }
        let ratio = ratio(&self.units, units, self.hyper.mean);
        Hyperparameters {
            kernel: self.hyper.kernel.scaled(ratio * ratio),
            mean: units.to_model(self.units.from_model(self.hyper.mean)),
            noise: self.hyper.noise * ratio * ratio,
        }
    }

    /// The posterior of the last step: a function of the state and of what it has seen, so that it need not be stored.
    fn posterior(&self, before: &Dataset) -> Result<Posterior> {
        let standard = self.units.apply(before);
        let z = self.inducing.as_ref().map_or(standard.x(), |Inducing(z)| z.as_ref());
        let settings = Fitting { learning: Learning::Given, inference: self.inference(), ..Fitting::default() };
        Ok(fit(&self.hyper, &standard, z, &settings)?.posterior)
    }
}

/// How much longer a unit is in `new` than in `old`, around a value in the old ones.
fn ratio(old: &Units, new: &Units, value: f64) -> f64 {
    let outcome = old.from_model(value);
    (new.log_slope(outcome) - old.log_slope(outcome)).exp()
}

/// Z from the last step's kernel and belief.
fn inducing_points(
    config: &Config,
    kernel: &Kernel,
    last: Option<(&State, &Dataset)>,
    data: &Dataset,
    units: &Units,
    step: u64,
) -> Result<Mat<f64>> {
    let (allocation, belief) = match (config.allocation.quality(), last) {
        (Quality::Unit, _) => (config.allocation, None),
        (_, Some((last, before))) => (config.allocation, Some(believe(last, before, data, units)?)),
        // Without a posterior there is no quality to go by: the points that cover the data best.
        (_, None) => (Allocation::Cvr, None),
    };
    // A table may have but one word in a column.
    let bounds = config.space.dimensions().iter().map(|d| (0.0, d.domain.largest().max(1.0))).collect();
    let evidence = Evidence::new(belief.into_iter().collect())?.with_bounds(bounds)?;
    let mut rng = stream(config.seed, Purpose::Allocation, step, 0);
    let chosen = allocate(&allocation, data.x(), kernel, &evidence, config.inducing, &mut rng)?;
    Ok(snapped(chosen.points, &config.space))
}

/// What the last posterior says at all data, in the units of `units` (variances to first order).
fn believe(last: &State, before: &Dataset, data: &Dataset, units: &Units) -> Result<Belief> {
    let Prediction { mean, variance } = last.posterior(before)?.predict(data.x())?;
    let ratios: Vec<f64> = mean.iter().map(|&mean| ratio(&last.units, units, mean)).collect();
    let variance = variance.iter().zip(&ratios).map(|(v, ratio)| v * ratio * ratio).collect();
    let noise =
        ratios.iter().enumerate().map(|(i, ratio)| data.noise_of(i, last.hyper.noise * ratio * ratio)).collect();
    let mean = mean.iter().map(|&mean| units.to_model(last.units.from_model(mean))).collect();
    Belief::new(data.y().to_vec(), mean, variance, noise)
}

/// Centroids and uniform points lie between the valid values; those that fall together become one.
fn snapped(points: Mat<f64>, space: &Space) -> Mat<f64> {
    if space.dimensions().iter().all(|d| d.domain.is_continuous()) {
        return points;
    }
    let (mut seen, mut rows) = (Taken::default(), Vec::new());
    for i in 0..points.nrows() {
        let snap = |(d, v): (&Dimension, &f64)| if d.domain.is_continuous() { *v } else { d.domain.snap(*v) };
        let row: Vec<f64> = space.dimensions().iter().zip(points.row(i).iter()).map(snap).collect();
        if !seen.contains(&row) {
            seen.insert(&row);
            rows.push(row);
        }
    }
    Mat::from_fn(rows.len(), points.ncols(), |i, k| rows[i][k])
}
