//! The table of trials: the best ones for a single objective, otherwise the latest.

use super::axis::Inputs;
use super::overview::point;
use super::sample::{OutputValue, best_first, values_of};
use serde::Serialize;
use spargo::Result;
use spargo::space::{Point, Value};
use spargo::study::Study;
use std::collections::HashSet;

/// Rows of the table.
const MOST: usize = 50;

#[derive(Serialize)]
pub struct Trials {
    rows: Vec<Row>,
    order: Order,
    /// Number of outcomes in all.
    of: usize,
}

/// Which trials, and in which order.
#[derive(Serialize, Clone, Copy)]
#[serde(rename_all = "kebab-case")]
enum Order {
    Believed,
    Observed,
    Latest,
}

#[derive(Serialize)]
struct Row {
    trial: u64,
    /// One per output; without prediction if there is no model.
    outputs: Vec<Cell>,
    point: Vec<Value>,
}

#[derive(Serialize)]
struct Cell {
    observed: Option<f64>,
    mean: Option<f64>,
    interval: Option<(f64, f64)>,
}

impl Trials {
    /// The table; none before there are outcomes.
    pub fn of(study: &mut Study, inputs: &Inputs) -> Result<Option<Self>> {
        let outputs = study.config().outputs.len();
        let all = values_of(study, 0);
        if all.is_empty() {
            return Ok(None);
        }
        let (trials, order) = chosen(study, &all);
        let points: Vec<Point> = trials.iter().map(|&trial| point(study, trial).clone()).collect();
        // Another section says why there is no model.
        let predictions: Vec<_> = (0..outputs).map(|k| study.predict_interval(k, &points).ok()).collect();
        let value = |trial: u64, k: usize| study.trial(trial).and_then(|record| record.told[k].measurement.observed());
        let cell = |i: usize, k: usize| {
            let prediction = predictions[k].as_ref().map(|predictions| predictions[i]);
            Cell {
                observed: value(trials[i], k),
                mean: prediction.map(|prediction| prediction.mean),
                interval: prediction.map(|prediction| prediction.interval),
            }
        };
        let row = |(i, &trial): (usize, &u64)| Row {
            trial,
            outputs: (0..outputs).map(|k| cell(i, k)).collect(),
            point: inputs.of_point(&points[i]),
        };
        Ok(Some(Trials { rows: trials.iter().enumerate().map(row).collect(), order, of: all.len() }))
    }
}

/// The trials and their order: by what is believed of the only objective, by outcome if there is no model, and the latest
/// without a single objective.
fn chosen(study: &mut Study, all: &[OutputValue]) -> (Vec<u64>, Order) {
    let (objectives, _) = study.config().objectives_and_constraints();
    let (mut trials, order) = match objectives[..] {
        [objective] => match study.ranking(objective) {
            Ok(ranking) => (ranking, Order::Believed),
            Err(_) => {
                let ranking = best_first(study, objective, &values_of(study, objective));
                (ranking.iter().map(|told| told.trial).collect(), Order::Observed)
            }
        },
        _ => (all.iter().rev().map(|told| told.trial).collect(), Order::Latest),
    };
    if matches!(order, Order::Observed) {
        // Feasible trials come first, as they do in a ranking.
        let feasible: HashSet<u64> = study.feasible().map(|(trial, _)| trial.id).collect();
        trials.sort_by_key(|trial| !feasible.contains(trial));
    }
    trials.truncate(MOST);
    (trials, order)
}
