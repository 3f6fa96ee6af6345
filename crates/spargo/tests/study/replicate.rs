//! Replicates: trials are evaluated again in proportion to their probability of being best.

use super::outputs::{COMPETING, LIMIT, compete, distance, limited, shares, with_goals};
use super::{Folder, advance, last_report, memory, observe, plane, points, small, spaces};
use spargo::allocate::{Allocation, QualityFunction};
use spargo::data::AllocationContext;
use spargo::linalg::{Eigen, Mat, symmetric_eigen};
use spargo::model::Posterior;
use spargo::rng::{Purpose, normal, stream};
use spargo::space::{Dimension, Point, Space, Value};
use spargo::study::{Config, Goal, LocalModelOptions, Outcome, Output, Study, Trial};
use spargo::{Error, Result};
use std::collections::HashSet;

/// As many words, which have nothing in common.
fn arms(count: usize) -> Space {
    let words: Vec<String> = (0..count).map(|i| format!("w{i}")).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    Space::new(vec![Dimension::choice("arm", &words)]).unwrap()
}

#[test]
fn good_points_of_every_space_are_replicated_and_a_closed_study_replicates_the_same() {
    for (name, space) in spaces() {
        for neighbours in [0, 20] {
            let local_models = LocalModelOptions { neighbours, ..LocalModelOptions::default() };
            let mut study = memory(Config { local_models, ..small(space.clone()) });
            (0..6).for_each(|_| drop(advance(&mut study, 8, observe)));
            let known: HashSet<String> = points(&study).into_iter().collect();
            let mut again = Study::from_bytes(&study.to_bytes().unwrap()).unwrap();
            let replicated = study.replicate(30).unwrap();
            assert_eq!(replicated, again.replicate(30).unwrap(), "{name}");
            assert!(replicated.iter().all(|trial| known.contains(&format!("{:?}", trial.point))), "{name}");
            assert_eq!(replicated.iter().map(|trial| trial.id).collect::<Vec<_>>(), (49..79).collect::<Vec<_>>());
            let mean = |trials: &mut dyn Iterator<Item = &Trial>| {
                let values: Vec<f64> = trials.map(|trial| super::bowl(&space, &trial.point)).collect();
                values.iter().sum::<f64>() / values.len() as f64
            };
            let all = mean(&mut study.history().records()[..48].iter().map(|record| &record.trial));
            let best = mean(&mut replicated.iter());
            assert!(best > all && best > 0.95, "{name}: {best} of {all}");
            let report = last_report(&study);
            let counts = [report.asked, report.again, report.design, report.models.len()];
            assert_eq!((report.step, counts), (7, [30, 30, 0, 1]), "{name}");
            // New points stay new.
            assert!(study.ask(5).unwrap().iter().all(|trial| !known.contains(&format!("{:?}", trial.point))), "{name}");
        }
    }
}

/// P(xᵢ is best) by draws from the posterior at all points, whether they have nothing in common or nearly everything, and
/// however often one of them was evaluated before.
#[test]
fn a_trial_is_evaluated_again_as_often_as_it_is_likely_to_be_the_best() {
    let line = Space::new(vec![Dimension::real("x", 0.0, 1.0)]).unwrap();
    let words: Vec<Point> = (0..5).map(|i| vec![Value::Choice(format!("w{i}"))]).collect();
    let numbers: Vec<Point> = (0..5).map(|i| vec![Value::Real(0.3 + 0.1 * i as f64)]).collect();
    for (space, points) in [(arms(5), words), (line, numbers)] {
        for (gap, replicates) in [(0.0, 1), (0.5, 1), (1.0, 1), (0.5, 60)] {
            let case = format!("{points:?}, {gap} apart, {replicates} of the first");
            let local_models = LocalModelOptions { neighbours: 0, share: Some(0.0) };
            let mut study = memory(Config { local_models, ..Config::new(space.clone()) });
            let told = |i: usize| (points[i].clone(), Some(Outcome::noisy(gap * i as f64, 1.0)));
            let all: Vec<_> = (0..5).chain(std::iter::repeat_n(0, replicates - 1)).map(told).collect();
            study.add(&all).unwrap();
            let count = 4000;
            let found = study.replicate(count).unwrap();
            let expected = chances(&study.posterior(0).unwrap(), &space, &points);
            for (point, expected) in points.iter().zip(expected) {
                let found = found.iter().filter(|trial| trial.point == *point).count() as f64 / count as f64;
                let deviation = (expected * (1.0 - expected) * (1.0 / count as f64 + 1.0 / DRAWS as f64)).sqrt();
                assert!((found - expected).abs() < 4.5 * deviation + 1e-3, "{case}: {point:?} {found}, {expected}");
            }
        }
    }
}

const DRAWS: usize = 20_000;

/// How likely each point is to be the best, by draws m + VΛ^½z.
fn chances(posterior: &Posterior, space: &Space, points: &[Point]) -> Vec<f64> {
    let x = Mat::from_fn(points.len(), 1, |i, _| space.encode(&points[i]).unwrap()[0]);
    let mean = posterior.mean(x.as_ref()).unwrap();
    let Eigen { values, vectors } = symmetric_eigen(posterior.covariance(x.as_ref()).unwrap().as_ref()).unwrap();
    let mut rng = stream(3, Purpose::Data, 0, 0);
    let mut best = vec![0; points.len()];
    for _ in 0..DRAWS {
        let z: Vec<f64> = values.iter().map(|value| value.max(0.0).sqrt() * normal(&mut rng)).collect();
        let f = |i: usize| mean[i] + (0..z.len()).map(|j| vectors[(i, j)] * z[j]).sum::<f64>();
        best[(0..points.len()).max_by(|&i, &j| f(i).total_cmp(&f(j))).unwrap()] += 1;
    }
    best.into_iter().map(|times| times as f64 / DRAWS as f64).collect()
}

#[test]
fn replicates_leave_room_for_other_candidates() {
    let mut study = memory(Config::new(arms(20)));
    let word = |i: usize| vec![Value::Choice(format!("w{i}"))];
    let told: Vec<_> = [0; 60]
        .into_iter()
        .chain([1, 2, 3])
        .map(|i| (word(i), Some(Outcome::noisy(1.0 - 0.1 * i as f64, 0.25))))
        .collect();
    study.add(&told).unwrap();
    let again = study.replicate(1000).unwrap();
    let counts: Vec<usize> = (0..4).map(|i| again.iter().filter(|trial| trial.point == word(i)).count()).collect();
    assert!(counts[..4].iter().all(|&count| count > 20), "{counts:?}");
}

#[test]
fn replicates_drawn_at_the_same_time_differ() {
    let folder = Folder::new();
    let path = folder.0.join("study.db");
    let mut study = Study::create(&path, small(plane())).unwrap();
    (0..4).for_each(|_| drop(advance(&mut study, 8, observe)));
    let known: HashSet<String> = points(&study).into_iter().collect();
    let replicate = || {
        let mut study = Study::open(&path).unwrap();
        (0..3).map(|_| study.replicate(8).unwrap()).collect::<Vec<_>>()
    };
    let found: Vec<Vec<Trial>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(replicate)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let ids: HashSet<u64> = found.iter().flatten().map(|trial| trial.id).collect();
    assert_eq!(ids, (33..33 + 4 * 3 * 8).collect());
    assert!(found.iter().flatten().all(|trial| known.contains(&format!("{:?}", trial.point))));
    let batches: HashSet<String> =
        found.iter().map(|batch| format!("{:?}", batch.iter().map(|trial| &trial.point).collect::<Vec<_>>())).collect();
    assert!(batches.len() > 9, "{} different batches of 12", batches.len());
    study.refresh().unwrap();
    let steps: Vec<u64> = study.reports().unwrap().iter().map(|report| report.step).collect();
    assert_eq!(steps, (1..=16).collect::<Vec<_>>());
}

#[test]
fn replicates_tell_the_best_of_many_that_have_nothing_in_common() {
    let (mut before, mut after) = (0.0, 0.0);
    for seed in 0..5 {
        // Values from 0 to 2 in steps of 0.05, and noise of deviation 0.5.
        let value = |trial: &Trial| match &trial.point[0] {
            Value::Choice(word) => 0.05 * word[1..].parse::<f64>().unwrap(),
            _ => f64::NAN,
        };
        let outcome = |trial: &Trial| {
            let noise = normal(&mut stream(seed, Purpose::Data, 0, trial.id));
            (trial.id, Outcome::noisy(value(trial) + 0.5 * noise, 0.25))
        };
        let mut study = memory(Config { seed, initial: 41.into(), ..Config::new(arms(41)) });
        let regret = |study: &mut Study| 2.0 - value(&study.best().unwrap().unwrap().believed.trial);
        let trials = study.ask(41).unwrap();
        study.tell(&trials.iter().map(outcome).collect::<Vec<_>>()).unwrap();
        before += regret(&mut study);
        for _ in 0..5 {
            let trials = study.replicate(40).unwrap();
            study.tell(&trials.iter().map(outcome).collect::<Vec<_>>()).unwrap();
        }
        after += regret(&mut study);
    }
    assert!(before > 0.5 && 3.0 * after < before, "{before} {after}");
}

#[test]
fn few_equal_and_huge_outcomes_do_no_harm() {
    for outcomes in [vec![1.0], vec![2.0; 30], vec![1e300, -1e300, 0.0], (0..40).map(f64::from).collect()] {
        let mut study = memory(small(plane()));
        let trials = study.ask(outcomes.len()).unwrap();
        let told: Vec<_> = trials.iter().zip(&outcomes).map(|(trial, &y)| (trial.id, Outcome::value(y))).collect();
        study.tell(&told).unwrap();
        for _ in 0..2 {
            let again = study.replicate(7).unwrap();
            assert_eq!(again.len(), 7, "{outcomes:?}");
            let told: Vec<_> = again.iter().map(|trial| (trial.id, Outcome::value(outcomes[0]))).collect();
            study.tell(&told).unwrap();
        }
        assert!(study.best().unwrap().unwrap().believed.mean.is_finite(), "{outcomes:?}");
    }
}

#[test]
fn what_cannot_be_replicated_is_refused_by_name() {
    let mut study = memory(small(plane()));
    assert_eq!(study.replicate(0).unwrap(), []);
    assert!(matches!(study.replicate(1), Err(Error::Unsupported { remedy, .. }) if remedy.contains("tell")));
    assert!(matches!(study.replicate(2_000_000), Err(Error::Parameter { .. })));
    let output = |name: &str, goal: Goal| Output::new(name, goal);
    let mut study = memory(Config { outputs: vec![output("u", Goal::Classify)], ..small(plane()) });
    assert!(
        matches!(study.replicate(1), Err(Error::Unsupported { what, .. }) if what.contains("without an objective"))
    );
}

/// The share of the points, printed in full, that are among these trials.
fn share_among(trials: &[Trial], replicated: &[Trial]) -> f64 {
    let among = |replicate: &&Trial| trials.iter().any(|trial| trial.point == replicate.point);
    replicated.iter().filter(among).count() as f64 / replicated.len() as f64
}

#[test]
fn replicates_of_several_objectives_are_on_the_front() {
    for (name, space) in spaces() {
        let mut study = memory(with_goals(space.clone(), &COMPETING));
        (0..6).for_each(|_| drop(advance(&mut study, 8, compete)));
        let known: HashSet<String> = points(&study).into_iter().collect();
        let front: Vec<Trial> = study.fronts().unwrap().believed.into_iter().map(|point| point.trial).collect();
        let mut again = Study::from_bytes(&study.to_bytes().unwrap()).unwrap();
        let replicated = study.replicate(60).unwrap();
        assert_eq!(replicated, again.replicate(60).unwrap(), "{name}");
        assert!(replicated.iter().all(|trial| known.contains(&format!("{:?}", trial.point))), "{name}");
        let share = share_among(&front, &replicated);
        assert!(share > 0.6 && share > 1.1 * front.len() as f64 / 48.0, "{name}: {share} of {}", front.len());
        // Not one end of it alone.
        let closer = |share: f64| {
            let is_closer =
                |trial: &&Trial| distance(&space, &trial.point, share) < distance(&space, &trial.point, 1.0 - share);
            replicated.iter().filter(is_closer).count()
        };
        assert!(closer(0.2) > 5 && closer(0.8) > 5, "{name}: {} {}", closer(0.2), closer(0.8));
    }
}

#[test]
fn replicates_within_constraints_are_feasible_and_good() {
    for (name, space) in spaces() {
        let mut study = memory(with_goals(space.clone(), &[Goal::Maximize, LIMIT]));
        (0..6).for_each(|_| drop(advance(&mut study, 8, limited)));
        let known: HashSet<String> = points(&study).into_iter().collect();
        let replicated = study.replicate(30).unwrap();
        assert!(replicated.iter().all(|trial| known.contains(&format!("{:?}", trial.point))), "{name}");
        let values = |trial: &Trial| {
            let values = limited(&space, trial).observed().unwrap();
            (values[0], values[1])
        };
        // The best lies at the limit, where the model may be a little off.
        assert!(replicated.iter().all(|trial| values(trial).1 < 0.05), "{name}");
        let mean = |trials: &mut dyn Iterator<Item = &Trial>| {
            let values: Vec<f64> =
                trials.map(values).filter(|values| values.1 <= 0.05).map(|values| values.0).collect();
            values.iter().sum::<f64>() / values.len() as f64
        };
        let all = mean(&mut study.history().records()[..48].iter().map(|record| &record.trial));
        let best = mean(&mut replicated.iter());
        assert!(best > all, "{name}: {best} of {all}");
        let report = last_report(&study);
        assert_eq!([report.again, report.design, report.models.len()], [30, 0, 2], "{name}");
    }
}

/// Failures stand among the trials, not among the rows of a model.
#[test]
fn failed_trials_are_not_replicated_and_shift_no_others() {
    for broken in [false, true] {
        let mut config = Config { initial: 30.into(), ..small(plane()) };
        if broken {
            config.allocation = Allocation::custom(Broken);
        }
        let mut study = memory(config);
        let outcome = |_: &Space, trial: &Trial| match trial.id {
            1..=12 => Outcome::failed("the first twelve do"),
            id => Outcome::value(if id == 30 { 5.0 } else { 0.01 * id as f64 }),
        };
        for count in [29, 1, 1] {
            advance(&mut study, count, outcome);
        }
        let best = format!("{:?}", study.trial(30).unwrap().trial.point);
        let replicated = study.replicate(40).unwrap();
        assert_eq!(last_report(&study).without_model.is_some(), broken);
        let known = &points(&study)[..31];
        let (mut found, mut failed) = (0, 0);
        for trial in &replicated {
            let point = format!("{:?}", trial.point);
            found += usize::from(point == best);
            failed += usize::from(known[..12].contains(&point));
        }
        // Without a model the best ten are drawn alike.
        assert!(failed == 0 && found >= if broken { 1 } else { 30 }, "{broken}: {failed} failed, {found} of the best");
    }
}

#[test]
fn failed_trials_shift_no_others_within_constraints() {
    let mut study = memory(Config { initial: 30.into(), ..with_goals(plane(), &[Goal::Maximize, LIMIT]) });
    let outcome = |space: &Space, trial: &Trial| match trial.id {
        1..=12 => Outcome::failed("the first twelve do"),
        id => Outcome::values([if id == 30 { 5.0 } else { 0.01 * id as f64 }, shares(space, &trial.point)[0] - 2.0]),
    };
    for count in [29, 1, 1] {
        advance(&mut study, count, outcome);
    }
    let best = study.trial(30).unwrap().trial.point.clone();
    let found = study.replicate(40).unwrap().iter().filter(|trial| trial.point == best).count();
    assert!(found >= 30, "{found}");
}

/// The objective is the better, the more the constraint is violated, whichever bound it has.
#[test]
fn with_nothing_feasible_the_least_infeasible_are_replicated() {
    for (limit, sign) in [(LIMIT, 1.0), (Goal::Constraint { at_least: Some(0.0), at_most: None }, -1.0)] {
        let mut study = memory(Config { initial: 48.into(), ..with_goals(plane(), &[Goal::Maximize, limit]) });
        advance(&mut study, 48, |space, trial| {
            let share = shares(space, &trial.point)[0];
            Outcome::values([share, sign * (share + 0.5)])
        });
        let replicated = study.replicate(30).unwrap();
        let largest = replicated.iter().map(|trial| shares(&plane(), &trial.point)[0]).fold(0.0, f64::max);
        assert!(largest < 0.1, "{limit:?}: {largest}");
    }
}

#[derive(Debug)]
struct Broken;

impl QualityFunction for Broken {
    fn name(&self) -> &str {
        "broken"
    }

    fn evaluate(&self, _: &AllocationContext, _: usize) -> Result<Vec<f64>> {
        Err(Error::Empty { what: "this quality".into() })
    }
}

#[test]
fn without_a_model_feasible_trials_are_replicated_or_the_least_infeasible() {
    for (feasible, expected) in [(3, 1..=3), (0, 1..=10)] {
        let allocation = Allocation::custom(Broken);
        let mut study =
            memory(Config { allocation, initial: 29.into(), ..with_goals(plane(), &[Goal::Maximize, LIMIT]) });
        // The last one leaves the posterior that a quality is based on.
        for count in [29, 1] {
            advance(&mut study, count, |_, trial| {
                let id = trial.id as f64;
                Outcome::values([id, id - f64::from(feasible)])
            });
        }
        let replicated = study.replicate(100).unwrap();
        assert!(last_report(&study).without_model.is_some());
        let points: HashSet<String> = points(&study)[..*expected.end() as usize].iter().cloned().collect();
        let found: HashSet<String> = replicated.iter().map(|trial| format!("{:?}", trial.point)).collect();
        assert_eq!(found, points, "{feasible} feasible");
    }
}

#[test]
fn replicates_reach_all_of_a_long_front() {
    let line = Space::new(vec![Dimension::real("x", 0.0, 1.0)]).unwrap();
    let mut study = memory(with_goals(line, &[Goal::Maximize, Goal::Maximize]));
    let trial = |i: usize| {
        let x = i as f64 / 119.0;
        (vec![Value::Real(x)], Some(Outcome::values([x, -x])))
    };
    study.add(&(0..120).map(trial).collect::<Vec<_>>()).unwrap();
    assert!(study.fronts().unwrap().believed.len() > 60);
    let replicated = study.replicate(200).unwrap();
    let within = |low: f64, high: f64| {
        let is_within = |trial: &&Trial| matches!(trial.point[0], Value::Real(x) if (low..=high).contains(&x));
        replicated.iter().filter(is_within).count()
    };
    let thirds = [within(0.0, 0.33), within(0.33, 0.67), within(0.67, 1.0)];
    assert!(thirds.iter().all(|&count| count > 20), "{thirds:?}");
}
