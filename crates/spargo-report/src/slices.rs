//! The model along each input, with all others fixed at one trial's.

use super::axis::Inputs;
use serde::Serialize;
use spargo::Result;
use spargo::space::{Dimension, Point, Value};
use spargo::study::{CrediblePrediction, Study, Trial};

/// Largest number of points of a slice, besides the trial's own.
const POINTS: usize = 100;

#[derive(Serialize)]
pub struct Slices {
    /// The trial they run through, and what it is.
    trial: u64,
    which: &'static str,
    /// One slice per shown input.
    slices: Vec<Slice>,
}

#[derive(Serialize)]
struct Slice {
    /// The value of the trial.
    at: Value,
    x: Vec<Value>,
    mean: Vec<f64>,
    low: Vec<f64>,
    high: Vec<f64>,
    /// Whether each point may be evaluated, if some may not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    feasible: Vec<bool>,
}

impl Slices {
    /// The slices of an output through a trial.
    pub fn of(study: &mut Study, output: usize, inputs: &Inputs, through: &Through) -> Result<Self> {
        let best = &through.trial;
        let mut slices = Vec::with_capacity(inputs.places.len());
        for &k in &inputs.places {
            let dimension = &study.config().space.dimensions()[k];
            // An input without a value there has no slice.
            let is_inactive = best.point[k] == Value::Null && dimension.when.is_some();
            let x = if is_inactive { Vec::new() } else { values(dimension, &best.point[k], POINTS)? };
            slices.push(Slice::of(study, output, &best.point, k, x)?);
        }
        Ok(Slices { trial: best.id, which: through.which, slices })
    }
}

impl Slice {
    fn of(study: &mut Study, output: usize, through: &Point, k: usize, x: Vec<Value>) -> Result<Self> {
        let with = |value: &Value| {
            let mut point = through.clone();
            point[k] = value.clone();
            study.config().space.nearest_with(&point, k)
        };
        let points: Vec<Point> = x.iter().map(with).collect::<Result<_>>()?;
        let mut feasible: Vec<bool> = points.iter().map(|point| study.config().space.contains(point)).collect();
        if feasible.iter().all(|&feasible| feasible) {
            feasible.clear();
        }
        let predictions = study.predict_interval(output, &points)?;
        let of = |part: fn(&CrediblePrediction) -> f64| predictions.iter().map(part).collect::<Vec<f64>>();
        Ok(Slice {
            at: through[k].clone(),
            mean: of(|prediction| prediction.mean),
            low: of(|prediction| prediction.interval.0),
            high: of(|prediction| prediction.interval.1),
            x,
            feasible,
        })
    }
}

/// The trial that slices and maps run through.
pub struct Through {
    pub trial: Trial,
    pub which: &'static str,
}

impl Through {
    /// The believed best; for several objectives, the middle of the believed front; if none is feasible or there is no
    /// objective, the trial with the median prediction of the first output.
    pub fn of(study: &mut Study) -> Result<Option<Self>> {
        if let Some(best) = study.best()? {
            return Ok(Some(Through { trial: best.believed.trial, which: "the believed best" }));
        }
        let (objectives, _) = study.config().objectives_and_constraints();
        let mut front = if objectives.is_empty() { Vec::new() } else { study.fronts()?.believed };
        if !front.is_empty() {
            let trial = front.swap_remove(front.len() / 2).trial;
            return Ok(Some(Through { trial, which: "in the middle of the believed front" }));
        }
        let ranking = study.ranking(0)?;
        let middle = ranking.get(ranking.len() / 2).and_then(|&id| Some(study.trial(id)?.trial.clone()));
        Ok(middle.map(|trial| Through { trial, which: "the median trial by belief" }))
    }
}

/// As many values along an input, or all it has if these are fewer, and always the given one, if it has one.
pub fn values(dimension: &Dimension, given: &Value, points: usize) -> Result<Vec<Value>> {
    let domain = &dimension.domain;
    let numbers: Vec<f64> = match domain.count() {
        Some(count) if count <= points as u64 => (0..count).map(|i| domain.nth(i)).collect(),
        _ => (0..points).map(|i| domain.from_unit(i as f64 / (points - 1) as f64)).collect(),
    };
    let is_missing = *given == Value::Null && dimension.when.is_some();
    let own = if is_missing { None } else { Some(dimension.encode_observed(given)?.clamp(0.0, domain.largest())) };
    let mut numbers: Vec<f64> = numbers.into_iter().chain(own).collect();
    numbers.sort_by(f64::total_cmp);
    numbers.dedup();
    numbers.into_iter().map(|number| dimension.decode(number)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_span_the_domain_and_include_the_given_one() {
        let real = values(&Dimension::real("x", 0.01, 100.0).log(), &Value::Real(3.0), POINTS).unwrap();
        assert_eq!(real.len(), POINTS + 1);
        assert!(matches!((&real[0], &real[POINTS]), (Value::Real(a), Value::Real(b)) if *a == 0.01 && *b == 100.0));
        assert!(real.iter().any(|v| matches!(v, Value::Real(x) if (x - 3.0).abs() < 1e-9)));
        let few = values(&Dimension::int("n", -2, 3), &Value::Int(0), POINTS).unwrap();
        assert_eq!(few, (-2..=3).map(Value::Int).collect::<Vec<_>>());
        let many = values(&Dimension::int("n", 0, 100_000), &Value::Int(31_415), POINTS).unwrap();
        assert!(many.contains(&Value::Int(31_415)) && many.len() <= POINTS + 1);
        let words = values(&Dimension::choice("w", &["b", "a"]), &Value::Choice("a".into()), POINTS).unwrap();
        assert_eq!(words, [Value::Choice("b".into()), Value::Choice("a".into())]);
    }
}
