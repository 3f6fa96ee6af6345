//! The model along each input, all others being those of the best point.

use super::axis::Inputs;
use miette::{IntoDiagnostic, Result};
use serde::Serialize;
use spargo::space::{Dimension, Point, Value};
use spargo::study::{Forecast, Study};

#[derive(Serialize)]
pub struct Slices {
    /// The trial they run through.
    trial: u64,
    /// Of each shown input, in their order.
    slices: Vec<Slice>,
}

#[derive(Serialize)]
struct Slice {
    /// The best point's own value.
    at: Value,
    x: Vec<Value>,
    mean: Vec<f64>,
    low: Vec<f64>,
    high: Vec<f64>,
}

/// Points of a slice.
const POINTS: usize = 100;

impl Slices {
    /// Through the point with the best posterior mean; none before there are outcomes.
    pub fn of(study: &mut Study, inputs: &Inputs) -> Result<Option<Self>> {
        let Some(best) = study.best().into_diagnostic()? else { return Ok(None) };
        let best = best.believed.trial;
        let mut slices = Vec::with_capacity(inputs.places.len());
        for &k in &inputs.places {
            let x = values(&study.config().space.dimensions()[k], &best.point[k])?;
            slices.push(Slice::of(study, &best.point, k, x)?);
        }
        Ok(Some(Slices { trial: best.id, slices }))
    }
}

impl Slice {
    fn of(study: &mut Study, through: &Point, k: usize, x: Vec<Value>) -> Result<Self> {
        let with = |value: &Value| {
            let mut point = through.clone();
            point[k] = value.clone();
            point
        };
        let points: Vec<Point> = x.iter().map(with).collect();
        let forecasts = study.forecast(&points).into_diagnostic()?;
        let of = |part: fn(&Forecast) -> f64| forecasts.iter().map(part).collect::<Vec<f64>>();
        Ok(Slice {
            at: through[k].clone(),
            mean: of(|forecast| forecast.mean),
            low: of(|forecast| forecast.interval.0),
            high: of(|forecast| forecast.interval.1),
            x,
        })
    }
}

/// Values all along an input; all it has if these are few, and always the given one.
fn values(dimension: &Dimension, given: &Value) -> Result<Vec<Value>> {
    let domain = &dimension.domain;
    let numbers: Vec<f64> = match domain.count() {
        Some(count) if count <= POINTS as u64 => (0..count).map(|i| domain.nth(i)).collect(),
        _ => (0..POINTS).map(|i| domain.spread(i as f64 / (POINTS - 1) as f64)).collect(),
    };
    let own = dimension.encode(given).into_diagnostic()?;
    let mut numbers: Vec<f64> = numbers.into_iter().chain([own]).collect();
    numbers.sort_by(f64::total_cmp);
    numbers.dedup();
    numbers.into_iter().map(|number| dimension.decode(number).into_diagnostic()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_reach_from_end_to_end_and_hold_the_given_one() {
        let real = values(&Dimension::real("x", 0.01, 100.0).log(), &Value::Real(3.0)).unwrap();
        assert_eq!(real.len(), POINTS + 1);
        assert!(matches!((&real[0], &real[POINTS]), (Value::Real(a), Value::Real(b)) if *a == 0.01 && *b == 100.0));
        assert!(real.iter().any(|v| matches!(v, Value::Real(x) if (x - 3.0).abs() < 1e-9)));
        let few = values(&Dimension::int("n", -2, 3), &Value::Int(0)).unwrap();
        assert_eq!(few, (-2..=3).map(Value::Int).collect::<Vec<_>>());
        let many = values(&Dimension::int("n", 0, 100_000), &Value::Int(31_415)).unwrap();
        assert!(many.contains(&Value::Int(31_415)) && many.len() <= POINTS + 1);
        let words = values(&Dimension::choice("w", &["b", "a"]), &Value::Choice("a".into())).unwrap();
        assert_eq!(words, [Value::Choice("b".into()), Value::Choice("a".into())]);
    }
}
