//! The model's optimum, evaluated or not: better than every trial by its own mean, a point of the space, feasible.

use super::outputs::{LIMIT, limited, with_goals};
use super::*;
use spargo::study::{Anywhere, Goal, OutcomeTransformChoice};

/// Outcomes in the model's own units, so that means may be compared.
fn plain(config: Config) -> Config {
    let mut config = config;
    config.model.outcome_transform = OutcomeTransformChoice::Off;
    config
}

fn asked(config: Config, rounds: usize, outcome: impl Fn(&Space, &Trial) -> Outcome) -> Study {
    let mut study = memory(config);
    advance(&mut study, 8, &outcome);
    (0..rounds).for_each(|_| drop(advance(&mut study, 5, &outcome)));
    study
}

/// The largest posterior mean of an output at a trial that satisfies the limit of the second, if there is one.
fn best_mean(study: &mut Study) -> f64 {
    let points: Vec<Point> = study.history().records().iter().map(|record| record.trial.point.clone()).collect();
    let means = study.predict(0, &points).unwrap().mean;
    let limits = if study.config().outputs.len() > 1 { study.predict(1, &points).unwrap().mean } else { Vec::new() };
    let feasible = means.iter().enumerate().filter(|(i, _)| limits.get(*i).is_none_or(|&limit| limit <= 0.0));
    feasible.map(|(_, &mean)| mean).fold(f64::MIN, f64::max)
}

#[test]
fn it_is_the_best_by_the_mean_over_every_space() {
    for (name, space) in spaces() {
        for (goals, outcome) in [
            (&[Goal::Maximize][..], observe as fn(&Space, &Trial) -> Outcome),
            (&[Goal::Maximize, LIMIT], limited as fn(&Space, &Trial) -> Outcome),
        ] {
            let mut study = asked(plain(with_goals(space.clone(), goals)), 4, outcome);
            let Anywhere { point, row, mean, interval, trial, feasible } = study.best_anywhere().unwrap().unwrap();
            assert!(feasible && interval.0 <= mean && mean <= interval.1, "{name}: {interval:?} {mean}");
            let is_same = |record: &spargo::study::Record| record.trial.point == point;
            let first = study.history().records().iter().find(|record| is_same(record)).map(|record| record.trial.id);
            assert_eq!(trial, first, "{name}");
            assert_valid(&space, &[Trial { id: 0, point: point.clone(), row }]);
            assert_eq!(row.is_some(), name == "table");
            assert_eq!(row, row.filter(|row| space.rows_at(&point).contains(row)), "{name}: a row of the table");
            let at = |study: &mut Study, output| study.predict(output, std::slice::from_ref(&point)).unwrap().mean[0];
            assert!((at(&mut study, 0) - mean).abs() < 1e-9, "{name}");
            assert!(goals.len() == 1 || at(&mut study, 1) <= 1e-9, "{name}");
            let trials = best_mean(&mut study);
            assert!(mean >= trials - 1e-9, "{name}, {} outputs: {mean} {trials}", goals.len());
            // Where every point is listed there is none better.
            if name == "grid" && goals.len() == 1 {
                let cell = |i: u64| space.decode(&[i % 12, i / 12 % 3, i / 36].map(|k| k as f64));
                let all: Vec<Point> = (0..360).filter_map(|i| cell(i).ok()).collect();
                let best = study.predict(0, &all).unwrap().mean.into_iter().fold(f64::MIN, f64::max);
                assert!(mean >= best - 1e-9, "{mean} {best}");
            }
        }
    }
}

/// Of a design without a trial at the optimum, with noise: all trials together say where between them it lies.
#[test]
fn it_is_closer_to_the_optimum_than_the_best_trial_of_a_design_is() {
    let (mut anywhere, mut trial) = (0.0, 0.0);
    for seed in 0..20 {
        let noisy = |space: &Space, trial: &Trial| {
            let noise = normal(&mut stream(seed, Purpose::Data, 0, trial.id));
            Outcome::value(-bowl(space, &trial.point) + 0.05 * noise)
        };
        let mut study = memory(Config { seed, initial: 40.into(), ..with_goals(square(), &[Goal::Minimize]) });
        advance(&mut study, 40, noisy);
        let regret = |point: &Point| 1.0 - bowl(&square(), point);
        let found = study.best_anywhere().unwrap().unwrap();
        assert_eq!(study.best_anywhere().unwrap().unwrap(), found, "the same question has the same answer");
        let mean = study.predict(0, std::slice::from_ref(&found.point)).unwrap().mean[0];
        assert!((mean - found.mean).abs() < 1e-9, "the user's sign: {mean} {}", found.mean);
        anywhere += regret(&found.point) / 20.0;
        trial += regret(&study.best().unwrap().unwrap().believed.trial.point) / 20.0;
    }
    assert!(anywhere < trial, "{anywhere} {trial}");
}

/// The objective grows beyond the limit, which no trial has come close to: the optimum lies between them.
#[test]
fn constraints_are_satisfied_by_their_means() {
    let outcome = |a: f64, b: f64| Outcome::values([a - (b - 0.5).powi(2), a - 0.55]);
    let mut study = memory(plain(with_goals(square(), &[Goal::Maximize, LIMIT])));
    let points: Vec<_> = (0..36)
        .map(|i| {
            let (a, b) = (f64::from(i % 6) / 5.0, f64::from(i / 6) / 5.0);
            (square().decode(&[a, b]).unwrap(), Some(outcome(a, b)))
        })
        .collect();
    study.add(&points).unwrap();
    let found = study.best_anywhere().unwrap().unwrap();
    let at = square().encode(&found.point).unwrap();
    assert!(found.trial.is_none() && found.feasible);
    assert!(at[0] > 0.5 && at[0] < 0.56 && (at[1] - 0.5).abs() < 0.1, "{at:?}");
    assert!(study.predict(1, &[found.point]).unwrap().mean[0] <= 1e-9);
    // Nothing satisfies what is beyond all outcomes: it says so.
    let never = Goal::Constraint { at_least: Some(9.0), at_most: None };
    let mut study = memory(plain(with_goals(square(), &[Goal::Maximize, never])));
    study.add(&points).unwrap();
    let closest = study.best_anywhere().unwrap().unwrap();
    assert!(!closest.feasible && square().encode(&closest.point).unwrap()[0] > 0.95, "{closest:?}");
}

/// Among failures the same mean counts for less, but for a trial that succeeded.
#[test]
fn it_is_not_where_evaluations_keep_failing() {
    let best = |has_failures: bool| {
        let mut study = memory(plain(with_goals(square(), &[Goal::Maximize])));
        let points: Vec<_> = (0..100)
            .map(|i| {
                let (a, b) = (f64::from(i % 10) / 9.0, f64::from(i / 10) / 9.0);
                let outcome = if a < 0.5 { Outcome::value(a) } else { Outcome::failed("too far") };
                (square().decode(&[a, b]).unwrap(), if a < 0.5 || has_failures { Some(outcome) } else { None })
            })
            .collect();
        study.add(&points).unwrap();
        let found = study.best_anywhere().unwrap().unwrap();
        // The search leaves the edge of what fails to the trials there.
        let edge: Vec<Point> = (0..10).map(|i| points[10 * i + 4].0.clone()).collect();
        let trials = study.predict(0, &edge).unwrap().mean;
        assert!(trials.iter().all(|&mean| found.mean >= mean - 1e-9), "{found:?} {trials:?}");
        square().encode(&found.point).unwrap()[0]
    };
    let (with, without) = (best(true), best(false));
    assert!(without > 0.6 && with < 0.55, "{with} {without}");
}

#[test]
fn there_is_none_where_there_is_no_best_trial() {
    let mut study = memory(small(square()));
    assert_eq!(study.best_anywhere(), Ok(None));
    study.ask(3).unwrap();
    assert_eq!(study.best_anywhere(), Ok(None));
    for goals in [&[Goal::Maximize, Goal::Minimize][..], &[Goal::Level(0.5)]] {
        let outcome = |space: &Space, trial: &Trial| Outcome::values(vec![bowl(space, &trial.point); goals.len()]);
        assert_eq!(asked(with_goals(square(), goals), 0, outcome).best_anywhere(), Ok(None));
    }
}
