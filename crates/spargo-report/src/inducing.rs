//! Inducing points compared with the data and their quality.

use super::axis::Inputs;
use super::overview::point;
use super::sample::{MOST, OutputValue, evenly, failed, some, values_of};
use serde::Serialize;
use spargo::Result;
use spargo::allocate::Needs;
use spargo::space::{Point, Value};
use spargo::study::{CrediblePrediction, Study};
use std::collections::HashMap;

/// Largest number of failed points that are drawn.
const FAILED: usize = 500;

#[derive(Serialize)]
pub struct Inducing {
    /// The name of the quality, if the allocation has one.
    quality: Option<String>,
    /// Number of inducing points; `None` if the posterior is exact.
    count: Option<usize>,
    points: Vec<Place>,
    trials: Vec<Place>,
    /// Failed points.
    failed: Vec<Vec<Value>>,
}

/// A point in the space.
#[derive(Serialize)]
struct Place {
    at: Vec<Value>,
    /// The outcome of a trial, or the mean at an inducing point.
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    trial: Option<u64>,
    /// Quality relative to its largest value.
    #[serde(skip_serializing_if = "Option::is_none")]
    quality: Option<f64>,
}

impl Inducing {
    pub fn of(study: &mut Study, output: usize, inputs: &Inputs) -> Result<Self> {
        let quality = study.config().allocation_of(output).quality();
        let z = study.inducing_points(output)?;
        let failed: Vec<Vec<Value>> = failed(study).map(|(trial, _)| inputs.of_point(&trial.point)).collect();
        Ok(Inducing {
            quality: (quality.needs() != Needs::Nothing).then(|| quality.name().into()),
            count: z.as_ref().map(Vec::len),
            points: z.map_or(Ok(Vec::new()), |z| believed(study, output, inputs, &evenly(&z, MOST)))?,
            trials: trials(study, output, inputs)?,
            failed: evenly(&failed, FAILED),
        })
    }
}

fn believed(study: &mut Study, output: usize, inputs: &Inputs, z: &[Point]) -> Result<Vec<Place>> {
    let predictions = study.predict_interval(output, z)?;
    let place = |(z, prediction): (&Point, &CrediblePrediction)| Place {
        at: inputs.of_point(z),
        value: prediction.mean,
        trial: None,
        quality: None,
    };
    Ok(z.iter().zip(&predictions).map(place).collect())
}

fn trials(study: &mut Study, output: usize, inputs: &Inputs) -> Result<Vec<Place>> {
    let quality: HashMap<u64, f64> = study.quality(output)?.into_iter().collect();
    let largest = quality.values().copied().fold(0.0, f64::max);
    let place = |told: OutputValue| Place {
        at: inputs.of_point(point(study, told.trial)),
        value: told.value,
        trial: Some(told.trial),
        quality: quality.get(&told.trial).filter(|_| largest > 0.0).map(|q| q / largest),
    };
    Ok(some(study, output, &values_of(study, output)).into_iter().map(place).collect())
}
