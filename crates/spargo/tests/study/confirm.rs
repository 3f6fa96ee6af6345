//! Trials that are evaluated again: those that may be best, as often as they are likely to be, until it is known which is.

use super::{advance, last_report, memory, observe, plane, points, small, spaces};
use spargo::Error;
use spargo::linalg::Mat;
use spargo::math::normal::cdf;
use spargo::rng::{Purpose, normal, stream};
use spargo::space::{Dimension, Space, Value};
use spargo::study::{Config, Goal, Locality, Outcome, Output, Study, Trial};
use std::collections::HashSet;

/// As many words, which have nothing in common.
fn arms(count: usize) -> Space {
    let words: Vec<String> = (0..count).map(|i| format!("w{i}")).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    Space::new(vec![Dimension::choice("arm", &words)]).unwrap()
}

#[test]
fn good_points_of_every_space_are_evaluated_again_and_a_study_that_is_closed_confirms_the_same() {
    for (name, space) in spaces() {
        for neighbours in [0, 20] {
            let locality = Locality { neighbours, ..Locality::default() };
            let mut study = memory(Config { locality, ..small(space.clone()) });
            (0..6).for_each(|_| drop(advance(&mut study, 8, observe)));
            let known: HashSet<String> = points(&study).into_iter().collect();
            let mut again = Study::from_bytes(&study.to_bytes().unwrap()).unwrap();
            let confirmed = study.confirm(30).unwrap();
            assert_eq!(confirmed, again.confirm(30).unwrap(), "{name}");
            assert!(confirmed.iter().all(|trial| known.contains(&format!("{:?}", trial.point))), "{name}");
            assert_eq!(confirmed.iter().map(|trial| trial.id).collect::<Vec<_>>(), (49..79).collect::<Vec<_>>());
            let mean = |trials: &mut dyn Iterator<Item = &Trial>| {
                let values: Vec<f64> = trials.map(|trial| super::bowl(&space, &trial.point)).collect();
                values.iter().sum::<f64>() / values.len() as f64
            };
            let all = mean(&mut study.history().records()[..48].iter().map(|record| &record.trial));
            let best = mean(&mut confirmed.iter());
            assert!(best > all && best > 0.95, "{name}: {best} of {all}");
            let report = last_report(&study);
            assert_eq!((report.step, report.asked, report.design, report.models.len()), (7, 30, 0, 1), "{name}");
            // New points stay new.
            assert!(study.ask(5).unwrap().iter().all(|trial| !known.contains(&format!("{:?}", trial.point))), "{name}");
        }
    }
}

/// P(f₁ > f₂) = Φ((m₁ − m₂) / √(C₁₁ + C₂₂ − 2C₁₂)).
#[test]
fn a_trial_is_evaluated_again_as_often_as_it_is_likely_to_be_the_best() {
    for gap in [0.0, 1.0, 3.0] {
        let mut study = memory(Config { locality: Locality { neighbours: 0, polish: 0.0 }, ..Config::new(arms(2)) });
        let told = [("w0", 0.0), ("w1", gap)]
            .map(|(word, y)| (vec![Value::Choice(word.into())], Some(Outcome::noisy(y, 1.0))));
        study.add(&told).unwrap();
        let x = Mat::from_fn(2, 1, |i, _| study.config().space.encode(&told[i].0).unwrap()[0]);
        let posterior = study.posterior(0).unwrap();
        let (mean, covariance) = (posterior.mean(x.as_ref()).unwrap(), posterior.covariance(x.as_ref()).unwrap());
        let spread = covariance[(0, 0)] + covariance[(1, 1)] - 2.0 * covariance[(0, 1)];
        let expected = cdf((mean[1] - mean[0]) / spread.sqrt());
        let count = 4000;
        let second = |trial: &&Trial| trial.point == told[1].0;
        let found = study.confirm(count).unwrap().iter().filter(second).count() as f64 / count as f64;
        let deviation = (expected * (1.0 - expected) / count as f64).sqrt();
        assert!((found - expected).abs() < 4.0 * deviation + 1e-9, "{gap}: {found} instead of {expected}");
        assert!(gap == 0.0 || (expected > 0.55 && expected < 0.999), "{gap}: {expected}");
    }
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
        let mut study = memory(Config { seed, initial: 41, ..Config::new(arms(41)) });
        let regret = |study: &mut Study| 2.0 - value(&study.best().unwrap().unwrap().believed.trial);
        let trials = study.ask(41).unwrap();
        study.tell(&trials.iter().map(outcome).collect::<Vec<_>>()).unwrap();
        before += regret(&mut study);
        for _ in 0..5 {
            let trials = study.confirm(40).unwrap();
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
            let again = study.confirm(7).unwrap();
            assert_eq!(again.len(), 7, "{outcomes:?}");
            let told: Vec<_> = again.iter().map(|trial| (trial.id, Outcome::value(outcomes[0]))).collect();
            study.tell(&told).unwrap();
        }
        assert!(study.best().unwrap().unwrap().believed.mean.is_finite(), "{outcomes:?}");
    }
}

#[test]
fn what_cannot_be_confirmed_is_refused_by_name() {
    let mut study = memory(small(plane()));
    assert_eq!(study.confirm(0).unwrap(), []);
    assert!(matches!(study.confirm(1), Err(Error::Empty { .. })));
    assert!(matches!(study.confirm(2_000_000), Err(Error::Parameter { .. })));
    let output = |name: &str, goal: Goal| Output { name: name.into(), goal };
    let limit = Goal::Limit { at_least: None, at_most: Some(1.0) };
    for outputs in [
        vec![output("u", Goal::Maximize), output("v", Goal::Minimize)],
        vec![output("u", Goal::Maximize), output("v", limit)],
        vec![output("u", Goal::Classify)],
    ] {
        let mut study = memory(Config { outputs, ..small(plane()) });
        assert!(matches!(study.confirm(1), Err(Error::Unsupported { .. })));
    }
}
