//! An output before its model is fitted: transform, start of the search, and the posteriors that inducing points depend on.

use super::config::{Config, ModelOptions, NoiseBound, OutcomeTransformChoice};
use super::goal::{Goal, in_units};
use super::model::{Inducing, LastStep, ModelState};
use super::observations::{Observed, ObservedOutput};
use crate::acquire::optimizer::Excluded;
use crate::allocate::{Allocation, Needs, allocate};
use crate::data::{Dataset, OutcomeTransform, PosteriorAtData, Warp};
use crate::error::Result;
use crate::kernel::Kernel;
use crate::linalg::{Mat, MatRef};
use crate::model::{
    ASINH_WARPS, CANDIDATE_WARPS, EXACT_LIMIT, FitOptions, HyperparameterObjective, Hyperparameters, Inference,
    Likelihood, Posterior, Prediction, Start, fit, learn_outcome_transform, noise_bound,
};
use crate::optim::Lbfgsb;
use crate::rng::{Purpose, stream};
use crate::space::{Dimension, Space};
use std::time::Instant;

/// For searches that begin where the last step's ended: within some thousandths of a nat per observation, in a few
/// evaluations. The next step goes on from there.
const LOOSE: Lbfgsb =
    Lbfgsb { memory: 10, max_iterations: 50, max_evaluations: 100, gradient_tolerance: 1e-3, value_tolerance: 1e-4 };

/// What the last step left of an output, and the data that it had seen.
type Last<'a> = (&'a ModelState, &'a Dataset);

impl LastStep<'_> {
    fn of(&self, output: usize) -> Last<'_> {
        (&self.states[output], &self.before.outputs[output].data)
    }
}

/// An output before its inducing points are chosen, which may depend on the posteriors of other outputs.
pub(super) struct Prepared {
    /// Observations in the model's units.
    pub data: Dataset,
    pub units: OutcomeTransform,
    pub start: Hyperparameters,
    pub allocation: Allocation,
    pub options: FitOptions,
    /// The rows of the data among all that were observed.
    pub rows: Vec<usize>,
    /// The last posterior at all rows that were observed, if inducing points depend on it.
    pub posterior: Option<PosteriorAtData>,
    /// Observations at the last search from several starts; `None` if this is to be one.
    pub searched: Option<usize>,
    pub warp_s: f64,
    pub predict_s: f64,
}

impl Prepared {
    pub fn new(config: &Config, output: usize, last: Option<&LastStep<'_>>, observed: &Observed) -> Result<Self> {
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
    pub fn posterior(&self, before: &Dataset) -> Result<Posterior> {
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
pub(super) fn inducing_points(config: &Config, all: &[Prepared], output: usize, step: u64) -> Result<Mat> {
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
