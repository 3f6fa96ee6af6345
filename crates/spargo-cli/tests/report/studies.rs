//! Studies of every kind, made by the library in files of their own.

use super::common::stdout;
use spargo::space::{Dimension, Point, Space, Value};
use spargo::study::{Activity, Config, Goal, Outcome, Output, Refit, Study, Trial};
use std::path::{Path, PathBuf};

/// Names that would break a page that trusts them.
pub const NASTY: &str =
    "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>\"'&amp; ü 漢字 \u{2028}";

/// An empty folder of this test's own, the same in every run.
pub fn folder(name: &str) -> PathBuf {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("main").replace(':', "-");
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("report").join(test).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

pub fn space() -> Space {
    Space::new(vec![
        Dimension::real("temperature / °C", -20.0, 80.0),
        Dimension::real("rate", 1e-4, 1.0).log(),
        Dimension::int("layers", 1, 8),
        Dimension::choice("metal", &["Pd", "Ni", "Cu", NASTY]),
    ])
    .unwrap()
}

/// Settings that are quick; sparse as soon as there are more data than inducing points.
pub fn quick(space: Space) -> Config {
    let mut config = Config::new(space);
    (config.initial, config.batch, config.inducing) = (12.into(), 10, 20.into());
    config.model.exact_until = 0;
    config.sampling.features = 64;
    (config.acquisition.pool, config.acquisition.near, config.acquisition.starts) = (200, 50, 1);
    config
}

/// A bowl over whatever space, and a failure now and then.
pub fn outcome(space: &Space, trial: &Trial) -> Outcome {
    if trial.id % 13 == 7 {
        return Outcome::failed(format!("{NASTY} {}", trial.id % 2));
    }
    let numbers = space.encode(&trial.point).unwrap();
    Outcome::value(3.0 - numbers.iter().map(|x| (x - 0.4).powi(2)).sum::<f64>() + 0.01 * (trial.id as f64).sin())
}

/// Asks and tells, and leaves the last asks pending.
pub fn grow(study: &mut Study, asks: &[usize], pending: usize, outcome: impl Fn(&Space, &Trial) -> Outcome) {
    for &count in asks {
        let trials = study.ask(count).unwrap();
        let told: Vec<_> = trials.iter().map(|trial| (trial.id, outcome(&study.config().space, trial))).collect();
        study.tell(&told).unwrap();
    }
    study.ask(pending).unwrap();
}

fn made(name: &str, config: Config, fill: impl FnOnce(&mut Study)) -> (String, PathBuf) {
    let path = folder(name).join("study.db");
    let mut study = Study::create(&path, config).unwrap();
    fill(&mut study);
    (name.into(), path)
}

/// Sparse, minimised, with failures, pending trials, every kind of input and names of markup.
pub fn mixed() -> (String, PathBuf) {
    let mut config = quick(space());
    config.name = NASTY.into();
    config.outputs[0].goal = Goal::Minimize;
    config.outputs[0].name = format!("loss {NASTY}");
    made("mixed", config, |study| {
        grow(study, &[12, 15, 15], 4, |space, trial| match outcome(space, trial) {
            Outcome::Measured(measured) => Outcome::values(measured[0].observed().map(|value| 100.0 - value)),
            failed => failed,
        });
    })
}

/// Studies that have a model, of every kind.
pub fn modelled() -> Vec<(String, PathBuf)> {
    let one = || Space::new(vec![Dimension::real("x", 0.0, 1.0)]).unwrap();
    let words = || Space::new(vec![Dimension::choice("word", &["a", "b", "c", "d"])]).unwrap();
    let wide = || Space::new((1..=70).map(|k| Dimension::real(format!("x{k}"), 0.0, 1.0)).collect()).unwrap();
    let row = |i: usize| -> Point {
        vec![Value::Real(i as f64 * 0.1), Value::Real(7.0), Value::Choice(["x", "y"][i % 2].into()), "one".into()]
    };
    let names = ["number", "constant", "word", "same"].map(String::from);
    let table = Space::from_table(&names, (0..60).map(row).collect()).unwrap();
    let mut exact = quick(space());
    exact.model.exact_until = 1000;
    let mut design = quick(space());
    design.initial = 100.into();
    let constant = |_: &Space, _: &Trial| Outcome::value(2.5);
    let huge = |_: &Space, trial: &Trial| Outcome::value(1e300 * (trial.id as f64).sin());
    let tiny = |_: &Space, trial: &Trial| Outcome::value(1e-300 * (trial.id as f64).sin());
    let heavy = |_: &Space, trial: &Trial| Outcome::value((trial.id as f64).exp());
    let close = |_: &Space, trial: &Trial| Outcome::value(1e9 + 1e-3 * (trial.id as f64).sin());
    vec![
        mixed(),
        made("exact", exact, |study| grow(study, &[12, 10], 0, outcome)),
        made("table", quick(table), |study| grow(study, &[12, 15, 10], 3, outcome)),
        made("design", design, |study| grow(study, &[20], 5, outcome)),
        made("single", quick(one()), |study| grow(study, &[12, 15], 0, outcome)),
        made("words", quick(words()), |study| grow(study, &[3], 0, outcome)),
        made("wide", quick(wide()), |study| grow(study, &[12, 10], 0, outcome)),
        made("constant", quick(space()), |study| grow(study, &[12, 15], 0, constant)),
        made("huge", quick(space()), |study| grow(study, &[12, 15], 0, huge)),
        made("tiny", quick(space()), |study| grow(study, &[12, 15], 0, tiny)),
        made("heavy", quick(space()), |study| grow(study, &[12, 15], 0, heavy)),
        made("close", quick(space()), |study| grow(study, &[12, 15], 0, close)),
        made("lonely", quick(space()), |study| grow(study, &[1], 0, outcome)),
    ]
}

/// Two numbers that compete: the bowl, and the share of the range of the first input.
fn compete(space: &Space, trial: &Trial) -> Option<Vec<f64>> {
    let values = outcome(space, trial).observed()?;
    let share = space.encode(&trial.point).unwrap()[0];
    Some(vec![values[0], 5.0 * share])
}

fn observed(values: Option<Vec<f64>>) -> Outcome {
    values.map_or_else(|| Outcome::failed("no luck"), Outcome::values)
}

fn with_goals(space: Space, goals: &[(&str, Goal)]) -> Config {
    let outputs = goals.iter().map(|(name, goal)| Output::new(*name, *goal)).collect();
    Config { outputs, ..quick(space) }
}

/// Studies of several objectives, with limits and without, feasible or not: beside each, whether it has a front.
pub fn several() -> Vec<(String, PathBuf, bool)> {
    let at_most = |limit: f64| Goal::Constraint { at_least: None, at_most: Some(limit) };
    let pressure = Goal::Constraint { at_least: Some(0.1), at_most: Some(0.9) };
    let (high, low) = (("yield", Goal::Maximize), (NASTY, Goal::Minimize));
    let third = |space: &Space, trial: &Trial, value: fn(&[f64]) -> f64| {
        let numbers = space.encode(&trial.point).unwrap();
        observed(compete(space, trial).map(|values| [values, vec![value(&numbers)]].concat()))
    };
    let two = |space: &Space, trial: &Trial| observed(compete(space, trial));
    let three = |space: &Space, trial: &Trial| third(space, trial, |x| (x[1] - 0.5).powi(2));
    let bounded = |space: &Space, trial: &Trial| third(space, trial, |x| x[1]);
    let mut exact = with_goals(space(), &[high, low]);
    exact.model.exact_until = 1000;
    let made = |name: &str, config: Config, outcome: &dyn Fn(&Space, &Trial) -> Outcome, has_front: bool| {
        let (name, path) = made(name, config, |study| grow(study, &[12, 15, 10], 3, outcome));
        (name, path, has_front)
    };
    vec![
        made("two", with_goals(space(), &[high, low]), &two, true),
        made("two-exact", exact, &two, true),
        made("three", with_goals(space(), &[high, low, ("purity", Goal::Maximize)]), &three, true),
        made("bounded", with_goals(space(), &[high, low, ("pressure", pressure)]), &bounded, true),
        made("limited", with_goals(space(), &[high, ("cost", at_most(2.0))]), &two, false),
        made("infeasible", with_goals(space(), &[high, ("cost", at_most(-1.0))]), &two, false),
        made("all-infeasible", with_goals(space(), &[high, low, ("x", at_most(-1.0))]), &bounded, true),
        made("level", with_goals(space(), &[("height", Goal::Level(2.7))]), &outcome, false),
    ]
}

/// Studies of classes: beside each, whether two inputs can be mapped.
pub fn classified() -> Vec<(String, PathBuf, bool)> {
    let plane = || Space::new(vec![Dimension::real("x", -1.0, 1.0), Dimension::real("y", 1.0, 100.0).log()]).unwrap();
    let one = || Space::new(vec![Dimension::real("x", 0.0, 1.0)]).unwrap();
    let class = |space: &Space, trial: &Trial| match outcome(space, trial) {
        Outcome::Measured(_) => Outcome::value(f64::from(space.encode(&trial.point).unwrap()[0] > 0.4)),
        failed => failed,
    };
    let always = |_: &Space, _: &Trial| Outcome::value(1.0);
    let made = |name: &str, space: Space, outcome: &dyn Fn(&Space, &Trial) -> Outcome, mapped: bool| {
        let config = with_goals(space, &[("soluble", Goal::Classify)]);
        let (name, path) = made(name, config, |study| grow(study, &[12, 15, 10], 3, outcome));
        (name, path, mapped)
    };
    vec![
        made("plane", plane(), &class, true),
        made("classes-mixed", space(), &class, true),
        made("classes-of-one", one(), &class, false),
        made("always", plane(), &always, true),
    ]
}

/// Studies that have none.
pub fn without_outcomes() -> Vec<(String, PathBuf)> {
    vec![
        made("empty", quick(space()), |_| {}),
        made("pending", quick(space()), |study| grow(study, &[], 9, outcome)),
        made("failed", quick(space()), |study| grow(study, &[10], 3, |_, _| Outcome::failed(NASTY))),
    ]
}

/// A study that this process evaluates with four workers: two trials are pending, and points are ready.
pub fn watched() -> PathBuf {
    let (_, path) = made("watched", quick(space()), |study| {
        grow(study, &[12, 10], 0, outcome);
        study.ask_with(2, Refit::Every(2)).unwrap();
        study.beat(Activity { workers: 4, busy_s: 90.0, waiting_s: 10.0 }).unwrap();
    });
    path
}

/// Fifty thousand outcomes that were told, and a step.
pub fn large() -> PathBuf {
    let mut config = quick(space());
    config.inducing = 100.into();
    config.model.hyperparameters = spargo::study::HyperparameterChoice::Subset(200);
    let (_, path) = made("large", config, |study| {
        let space = study.config().space.clone();
        let point = |i: u64| -> Point {
            let part = |step: f64| (i as f64 * step).fract();
            let number = |k: usize, step: f64| space.dimensions()[k].domain.from_unit(part(step));
            let numbers = [number(0, 0.618_034), number(1, 0.414_214), number(2, 0.732_051), number(3, 0.236_068)];
            space.decode(&numbers).unwrap()
        };
        let told = |id: u64| {
            let trial = Trial { id, point: point(id), row: None };
            let outcome = outcome(&space, &trial);
            (trial.point, Some(outcome))
        };
        study.add(&(1..=50_000).map(told).collect::<Vec<_>>()).unwrap();
        study.ask(20).unwrap();
    });
    path
}

/// The page of a study.
pub fn report(study: &Path) -> PathBuf {
    let page = study.with_extension("html");
    let text = stdout(&["report", &study.display().to_string(), "-o", &page.display().to_string(), "--force"]);
    assert!(text.contains("written to") && text.lines().count() == 1, "{text}");
    page
}
