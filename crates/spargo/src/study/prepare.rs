//! An output before its model is fitted: transform, start of the search, and the posteriors that inducing points depend on.

use super::config::{Config, ModelOptions, NoiseBound, OutcomeTransformChoice};
use super::goal::{Goal, in_units};
use super::model::{Inducing, LastStep, ModelState};
use super::observations::ObservedOutput;
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
use std::ops::RangeInclusive;
use std::time::Instant;

/// For searches that begin where the last step's ended: within some thousandths of a nat per observation, in a few
/// evaluations. The next step goes on from there.
const LOOSE: Lbfgsb =
    Lbfgsb { memory: 10, max_iterations: 50, max_evaluations: 100, gradient_tolerance: 1e-3, value_tolerance: 1e-4 };

/// Ratios of the last step's units to these within which its posterior has a meaning, and a variance that is a number.
const RATIOS: RangeInclusive<f64> = 1e-50..=1e50;

/// What the last step left of an output, and the data that it had seen.
type Last<'a> = (&'a ModelState, &'a Dataset);

impl LastStep<'_> {
    /// What it left of an output that had outcomes by then.
    fn of(&self, output: usize) -> Option<Last<'_>> {
        let own = self.before.outputs[output].as_ref()?;
        let state = Some(&self.states[output]).filter(|state| state.searched > 0)?;
        Some((state, &own.data))
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
    /// Of an output with its own rows among all points that were observed, `x`.
    pub fn new(
        config: &Config,
        output: usize,
        last: Option<&LastStep<'_>>,
        own: &ObservedOutput,
        x: MatRef<'_>,
    ) -> Result<Self> {
        let started = Instant::now();
        let goal = config.outputs[output].goal;
        let ObservedOutput { rows, data, .. } = own;
        // What the last step believed may have been screened since: then its units say nothing of these.
        let now = OutcomeTransform::of(data.y(), Warp::Identity);
        let is_comparable = |(last, _): &Last<'_>| RATIOS.contains(&ratio(&last.units, &now, last.hyper.mean));
        let before = last.and_then(|last| last.of(output)).filter(is_comparable);
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
        let known = config.outputs[output].noise.known_variance().filter(|_| options.likelihood.has_noise());
        options.noise_floor = known.map(|variance| variance_in(&units, data.y(), variance));
        let warp_s = started.elapsed().as_secs_f64();

        let started = Instant::now();
        let mut allocation = config.allocation_of(output);
        let posterior = match (allocation.quality().needs(), before) {
            (Needs::Nothing, _) => None,
            _ if options.inference == Inference::Exact => None,
            (_, Some(before)) => {
                let posterior = last_posterior(before, x, (rows, &standard), &units)?;
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

/// A noise variance in a model's units: there it is that of the outcomes times the squared slope, of which the median is taken.
/// Where the transform is steep for a few outcomes, their mean would be more noise than all others have.
pub(super) fn variance_in(units: &OutcomeTransform, outcomes: &[f64], variance: f64) -> f64 {
    let mut slopes: Vec<f64> = outcomes.iter().map(|&y| units.log_slope(y)).collect();
    slopes.sort_unstable_by(f64::total_cmp);
    // Squares of outcomes as they are told may overflow.
    slopes.get(slopes.len() / 2).map_or(0.0, |slope| (variance.ln() + 2.0 * slope).exp())
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
    /// Of an output without any outcome: nothing is known of its hyperparameters, nor of its units.
    pub fn prior(config: &Config, output: usize, seen: u64) -> Result<Self> {
        Ok(ModelState {
            output: config.outputs[output].name.clone(),
            units: OutcomeTransform::identity(),
            hyper: Hyperparameters::cold(Kernel::for_space(&config.space, &config.model.kernel)?),
            inducing: None,
            inference: Inference::Exact,
            likelihood: Likelihood::Gaussian,
            searched: 0,
            seen,
        })
    }

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
pub(super) fn inducing_points(
    config: &Config,
    all: &[Option<Prepared>],
    (output, own): (usize, &Prepared),
    step: u64,
) -> Result<Mat> {
    let Prepared { data, rows, start, allocation, .. } = own;
    let at_rows = |other: &Option<Prepared>| {
        let units = other.as_ref().map_or_else(OutcomeTransform::identity, |other| other.units);
        let posterior = other.as_ref().and_then(|other| other.posterior.as_ref());
        (units, posterior.map(|posterior| posterior.select(rows)))
    };
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Family;

    /// Where the tests' outcomes are, [60, 1]: in pairs close to each other.
    fn line() -> Mat {
        Mat::from_fn(60, 1, |i, _| (i / 2) as f64 / 30.0 + 1e-3 * (i % 2) as f64)
    }

    fn outcomes(scale: f64) -> Vec<f64> {
        (0..60).map(|i| scale * (3.0 + (0.2 * i as f64).sin() + 0.1 * (7.7 * i as f64).sin())).collect()
    }

    /// Units that are 1 and 5 times as long.
    fn units() -> [OutcomeTransform; 2] {
        [1.0, 5.0].map(|scale| OutcomeTransform::of(&outcomes(scale), Warp::Identity))
    }

    /// Whatever the units, variances and means are the same in those of the user.
    #[test]
    fn the_last_posterior_keeps_its_meaning_in_other_units() {
        let ([old, new], data) = (units(), Dataset::new(line(), outcomes(1.0)).unwrap());
        let last = ModelState {
            output: "y".into(),
            units: old,
            hyper: Hyperparameters { noise: 0.04, ..Hyperparameters::cold(Kernel::cold(Family::Matern52, 1)) },
            inducing: None,
            inference: Inference::Exact,
            likelihood: Likelihood::Gaussian,
            searched: 60,
            seen: 60,
        };
        let own: Vec<usize> = (0..60).step_by(3).collect();
        let some = new.apply(&data.subset(&own));
        let found = last_posterior((&last, &data), line().as_ref(), (&own, &some), &new).unwrap();
        let Prediction { mean, variance } = last.posterior(&data).unwrap().predict(line().as_ref()).unwrap();
        let in_users = |units: &OutcomeTransform, variance: f64| variance * units.scale() * units.scale();
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * b.abs();
        for i in 0..60 {
            assert!(close(new.from_model(found.mean()[i]), old.from_model(mean[i])), "mean {i}");
            assert!(close(in_users(&new, found.variance()[i]), in_users(&old, variance[i])), "variance {i}");
            assert!(close(in_users(&new, found.noise()[i]), in_users(&old, 0.04)), "noise {i}");
            let value = if i % 3 == 0 { outcomes(1.0)[i] } else { old.from_model(mean[i]) };
            assert!(close(new.from_model(found.y()[i]), value), "outcome {i}");
        }
    }

    #[test]
    fn the_limit_to_the_noise_is_a_variance() {
        let data = Dataset::new(line(), outcomes(1.0)).unwrap();
        let limits = units().map(|units| limit_in(&units, &data, &Kernel::cold(Family::Matern52, 1), 3));
        assert!(limits[0].is_finite() && (limits[0] / limits[1] - 25.0).abs() < 1e-9, "{limits:?}");
    }
}
