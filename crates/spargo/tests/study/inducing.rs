//! Automatic numbers of inducing points: as many as the bound on the error asks for.

use super::*;
use serde_json::json;
use spargo::study::{CountOrAuto, Goal, OutcomeTransformChoice, Output};

fn auto(mut config: Config, most: usize) -> Config {
    (config.inducing, config.inducing_max) = (CountOrAuto::Auto, most);
    config
}

/// With a known noise variance, which decides how many are needed.
fn noisy(most: usize, noise: f64) -> Study {
    let mut config = auto(small(square()), most);
    config.model.outcome_transform = OutcomeTransformChoice::Off;
    let known = json!({ "fixed": { "variance": 1, "lengthscales": 0.6, "noise": noise } });
    config.model.hyperparameters = serde_json::from_value(known).unwrap();
    memory(config)
}

fn used(study: &Study) -> usize {
    last_report(study).models.remove(0).inducing
}

/// Data with much noise need few points, with little noise as many as there may be; a resumed study asks for the same.
#[test]
fn noise_decides_how_many_are_used_and_a_resumed_study_asks_for_the_same_points() {
    let mut counts = Vec::new();
    for noise in [0.3, 0.03, 0.001] {
        let mut study = noisy(60, noise);
        for count in [100, 60, 40] {
            advance(&mut study, count, observe);
        }
        let mut resumed = Study::from_bytes(&study.to_bytes().unwrap()).unwrap();
        study.ask(3).unwrap();
        resumed.ask(3).unwrap();
        assert_eq!(points(&resumed), points(&study));
        assert_eq!(used(&resumed), used(&study));
        counts.push(used(&study));
    }
    assert!(counts.is_sorted() && (16..60).contains(&counts[0]) && counts[2] == 60, "{counts:?}");
}

#[test]
fn a_larger_maximum_changes_nothing_where_the_bound_is_met() {
    let run = |most: usize| {
        let mut study = noisy(most, 0.1);
        [120, 40, 5].into_iter().for_each(|count| drop(advance(&mut study, count, observe)));
        (points(&study), used(&study))
    };
    let (few, many) = (run(100), run(150));
    assert!(few.1 < 100);
    assert_eq!(few, many);
}

#[test]
fn what_cannot_be_automatic_is_refused() {
    let refused = |config: Config| config.check().unwrap_err().to_string();
    for name in ["random", "uniform", "kmeans", "dpp"] {
        let config = Config { allocation: name.parse().unwrap(), ..auto(small(square()), 50) };
        assert!(refused(config).contains("'inducing' cannot be \"auto\""), "{name}");
    }
    for name in ["cvr", "imp-dpp", "lin-dpp", "ent-dpp"] {
        Config { allocation: name.parse().unwrap(), ..auto(small(square()), 50) }.check().unwrap();
    }
    let class = Config { outputs: vec![Output::new("y", Goal::Classify)], ..auto(small(square()), 50) };
    assert!(refused(class).contains("'y', a class"));
    assert!(refused(auto(small(square()), 0)).contains("inducing-max = 0"));
    let written = serde_json::to_value(auto(small(square()), 50)).unwrap();
    assert_eq!((&written["inducing"], &written["inducing-max"]), (&json!("auto"), &json!(50)));
    assert!(serde_json::to_value(small(square())).unwrap().get("inducing-max").is_none());
}
