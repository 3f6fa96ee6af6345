//! An output before its model is fitted: transform, start of the search, and the posteriors that inducing points depend on.

use super::config::{Config, ModelOptions, NoiseBound, OutcomeTransformChoice};
use super::goal::{Goal, in_units};
use super::last_posterior::{LastPosterior, Variances, ratio};
use super::model::{Inducing, LastStep, ModelState};
use super::observed::ObservedOutput;
use crate::acquire::optimizer::Excluded;
use crate::allocate::{Allocation, ErrorBound, Needs, Subsample, allocate_within, most_rows, subsample};
use crate::data::{AllocationContext, Dataset, OutcomeTransform, Warp};
use crate::error::Result;
use crate::kernel::Kernel;
use crate::linalg::{Mat, MatRef, select_rows};
use crate::model::{
    ASINH_WARPS, CANDIDATE_WARPS, EXACT_LIMIT, FitOptions, HyperparameterObjective, Hyperparameters, Inference,
    Likelihood, Posterior, Start, fit, learn_outcome_transform, noise_bound,
};
use crate::optim::Lbfgsb;
use crate::rng::{Purpose, stream};
use crate::space::{Dimension, Space};
use std::ops::RangeInclusive;
use std::time::Instant;

/// For searches that begin where the last step's ended: within some thousandths of a nat per observation, in a few
/// evaluations. The next step goes on from there.
pub(super) const LOOSE: Lbfgsb =
    Lbfgsb { memory: 10, max_iterations: 50, max_evaluations: 100, gradient_tolerance: 1e-3, value_tolerance: 1e-4 };

/// Ratios of the last step's units to these within which its posterior has a meaning, and a variance that is a number.
const RATIOS: RangeInclusive<f64> = 1e-50..=1e50;

impl LastStep<'_> {
    /// What it left of an output that had outcomes by then, and has them still.
    fn of(&self, output: usize) -> Result<Option<&ModelState>> {
        let state = Some(&self.states[output]).filter(|state| state.searched > 0);
        let is_there = !self.is_revised || (self.before)()?.outputs[output].is_some();
        Ok(state.filter(|_| is_there))
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
    /// The last posterior, if inducing points depend on it.
    pub posterior: Option<LastPosterior>,
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
        step: Option<&LastStep<'_>>,
        own: &ObservedOutput,
        x: MatRef<'_>,
    ) -> Result<Self> {
        let started = Instant::now();
        let goal = config.outputs[output].goal;
        let ObservedOutput { rows, data, .. } = own;
        // What the last step believed may have been screened since: then its units say nothing of these.
        let now = OutcomeTransform::of(data.y(), Warp::Identity);
        let is_comparable = |last: &&ModelState| RATIOS.contains(&ratio(&last.units, &now, last.hyper.mean));
        let before = step.map_or(Ok(None), |step| step.of(output))?.filter(is_comparable);
        let last = before.filter(|_| !step.is_some_and(|step| step.is_revised));
        // A search from one start can stay where few data had led it: look around again as they double.
        let searched = last.map(|last| last.searched).filter(|searched| data.len() < 2 * searched);
        let first = Hyperparameters::cold(Kernel::for_space(&config.space, &config.model.kernel)?);
        let mut options = fitting(config, searched.is_none());
        let is_spanned = first.kernel.spanning(data.dimension()).is_some();
        let learned = |warps: &[Warp]| {
            let start = last.map_or(&first, |last| &last.hyper);
            learn_outcome_transform(start, data, &options, warps)
        };
        let units = match (config.warping(output), last) {
            _ if goal == Goal::Classify => OutcomeTransform::identity(),
            (OutcomeTransformChoice::Off, _) => OutcomeTransform::of(data.y(), Warp::Identity),
            // They stay as they are until the data have doubled, and so does the meaning of the hyperparameters.
            (_, Some(last)) if searched.is_some() && last.units.fits(data.y()) => last.units,
            (OutcomeTransformChoice::Log, _) => OutcomeTransform::of(data.y(), goal.log()),
            (OutcomeTransformChoice::Asinh, _) => learned(&ASINH_WARPS),
            (OutcomeTransformChoice::Auto, _) => learned(&CANDIDATE_WARPS),
        };
        let standard = units.apply(data);
        let known = config.known_hyperparameters(output, &units)?;
        let is_known = known.is_some();
        let start = known.unwrap_or_else(|| last.map_or_else(|| first.clone(), |last| last.hyper_in(&units)));
        (options.inference, options.likelihood, options.hyperparameters) = match goal {
            Goal::Classify => (Inference::Variational, Likelihood::Bernoulli, HyperparameterObjective::Elbo),
            _ => {
                let inference = if is_spanned { Inference::Exact } else { config.inference(data.len()) };
                (inference, Likelihood::Gaussian, config.model.learning_for(inference, data.len()))
            }
        };
        // Where a kernel has finite rank, noise is also what it cannot fit.
        let bounded = config.model.noise_bound == NoiseBound::ClosePairs
            && options.likelihood.has_noise()
            && !is_known
            && !is_spanned;
        options.noise_bound = bounded.then(|| limit_in(&units, data, &start.kernel, config.seed));
        let known = config.outputs[output].noise.known_variance().filter(|_| options.likelihood.has_noise());
        options.noise_floor = known.map(|variance| variance_in(&units, data.y(), variance));
        let warp_s = started.elapsed().as_secs_f64();

        let started = Instant::now();
        let mut allocation = config.allocation_of(output);
        let posterior = match (allocation.quality().needs(), before.zip(step)) {
            (Needs::Nothing, _) => None,
            _ if options.inference == Inference::Exact => None,
            (_, Some((state, step))) => {
                let level = goal.level(data.y()).map_or(0.0, |level| in_units(&units, level));
                let posterior = LastPosterior::new(step.posterior(output)?, state, &units, level);
                let is_small = x.nrows() <= most_rows(config.most_inducing());
                Some(if is_small { posterior.at_all(x, (rows, &standard))? } else { posterior })
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
    pub(super) fn inference(&self, observations: usize, inducing: usize) -> Inference {
        let exact = inducing.max(self.exact_until).min(EXACT_LIMIT);
        if observations <= exact { Inference::Exact } else { Inference::Sparse }
    }

    /// The bound at Z = X is the likelihood.
    fn learning_for(&self, inference: Inference, observations: usize) -> HyperparameterObjective {
        match (self.hyperparameters.clone().into(), inference) {
            (HyperparameterObjective::Bound, Inference::Exact) => HyperparameterObjective::Subset(observations),
            (learning, _) => learning,
        }
    }
}

impl ModelState {
    /// Of an output without any outcome: nothing is known of its hyperparameters, nor of its units.
    pub fn prior(config: &Config, output: usize, seen: u64) -> Result<Self> {
        let units = OutcomeTransform::identity();
        let hyper = match config.known_hyperparameters(output, &units)? {
            Some(known) => known,
            None => Hyperparameters::cold(Kernel::for_space(&config.space, &config.model.kernel)?),
        };
        Ok(ModelState {
            output: config.outputs[output].name.clone(),
            units,
            hyper,
            inducing: None,
            inference: Inference::Exact,
            likelihood: Likelihood::Gaussian,
            searched: 0,
            seen,
            fitted: None,
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

/// Z from the last step's kernel and posteriors.
pub(super) fn inducing_points(
    config: &Config,
    all: &[Option<Prepared>],
    (output, own): (usize, &Prepared),
    step: u64,
) -> Result<Mat> {
    let Prepared { data, start, allocation, .. } = own;
    let mut rng = stream(config.seed, Purpose::Allocation, step, output as u64);
    let (inducing, tolerance) = (config.most_inducing(), config.inducing_tolerance());
    let bound = |rows: &[usize], multiplicity: Vec<f64>| {
        let noise = rows.iter().map(|&row| data.noise_of(row, start.noise)).collect();
        tolerance.map(|tolerance| ErrorBound { noise, multiplicity, tolerance })
    };
    let most = most_rows(inducing);
    let chosen = if data.len() <= most || own.posterior.is_none() {
        let context = context(config, all, (output, own), (data.x(), &own.rows), Variances::OfEach)?;
        let bound = bound(&Vec::from_iter(0..data.len()), vec![1.0; data.len()]);
        allocate_within(bound.as_ref(), allocation, data.x(), &start.kernel, &context, inducing, &mut rng)?
    } else {
        // A variance of each of many rows takes as long as a fit: some of the rows are drawn by what their means promise.
        let rough = context(config, all, (output, own), (data.x(), &own.rows), Variances::Typical)?;
        let quality = allocation.quality().evaluate(&rough, inducing)?;
        let Subsample { rows: drawn, multiplicity } = subsample(data.x(), &quality, most, &mut rng);
        let (x, places) = (select_rows(data.x(), &drawn), drawn.iter().map(|&row| own.rows[row]).collect::<Vec<_>>());
        let context = context(config, all, (output, own), (x.as_ref(), &places), Variances::OfEach)?;
        let bound = bound(&drawn, multiplicity);
        allocate_within(bound.as_ref(), allocation, x.as_ref(), &start.kernel, &context, inducing, &mut rng)?
    };
    Ok(snapped(chosen.points, &config.space))
}

/// What the inducing points of an output are chosen by, at some of the rows that were observed, by their points and places.
fn context(
    config: &Config,
    all: &[Option<Prepared>],
    (output, own): (usize, &Prepared),
    (x, places): (MatRef<'_>, &[usize]),
    variances: Variances,
) -> Result<AllocationContext> {
    let at_places = |other: &Option<Prepared>| {
        let Some(other) = other else { return Ok((OutcomeTransform::identity(), None)) };
        let at = |posterior: &LastPosterior| posterior.at(x, places, (&other.rows, &other.data), variances);
        Ok((other.units, other.posterior.as_ref().map(at).transpose()?))
    };
    let outputs = all.iter().map(at_places).collect::<Result<Vec<_>>>()?;
    // A table may have but one word in a column.
    let bounds = config.space.dimensions().iter().map(|d| (0.0, d.domain.largest().max(1.0))).collect();
    config.allocation_context(&own.allocation.quality(), output, &outputs, places.len())?.with_bounds(bounds)
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

    #[test]
    fn the_limit_to_the_noise_is_a_variance() {
        let data = Dataset::new(line(), outcomes(1.0)).unwrap();
        let limits = units().map(|units| limit_in(&units, &data, &Kernel::cold(Family::Matern52, 1), 3));
        assert!(limits[0].is_finite() && (limits[0] / limits[1] - 25.0).abs() < 1e-9, "{limits:?}");
    }
}
