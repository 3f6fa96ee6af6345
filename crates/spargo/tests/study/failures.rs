//! Evaluations that fail: a region of them is left, one of them is not avoided, and the model never sees any.

use super::*;
use crate::process::repeats;
use spargo::rng::uniform;

/// The share of a unit square in which evaluations fail.
const SHARE: f64 = 0.4;

fn numbers(trial: &Trial) -> Vec<f64> {
    square().encode(&trial.point).unwrap()
}

fn fails(trial: &Trial) -> bool {
    numbers(trial)[0] > 1.0 - SHARE
}

/// Best at the edge of what fails, and promising more beyond it.
fn slope(trial: &Trial) -> f64 {
    numbers(trial)[0] - (numbers(trial)[1] - 0.5).powi(2)
}

/// As good where it fails as elsewhere.
fn rugged(trial: &Trial) -> f64 {
    (9.0 * numbers(trial)[0]).sin() * (9.0 * numbers(trial)[1]).sin()
}

/// One course of events is chance.
const SEEDS: std::ops::Range<u64> = 0..4;

/// The share of failures among the last 50 of 108 evaluations.
fn late_failures(rule: &'static Rule, f: fn(&Trial) -> f64) -> f64 {
    let outcome = |_: &Space, trial: &Trial| match fails(trial) {
        true => Outcome::failed("too far"),
        false => Outcome::value(f(trial) + 0.1 * normal(&mut stream(7, Purpose::Data, 0, trial.id))),
    };
    let share = |seed| {
        let mut study = memory(Config { rule: Some(rule), seed, ..small(square()) });
        advance(&mut study, 8, outcome);
        let late = (0..20).flat_map(|_| advance(&mut study, 5, outcome)).skip(50);
        late.filter(fails).count() as f64 / 50.0
    };
    SEEDS.map(share).sum::<f64>() / SEEDS.count() as f64
}

/// A model without failures is most curious where it has no data.
#[test]
fn a_region_that_always_fails_is_left() {
    for rule in of_one() {
        let share = late_failures(rule, rugged);
        assert!(share < 0.7 * SHARE, "{rule:?}: {share}");
    }
    // Paths are drawn back from where they promise most. The other rules are not yet: they stay at the edge, beyond it.
    let share = late_failures(by_name("thompson"), slope);
    assert!(share < 0.7 * SHARE, "{share}");
}

#[test]
fn one_failure_excludes_nothing() {
    let close = |rule, seed, has_failure| {
        let mut study = memory(Config { rule: Some(rule), seed, ..small(square()) });
        if has_failure {
            study.add(&[(vec![Value::Real(0.31), Value::Real(0.6)], Some(Outcome::failed("once")))]).unwrap();
        }
        let asked: Vec<Trial> = (0..8).flat_map(|_| advance(&mut study, 5, observe)).collect();
        asked.iter().map(numbers).filter(|at| (at[0] - 0.31).hypot(at[1] - 0.6) < 0.1).count()
    };
    for rule in of_one() {
        // Of a seed, each rule has between none and thirty of forty points there.
        let seeds = 0..16;
        let [with, without] = [true, false].map(|has| seeds.clone().map(|seed| close(rule, seed, has)).sum::<usize>());
        let chance = 40.0 * seeds.count() as f64 * std::f64::consts::PI * 0.01;
        assert!(
            with as f64 > 3.0 * chance && 2 * with > without,
            "{rule:?}: {with}, not {without}, by chance {chance}"
        );
    }
}

#[test]
fn nothing_but_failures_still_leaves_points_to_ask_for() {
    for (name, space) in spaces() {
        for rule in of_one() {
            let mut study = memory(Config { rule: Some(rule), ..small(space.clone()) });
            for _ in 0..3 {
                advance(&mut study, 8, |_, _| Outcome::value(f64::NAN));
            }
            assert_eq!(study.best(), Ok(None));
            // The first success makes a model, of one point, then of two.
            for observations in [1, 2] {
                let told = study.ask(5).unwrap()[0].clone();
                study.tell(&[(told.id, observe(&space, &told))]).unwrap();
                study.ask(5).unwrap();
                assert_eq!(last_report(&study).models.remove(0).observations, observations, "{name} {rule:?}");
            }
            assert_all_different(&points(&study));
        }
    }
}

/// Without the failures the model would be the same.
#[test]
fn failures_are_no_data() {
    let mut studies = [memory(small(square())), memory(small(square()))];
    for study in &mut studies {
        advance(study, 8, observe);
    }
    let failed: Vec<_> = (0..5).map(|i| (vec![Value::Real(0.2 * f64::from(i)), Value::Real(0.5)], None)).collect();
    let ids = studies[0].add(&failed).unwrap();
    studies[0].tell(&ids.map(|id| (id, Outcome::failed("always"))).collect::<Vec<_>>()).unwrap();
    let [with, without] = studies.each_mut().map(|study| {
        let point = study.history().records()[0].trial.point.clone();
        format!("{:?}", study.predict(0, &[point]).unwrap())
    });
    assert_eq!(with, without);
    assert_eq!(studies[0].best(), studies[1].best());
}

/// The mean true value, over five seeds, of the last two batches of 20, when this share of all evaluations of a bump in four inputs
/// fails, wherever they are.
fn late_values(share: f64, rate: f64) -> f64 {
    let inputs = ["a", "b", "c", "d"].map(|name| Dimension::real(name, 0.0, 1.0));
    let space = Space::new(inputs.to_vec()).unwrap();
    let bump = |trial: &Trial| {
        let squares = space.encode(&trial.point).unwrap().into_iter().zip(CENTRE).map(|(x, c)| (x - c).powi(2));
        (-rate * squares.sum::<f64>()).exp()
    };
    let late = |seed: u64| {
        let outcome = |_: &Space, trial: &Trial| {
            let mut rng = stream(100 + seed, Purpose::Data, 0, trial.id);
            let (noise, fails) = (0.02 * normal(&mut rng), uniform(&mut rng) < share);
            if fails { Outcome::failed("by chance") } else { Outcome::value(bump(trial) + noise) }
        };
        let batches = repeats(7, 15);
        let mut study = memory(Config { seed, initial: 20.into(), batch: 20, ..Config::new(space.clone()) });
        let trials = (0..batches).flat_map(|_| advance(&mut study, 20, outcome)).skip(20 * (batches - 2));
        trials.map(|trial| bump(&trial)).sum::<f64>() / 40.0
    };
    (0..5).map(late).sum::<f64>() / 5.0
}

/// Three in ten fail wherever they are: the search goes on as if nothing failed, with that much fewer data.
#[test]
fn failures_by_chance_do_not_steer_the_search() {
    for rate in [1.5, 4.0] {
        let (without, with) = (late_values(0.0, rate), late_values(0.3, rate));
        assert!(with > 0.95 * without, "{rate}: {with} with failures, {without} without");
    }
}
