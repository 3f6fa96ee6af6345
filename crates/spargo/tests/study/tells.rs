//! Outcomes may come in any order, in pieces, late, twice, without having been asked for, and with known noise.

use super::*;
use spargo::Error;
use spargo::study::ColumnUnit;
use std::path::Path;

type Told = Vec<(u64, Outcome)>;
type Way = fn(&mut Study, Told);

/// Ways to tell the same.
fn ways() -> [(&'static str, Way); 6] {
    fn one_by_one(study: &mut Study, told: Told) {
        told.into_iter().for_each(|one| assert_eq!(study.tell(&[one]), Ok(1)));
    }
    [
        ("at once", |study, told| assert_eq!(study.tell(&told), Ok(told.len()))),
        ("one by one", one_by_one),
        ("backwards", |study, told| one_by_one(study, told.into_iter().rev().collect())),
        ("in halves, the later first", |study, told| {
            let (first, second) = told.split_at(told.len() / 2);
            [second, first].iter().for_each(|half| assert_eq!(study.tell(half), Ok(half.len())));
        }),
        ("twice", |study, told| {
            study.tell(&told).unwrap();
            assert_eq!(study.tell(&told), Ok(0));
        }),
        ("looked at between", |study, told| {
            for one in told {
                study.tell(&[one]).unwrap();
                let point = study.history().records()[0].trial.point.clone();
                study.best().unwrap();
                study.predict(0, &[point]).unwrap();
            }
        }),
    ]
}

/// Whether the study is closed and opened after everything that is done.
#[derive(Clone, Copy, PartialEq)]
enum Life {
    InMemory,
    Open,
    Reopened,
}

fn reopen(study: Study, path: &Path, life: Life) -> Study {
    match life {
        Life::Reopened => {
            drop(study);
            Study::open(path).unwrap()
        }
        _ => study,
    }
}

/// The first 38 points: asks alongside pending batches, exact and sparse, some failed.
fn run(rule: &'static Rule, life: Life, tell: Way) -> Vec<String> {
    let folder = Folder::new();
    let path = folder.file("study.db");
    let config = Config { rule: Some(rule), ..small(mixed()) };
    let mut study = if life == Life::InMemory { memory(config) } else { Study::create(&path, config).unwrap() };
    for round in 0..7 {
        study.ask(if round == 0 { 8 } else { 5 }).unwrap();
        study = reopen(study, &path, life);
        // No outcome, then those of two batches.
        if round == 3 {
            continue;
        }
        let outcome = |trial: &Trial| match trial.id % 9 {
            0 => Outcome::value(f64::NAN),
            _ => observe(&study.config().space, trial),
        };
        let told = study.history().pending().map(|trial| (trial.id, outcome(trial))).collect();
        tell(&mut study, told);
        study = reopen(study, &path, life);
    }
    assert!(study.reports().unwrap().iter().all(|report| report.without_model.is_none()));
    points(&study)
}

#[test]
fn the_way_outcomes_come_leaves_no_trace() {
    for rule in of_one() {
        let expected = run(rule, Life::InMemory, ways()[0].1);
        for (name, way) in ways() {
            for life in [Life::Open, Life::Reopened] {
                assert_eq!(run(rule, life, way), expected, "{rule:?}, {name}");
            }
        }
    }
}

#[test]
fn what_was_told_stays_and_nothing_of_a_refused_call_is_written() {
    let mut study = memory(small(plane()));
    study.ask(4).unwrap();
    assert_eq!(study.tell(&[(1, Outcome::value(1.0)), (2, Outcome::value(f64::NAN))]), Ok(2));
    assert_eq!(study.tell(&[(1, Outcome::value(1.0)), (2, Outcome::failed("no number"))]), Ok(0));
    let wide = Outcome::values([1.0, 2.0]);
    for (trial, outcome) in [
        (1, Outcome::value(1.5)),
        (1, Outcome::failed("now")),
        (2, Outcome::value(1.0)),
        (9, Outcome::value(1.0)),
        (4, wide.clone()),
        (4, Outcome::noisy(1.0, -1.0)),
    ] {
        let before = study.history().clone();
        assert!(study.tell(&[(3, Outcome::value(3.0)), (trial, outcome.clone())]).is_err(), "{outcome}");
        study.refresh().unwrap();
        assert_eq!(*study.history(), before);
    }
    let retold = study.tell(&[(1, Outcome::value(1.5))]).unwrap_err();
    assert_eq!(retold, Error::Retold { index: 0, trial: 1, told: "1".into(), now: "1.5".into() });

    let inside: Point = vec![Value::Real(0.0), Value::Real(1.0)];
    // A logarithmic range has no number for it.
    let outside: Point = vec![Value::Real(1.0), Value::Real(-1.0)];
    for bad in [(outside, None), (inside.clone(), Some(wide)), (inside[..1].to_vec(), None)] {
        let before = study.history().clone();
        assert!(study.add(&[(inside.clone(), None), bad]).is_err());
        study.refresh().unwrap();
        assert_eq!(*study.history(), before);
    }
    assert_eq!(study.trial(2).unwrap().outcome(), Some(Outcome::failed("the outcome is NaN")));
}

#[test]
fn the_units_of_a_table_are_kept_with_what_it_tells_or_not_at_all() {
    let mut config = small(plane());
    config.space =
        Space::new(vec![Dimension::real("a", -1.0, 2.0).unit("mL"), Dimension::real("b", 0.01, 100.0)]).unwrap();
    let mut study = memory(config);
    study.ask(2).unwrap();
    let unit = |column: &str, unit: &str, source: &str| ColumnUnit {
        column: column.into(),
        unit: unit.into(),
        source: source.into(),
    };
    let told = |trial: u64| [(trial, Outcome::value(1.0))];
    // Nothing is kept of a table that is refused.
    let position = study.history().position();
    assert!(study.tell_table(&told(9), &[], &[], &[unit("b", "K", "wrong.csv")]).is_err());
    assert_eq!((study.history().units().len(), study.history().position()), (0, position));
    // What the settings declare, or an earlier table has said, is not new.
    let first = [unit("a", "mL", "first.csv"), unit("b", "°C", "first.csv")];
    let (new, kept) = study.tell_table(&told(1), &[], &[], &first).unwrap();
    assert_eq!((new, kept.as_slice()), (1, &first[1..]));
    assert_eq!(kept[0].to_string(), "b in °C (first.csv)");
    assert_eq!(study.tell_table(&told(2), &[], &[], &first), Ok((1, vec![])));
    let mut again = Study::from_bytes(&study.to_bytes().unwrap()).unwrap();
    assert_eq!(again.history().units(), study.history().units());
    // Another unit, which another process may have kept since this table was checked.
    for (column, words) in [("a", "but in mL in the study"), ("b", "but in °C in first.csv")] {
        let refused =
            again.tell_table(&[], &[], &[], &[unit(column, "K", "second.csv")]).unwrap_err().error.to_string();
        assert!(refused.contains(&format!("'{column}' is in K in second.csv, {words}")), "{refused}");
    }
}

#[test]
fn late_outcomes_are_learned_from() {
    let mut study = memory(small(plane()));
    advance(&mut study, 8, observe);
    let first = study.ask(5).unwrap();
    let (early, late) = first.split_at(2);
    let tell = |study: &mut Study, trials: &[Trial]| {
        let told: Told = trials.iter().map(|trial| (trial.id, observe(&plane(), trial))).collect();
        study.tell(&told).unwrap();
    };
    for (trials, observations) in [(early, 10), (late, 13)] {
        tell(&mut study, trials);
        study.ask(5).unwrap();
        assert_eq!(last_report(&study).models.remove(0).observations, observations);
    }
    // Another order of asks and tells is another study.
    let mut other = memory(small(plane()));
    advance(&mut other, 8, observe);
    let first = other.ask(5).unwrap();
    tell(&mut other, &first);
    other.ask(5).unwrap();
    assert_ne!(points(&other)[13..], points(&study)[13..18]);
}

#[test]
fn points_that_were_not_asked_for_are_data_and_part_of_the_design() {
    for (added, design) in [(3, 5), (8, 0), (20, 0)] {
        let mut study = memory(small(plane()));
        let point = |i: usize| vec![Value::Real(0.05 * i as f64), Value::Real(1.0 + i as f64)];
        let told: Vec<_> = (0..added).map(|i| (point(i), Some(Outcome::value(i as f64)))).collect();
        assert_eq!(study.add(&told).unwrap(), 1..added as u64 + 1);
        study.ask(7).unwrap();
        let report = last_report(&study);
        assert_eq!((report.asked, report.design), (7, design));
        assert_eq!(report.models[0].observations, added);
        assert_all_different(&points(&study));
        assert_eq!(study.history().pending().count(), 7);
    }
    // Pending elsewhere.
    let mut study = memory(small(grid()));
    let somewhere: Point = vec![Value::Int(3), Value::Choice("y".into()), Value::Int(0)];
    study.add(&[(somewhere, None)]).unwrap();
    study.ask(359).unwrap();
    assert_all_different(&points(&study));
}

#[test]
fn known_noise_reaches_the_model() {
    // Half of the outcomes are right and known to be, half are far off and known to be.
    let row = |i: usize| vec![Value::Real(-1.0 + 3.0 * i as f64 / 29.0), Value::Real(1.0)];
    let truth = |point: &Point| bowl(&plane(), point);
    let told: Vec<(Point, Option<Outcome>)> = (0..30)
        .map(|i| (row(i), truth(&row(i))))
        .enumerate()
        .map(|(i, (point, f))| match i % 2 {
            0 => (point, Some(Outcome::noisy(f, 1e-4))),
            _ => (point, Some(Outcome::noisy(f + 30.0, 900.0))),
        })
        .collect();
    let points: Vec<Point> = told.iter().map(|(point, _)| point.clone()).collect();
    for inducing in [12, 100] {
        let mut study = memory(Config { inducing: inducing.into(), ..small(plane()) });
        study.add(&told).unwrap();
        let prediction = study.predict(0, &points).unwrap();
        for (point, mean) in points.iter().zip(&prediction.mean) {
            assert!((mean - truth(point)).abs() < 0.1, "{inducing}: {point:?} {mean}, not {}", truth(point));
        }
        assert!(prediction.variance.iter().all(|variance| *variance < 0.05), "{:?}", prediction.variance);
    }
}

#[test]
fn outcomes_and_points_are_told_together_or_not_at_all() {
    let space = Space::new(vec![Dimension::real("x", 0.0, 1.0)]).unwrap();
    let mut study = Study::in_memory(Config::new(space)).unwrap();
    study.ask(2).unwrap();
    let point = |x: f64| (vec![Value::Real(x)], Some(Outcome::value(x)));
    let before = study.to_bytes().unwrap();
    let refused = study.tell_and_add(&[(1, Outcome::value(1.0))], &[point(0.5), point(2e9)]).unwrap_err();
    assert_eq!(refused.index, 1);
    assert!(study.tell_and_add(&[(7, Outcome::value(1.0))], &[point(0.5)]).is_err());
    assert_eq!(study.to_bytes().unwrap(), before);
    assert_eq!(study.tell_and_add(&[(1, Outcome::value(1.0))], &[point(0.5)]), Ok(2));
    assert_eq!((study.counts().trials, study.counts().observed), (3, 2));
}

#[test]
fn whole_numbers_are_recorded_as_such() {
    let space = Space::new(vec![Dimension::int("k", 1, 9), Dimension::real("x", 0.0, 9.0)]).unwrap();
    let mut study = memory(small(space));
    study.add(&[(vec![Value::Real(2.0), Value::Real(3.0)], Some(Outcome::value(1.0)))]).unwrap();
    assert_eq!(study.trial(1).unwrap().trial.point, [Value::Int(2), Value::Real(3.0)]);
}
