//! The model of a study: Algorithm 1's allocation and fit, from the last step's state to this one's.
//!
//! ```text
//!     previous posterior ─▶ kernel and quality ─▶ Z ─▶ θ̂ (warm) ─▶ posterior                (Moss et al. 2023, Algorithm 1)
//! ```

use super::config::{Config, ModelOptions, NoiseBound, OutcomeTransformChoice};
use super::goal::{Goal, in_units};
use super::local::LocalModel;
use super::observations::{Observed, ObservedOutput};
use crate::acquire::optimizer::Excluded;
use crate::allocate::{Allocation, Needs, allocate};
use crate::data::{Dataset, Direction, OutcomeTransform, PosteriorAtData, Warp};
use crate::error::Result;
use crate::kernel::Kernel;
use crate::linalg::{Mat, MatRef, column_major};
use crate::model::{
    ASINH_WARPS, CANDIDATE_WARPS, EXACT_LIMIT, Fit, FitOptions, FitReport, HyperparameterObjective, Hyperparameters,
    Inference, Likelihood, Posterior, Prediction, Start, fit, learn_outcome_transform, noise_bound,
};
use crate::optim::Lbfgsb;
use crate::rng::{Purpose, stream};
use crate::space::{Dimension, Space};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// For searches that begin where the last step's ended: within some thousandths of a nat per observation, in a few
/// evaluations. The next step goes on from there.
const LOOSE: Lbfgsb =
    Lbfgsb { memory: 10, max_iterations: 50, max_evaluations: 100, gradient_tolerance: 1e-3, value_tolerance: 1e-4 };

/// What the next step needs of this one's model of an output.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ModelState {
    /// The name of the output.
    pub output: String,
    /// The units of the outcomes.
    pub units: OutcomeTransform,
    /// Hyperparameters, in the model's units.
    pub hyper: Hyperparameters,
    /// Z of a sparse posterior, [m, d]; none if it was exact.
    pub inducing: Option<Inducing>,
    /// Which posterior.
    pub inference: Inference,
    /// How outcomes arise from f.
    pub likelihood: Likelihood,
    /// Observations at the last search from several starts.
    pub searched: usize,
    /// The last tell that the model has seen.
    pub seen: u64,
}

/// Z, [m, d].
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Inducing(#[serde(with = "column_major")] pub Mat);

/// A model of one output, of all trials or of a neighbourhood.
#[derive(Debug, Clone)]
pub(super) struct Surrogate {
    pub posterior: Arc<Posterior>,
    /// The transform of the output's outcomes.
    pub units: OutcomeTransform,
    /// The noise variance, in the model's units.
    pub noise: f64,
}

impl Surrogate {
    /// Posterior means at points as models see them, in the user's units; an objective's are to be maximised.
    pub fn means(&self, x: MatRef<'_>) -> Result<Vec<f64>> {
        Ok(self.posterior.mean(x)?.into_iter().map(|mean| self.units.from_model(mean)).collect())
    }
}

/// How a model came about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelReport {
    /// The name of the output.
    pub output: String,
    /// Observations.
    pub observations: usize,
    /// Inducing points; the observations themselves if the posterior is exact.
    pub inducing: usize,
    /// Which posterior.
    pub inference: Inference,
    /// How outcomes are mapped before the model sees them.
    pub warp: Warp,
    /// Seconds for the last posterior at the data and the choice of inducing points.
    pub allocate_s: f64,
    /// Seconds for warp, hyperparameters and posterior.
    pub fit_s: f64,
    /// How the fit came about; `None` if the last step's models were used again.
    pub fit: Option<FitReport>,
}

/// A model for each output, all of which have seen the same trials.
#[derive(Debug, Default)]
pub(super) struct Models {
    pub outputs: Vec<Surrogate>,
    pub states: Vec<ModelState>,
    pub reports: Vec<ModelReport>,
    /// The best trial by local models, once it was asked for.
    pub local: OnceLock<Option<LocalModel>>,
}

/// What the last step left.
pub(super) struct LastStep<'a> {
    /// One per output.
    pub states: &'a [ModelState],
    /// What the step had seen, as it is known now.
    pub before: &'a Observed,
    /// Whether something that it had seen was corrected since: then nothing is learned from where it ended.
    pub is_revised: bool,
}

/// What the last step left of an output, and the data that it had seen.
type Last<'a> = (&'a ModelState, &'a Dataset);

impl LastStep<'_> {
    fn of(&self, output: usize) -> Last<'_> {
        (&self.states[output], &self.before.outputs[output].data)
    }
}

impl Models {
    /// Allocates and fits, given what the last step left, if there was one.
    pub fn new(
        config: &Config,
        last: Option<&LastStep<'_>>,
        observed: &Observed,
        step: u64,
        seen: u64,
    ) -> Result<Self> {
        let outputs = 0..observed.outputs.len();
        let prepare = |k: usize| Prepared::new(config, k, last, observed);
        let prepared = outputs.clone().map(prepare).collect::<Result<Vec<_>>>()?;
        let mut models = Models::default();
        for k in outputs {
            models.fit(config, &prepared, k, step, seen)?;
        }
        Ok(models)
    }

    /// The models that left these states, given the same data.
    pub fn restored(states: Vec<ModelState>, observed: &Observed) -> Result<Self> {
        let mut models = Models::default();
        for (state, ObservedOutput { data, .. }) in states.into_iter().zip(&observed.outputs) {
            models.push(state.posterior(data)?, state, data.len());
        }
        Ok(models)
    }

    /// Chooses the inducing points of an output and fits its model.
    fn fit(&mut self, config: &Config, all: &[Prepared], output: usize, step: u64, seen: u64) -> Result<()> {
        let Prepared { data, units, start, options, searched, warp_s, predict_s, .. } = &all[output];
        let started = Instant::now();
        let inducing = match options.inference {
            Inference::Exact => None,
            _ => Some(inducing_points(config, all, output, step)?),
        };
        let allocate_s = predict_s + started.elapsed().as_secs_f64();

        let started = Instant::now();
        let z = inducing.as_ref().map_or(data.x(), Mat::as_ref);
        let Fit { posterior, hyper, report } = fit(start, data, z, options)?;
        let state = ModelState {
            output: config.outputs[output].name.clone(),
            units: *units,
            hyper,
            inducing: inducing.map(Inducing),
            inference: options.inference,
            likelihood: options.likelihood,
            searched: searched.unwrap_or(data.len()),
            seen,
        };
        let reported = self.push(posterior, state, data.len());
        reported.allocate_s = allocate_s;
        reported.fit_s = warp_s + started.elapsed().as_secs_f64();
        reported.fit = Some(report);
        Ok(())
    }

    /// Adds the model of another output; its report says that nothing was done for it.
    fn push(&mut self, posterior: Posterior, state: ModelState, observations: usize) -> &mut ModelReport {
        let report = ModelReport {
            output: state.output.clone(),
            observations,
            inducing: posterior.z().nrows(),
            inference: state.inference,
            warp: state.units.warp(),
            allocate_s: 0.0,
            fit_s: 0.0,
            fit: None,
        };
        self.outputs.push(Surrogate { posterior: Arc::new(posterior), units: state.units, noise: state.hyper.noise });
        self.states.push(state);
        self.reports.push(report);
        &mut self.reports[self.outputs.len() - 1]
    }

    /// The last tell that the models have seen.
    pub fn seen(&self) -> u64 {
        self.states.first().map_or(0, |state| state.seen)
    }

    /// Reports of models that were made for an earlier ask: nothing was done again.
    pub fn reports_again(&self) -> Vec<ModelReport> {
        let again = |report| ModelReport { allocate_s: 0.0, fit_s: 0.0, fit: None, ..report };
        self.reports.iter().cloned().map(again).collect()
    }
}

/// An output before its inducing points are chosen, which may depend on the posteriors of other outputs.
struct Prepared {
    /// Observations in the model's units.
    data: Dataset,
    units: OutcomeTransform,
    start: Hyperparameters,
    allocation: Allocation,
    options: FitOptions,
    /// The rows of the data among all that were observed.
    rows: Vec<usize>,
    /// The last posterior at all rows that were observed, if inducing points depend on it.
    posterior: Option<PosteriorAtData>,
    /// Observations at the last search from several starts; `None` if this is to be one.
    searched: Option<usize>,
    warp_s: f64,
    predict_s: f64,
}

impl Prepared {
    fn new(config: &Config, output: usize, last: Option<&LastStep<'_>>, observed: &Observed) -> Result<Self> {
        let started = Instant::now();
        let goal = config.outputs[output].goal;
        let ObservedOutput { rows, data } = &observed.outputs[output];
        let before = last.map(|last| last.of(output));
        let last = before.filter(|_| !last.is_some_and(|last| last.is_revised));
        // A search from one start can stay where few data had led it: look around again as they double.
        let searched = last.map(|(last, _)| last.searched).filter(|searched| data.len() < 2 * searched);
        let first = Hyperparameters::cold(Kernel::for_space(&config.space, &config.model.kernel)?);
        let mut options = fitting(config, searched.is_none());
        let learned = |warps: &[Warp]| {
            let start = last.map_or(&first, |(last, _)| &last.hyper);
            learn_outcome_transform(start, data, &options, warps)
        };
        let units = match (config.warping(output), last) {
            _ if goal == Goal::Classify => OutcomeTransform::identity(),
            (OutcomeTransformChoice::Off, _) => OutcomeTransform::of(data.y(), Warp::Identity),
            // They stay as they are until the data have doubled, and so does the meaning of the hyperparameters.
            (_, Some((last, _))) if searched.is_some() && last.units.fits(data.y()) => last.units,
            (OutcomeTransformChoice::Log, _) => OutcomeTransform::of(data.y(), goal.log()),
            (OutcomeTransformChoice::Asinh, _) => learned(&ASINH_WARPS),
            (OutcomeTransformChoice::Auto, _) => learned(&CANDIDATE_WARPS),
        };
        let standard = units.apply(data);
        let start = last.map_or_else(|| first.clone(), |(last, _)| last.hyper_in(&units));
        (options.inference, options.likelihood, options.hyperparameters) = match goal {
            Goal::Classify => (Inference::Variational, Likelihood::Bernoulli, HyperparameterObjective::Elbo),
            _ => {
                let inference = config.model.inference(data.len(), config.inducing);
                (inference, Likelihood::Gaussian, config.model.learning_for(inference, data.len()))
            }
        };
        let bounded = config.model.noise_bound == NoiseBound::ClosePairs && options.likelihood.has_noise();
        options.noise_bound = bounded.then(|| limit_in(&units, data, &start.kernel, config.seed));
        let warp_s = started.elapsed().as_secs_f64();

        let started = Instant::now();
        let mut allocation = config.allocation_of(output);
        let posterior = match (allocation.quality().needs(), before) {
            (Needs::Nothing, _) => None,
            _ if options.inference == Inference::Exact => None,
            (_, Some(before)) => {
                let posterior = last_posterior(before, observed.x.as_ref(), (rows, &standard), &units)?;
                let level = goal.level(data.y()).map_or(0.0, |level| in_units(&units, level));
                Some(posterior.with_level(level)?)
            }
            // Without a posterior there is no quality to go by: the points that cover the data best.
            (_, None) => {
                allocation = Allocation::Cvr;
                None
            }
        };
        let predict_s = started.elapsed().as_secs_f64();
        let (data, rows) = (standard, rows.clone());
        Ok(Prepared { data, rows, units, start, allocation, options, posterior, searched, warp_s, predict_s })
    }
}

/// The limit to the noise variance in a model's units: there it is that of the outcomes times the mean squared slope.
fn limit_in(units: &OutcomeTransform, data: &Dataset, kernel: &Kernel, seed: u64) -> f64 {
    // Squares of outcomes as they are told may overflow.
    let linear = OutcomeTransform::of(data.y(), Warp::Identity);
    let slopes = data.y().iter().map(|&y| (2.0 * (units.log_slope(y) - linear.log_slope(y))).exp()).sum::<f64>();
    noise_bound(&linear.apply(data), &kernel.scales(data.dimension()), seed) * slopes / data.len() as f64
}

/// How hyperparameters are searched for.
fn fitting(config: &Config, cold: bool) -> FitOptions {
    FitOptions {
        start: if cold { Start::Cold } else { Start::Warm },
        priors: config.model.priors,
        optimizer: if cold { FitOptions::default().optimizer } else { LOOSE },
        seed: config.seed,
        ..FitOptions::default()
    }
}

impl ModelOptions {
    /// Exact while that is what the settings say, or no approximation is needed.
    fn inference(&self, observations: usize, inducing: usize) -> Inference {
        let exact = inducing.max(self.exact_until).min(EXACT_LIMIT);
        if observations <= exact { Inference::Exact } else { Inference::Sparse }
    }

    /// The bound at Z = X is the likelihood.
    fn learning_for(&self, inference: Inference, observations: usize) -> HyperparameterObjective {
        match (self.hyperparameters, inference) {
            (HyperparameterObjective::Bound, Inference::Exact) => HyperparameterObjective::Subset(observations),
            (learning, _) => learning,
        }
    }
}

impl ModelState {
    /// The hyperparameters in other units: another scale under the same warp, else as they are, as both are standardized.
    fn hyper_in(&self, units: &OutcomeTransform) -> Hyperparameters {
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
        let settings = FitOptions {
            hyperparameters: HyperparameterObjective::Fixed,
            inference: self.inference,
            likelihood: self.likelihood,
            ..FitOptions::default()
        };
        Ok(fit(&self.hyper, &standard, z, &settings)?.posterior)
    }
}

/// How much longer a unit is in `new` than in `old`, around a value in the old ones.
fn ratio(old: &OutcomeTransform, new: &OutcomeTransform, value: f64) -> f64 {
    let outcome = old.from_model(value);
    (new.log_slope(outcome) - old.log_slope(outcome)).exp()
}

/// Z from the last step's kernel and posteriors.
fn inducing_points(config: &Config, all: &[Prepared], output: usize, step: u64) -> Result<Mat> {
    let Prepared { data, rows, start, allocation, .. } = &all[output];
    let at_rows = |other: &Prepared| (other.units, other.posterior.as_ref().map(|posterior| posterior.select(rows)));
    let outputs: Vec<_> = all.iter().map(at_rows).collect();
    // A table may have but one word in a column.
    let bounds = config.space.dimensions().iter().map(|d| (0.0, d.domain.largest().max(1.0))).collect();
    let context =
        config.allocation_context(&allocation.quality(), output, &outputs, data.len())?.with_bounds(bounds)?;
    let mut rng = stream(config.seed, Purpose::Allocation, step, output as u64);
    let chosen = allocate(allocation, data.x(), &start.kernel, &context, config.inducing, &mut rng)?;
    Ok(snapped(chosen.points, &config.space))
}

/// The last posterior at all rows, in the units of `units` (variances to first order); `own` are the rows that have the
/// output with their outcomes, elsewhere the mean stands for the outcome.
fn last_posterior(
    (last, before): Last<'_>,
    x: MatRef<'_>,
    (own, data): (&[usize], &Dataset),
    units: &OutcomeTransform,
) -> Result<PosteriorAtData> {
    let Prediction { mean, variance } = last.posterior(before)?.predict(x)?;
    let ratios: Vec<f64> = mean.iter().map(|&mean| ratio(&last.units, units, mean)).collect();
    let variance = variance.iter().zip(&ratios).map(|(v, ratio)| v * ratio * ratio).collect();
    let mean: Vec<f64> = mean.iter().map(|&mean| units.to_model(last.units.from_model(mean))).collect();
    let mut noise: Vec<f64> = ratios.iter().map(|ratio| last.hyper.noise * ratio * ratio).collect();
    let mut y = mean.clone();
    for (i, &row) in own.iter().enumerate() {
        (y[row], noise[row]) = (data.y()[i], data.noise_of(i, noise[row]));
    }
    PosteriorAtData::new(y, mean, variance, noise)
}

/// Centroids and uniform points lie between the valid values; those that fall together become one.
fn snapped(points: Mat, space: &Space) -> Mat {
    if space.dimensions().iter().all(|d| d.domain.is_continuous()) {
        return points;
    }
    let (mut seen, mut rows) = (Excluded::default(), Vec::new());
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

impl Goal {
    /// The logarithm of outcomes that are positive in the user's units.
    fn log(self) -> Warp {
        Warp::Log { direction: if self == Goal::Minimize { Direction::Minimize } else { Direction::Maximize } }
    }
}

impl Config {
    /// The logarithm, if that is how the outcomes of an output are transformed.
    pub(super) fn log_warp(&self, output: usize) -> Option<Warp> {
        let goal = self.outputs[output].goal;
        let is_log = self.warping(output) == OutcomeTransformChoice::Log && goal != Goal::Classify;
        is_log.then(|| goal.log())
    }
}
