//! Outputs that come one by one: each model uses the trials that have its output.

use super::outputs::{compete, with_goals};
use super::*;
use spargo::allocate::Allocation;
use spargo::study::{Goal, Measurement, OutcomeTransformChoice, Status, Warning};

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
            (config.inducing, config.model.exact_until) = (10.into(), exact_until);
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
    assert_eq!(study.trial(2).unwrap().failure(), Some("'y1' is NaN"));
    assert_eq!((study.counts().observed, study.counts().failed), (2, 0));
}

/// The first twelve trials of a study, told nothing but one output.
fn first_day(study: &mut Study, output: usize) -> Vec<(u64, Outcome)> {
    let space = study.config().space.clone();
    let trials = study.ask(12).unwrap();
    let all: Vec<_> = trials.iter().map(|trial| (trial.id, compete(&space, trial))).collect();
    let part: Vec<_> = all.iter().map(|(trial, outcome)| (*trial, only(output, outcome))).collect();
    assert_eq!(study.tell(&part), Ok(12));
    all
}

#[test]
fn an_output_without_any_outcome_has_its_prior() {
    let folder = Folder::new();
    for (i, (name, config)) in configs().into_iter().enumerate() {
        for known in [0, 1] {
            let name = format!("{name}, output {known} known");
            let file = folder.file(&format!("{i}-{known}.db"));
            let mut study = Study::open_or_create(&file, config.clone()).unwrap();
            let all = first_day(&mut study, known);
            let unknown = config.outputs[1 - known].name.clone();
            let warning = Warning::Unobserved { output: unknown.clone(), failed: 0 };
            assert_eq!(study.ask(6).unwrap().len(), 6, "{name}");
            let report = last_report(&study);
            assert_eq!((report.without_model.as_deref(), report.design), (None, 0), "{name}");
            assert_eq!(report.models[1 - known].observations, 0, "{name}");
            assert_eq!(study.warnings(), std::slice::from_ref(&warning), "{name}");
            assert_all_different(&points(&study));

            // What can be said is said, for the rest there is a reason.
            let at = [study.trial(1).unwrap().trial.point.clone()];
            assert!(study.predict_interval(known, &at).is_ok(), "{name}");
            assert_eq!(study.leave_one_out(known, &[1, 2, 3]).unwrap().len(), 3, "{name}");
            assert_eq!(study.quality(known).unwrap().len(), 12, "{name}");
            let refused = study.predict_interval(1 - known, &at).unwrap_err().to_string();
            assert!(refused.contains(&format!("no outcome of '{unknown}' is known yet")), "{name}: {refused}");
            assert!(study.leave_one_out(1 - known, &[1, 2, 3]).unwrap().is_empty(), "{name}");
            assert!(study.quality(1 - known).unwrap().is_empty(), "{name}");
            assert_eq!(study.best(), Ok(None), "{name}");
            assert_eq!(study.fronts(), Ok(Default::default()), "{name}");
            assert!(study.replicate(2).unwrap_err().to_string().contains("all of its outputs"), "{name}");

            // Another process goes on with the same models.
            let mut other = Study::open_or_create(&file, config.clone()).unwrap();
            assert_eq!(other.ask(3).unwrap().len(), 3, "{name}");
            assert_eq!(other.warnings(), [warning], "{name}");

            assert_eq!(other.tell(&all), Ok(12), "{name}");
            assert_eq!(other.ask(3).unwrap().len(), 3, "{name}");
            let observations: Vec<usize> = last_report(&other).models.iter().map(|model| model.observations).collect();
            assert_eq!((observations, other.warnings()), (vec![12, 12], Vec::new()), "{name}");
        }
    }
}

/// The choice is that of a study which does not have the output at all.
#[test]
fn an_output_without_any_outcome_does_not_steer() {
    // No value of either sign satisfies both limits, whatever units the prior is taken to have.
    let limits = [-1e3, 1e3].map(|limit| Goal::Constraint { at_least: Some(limit), at_most: Some(limit + 1.0) });
    let second = [limits[0], limits[1], Goal::Maximize, Goal::Minimize];
    for (rule, goal) in ["thompson", "log-ei"].iter().flat_map(|rule| second.map(|goal| (*rule, goal))) {
        if rule == "log-ei" && goal.is_objective() {
            continue;
        }
        let asked = |goals: &[Goal]| {
            let mut config = Config { rule: Some(by_name(rule)), ..with_goals(mixed(), goals) };
            if rule == "thompson" {
                (config.trust_regions.share, config.local_models.share) = (Some(0.5), Some(0.25));
            }
            // What settings otherwise make of the number of objectives.
            config.model.outcome_transform = OutcomeTransformChoice::Off;
            config.allocation = Allocation::Cvr;
            let mut study = memory(config);
            let space = study.config().space.clone();
            for _ in 0..3 {
                let trials = study.ask(8).unwrap();
                let value = |trial: &Trial| Measurement::value(bowl(&space, &trial.point));
                let rest = vec![Measurement::Pending; goals.len() - 1];
                let outcome = |trial: &Trial| Outcome::Measured([vec![value(trial)], rest.clone()].concat());
                study.tell(&trials.iter().map(|trial| (trial.id, outcome(trial))).collect::<Vec<_>>()).unwrap();
            }
            study.ask(8).unwrap();
            assert_eq!(last_report(&study).without_model, None);
            points(&study)
        };
        assert_eq!(asked(&[Goal::Maximize, goal]), asked(&[Goal::Maximize]), "{rule}, {goal:?}");
    }
}
