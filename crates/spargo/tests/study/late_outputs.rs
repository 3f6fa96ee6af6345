//! Outputs that come one by one: each model uses the trials that have its output.

use super::outputs::{compete, with_goals};
use super::*;
use spargo::study::{Goal, Measurement, Status};

pub const LIMIT: Goal = Goal::Constraint { at_least: None, at_most: Some(0.5) };

/// Only one output of an outcome.
pub fn only(output: usize, outcome: &Outcome) -> Outcome {
    let Outcome::Measured(measurements) = outcome else { panic!() };
    let keep = |(k, one): (usize, &Measurement)| if k == output { one.clone() } else { Measurement::Pending };
    Outcome::Measured(measurements.iter().enumerate().map(keep).collect())
}

/// One objective with a constraint and two objectives, by every rule, exact and sparse.
fn configs() -> Vec<(String, Config)> {
    let mut configs = Vec::new();
    let kinds = [
        ([Goal::Maximize, LIMIT], &["thompson", "log-ei"][..]),
        ([Goal::Maximize, Goal::Minimize], &["thompson", "ehvi", "hippo"]),
    ];
    for (goals, rules) in kinds {
        for (rule, exact_until) in rules.iter().flat_map(|rule| [(rule, 1000), (rule, 10)]) {
            let mut config = Config { rule: Some(by_name(rule)), ..with_goals(mixed(), &goals) };
            (config.inducing, config.model.exact_until) = (10, exact_until);
            configs.push((format!("{goals:?} by {rule}, exact until {exact_until}"), config));
        }
    }
    configs
}

#[test]
fn each_model_uses_the_trials_that_have_its_output() {
    for (name, config) in configs() {
        let mut study = memory(config);
        advance(&mut study, 12, compete);
        let mut late = Vec::new();
        for round in 0..3 {
            let trials = study.ask(6).unwrap();
            for (i, trial) in trials.iter().enumerate() {
                let outcome = compete(&study.config().space.clone(), trial);
                // The first output always, the second one of every other trial.
                study.tell(&[(trial.id, only(0, &outcome))]).unwrap();
                assert_eq!(study.trial(trial.id).unwrap().status(), Status::Partial);
                match i % 2 {
                    0 => drop(study.tell(&[(trial.id, outcome)]).unwrap()),
                    _ => late.push((trial.id, only(1, &outcome))),
                }
            }
            let observations: Vec<usize> =
                study.model_reports().unwrap().iter().map(|report| report.observations).collect();
            assert_eq!(observations, [12 + 6 * (round + 1), 12 + 3 * (round + 1)], "{name}");
            let report = study.reports().unwrap().pop().unwrap();
            assert_eq!(report.without_model, None, "{name}");
        }
        assert_eq!((study.counts().observed, study.counts().partial), (21, 9), "{name}");
        // What is known of a trial in part is neither recommended nor forgotten.
        let partial: Vec<u64> = late.iter().map(|(trial, _)| *trial).collect();
        let front = study.fronts().unwrap();
        assert!(!front.observed.iter().chain(&front.believed).any(|one| partial.contains(&one.trial.id)), "{name}");
        let all: Vec<u64> = (1..=30).collect();
        let left_out = |study: &mut Study, k: usize| study.leave_one_out(k, &all).unwrap().len();
        assert_eq!((left_out(&mut study, 0), left_out(&mut study, 1)), (30, 21), "{name}");
        assert_eq!((study.quality(0).unwrap().len(), study.quality(1).unwrap().len()), (30, 21), "{name}");
        assert!(study.replicate(4).unwrap().iter().all(|trial| trial.id > 30));

        assert_eq!(study.tell(&late).unwrap(), 9, "{name}");
        assert_eq!((study.counts().observed, study.counts().partial), (30, 0), "{name}");
        let observations: Vec<usize> =
            study.model_reports().unwrap().iter().map(|report| report.observations).collect();
        assert_eq!(observations, [30, 30], "{name}");
        assert_eq!(study.ask(4).unwrap().len(), 4, "{name}");
    }
}

#[test]
fn the_order_of_outputs_leaves_no_trace() {
    let (_, config) = configs().remove(0);
    let run = |in_parts: bool| {
        let mut study = memory(config.clone());
        for _ in 0..3 {
            let trials = study.ask(8).unwrap();
            let told: Vec<(u64, Outcome)> = trials.iter().map(|trial| (trial.id, compete(&mixed(), trial))).collect();
            if in_parts {
                for output in [1, 0] {
                    let part: Vec<_> = told.iter().rev().map(|(trial, one)| (*trial, only(output, one))).collect();
                    assert_eq!(study.tell(&part), Ok(8));
                }
            }
            study.tell(&told).unwrap();
        }
        study.ask(8).unwrap()
    };
    assert_eq!(run(false), run(true));
}

#[test]
fn what_is_untold_can_be_told_whatever_others_have_told() {
    let (_, config) = configs().remove(0);
    let mut study = memory(config);
    study.ask(1).unwrap();
    study.tell(&[(1, only(0, &Outcome::values([1.0, 2.0])))]).unwrap();
    let later = Outcome::values([1.5, 3.0]);
    assert!(study.tell(&[(1, later.clone())]).is_err());
    let untold = study.untold(1, &later).unwrap();
    assert_eq!(study.tell(&[(1, untold)]), Ok(1));
    assert_eq!(study.trial(1).unwrap().values(), Some(vec![1.0, 3.0]));
    assert_eq!((study.untold(1, &later), study.untold(2, &later)), (None, None));
}

#[test]
fn a_part_that_contradicts_is_refused_and_one_that_failed_keeps_the_others() {
    let (_, config) = configs().remove(0);
    let mut study = memory(config);
    study.ask(3).unwrap();
    let half = Outcome::Measured(vec![Measurement::value(1.0), Measurement::Pending]);
    study.tell(&[(1, half.clone())]).unwrap();
    assert_eq!(study.tell(&[(1, half)]), Ok(0));
    assert!(study.tell(&[(1, Outcome::values([2.0, 3.0]))]).is_err());
    assert_eq!(study.trial(1).unwrap().status(), Status::Partial, "all or nothing");
    assert_eq!(study.tell(&[(1, Outcome::failed("lost"))]), Ok(1), "what was pending failed");
    let known: Vec<_> = study.trial(1).unwrap().measurements().cloned().collect();
    assert_eq!(known, [Measurement::value(1.0), Measurement::failed("lost")]);
    assert_eq!(study.tell(&[(2, Outcome::values([1.0, f64::NAN]))]), Ok(1));
    assert_eq!(study.trial(2).unwrap().failure(), Some("output 2 is NaN"));
    assert_eq!((study.counts().observed, study.counts().failed), (2, 0));
}
