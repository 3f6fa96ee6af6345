//! The table of the best trials.

use super::axis::Inputs;
use super::overview::point;
use super::sample::{Told, better, told};
use miette::{IntoDiagnostic, Result};
use serde::Serialize;
use spargo::space::{Point, Value};
use spargo::study::{Forecast, Study};
use std::cmp::Ordering;
use std::collections::HashMap;

#[derive(Serialize)]
pub struct Trials {
    rows: Vec<Row>,
    /// Outcomes of which these are the best.
    of: usize,
}

#[derive(Serialize)]
struct Row {
    trial: u64,
    observed: f64,
    mean: Option<f64>,
    interval: Option<(f64, f64)>,
    point: Vec<Value>,
}

/// Rows of the table.
const MOST: usize = 50;

impl Trials {
    /// By posterior mean, by outcome if there is no model; none before there are outcomes.
    pub fn of(study: &mut Study, inputs: &Inputs) -> Result<Option<Self>> {
        let all = told(study);
        if all.is_empty() {
            return Ok(None);
        }
        let (best, forecasts) = match study.ranking() {
            Ok(mut ranking) => {
                ranking.truncate(MOST);
                let points: Vec<Point> = ranking.iter().map(|&trial| point(study, trial).clone()).collect();
                (ranking, Some(study.forecast(&points).into_diagnostic()?))
            }
            // The page says why.
            Err(_) => (by_outcome(study, &all), None),
        };
        let values: HashMap<u64, f64> = all.iter().map(|told| (told.trial, told.value)).collect();
        let row = |(i, &trial): (usize, &u64)| {
            let forecast: Option<Forecast> = forecasts.as_ref().map(|forecasts| forecasts[i]);
            Row {
                trial,
                observed: values[&trial],
                mean: forecast.map(|forecast| forecast.mean),
                interval: forecast.map(|forecast| forecast.interval),
                point: inputs.of_point(point(study, trial)),
            }
        };
        Ok(Some(Trials { rows: best.iter().enumerate().map(row).collect(), of: all.len() }))
    }
}

fn by_outcome(study: &Study, all: &[Told]) -> Vec<u64> {
    let better = better(study);
    let mut order = all.to_vec();
    order.sort_by(|a, b| match (better(a.value, b.value), better(b.value, a.value)) {
        (true, _) => Ordering::Less,
        (_, true) => Ordering::Greater,
        _ => a.trial.cmp(&b.trial),
    });
    order.iter().take(MOST).map(|told| told.trial).collect()
}
