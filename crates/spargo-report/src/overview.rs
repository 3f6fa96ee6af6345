//! What the study is and has found so far.

use super::axis::Inputs;
use super::sample::{OutputValue, better, evenly, failed, some, values_of};
use serde::Serialize;
use spargo::Result;
use spargo::space::{Point, Value};
use spargo::study::{Config, CountOrAuto, Goal, Study};
use std::collections::{HashMap, HashSet};

/// Largest number of failed trials that are marked.
const FAILURES: usize = 500;

/// Largest number of reasons that are listed.
const REASONS: usize = 8;

#[derive(Serialize)]
pub struct Overview {
    name: String,
    observed: usize,
    failed: usize,
    pending: usize,
    /// For a single objective.
    best: Option<Best>,
    last: u64,
    /// One per output.
    courses: Vec<Course>,
    /// If there are constraints.
    feasibility: Option<Feasibility>,
    /// Failed trials.
    failures: Vec<u64>,
    /// Reasons of failures with their numbers, the most frequent first.
    reasons: Vec<(String, usize)>,
    /// What is to be known about extreme outcomes.
    warnings: Vec<String>,
    settings: Vec<(&'static str, String)>,
}

/// The outcomes of one output over the trials.
#[derive(Serialize)]
struct Course {
    /// The best feasible outcome so far of an objective, wherever it changes: (trial, outcome).
    curve: Vec<(u64, f64)>,
    points: Vec<Dot>,
}

/// Numbers of feasible outcomes.
#[derive(Serialize)]
struct Feasibility {
    /// Outcomes that satisfy all constraints.
    all: usize,
    /// (output, outcomes that satisfy its constraint).
    each: Vec<(usize, usize)>,
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

/// How a point was chosen.
#[derive(Serialize, Clone, Copy, PartialEq, Debug)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    Design,
    Model,
    Added,
}

impl Overview {
    pub fn of(study: &mut Study, inputs: &Inputs) -> Result<Self> {
        let (objectives, limited) = study.config().objectives_and_constraints();
        // Another section says why there is no model.
        let believed = study.best().ok().flatten().filter(|best| best.feasible).map(|best| Believed {
            trial: best.believed.trial.id,
            mean: best.believed.mean,
            interval: best.believed.interval,
            point: inputs.of_point(&best.believed.trial.point),
        });
        let origins = origins(study)?;
        let feasible: HashSet<u64> = study.feasible().map(|(trial, _)| trial.id).collect();
        let single = if let [objective] = objectives[..] { improvements(study, objective, &feasible).1 } else { None };
        let courses = (0..study.config().outputs.len()).map(|k| Course::of(study, k, &feasible, &origins)).collect();
        let feasibility = limited.iter().any(|&k| matches!(study.config().outputs[k].goal, Goal::Constraint { .. }));
        let (failures, reasons) = failures(study);
        let counts = study.counts();
        Ok(Overview {
            name: study.config().name.clone(),
            observed: counts.observed,
            failed: counts.failed,
            pending: counts.pending,
            best: single.map(|told| Best {
                believed,
                trial: told.trial,
                value: told.value,
                point: inputs.of_point(point(study, told.trial)),
            }),
            last: study.history().records().len() as u64,
            courses,
            feasibility: feasibility.then(|| Feasibility::of(study, &limited, &feasible)),
            failures: evenly(&failures, FAILURES),
            reasons,
            warnings: study.warnings().iter().map(ToString::to_string).collect(),
            settings: settings(study),
        })
    }
}

/// The point of a trial.
pub fn point(study: &Study, trial: u64) -> &Point {
    &study.history().records()[trial as usize - 1].trial.point
}

impl Course {
    fn of(study: &Study, output: usize, feasible: &HashSet<u64>, origins: &[Origin]) -> Self {
        let dot =
            |told: OutputValue| Dot { trial: told.trial, value: told.value, origin: origins[told.trial as usize - 1] };
        let is_objective = study.config().outputs[output].goal.is_objective();
        let curve = if is_objective { improvements(study, output, feasible).0 } else { Vec::new() };
        Course { curve, points: some(study, output, &values_of(study, output)).into_iter().map(dot).collect() }
    }
}

impl Feasibility {
    fn of(study: &Study, limited: &[usize], feasible: &HashSet<u64>) -> Self {
        let kept = |&k: &usize| {
            let goal = study.config().outputs[k].goal;
            (k, values_of(study, k).iter().filter(|told| goal.is_satisfied_by(told.value)).count())
        };
        Feasibility { all: feasible.len(), each: limited.iter().map(kept).collect() }
    }
}

fn improvements(study: &Study, output: usize, feasible: &HashSet<u64>) -> (Vec<(u64, f64)>, Option<OutputValue>) {
    let better = better(study, output);
    let (mut curve, mut best): (_, Option<OutputValue>) = (Vec::new(), None);
    for told in values_of(study, output).into_iter().filter(|told| feasible.contains(&told.trial)) {
        if best.is_none_or(|best| better(told.value, best.value)) {
            curve.push((told.trial, told.value));
            best = Some(told);
        }
    }
    (curve, best)
}

/// How each trial was chosen.
fn origins(study: &Study) -> Result<Vec<Origin>> {
    let design: HashMap<u64, usize> = study.reports()?.into_iter().map(|report| (report.step, report.design)).collect();
    let mut places: HashMap<u64, usize> = HashMap::new();
    let origin = |record: &spargo::study::Record| match record.ask {
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
    for (trial, reason) in failed(study) {
        trials.push(trial.id);
        *reasons.entry(reason).or_default() += 1;
    }
    let mut reasons: Vec<(String, usize)> = reasons.into_iter().map(|(reason, count)| (reason.into(), count)).collect();
    reasons.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    reasons.truncate(REASONS);
    (trials, reasons)
}

fn settings(study: &Study) -> Vec<(&'static str, String)> {
    let config = study.config();
    vec![
        ("Asked for", format!("{} spread points, then batches of {}", config.initial_count(), config.batch)),
        ("Rule", config.rule().name.into()),
        ("Inducing points", format!("{} by {}", inducing(config), allocations(config))),
        ("Kernel", config.model.kernel.names().join(" + ")),
        ("Seed", config.seed.to_string()),
    ]
}

/// How many inducing points a model has.
fn inducing(config: &Config) -> String {
    match config.inducing {
        CountOrAuto::Auto => format!("auto, at most {}", config.most_inducing()),
        CountOrAuto::Count(count) => count.to_string(),
    }
}

/// The methods by which the outputs' inducing points are chosen.
fn allocations(config: &Config) -> String {
    let name = |k: usize| match serde_json::to_value(config.allocation_of(k)) {
        Ok(table) => table.get("method").and_then(|method| method.as_str()).unwrap_or_default().to_string(),
        Err(_) => String::new(),
    };
    let mut names: Vec<String> = (0..config.outputs.len()).map(name).collect();
    names.dedup();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use spargo::space::{Dimension, Space};
    use spargo::study::Outcome;

    #[test]
    fn trials_are_counted_by_origin_and_outcome() {
        let space = Space::new(vec![Dimension::real("x", 0.0, 1.0)]).unwrap();
        let mut study = Study::in_memory(Config { initial: 3.into(), ..Config::new(space) }).unwrap();
        study.add(&[(vec![Value::Real(0.5)], Some(Outcome::value(1.0)))]).unwrap();
        let asked = study.ask(4).unwrap();
        study.tell(&[(asked[0].id, Outcome::value(2.0)), (asked[1].id, Outcome::failed("late"))]).unwrap();
        use Origin::*;
        assert_eq!(origins(&study).unwrap(), [Added, Design, Design, Model, Model]);
        let inputs = Inputs::of(study.config(), &[]);
        let overview = Overview::of(&mut study, &inputs).unwrap();
        assert_eq!((overview.observed, overview.failed, overview.pending), (2, 1, 2));
        assert_eq!(overview.courses[0].curve, [(1, 1.0), (2, 2.0)]);
        assert_eq!(overview.reasons, [("late".to_string(), 1)]);
    }
}
