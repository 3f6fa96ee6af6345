//! Replicates that a study asks for by itself, and what they show of the noise.

use crate::{memory, points, small, square};
use spargo::space::{Point, Space, Value};
use spargo::study::{Budget, Campaign, Config, Mode, Next, Noise, Outcome, Replicates, Study, Trial};
use std::collections::HashSet;

/// A wave with a ripple that 200 trials cannot follow.
fn rippled(point: &Point) -> f64 {
    let [Value::Real(a), Value::Real(b)] = point[..] else { panic!("{point:?}") };
    (3.0 * a).sin() * (3.0 * b).cos() + 0.3 * (90.0 * a).sin() * (110.0 * b).sin()
}

fn config(space: Space) -> Config {
    Config { replicates: Replicates::Auto, initial: 40.into(), batch: 20, ..small(space) }
}

/// A study of so many trials in batches of 20; the outcome may depend on the number of the trial.
fn grown(config: Config, trials: usize, outcome: impl Fn(&Trial) -> f64) -> Study {
    let mut study = memory(config);
    while study.counts().trials < trials {
        let asked = study.ask(20).unwrap();
        assert_eq!(asked.len(), 20);
        let told: Vec<_> = asked.iter().map(|trial| (trial.id, Outcome::value(outcome(trial)))).collect();
        study.tell(&told).unwrap();
    }
    study
}

fn replicates(study: &Study) -> usize {
    let points = points(study);
    points.len() - points.iter().collect::<HashSet<_>>().len()
}

#[test]
fn one_trial_in_twenty_of_the_first_two_hundred_is_a_replicate() {
    for (trials, expected) in [(40, 0), (60, 3), (100, 5), (260, 10)] {
        let study = grown(config(square()), trials, |trial| rippled(&trial.point));
        assert_eq!(replicates(&study), expected, "{trials} trials");
        assert_eq!(study.reports().unwrap().iter().map(|report| report.pairs).sum::<usize>(), expected);
    }
    // Trials that were not asked for are no reason.
    let mut told = memory(config(square()));
    let past = grown(config(square()), 40, |trial| rippled(&trial.point));
    let past = past.history().records().iter().map(|record| &record.trial.point);
    told.add(&past.map(|point| (point.clone(), Some(Outcome::value(rippled(point))))).collect::<Vec<_>>()).unwrap();
    told.ask(19).unwrap();
    assert_eq!(replicates(&told), 0);
    told.ask(1).unwrap();
    assert_eq!(replicates(&told), 1);
    let without = [Config { replicates: Replicates::Never, ..config(square()) }, {
        let mut known = config(square());
        known.outputs[0].noise = Noise::Sd(0.1);
        known
    }];
    for config in without {
        assert_eq!(replicates(&grown(config, 100, |trial| rippled(&trial.point))), 0);
    }
}

/// Some noise, and a ripple that the model takes for more of it: every draw for many asks would have replicates.
fn rippled_with_noise(trial: &Trial) -> f64 {
    rippled(&trial.point) + 0.01 * f64::sin(1.7 * (trial.id * trial.id) as f64)
}

#[test]
fn workers_that_wait_for_nothing_have_no_more_replicates() {
    for (refit_every, workers) in [(20, 4), (5, 2), (40, 8)] {
        let mut study = memory(config(square()));
        let mut campaign = Campaign::new(Budget::Total(200));
        // However fast the machine is, there are many fits.
        (campaign.mode, campaign.most_missed) = (Mode::Async { refit_every }, Some(refit_every));
        while let Next::Evaluate(trials) = campaign.next(&mut study, workers).unwrap() {
            let told: Vec<_> =
                trials.iter().map(|trial| (trial.id, Outcome::value(rippled_with_noise(trial)))).collect();
            study.tell(&told).unwrap();
        }
        let replicates = replicates(&study);
        assert!((5..=10).contains(&replicates), "{replicates} with {workers} workers, models after {refit_every}");
    }
}

#[test]
fn exact_outcomes_are_recognised_and_the_best_of_them_is_recommended() {
    let mut told = config(square());
    told.outputs[0].noise = Noise::None;
    for (config, from) in [(config(square()), 80), (told, 40)] {
        let mut study = grown(config, from, |trial| rippled(&trial.point));
        for _ in 0..3 {
            let best = study.best().unwrap().unwrap();
            let truth = rippled(&best.observed.trial.point);
            assert_eq!((best.believed.trial.id, best.believed.mean), (best.observed.trial.id, truth));
            assert_eq!(best.believed.interval, (truth, truth));
            assert_eq!(study.ranking(0).unwrap()[0], best.believed.trial.id);
            let asked = study.ask(20).unwrap();
            let outcome = |trial: &Trial| (trial.id, Outcome::value(rippled(&trial.point)));
            study.tell(&asked.iter().map(outcome).collect::<Vec<_>>()).unwrap();
        }
        // A replicate that differs withdraws it.
        let trial = study.history().records()[0].trial.clone();
        study.add(&[(trial.point.clone(), Some(Outcome::value(rippled(&trial.point) + 0.2)))]).unwrap();
        let believed = study.best().unwrap().unwrap().believed;
        assert!(believed.interval.0 < believed.interval.1, "{believed:?}");
    }
}

/// Noise with the deviation of the ripple: what the model misses is not believed.
#[test]
fn noisy_outcomes_are_not_taken_at_their_word() {
    let noise = |id: u64| 0.3 * f64::sin(1.7 * (id * id) as f64);
    let smooth = |point: &Point| rippled(point) - 0.3 * ripple(point);
    let mut study = grown(config(square()), 200, |trial| smooth(&trial.point) + noise(trial.id));
    let best = study.best().unwrap().unwrap();
    assert!(best.believed.mean < best.observed.value - 0.05, "{best:?}");
}

fn ripple(point: &Point) -> f64 {
    let [Value::Real(a), Value::Real(b)] = point[..] else { panic!("{point:?}") };
    (90.0 * a).sin() * (110.0 * b).sin()
}

/// The first of every face is the same trial, with noise, with a ripple that a model takes for noise, and without either.
#[test]
fn every_face_begins_with_the_same_trial() {
    let noise = |id: u64| 0.1 * f64::sin(1.7 * (id * id) as f64);
    let smooth = |trial: &Trial| rippled(&trial.point) - 0.3 * ripple(&trial.point);
    let mut exact = config(square());
    exact.outputs[0].noise = Noise::None;
    for (name, config, outcome) in [
        ("noisy", config(square()), &(|trial: &Trial| smooth(trial) + noise(trial.id)) as &dyn Fn(&Trial) -> f64),
        ("rippled", config(square()), &rippled_with_noise),
        ("exact", exact, &|trial: &Trial| rippled(&trial.point)),
    ] {
        let mut study = grown(config, 200, outcome);
        let best = study.best().unwrap().unwrap();
        let ranking = study.ranking(0).unwrap();
        assert_eq!(ranking[0], best.believed.trial.id, "{name}");
        if name != "exact" {
            continue;
        }
        // The others follow by their outcomes, and a front of one objective is the best of them.
        let value = |id: &u64| study.trial(*id).unwrap().values().unwrap()[0];
        let values: Vec<f64> = ranking.iter().map(value).collect();
        assert!(values.is_sorted_by(|a, b| a >= b), "{values:?}");
        let front = study.fronts().unwrap().believed;
        assert_eq!((front[0].trial.id, front[0].values[0]), (ranking[0], best.observed.value));
        // There is nothing to be told apart.
        let again = study.replicate(4).unwrap();
        assert!(again.iter().all(|trial| trial.point == best.observed.trial.point), "{again:?}");
    }
}
