//! What a study's model believes, said so that people can look at it: in the user's units and direction.
//!
//! ```text
//!     u ~ N(m, v) in the model's units, y = ± units⁻¹(u):   mean E y,   interval y(m ± 1.96 √v)
//! ```
//!
//! Maps of outcomes are monotone, so the ends of an interval are mapped as they are; the mean is not. A class has a
//! probability instead:
//!
//! ```text
//!     P(yes) = E Φ(f) = Φ(m/√(1 + v)),   interval Φ(m ± 1.96 √v)
//! ```

use super::goal::in_units;
use super::model::{Inducing, Models};
use super::observed::{Observed, ObservedOutput};
use super::{Goal, ModelReport, Study};
use crate::data::{OutcomeTransform, PosteriorAtData};
use crate::error::{Error, Result};
use crate::kernel::{Family, Kernel, Role};
use crate::linalg::{Mat, row};
use crate::math::normal;
use crate::model::{Hyperparameters, Posterior, Prediction, leave_one_out, leave_site_out};
use crate::space::{Domain, Kind, Point};
use std::sync::Arc;

/// Standard deviations to the ends of a central 95 % interval.
const INTERVAL: f64 = 1.959_963_984_540_054;

/// Labels whose mean correlation stands for that of all.
const SOME_LABELS: usize = 200;

/// Length scales over which every kernel has fallen below 1e-300.
const FARTHEST: f64 = 1e3;

/// Halvings of an interval down to the last bit.
const HALVINGS: usize = 64;

/// What a model says of one number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CrediblePrediction {
    /// Its mean.
    pub mean: f64,
    /// Its central 95 %.
    pub interval: (f64, f64),
}

/// An outcome, and what the model of all others says of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LeaveOneOut {
    /// The trial's number.
    pub trial: u64,
    /// Its outcome.
    pub observed: f64,
    /// What the others' model says of that, noise included.
    pub predict_interval: CrediblePrediction,
    /// How many standard deviations the outcome lies above the median, in the model's units.
    pub deviations: f64,
}

impl CrediblePrediction {
    /// The probability of a yes, given the moments of the latent function.
    fn of_class(mean: f64, variance: f64) -> Self {
        let spread = INTERVAL * variance.sqrt();
        CrediblePrediction {
            mean: normal::cdf(mean / (1.0 + variance).sqrt()),
            interval: (normal::cdf(mean - spread), normal::cdf(mean + spread)),
        }
    }

    /// An outcome without noise, given its moments in the model's units, where larger is better.
    pub(super) fn new(units: &OutcomeTransform, sign: f64, mean: f64, variance: f64) -> Self {
        let spread = INTERVAL * variance.sqrt();
        let [low, high] = [-spread, spread].map(|offset| sign * bounded(units.from_model(mean + offset)));
        let (mut average, _) = units.moments(mean, variance);
        if average.is_nan() {
            // Both tails of a map that lengthens them are beyond all numbers: the median is not.
            average = units.from_model(mean);
        }
        CrediblePrediction { mean: sign * bounded(average), interval: (low.min(high), low.max(high)) }
    }
}

fn bounded(value: f64) -> f64 {
    value.clamp(f64::MIN, f64::MAX)
}

impl Study {
    /// Means and variances of an output without noise at points in the user's units; of a class, the probability of yes, P,
    /// and the variance P(1 − P) of the label. The latent function's are those of the [`posterior`](Self::posterior).
    pub fn predict(&mut self, output: usize, points: &[Point]) -> Result<Prediction> {
        let x = self.encode(points)?;
        let (sign, models) = self.current(output)?;
        let model = &models.outputs[output];
        let predicted = model.posterior.predict(x.as_ref())?;
        let likelihood = models.states[output].likelihood;
        if !likelihood.is_conjugate() {
            return Ok(likelihood.predict(&predicted, model.noise));
        }
        let Prediction { mean, variance } = predicted;
        let moments = mean.into_iter().zip(variance).map(|(mean, variance)| model.units.moments(mean, variance));
        let (mean, variance) = moments.map(|(mean, variance)| (sign * mean, variance)).unzip();
        Ok(Prediction { mean, variance })
    }

    /// The posterior of an output given everything told so far, in the model's units.
    pub fn posterior(&mut self, output: usize) -> Result<Arc<Posterior>> {
        Ok(self.current(output)?.1.outputs[output].posterior.clone())
    }

    /// The hyperparameters of an output's posterior, and the units of its outcomes (which are maximised: a minimised output
    /// has the other sign).
    pub fn hyperparameters(&mut self, output: usize) -> Result<(Hyperparameters, OutcomeTransform)> {
        let (_, models) = self.current(output)?;
        Ok((models.states[output].hyper.clone(), models.outputs[output].units))
    }

    /// How the models of everything told so far came about, one per output; an output without any outcome has its prior.
    pub fn model_reports(&mut self) -> Result<Vec<ModelReport>> {
        self.refresh()?;
        Ok(self.models()?.reports.clone())
    }

    /// Means and central 95 % intervals of an output without noise at points in the user's units; of a class, of the
    /// probability of yes.
    pub fn predict_interval(&mut self, output: usize, points: &[Point]) -> Result<Vec<CrediblePrediction>> {
        let x = self.encode(points)?;
        let (sign, models) = self.current(output)?;
        let model = &models.outputs[output];
        let classes = self.config.outputs[output].goal == Goal::Classify;
        let Prediction { mean, variance } = model.posterior.predict(x.as_ref())?;
        let one = |(mean, variance): (f64, f64)| {
            if classes {
                CrediblePrediction::of_class(mean, variance)
            } else {
                CrediblePrediction::new(&model.units, sign, mean, variance)
            }
        };
        Ok(mean.into_iter().zip(variance).map(one).collect())
    }

    /// These trials' outcomes of an output, each with what the model of all others says; trials without an outcome are passed over.
    ///
    /// "The model of all others" has the hyperparameters and inducing points of the model of all. Of a class it says the
    /// probability of yes, P, and the deviations are (y − P)/√(P(1 − P)). The deviations of an extreme outcome are those of what
    /// the model sees of it; errors that it does not see are passed over.
    pub fn leave_one_out(&mut self, output: usize, trials: &[u64]) -> Result<Vec<LeaveOneOut>> {
        let sign = self.sign(output)?;
        self.refresh()?;
        let observed = match self.table.until(self.history().tells(), &self.history) {
            Err(Error::Empty { .. }) => return Ok(Vec::new()),
            observed => observed?,
        };
        let Some(ObservedOutput { rows: own, data, .. }) = &observed.outputs[output] else { return Ok(Vec::new()) };
        let row = |trial: &u64| {
            let place = observed.records.binary_search(&(trial.checked_sub(1)? as usize)).ok()?;
            own.binary_search(&place).ok()
        };
        let rows: Vec<usize> = trials.iter().filter_map(row).collect();
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let models = self.models()?;
        let model = &models.outputs[output];
        let data = model.units.apply(data);
        let number = |row: usize| observed.records[own[row]] as u64 + 1;
        let likelihood = models.states[output].likelihood;
        if !likelihood.is_conjugate() {
            let Prediction { mean, variance } = leave_site_out(&model.posterior, &data, likelihood, &rows)?;
            let one = |(j, &row): (usize, &usize)| {
                let (observed, predicted) = (data.y()[row], CrediblePrediction::of_class(mean[j], variance[j]));
                let spread = (predicted.mean * (1.0 - predicted.mean)).sqrt().max(f64::MIN_POSITIVE);
                let deviations = (observed - predicted.mean) / spread;
                LeaveOneOut { trial: number(row), observed, predict_interval: predicted, deviations }
            };
            return Ok(rows.iter().enumerate().map(one).collect());
        }
        let Prediction { mean, variance } = leave_one_out(&model.posterior, &data, model.noise, &rows)?;
        let told = |row: usize| {
            let told = self.history.records()[observed.records[own[row]]].told[output].measurement.observed();
            told.unwrap_or_else(|| sign * model.units.from_model(data.y()[row]))
        };
        let one = |(j, &row): (usize, &usize)| LeaveOneOut {
            trial: number(row),
            observed: told(row),
            predict_interval: CrediblePrediction::new(&model.units, sign, mean[j], variance[j]),
            deviations: sign * (data.y()[row] - mean[j]) / variance[j].sqrt(),
        };
        Ok(rows.iter().enumerate().map(one).collect())
    }

    /// The share of trials whose class the model of all others gets right: the leave-one-out accuracy. `None` for an output that
    /// is no class, or without outcomes.
    pub fn accuracy(&mut self, output: usize) -> Result<Option<f64>> {
        self.sign(output)?;
        if self.config.outputs[output].goal != Goal::Classify {
            return Ok(None);
        }
        let trials: Vec<u64> = (1..=self.history().records().len() as u64).collect();
        let left_out = self.leave_one_out(output, &trials)?;
        let right = left_out.iter().filter(|one| (one.observed - one.predict_interval.mean).abs() < 0.5).count();
        Ok((!left_out.is_empty()).then(|| right as f64 / left_out.len() as f64))
    }

    /// How fast an output may change with each input: its range in length scales, 1/ℓ on the unit cube.
    ///
    /// Two categories are as far apart as the kernel over numbers would have to put them to correlate them as much; with descriptors, as
    /// much as two of them are correlated on average.
    pub fn importance(&mut self, output: usize) -> Result<Vec<f64>> {
        let kernel = self.current(output)?.1.states[output].hyper.kernel.clone();
        let parameters = kernel.roles().into_iter().zip(kernel.inputs()).zip(kernel.parameters());
        let mut importance = vec![0.0; self.config.space.dimensions().len()];
        for ((role, input), log) in parameters {
            let Some(k) = input.filter(|_| role == Role::Lengthscale) else { continue };
            let reach = match &self.config.space.dimensions()[k].domain {
                // A table may have columns that never change.
                domain if domain.is_constant() => 0.0,
                Domain::Described(choices) => {
                    let inputs = self.config.space.dimensions().len();
                    distance(
                        self.config.model.kernel.family(),
                        mean_correlation(&kernel, inputs, k, choices.choices().len()),
                    )
                }
                domain if domain.is_categorical() => distance(self.config.model.kernel.family(), (-(-log).exp()).exp()),
                _ => (-log).exp(),
            };
            importance[k] = reach.max(importance[k]);
        }
        Ok(importance)
    }

    /// Z of an output, in the user's units; `None` if the posterior is exact.
    pub fn inducing_points(&mut self, output: usize) -> Result<Option<Vec<Point>>> {
        let (_, models) = self.current(output)?;
        let Some(Inducing(z)) = &models.states[output].inducing else { return Ok(None) };
        let point = |i: usize| self.config.space.decode_anywhere(&row(z.as_ref(), i));
        (0..z.nrows()).map(point).collect::<Result<Vec<Point>>>().map(Some)
    }

    /// q, the weight of each trial with an outcome in the next choice of an output's inducing points, by the trial's number.
    pub fn quality(&mut self, output: usize) -> Result<Vec<(u64, f64)>> {
        self.sign(output)?;
        let Some(models) = self.models_of_observed()? else { return Ok(Vec::new()) };
        let quality = self.config.allocation_of(output).quality();
        let observed = self.table.until(self.history().tells(), &self.history)?;
        let Some(ObservedOutput { rows, .. }) = &observed.outputs[output] else { return Ok(Vec::new()) };
        let at_data = |k: usize| {
            let posterior = self.posterior_at_data(&models, &observed, k)?;
            Ok((models.outputs[k].units, posterior.map(|posterior| posterior.select(rows))))
        };
        let outputs = (0..models.outputs.len()).map(at_data).collect::<Result<Vec<_>>>()?;
        let context = self.config.allocation_context(&quality, output, &outputs, rows.len())?;
        let values = quality.evaluate(&context, self.config.most_inducing())?;
        let number = |row: usize| observed.records[rows[row]] as u64 + 1;
        Ok(values.into_iter().enumerate().map(|(row, q)| (number(row), q)).collect())
    }

    /// The posterior of an output at all rows that were observed; the mean stands for an outcome that is pending. `None` for an
    /// output without any outcome.
    fn posterior_at_data(
        &self,
        models: &Models,
        observed: &Observed,
        output: usize,
    ) -> Result<Option<PosteriorAtData>> {
        let (model, goal) = (&models.outputs[output], self.config.outputs[output].goal);
        let Some(ObservedOutput { rows, data, .. }) = &observed.outputs[output] else { return Ok(None) };
        let Prediction { mean, variance } = model.posterior.predict(observed.x())?;
        let (mut y, mut noise) = (mean.clone(), vec![model.noise; mean.len()]);
        let standard = model.units.apply(data);
        for (i, &row) in rows.iter().enumerate() {
            (y[row], noise[row]) = (standard.y()[i], standard.noise_of(i, model.noise));
        }
        let level = goal.level(data.y()).map_or(0.0, |level| in_units(&model.units, level));
        PosteriorAtData::new(y, mean, variance, noise)?.with_level(level).map(Some)
    }

    /// Points as models see them, [points, inputs].
    pub(super) fn encode(&self, points: &[Point]) -> Result<Mat> {
        let rows = points.iter().map(|point| self.config.space.encode_observed(point)).collect::<Result<Vec<_>>>()?;
        Ok(Mat::from_fn(rows.len(), self.config.space.dimensions().len(), |i, k| rows[i][k]))
    }
}

/// The mean correlation of two different labels of an input, of which some stand for all if there are many.
fn mean_correlation(kernel: &Kernel, inputs: usize, input: usize, labels: usize) -> f64 {
    let count = labels.min(SOME_LABELS);
    let points = Mat::from_fn(count, inputs, |i, k| if k == input { (i * labels / count) as f64 } else { 0.0 });
    let values = kernel.matrix(points.as_ref(), points.as_ref());
    let pairs = (0..count).flat_map(|i| (0..i).map(move |j| (i, j)));
    let mean = pairs.map(|(i, j)| values[(i, j)] / values[(i, i)]).sum::<f64>();
    mean / (count * (count - 1) / 2).max(1) as f64
}

/// The distance, in length scales, at which a stationary kernel has fallen to this correlation.
fn distance(family: Family, correlation: f64) -> f64 {
    let kernel = Kernel::stationary(family, 1.0, 1.0, 1);
    let at = |r: f64| kernel.matrix(Mat::zeros(1, 1).as_ref(), Mat::full(1, 1, r).as_ref())[(0, 0)];
    let (mut near, mut far) = (0.0, FARTHEST);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (near + far);
        if at(middle) > correlation { near = middle } else { far = middle }
    }
    0.5 * (near + far)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_has_the_mean_probability() {
        let close = |a: f64, b: f64| (a - b).abs() < 1e-9;
        let sure = CrediblePrediction::of_class(1.0, 0.0);
        assert!(close(sure.mean, 0.841344746069) && close(sure.interval.0, sure.interval.1), "{sure:?}");
        // ∫ Φ(f) N(f; 0.7, 0.8) df by the midpoint rule.
        let density = |f: f64| (-(f - 0.7f64).powi(2) / 1.6).exp() / (0.8f64 * std::f64::consts::TAU).sqrt();
        let step = 1e-3;
        let naive: f64 =
            (-8000..8000).map(|i| (f64::from(i) + 0.5) * step).map(|f| normal::cdf(f) * density(f) * step).sum();
        let found = CrediblePrediction::of_class(0.7, 0.8);
        assert!(close(found.mean, naive), "{found:?} {naive}");
        assert!(close(found.interval.0, normal::cdf(0.7 - INTERVAL * 0.8f64.sqrt())));
    }
}
