//! Lineages of trust regions in a study: the values of their trials, their models, and the points that these choose.
//!
//! ```text
//!     v = m + ω (y − m),   ω = 1 − σ²/s²        y outcome, m posterior mean, σ² pure error, s² noise variance of the model: noise and misfit
//!     p(f | the lineage's trials), inputs relative to its region ─▶ a path per element ─▶ its best candidate in the region
//! ```
//!
//! A model that misfits takes signal for noise: only as much of a residual as is known to be noise is taken off an outcome.

use super::choose::Chooser;
use super::config::Config;
use super::model::{Models, Surrogate};
use super::observed::Observed;
use crate::acquire::optimizer::{
    AcquisitionOptimizer, AcquisitionOptions, Excluded, Lineage, TrustRegion, TrustRegions, is_listed,
};
use crate::acquire::thompson;
use crate::error::{Error, Result};
use crate::kernel::Kernel;
use crate::linalg::{Mat, MatRef};
use crate::rng::{Purpose, uniform};
use std::ops::Range;
use std::sync::Arc;

/// Numbers of random streams from here on belong to random trials of lineages that begin.
const STREAMS: u64 = 1 << 41;

/// The part of a model's noise variance that is taken for noise as long as nothing is known of it.
const UNKNOWN: f64 = 0.5;

/// Random points tried before giving up.
const TRIES: usize = 10_000;

/// The models of every output by the trials of one lineage.
#[derive(Debug)]
pub(super) struct LineageModels {
    lineage: Lineage,
    outputs: Vec<Surrogate>,
}

/// Outcomes of the observed trials as far as they are free of noise.
pub(super) struct Denoised {
    /// For each trial each objective.
    pub objectives: Vec<Vec<f64>>,
    /// The total constraint violation of each trial.
    pub violations: Vec<f64>,
}

impl Denoised {
    /// Of these records at these points, [records, inputs].
    pub fn new(
        config: &Config,
        models: &Models,
        observed: &Observed,
        (records, x): (&[usize], MatRef<'_>),
    ) -> Result<Self> {
        let (objectives, constrained) = config.deciding(&models.outputs);
        let of = |outputs: &[usize]| {
            let one = |&k: &usize| output(config, models, observed, (records, x), k);
            outputs.iter().map(one).collect::<Result<Vec<Vec<f64>>>>()
        };
        let (objectives, values) = (of(&objectives)?, of(&constrained)?);
        let bounds: Vec<_> =
            constrained.iter().map(|&k| config.outputs[k].goal.bounds(&models.outputs[k].units)).collect();
        let deviations: Vec<f64> = values.iter().map(|values| deviation(values)).collect();
        let rows = 0..records.len();
        let violation = |row: usize| -> f64 {
            let parts = bounds.iter().zip(&values).zip(&deviations);
            parts.map(|((bounds, values), deviation)| bounds.violation(values[row]) / deviation).sum()
        };
        let objectives = rows.clone().map(|row| objectives.iter().map(|values| values[row]).collect()).collect();
        Ok(Denoised { objectives, violations: rows.map(violation).collect() })
    }
}

/// An output of some records in the units of its model, the posterior mean of those that lack it.
fn output(
    config: &Config,
    models: &Models,
    observed: &Observed,
    (records, x): (&[usize], MatRef<'_>),
    k: usize,
) -> Result<Vec<f64>> {
    let model = &models.outputs[k];
    let mut values = model.posterior.mean(x)?;
    let Some(own) = &observed.outputs[k] else { return Ok(values) };
    let error = own.pure_error(config.outputs[k].noise);
    let known = error.map(|error| error.compare(&own.data, &model.units, model.noise).variance);
    let noise = known.unwrap_or(UNKNOWN * model.noise);
    let share = if noise < model.noise { 1.0 - noise / model.noise } else { 0.0 };
    for (i, &row) in own.rows.iter().enumerate() {
        let value = model.units.to_model(own.data.y()[i]);
        let place = records.binary_search(&observed.records[row]);
        if let Some(place) = place.ok().filter(|_| value.is_finite() && !own.is_screened(i)) {
            values[place] += share * (value - values[place]);
        }
    }
    Ok(values)
}

fn deviation(values: &[f64]) -> f64 {
    let mean = values.iter().map(|value| value / values.len() as f64).sum::<f64>();
    let square = values.iter().map(|value| (value - mean).powi(2) / values.len() as f64).sum::<f64>();
    if square > 0.0 && square.is_finite() { square.sqrt() } else { 1.0 }
}

impl Chooser<'_> {
    /// The elements with these numbers: those that search the whole space, and those of each lineage, with its place.
    pub(super) fn dealt(
        &self,
        policy: Option<&dyn TrustRegions>,
        numbers: Range<usize>,
    ) -> (usize, Vec<(usize, usize)>) {
        let lineages = policy.map_or(0, |policy| policy.lineages().len());
        let mut counts = vec![0; lineages];
        let ordered = self.ordered();
        if let Some(policy) = policy.filter(|_| !is_listed(&self.config.space) && !ordered.is_empty()) {
            let places = numbers.clone().filter_map(|number| policy.lineage_of(self.rng.step, number));
            places.for_each(|place| counts[place] += 1);
        }
        let others = numbers.len() - counts.iter().sum::<usize>();
        (others, counts.into_iter().enumerate().filter(|(_, count)| *count > 0).collect())
    }

    /// Points of a lineage, [points, inputs]: random ones as long as it begins, then those that its models choose in its region.
    pub(super) fn by_lineage(&self, lineage: &Lineage, numbers: Range<usize>, excluded: &mut Excluded) -> Result<Mat> {
        if lineage.is_beginning() {
            return self.random(lineage, numbers, excluded);
        }
        let (space, ordered) = (&self.config.space, self.ordered());
        let region = lineage.region(&ordered);
        let kept =
            self.models.lineages.lock().ok().and_then(|all| all.iter().find(|own| own.lineage == *lineage).cloned());
        let models = match kept {
            Some(own) => own,
            None => {
                let fitted = Arc::new(self.lineage_models(lineage, &region)?);
                if let Ok(mut all) = self.models.lineages.lock() {
                    all.push(fitted.clone());
                }
                fitted
            }
        };
        let (objectives, constraints) = self.config.acquired(&models.outputs);
        let pareto = self.local_pareto(&objectives, &constraints)?;
        let options = AcquisitionOptions { pool: 1, near: 0, ..self.config.acquisition.clone() };
        let centre = Mat::from_fn(1, region.start.len(), |_, k| region.start[k]);
        let optimizer =
            AcquisitionOptimizer::new(space, centre.as_ref(), &options, self.rng)?.within(region, lineage.number);
        thompson(&self.context(&objectives, &constraints, &pareto, &optimizer), numbers, excluded)
    }

    /// The model of every output by the trials of a lineage, exact, of inputs relative to its region; one that none of the trials has
    /// is the model of all trials.
    fn lineage_models(&self, lineage: &Lineage, region: &TrustRegion) -> Result<LineageModels> {
        let (config, observed) = (self.config, self.all);
        let kernel = Kernel::for_space(&config.space, &config.model.kernel)?.within(&region.lower, &region.upper);
        let model = |k: usize| {
            let rows: Vec<usize> =
                lineage.trials.iter().filter_map(|&trial| observed?.row_of(k, trial as usize - 1)).collect();
            match observed.and_then(|observed| observed.outputs[k].as_ref()).filter(|_| !rows.is_empty()) {
                Some(own) => Surrogate::local(&kernel, &own.data.subset(&rows), config, k),
                None => Ok(self.models.outputs[k].clone()),
            }
        };
        let outputs = (0..config.outputs.len()).map(model).collect::<Result<_>>()?;
        Ok(LineageModels { lineage: lineage.clone(), outputs })
    }

    /// New random points, [points, inputs].
    fn random(&self, lineage: &Lineage, numbers: Range<usize>, excluded: &mut Excluded) -> Result<Mat> {
        let dimensions = self.config.space.dimensions();
        let mut points = Mat::zeros(numbers.len(), dimensions.len());
        for (i, number) in numbers.clone().enumerate() {
            let mut rng = self.rng.stream(Purpose::TrustRegion, STREAMS + (lineage.number << 24) + number as u64);
            let mut drawn = (0..TRIES).filter_map(|_| {
                let mut point: Vec<f64> = dimensions.iter().map(|_| uniform(&mut rng)).collect();
                self.config.space.scatter(&mut point, &mut rng).then_some(point)
            });
            let is_free = |point: &Vec<f64>| !excluded.contains(point);
            let point = drawn.find(is_free).ok_or(Error::Exhausted { wanted: numbers.len(), left: i })?;
            excluded.insert(&point);
            point.iter().enumerate().for_each(|(k, &v)| points[(i, k)] = v);
        }
        Ok(points)
    }

    /// Inputs along which regions extend.
    fn ordered(&self) -> Vec<usize> {
        let dimensions = self.config.space.dimensions();
        (0..dimensions.len()).filter(|&k| !dimensions[k].domain.is_categorical()).collect()
    }
}
