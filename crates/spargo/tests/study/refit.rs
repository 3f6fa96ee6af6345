//! Asks that go on with the last ask's models while few outcomes are new.

use super::*;
use spargo::study::Refit;
use std::path::Path;

/// What is done between a tell and the next ask.
type Between = fn(Study, &Path) -> Study;

const BETWEENS: [(&str, Between); 3] = [
    ("nothing", |study, _| study),
    ("a look", |mut study, _| {
        study.best().unwrap();
        study
    }),
    ("another process", |study, path| {
        drop(study);
        Study::open(path).unwrap()
    }),
];

/// Three pending all the time; an outcome comes in, a point is asked for.
fn run(config: Config, refit: Refit, rounds: usize, between: Between) -> Study {
    let folder = Folder::new();
    let path = folder.file("study.db");
    let mut study = Study::create(&path, config).unwrap();
    advance(&mut study, 8, observe);
    study.ask_with(3, refit).unwrap();
    for _ in 0..rounds {
        let first = study.history().pending().next().unwrap().clone();
        let outcome = observe(&study.config().space, &first);
        study.tell(&[(first.id, outcome)]).unwrap();
        study = between(study, &path);
        assert_eq!(study.ask_with(1, refit).unwrap().len(), 1);
    }
    study
}

/// Of each ask that drew points: how many outcomes its model has seen, and whether it was fitted for it.
fn fits(study: &Study) -> Vec<(usize, bool)> {
    let reports = study.reports().unwrap();
    let models = reports.iter().filter_map(|report| report.models.first());
    models.map(|model| (model.observations, model.fit.is_some())).collect()
}

#[test]
fn models_are_fitted_only_when_enough_is_new() {
    let study = run(small(plane()), Refit::Every(4), 12, BETWEENS[0].1);
    assert_eq!(fits(&study), [8, 12, 16, 20].map(|seen| (seen, true)));
    // When what was ready is used up, more is drawn without a fit: one at a time.
    let study = run(small(plane()), Refit::Every(40), 50, BETWEENS[0].1);
    assert_eq!(fits(&study), [[(8, true)].as_slice(), &[(8, false); 17], &[(48, true)]].concat());
    let again =
        study.reports().unwrap().into_iter().flat_map(|report| report.models).filter(|model| model.fit.is_none());
    assert!(again.into_iter().all(|model| model.fit_s == 0.0 && model.allocate_s == 0.0));
    for current in [Refit::Always, Refit::Every(0), Refit::Every(1)] {
        let study = run(small(plane()), current, 3, BETWEENS[0].1);
        assert_eq!(fits(&study), [(8, true), (9, true), (10, true), (11, true)], "{current:?}");
    }
}

#[test]
fn every_path_of_a_model_is_new_in_every_process() {
    for (name, space) in spaces() {
        let [first, others @ ..] =
            BETWEENS.map(|(between, go)| (between, points(&run(small(space.clone()), Refit::Every(5), 9, go))));
        assert_all_different(&first.1);
        for (between, points) in others {
            assert_eq!(points, first.1, "{name}, {between}");
        }
    }
}

/// What draws share is the same, whichever process makes it, and whatever was told by then.
#[test]
fn draws_without_a_fit_are_the_same_in_every_process() {
    for (name, space) in spaces().into_iter().filter(|(_, space)| space.size().is_none_or(|size| size > 100)) {
        let [first, others @ ..] =
            BETWEENS.map(|(between, go)| (between, points(&run(small(space.clone()), Refit::Every(40), 28, go))));
        assert_all_different(&first.1);
        for (between, points) in others {
            assert_eq!(points, first.1, "{name}, {between}");
        }
    }
}

#[test]
fn several_outputs_miss_the_same_outcomes() {
    use spargo::study::{Goal, Output};
    let output = |name: &str, goal: Goal| Output::new(name, goal);
    let outputs = vec![output("up", Goal::Maximize), output("down", Goal::Minimize)];
    let mut study = memory(Config { outputs, ..small(plane()) });
    let both = |space: &Space, trial: &Trial| {
        let value = bowl(space, &trial.point);
        Outcome::values([value, value * value])
    };
    advance(&mut study, 8, both);
    for round in 0..6 {
        let trial = study.ask_with(1, Refit::Every(3)).unwrap().remove(0);
        let models = last_report(&study).models;
        let seen: Vec<_> = models.iter().map(|model| (model.observations, model.fit.is_some())).collect();
        let expected = if round % 3 == 0 { vec![(8 + round, true); 2] } else { Vec::new() };
        assert_eq!(seen, expected);
        study.tell(&[(trial.id, both(&study.config().space, &trial))]).unwrap();
    }
}

/// The seconds of models are counted by the ask that first uses them, whatever call made them.
#[test]
fn the_parts_of_a_step_take_no_longer_than_the_step() {
    for look in [false, true] {
        let mut study = memory(Config { initial: 40.into(), ..small(plane()) });
        advance(&mut study, 40, observe);
        for _ in 0..6 {
            if look {
                study.best().unwrap();
            }
            study.ask_with(5, Refit::Every(1000)).unwrap();
        }
        let reports = study.reports().unwrap();
        for report in &reports {
            let fits: f64 = report.models.iter().map(|model| model.allocate_s + model.fit_s).sum();
            assert!(fits + report.acquire_s <= report.total_s, "{look}: {report:?}");
        }
        assert_eq!(reports.iter().filter(|report| report.models.iter().any(|model| model.fit_s > 0.0)).count(), 1);
    }
}
