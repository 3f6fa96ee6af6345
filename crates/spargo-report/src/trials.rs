//! The table of trials: of a single objective the best ones, else the last ones.

use super::axis::Inputs;
use super::belief;
use super::overview::point;
use super::sample::{Told, better, told};
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
    /// Outcomes of which these are some.
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
    /// One an output; no belief if there is no model.
    outputs: Vec<Cell>,
    point: Vec<Value>,
}

#[derive(Serialize)]
struct Cell {
    observed: f64,
    mean: Option<f64>,
    interval: Option<(f64, f64)>,
}

/// An output: its outcomes by trial, and what is believed at the table's points.
struct Column {
    observed: HashMap<u64, f64>,
    forecasts: Option<Vec<CrediblePrediction>>,
}

/// Rows of the table.
const MOST: usize = 50;

impl Trials {
    /// None before there are outcomes.
    pub fn of(study: &mut Study, inputs: &Inputs) -> Result<Option<Self>> {
        let outputs = study.config().outputs.len();
        let all: Vec<Vec<Told>> = (0..outputs).map(|k| told(study, k)).collect();
        if all[0].is_empty() {
            return Ok(None);
        }
        let (trials, order) = chosen(study, &all);
        let points: Vec<Point> = trials.iter().map(|&trial| point(study, trial).clone()).collect();
        let mut columns: Vec<Column> = Vec::new();
        for (k, all) in all.iter().enumerate() {
            let observed = all.iter().map(|told| (told.trial, told.value)).collect();
            // Why there may be no model, the page says elsewhere.
            columns.push(Column { observed, forecasts: belief::of(study, k, &points).ok() });
        }
        let cell = |i: usize, trial: u64, Column { observed, forecasts }: &Column| Cell {
            observed: observed[&trial],
            mean: forecasts.as_ref().map(|forecasts| forecasts[i].mean),
            interval: forecasts.as_ref().map(|forecasts| forecasts[i].interval),
        };
        let row = |(i, &trial): (usize, &u64)| Row {
            trial,
            outputs: columns.iter().map(|column| cell(i, trial, column)).collect(),
            point: inputs.of_point(&points[i]),
        };
        Ok(Some(Trials { rows: trials.iter().enumerate().map(row).collect(), order, of: all[0].len() }))
    }
}

/// By posterior mean of the only objective, by outcome if there is no model; without one objective the last trials.
fn chosen(study: &mut Study, all: &[Vec<Told>]) -> (Vec<u64>, Order) {
    let (objectives, _) = study.config().objectives_and_constraints();
    let (mut trials, order) = match objectives[..] {
        [objective] => match study.ranking(objective) {
            Ok(ranking) => (ranking, Order::Believed),
            Err(_) => (by_outcome(study, objective, &all[objective]), Order::Observed),
        },
        _ => (all[0].iter().rev().map(|told| told.trial).collect(), Order::Latest),
    };
    if !matches!(order, Order::Latest) {
        // What keeps to all limits comes first.
        let keeps = keeping(study, all);
        trials.sort_by_key(|trial| !keeps.contains(trial));
    }
    trials.truncate(MOST);
    (trials, order)
}

fn keeping(study: &Study, all: &[Vec<Told>]) -> HashSet<u64> {
    let kept = |&i: &usize| {
        let values: Vec<f64> = all.iter().map(|outcomes| outcomes[i].value).collect();
        study.config().is_feasible(&values)
    };
    (0..all[0].len()).filter(kept).map(|i| all[0][i].trial).collect()
}

fn by_outcome(study: &Study, output: usize, all: &[Told]) -> Vec<u64> {
    let better = better(study, output);
    let mut order = all.to_vec();
    order.sort_by(|a, b| match (better(a.value, b.value), better(b.value, a.value)) {
        (true, _) => Ordering::Less,
        (_, true) => Ordering::Greater,
        _ => a.trial.cmp(&b.trial),
    });
    order.iter().map(|told| told.trial).collect()
}
