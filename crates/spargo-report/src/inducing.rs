//! Where the inducing points sit, against the data and their quality.

use super::axis::Inputs;
use super::belief;
use super::overview::point;
use super::sample::{MOST, evenly, some, told};
use serde::Serialize;
use spargo::Result;
use spargo::allocate::Needs;
use spargo::space::{Point, Value};
use spargo::study::{Outcome, Study};
use std::collections::HashMap;

#[derive(Serialize)]
pub struct Inducing {
    /// The name of the quality, if points are weighed at all.
    quality: Option<String>,
    /// Inducing points there are; `None` if the posterior is exact.
    count: Option<usize>,
    points: Vec<Place>,
    trials: Vec<Place>,
    /// Points that failed.
    failed: Vec<Vec<Value>>,
}

/// Something in the space.
#[derive(Serialize)]
struct Place {
    at: Vec<Value>,
    /// The outcome of a trial, the mean at an inducing point.
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    trial: Option<u64>,
    /// q over its largest value.
    #[serde(skip_serializing_if = "Option::is_none")]
    quality: Option<f64>,
}

/// Failed points that are drawn.
const FAILED: usize = 500;

impl Inducing {
    pub fn of(study: &mut Study, output: usize, inputs: &Inputs) -> Result<Self> {
        let quality = study.config().allocation_of(output).quality();
        let z = study.inducing_points(output)?;
        Ok(Inducing {
            quality: (quality.needs() != Needs::Nothing).then(|| quality.name().into()),
            count: z.as_ref().map(Vec::len),
            points: z.map_or(Ok(Vec::new()), |z| believed(study, output, inputs, &evenly(&z, MOST)))?,
            trials: trials(study, output, inputs)?,
            failed: failed(study, inputs),
        })
    }
}

fn believed(study: &mut Study, output: usize, inputs: &Inputs, z: &[Point]) -> Result<Vec<Place>> {
    let forecasts = belief::of(study, output, z)?;
    let place = |(z, mean): (&Point, f64)| Place { at: inputs.of_point(z), value: mean, trial: None, quality: None };
    Ok(z.iter().zip(forecasts.iter().map(|predict_interval| predict_interval.mean)).map(place).collect())
}

fn trials(study: &mut Study, output: usize, inputs: &Inputs) -> Result<Vec<Place>> {
    let quality: HashMap<u64, f64> = study.quality(output)?.into_iter().collect();
    let largest = quality.values().copied().fold(0.0, f64::max);
    let place = |told: super::sample::Told| Place {
        at: inputs.of_point(point(study, told.trial)),
        value: told.value,
        trial: Some(told.trial),
        quality: quality.get(&told.trial).filter(|_| largest > 0.0).map(|q| q / largest),
    };
    Ok(some(study, output, &told(study, output)).into_iter().map(place).collect())
}

fn failed(study: &Study, inputs: &Inputs) -> Vec<Vec<Value>> {
    let failed = study
        .history()
        .records()
        .iter()
        .filter(|record| matches!(record.told.as_ref().map(|told| &told.outcome), Some(Outcome::Failed { .. })));
    let all: Vec<&Point> = failed.map(|record| &record.trial.point).collect();
    evenly(&all, FAILED).into_iter().map(|point| inputs.of_point(point)).collect()
}
