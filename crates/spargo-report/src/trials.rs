//! The table of trials: the best ones for a single objective, otherwise the latest.

use super::axis::Inputs;
use super::overview::point;
use super::sample::{OutputValue, better, values_of};
use serde::Serialize;
use spargo::Result;
use spargo::space::{Point, Value};
use spargo::study::{CrediblePrediction, Study};
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

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
    observed: f64,
    mean: Option<f64>,
    interval: Option<(f64, f64)>,
}

/// An output: its outcomes by trial, and predictions at the table's points.
struct Column {
    observed: HashMap<u64, f64>,
    predictions: Option<Vec<CrediblePrediction>>,
}

/// Rows of the table.
const MOST: usize = 50;

impl Trials {
    /// The table; none before there are outcomes.
    pub fn of(study: &mut Study, inputs: &Inputs) -> Result<Option<Self>> {
        let outputs = study.config().outputs.len();
        let all: Vec<Vec<OutputValue>> = (0..outputs).map(|k| values_of(study, k)).collect();
        if all[0].is_empty() {
            return Ok(None);
        }
        let (trials, order) = chosen(study, &all);
        let points: Vec<Point> = trials.iter().map(|&trial| point(study, trial).clone()).collect();
        let mut columns: Vec<Column> = Vec::new();
        for (k, all) in all.iter().enumerate() {
            let observed = all.iter().map(|told| (told.trial, told.value)).collect();
            // Another section says why there is no model.
            columns.push(Column { observed, predictions: study.predict_interval(k, &points).ok() });
        }
        let cell = |i: usize, trial: u64, Column { observed, predictions }: &Column| Cell {
            observed: observed[&trial],
            mean: predictions.as_ref().map(|predictions| predictions[i].mean),
            interval: predictions.as_ref().map(|predictions| predictions[i].interval),
        };
        let row = |(i, &trial): (usize, &u64)| Row {
            trial,
            outputs: columns.iter().map(|column| cell(i, trial, column)).collect(),
            point: inputs.of_point(&points[i]),
        };
        Ok(Some(Trials { rows: trials.iter().enumerate().map(row).collect(), order, of: all[0].len() }))
    }
}

/// The trials and their order: by posterior mean of the only objective, by outcome if there is no model, and the latest
/// without a single objective.
fn chosen(study: &mut Study, all: &[Vec<OutputValue>]) -> (Vec<u64>, Order) {
    let (objectives, _) = study.config().objectives_and_constraints();
    let (mut trials, order) = match objectives[..] {
        [objective] => match study.ranking(objective) {
            Ok(ranking) => (ranking, Order::Believed),
            Err(_) => (by_outcome(study, objective, &all[objective]), Order::Observed),
        },
        _ => (all[0].iter().rev().map(|told| told.trial).collect(), Order::Latest),
    };
    if !matches!(order, Order::Latest) {
        // Feasible trials come first.
        let feasible: HashSet<u64> = study.feasible().map(|(trial, _)| trial.id).collect();
        trials.sort_by_key(|trial| !feasible.contains(trial));
    }
    trials.truncate(MOST);
    (trials, order)
}

fn by_outcome(study: &Study, output: usize, all: &[OutputValue]) -> Vec<u64> {
    let better = better(study, output);
    let mut order = all.to_vec();
    order.sort_by(|a, b| match (better(a.value, b.value), better(b.value, a.value)) {
        (true, _) => Ordering::Less,
        (_, true) => Ordering::Greater,
        _ => a.trial.cmp(&b.trial),
    });
    order.iter().map(|told| told.trial).collect()
}
