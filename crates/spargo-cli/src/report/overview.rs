//! What the study is and has found so far.

use super::axis::Inputs;
use super::sample::{Told, better, evenly, some, told};
use miette::{IntoDiagnostic, Result};
use serde::Serialize;
use spargo::space::{Point, Value};
use spargo::study::{Outcome, Study};
use std::collections::HashMap;

#[derive(Serialize)]
pub struct Overview {
    name: String,
    observed: usize,
    failed: usize,
    pending: usize,
    best: Option<Best>,
    /// The best outcome so far, wherever it changes: (trial, outcome).
    curve: Vec<(u64, f64)>,
    last: u64,
    points: Vec<Dot>,
    /// Trials that failed.
    failures: Vec<u64>,
    /// Why, the most frequent first.
    reasons: Vec<(String, usize)>,
    settings: Vec<(&'static str, String)>,
}

#[derive(Serialize)]
struct Best {
    believed: Option<Believed>,
    trial: u64,
    value: f64,
    point: Vec<Value>,
}

#[derive(Serialize)]
struct Believed {
    trial: u64,
    mean: f64,
    interval: (f64, f64),
    point: Vec<Value>,
}

#[derive(Serialize)]
struct Dot {
    trial: u64,
    value: f64,
    origin: Origin,
}

/// Who chose a point.
#[derive(Serialize, Clone, Copy, PartialEq, Debug)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    Design,
    Model,
    Added,
}

/// Trials that are marked as failed.
const FAILURES: usize = 500;

/// Reasons that are listed.
const REASONS: usize = 8;

impl Overview {
    pub fn of(study: &mut Study, inputs: &Inputs) -> Result<Self> {
        let all = told(study);
        // A model that cannot be had is said elsewhere.
        let believed = study.best().ok().flatten().map(|best| Believed {
            trial: best.believed.trial.id,
            mean: best.believed.mean,
            interval: best.believed.interval,
            point: inputs.of_point(&best.believed.trial.point),
        });
        let (curve, best) = improvements(study, &all);
        let origins = origins(study)?;
        let dot = |told: Told| Dot { trial: told.trial, value: told.value, origin: origins[told.trial as usize - 1] };
        let (failures, reasons) = failures(study);
        let records = study.history().records();
        Ok(Overview {
            name: study.config().name.clone(),
            observed: all.len(),
            failed: failures.len(),
            pending: records.len() - all.len() - failures.len(),
            best: best.map(|told| Best {
                believed,
                trial: told.trial,
                value: told.value,
                point: inputs.of_point(point(study, told.trial)),
            }),
            curve,
            last: records.len() as u64,
            points: some(study, &all).into_iter().map(dot).collect(),
            failures: evenly(&failures, FAILURES),
            reasons,
            settings: settings(study),
        })
    }
}

/// The point of a trial.
pub fn point(study: &Study, trial: u64) -> &Point {
    &study.history().records()[trial as usize - 1].trial.point
}

fn improvements(study: &Study, all: &[Told]) -> (Vec<(u64, f64)>, Option<Told>) {
    let better = better(study);
    let (mut curve, mut best): (_, Option<Told>) = (Vec::new(), None);
    for &told in all {
        if best.is_none_or(|best| better(told.value, best.value)) {
            curve.push((told.trial, told.value));
            best = Some(told);
        }
    }
    (curve, best)
}

/// Who chose each trial.
fn origins(study: &Study) -> Result<Vec<Origin>> {
    let design: HashMap<u64, usize> =
        study.reports().into_diagnostic()?.into_iter().map(|report| (report.step, report.design)).collect();
    let mut places: HashMap<u64, usize> = HashMap::new();
    let origin = |record: &spargo::study::store::Record| match record.ask {
        None => Origin::Added,
        Some(ask) => {
            let place = places.entry(ask).or_default();
            *place += 1;
            if *place <= design.get(&ask).copied().unwrap_or(0) { Origin::Design } else { Origin::Model }
        }
    };
    Ok(study.history().records().iter().map(origin).collect())
}

fn failures(study: &Study) -> (Vec<u64>, Vec<(String, usize)>) {
    let (mut trials, mut reasons): (_, HashMap<&str, usize>) = (Vec::new(), HashMap::new());
    for record in study.history().records() {
        if let Some(Outcome::Failed { reason }) = record.told.as_ref().map(|told| &told.outcome) {
            trials.push(record.trial.id);
            *reasons.entry(reason).or_default() += 1;
        }
    }
    let mut reasons: Vec<(String, usize)> = reasons.into_iter().map(|(reason, count)| (reason.into(), count)).collect();
    reasons.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    reasons.truncate(REASONS);
    (trials, reasons)
}

fn settings(study: &Study) -> Vec<(&'static str, String)> {
    let config = study.config();
    let word = |value: serde_json::Result<serde_json::Value>| match value {
        Ok(serde_json::Value::String(word)) => word,
        Ok(serde_json::Value::Object(table)) => {
            table.get("method").and_then(|method| method.as_str()).unwrap_or_default().to_string()
        }
        _ => String::new(),
    };
    vec![
        ("Asked for", format!("{} spread points, then batches of {}", config.initial, config.batch)),
        ("Rule", word(serde_json::to_value(config.rule))),
        ("Inducing points", format!("{} by {}", config.inducing, word(serde_json::to_value(config.allocation)))),
        ("Kernel", word(serde_json::to_value(config.model.kernel))),
        ("Seed", config.seed.to_string()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use spargo::space::{Dimension, Space};
    use spargo::study::Config;

    #[test]
    fn who_chose_a_point_is_told_apart() {
        let space = Space::new(vec![Dimension::real("x", 0.0, 1.0)]).unwrap();
        let mut study = Study::in_memory(Config { initial: 3, ..Config::new(space) }).unwrap();
        study.add(&[(vec![Value::Real(0.5)], Some(Outcome::value(1.0)))]).unwrap();
        let asked = study.ask(4).unwrap();
        study.tell(&[(asked[0].id, Outcome::value(2.0)), (asked[1].id, Outcome::failed("late"))]).unwrap();
        use Origin::*;
        assert_eq!(origins(&study).unwrap(), [Added, Design, Design, Model, Model]);
        let inputs = Inputs::of(study.config(), &[]);
        let overview = Overview::of(&mut study, &inputs).unwrap();
        assert_eq!((overview.observed, overview.failed, overview.pending), (2, 1, 2));
        assert_eq!(overview.curve, [(1, 1.0), (2, 2.0)]);
        assert_eq!(overview.reasons, [("late".to_string(), 1)]);
    }
}
