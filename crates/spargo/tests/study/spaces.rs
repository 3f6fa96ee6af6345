//! Every rule over every space: as many points as wanted, all valid, all new, and good ones in the end.

use super::*;
use spargo::Error;
use spargo::space::LabelColumn;
use spargo::study::{Note, Record, Replicates};

/// Asks that are told late or never, and the points of each.
#[test]
fn every_rule_asks_for_new_and_valid_points_over_every_space() {
    for (name, space) in spaces() {
        for rule in of_one() {
            let mut study = memory(Config { rule: Some(rule), ..small(space.clone()) });
            advance(&mut study, 8, observe);
            for count in [1, 7, 5] {
                let trials = study.ask(count).unwrap();
                assert_eq!(trials.len(), count, "{name} {rule:?}");
                for Trial { point, .. } in &trials {
                    let numbers = space.encode(point).unwrap();
                    assert_eq!(space.decode(&numbers).as_ref(), Ok(point), "{name} {rule:?}");
                }
            }
            assert_all_different(&points(&study));
            let reports = study.reports().unwrap();
            // By models, whether they were asked for then or before.
            let is_chosen = |report: &StepReport| !report.models.is_empty() || report.ready == report.asked;
            assert!(reports[1..].iter().all(|report| is_chosen(report) && report.design == 0));
        }
    }
}

/// The best outcomes lie beyond the ranges: models learn from them, but nothing is asked for there.
#[test]
fn results_from_outside_the_ranges_are_used_and_never_asked_for() {
    let narrow = [Dimension::real("a", -1.0, 2.0), Dimension::real("b", 0.01, 100.0).log(), Dimension::int("c", 3, 9)];
    let words = Dimension::choice("d", &["x", "y", "z"]);
    let space = Space::new(narrow.into_iter().chain([words]).collect()).unwrap();
    // Rises towards large a, small b and small c, far beyond the ends.
    let value = |point: &Point| {
        let numbers = space.encode_observed(point).unwrap();
        numbers[0] - numbers[1] - numbers[2] + 0.1 * numbers[3]
    };
    let outside = |i: usize| -> Point {
        let word = ["x", "y", "z"][i % 3];
        vec![(2.5 + 0.1 * i as f64).into(), 0.001.into(), (2 - (i % 4) as i64).into(), word.into()]
    };
    for (rule, exact) in of_one().into_iter().flat_map(|rule| [(rule, 0), (rule, 1000)]) {
        let mut config = Config { rule: Some(rule), ..small(space.clone()) };
        (config.model.exact_until, config.acquisition.exclusion) = (exact, 5);
        let mut study = memory(config);
        let known: Vec<_> = (0..20).map(|i| (outside(i), Some(Outcome::value(value(&outside(i)))))).collect();
        study.add(&known).unwrap();
        assert!(known.iter().all(|(point, _)| !space.contains(point)));
        for count in [8, 12, 12, 12] {
            for trial in advance(&mut study, count, |_, trial| Outcome::value(value(&trial.point))) {
                let numbers = space.encode(&trial.point).unwrap();
                assert!(space.contains(&trial.point) && space.contains_numbers(&numbers), "{rule:?}: {trial:?}");
            }
        }
        assert_all_different(&points(&study));
        // The corner of the space that is closest to them, which 8 points of a design alone would not have found.
        let asked = study.history().records()[28..].iter().map(|record| value(&record.trial.point));
        let best = asked.fold(f64::NEG_INFINITY, f64::max);
        assert!(best > 0.95, "{rule:?}: {best}");
        let prediction = study.predict(0, &[outside(0)]).unwrap();
        assert!((prediction.mean[0] - value(&outside(0))).abs() < 0.3, "{rule:?}: {prediction:?}");
    }
}

#[test]
fn results_from_outside_use_up_no_points() {
    let space = Space::new(vec![Dimension::int("c", 1, 3), Dimension::choice("d", &["x", "y"])]).unwrap();
    let mut study = memory(small(space));
    let outside: Vec<_> = (4..9).map(|c: i64| (vec![c.into(), "x".into()], Some(Outcome::value(c as f64)))).collect();
    study.add(&outside).unwrap();
    assert_eq!(study.ask(6).unwrap().len(), 6);
    assert_eq!(study.ask(1), Err(Error::Exhausted { wanted: 1, left: 0 }));
}

#[test]
fn the_optimum_of_a_mixed_function_is_found() {
    for rule in of_one() {
        let mut study = memory(Config { rule: Some(rule), seed: 2, ..small(mixed()) });
        advance(&mut study, 8, observe);
        for _ in 0..14 {
            advance(&mut study, 5, observe);
        }
        let best = study.best().unwrap().unwrap().believed.trial.point;
        let value = bowl(&mixed(), &best);
        assert!(value > 0.98, "{rule:?}: {best:?} has {value}");
        assert_eq!(best[3], Value::Choice("y".into()), "{rule:?}");
    }
}

#[test]
fn a_finite_space_is_used_up_and_never_left() {
    for (name, space) in [("grid", grid()), ("table", table())] {
        let size = space.size().unwrap() as usize;
        for rule in of_one() {
            let mut study = memory(Config { rule: Some(rule), initial: 20.into(), ..small(space.clone()) });
            let exhausted = |left: usize| Err(Error::Exhausted { wanted: left + 1, left });
            assert_eq!(study.ask(size + 1), exhausted(size), "{name} {rule:?}");
            advance(&mut study, 10, observe);
            // Partly design and partly the model's.
            assert_eq!(study.ask(size - 9), exhausted(size - 10), "{name} {rule:?}");
            advance(&mut study, 15, observe);
            assert_eq!(last_report(&study).design, 10);
            advance(&mut study, size - 25 - 6, observe);
            assert_eq!(study.ask(7), exhausted(6), "{name} {rule:?}");
            assert_eq!(study.history().records().len(), size - 6, "a refused ask leaves nothing");
            study.ask(6).unwrap();
            assert_eq!(study.ask(1), exhausted(0), "{name} {rule:?}");
            assert_eq!(study.ask(0), Ok(Vec::new()));
            assert_eq!(study.history().asks(), 4);
            assert_all_different(&points(&study));
            let numbers = |trial: &Trial| space.encode(&trial.point).unwrap();
            let all = study.history().records();
            assert!(all.iter().all(|r| name == "grid" || space.find(&numbers(&r.trial)).is_some()));
        }
    }
}

/// The same inputs from two suppliers: both may be asked for, and a model sees one point.
#[test]
fn candidates_that_differ_in_their_labels_are_all_asked_for() {
    let point = |i: usize| -> Point { vec![Value::Real((i / 2) as f64)] };
    let values = (0..20).map(|i| format!("id {i}")).collect();
    let space = Space::new(vec![Dimension::real("a", 0.0, 9.0)]).unwrap();
    let labels = vec![LabelColumn { name: "id".into(), values }];
    let space = space.with_labelled_candidates((0..20).map(point).collect(), labels).unwrap();
    for rule in of_one() {
        let mut study = memory(Config { rule: Some(rule), initial: 6.into(), ..small(space.clone()) });
        for count in [6, 5, 5] {
            advance(&mut study, count, observe);
        }
        assert_eq!(study.ask(5), Err(Error::Exhausted { wanted: 5, left: 4 }));
        study.ask(4).unwrap();
        let mut asked = rows(&study);
        asked.sort_unstable();
        assert!(asked.into_iter().eq((0..20).map(Some)), "{rule:?}");
        for Record { trial, .. } in study.history().records() {
            assert_eq!(trial.point, point(trial.row.unwrap() as usize), "{rule:?}");
        }
    }
}

/// The row of every trial.
fn rows(study: &Study) -> Vec<Option<u64>> {
    study.history().records().iter().map(|record| record.trial.row).collect()
}

/// A point in the queue is the candidate that the user means, before and after the table changes.
#[test]
fn queued_candidates_are_those_that_were_named() {
    let table = |ids: &[&str]| {
        let labels = vec![LabelColumn { name: "id".into(), values: ids.iter().map(|id| id.to_string()).collect() }];
        let space = Space::new(vec![Dimension::real("a", 0.0, 9.0)]).unwrap();
        small(space.with_labelled_candidates(vec![vec![Value::Real(1.0)]; ids.len()], labels).unwrap())
    };
    let (folder, note, point) = (Folder::new(), Note::new("a test", "me"), vec![Value::Real(1.0)]);
    let path = folder.file("queue.db");
    let mut study = Study::create(&path, table(&["a", "b", "c", "d"])).unwrap();
    let points = vec![point; 3];
    assert_eq!(study.enqueue_candidates(&points, &[Some(2), None, Some(3)], &note), Ok(3));
    assert_eq!(study.ask(1).unwrap()[0].row, Some(2));
    drop(study);
    let mut study = Study::open(&path).unwrap();
    study.reconfigure(table(&["b", "c", "d"]), &note).unwrap();
    assert_eq!(study.ask(2).unwrap().iter().map(|trial| trial.row).collect::<Vec<_>>(), [0, 2].map(Some));
    let words: Vec<_> = study.changes().unwrap().into_iter().filter(|one| one.change == "enqueued").collect();
    assert_eq!([0, 2].map(|k| words[k].after.as_str()), ["a 1.0, id c", "a 1.0, id d"]);
}

/// Three suppliers of the same: what is told, discarded, evaluated again or in another table keeps its identity.
#[test]
fn trials_keep_the_rows_of_their_candidates() {
    let table = |ids: &[&str]| {
        let values = ids.iter().map(|id| id.to_string()).collect();
        let labels = vec![LabelColumn { name: "id".into(), values }];
        let space = Space::new(vec![Dimension::real("a", 0.0, 9.0)]).unwrap();
        space.with_labelled_candidates(vec![vec![Value::Real(1.0)]; ids.len()], labels).unwrap()
    };
    let folder = Folder::new();
    let path = folder.file("labels.db");
    let config = |ids: &[&str]| Config { initial: 1.into(), ..small(table(ids)) };
    let mut study = Study::create(&path, config(&["a", "b", "c"])).unwrap();
    let told = (vec![Value::Real(1.0)], Some(Outcome::value(2.0)));
    // Trial 1 is b, which the user knows; trial 2 its replicate.
    study.add_candidates(std::slice::from_ref(&told), &[Some(1)]).unwrap();
    assert_eq!(study.replicate(1).unwrap()[0].row, Some(1));
    assert_eq!(study.ask(1).unwrap()[0].row, Some(0));
    study.discard(&[3], &Note::new("a test", "me")).unwrap();
    assert_eq!(study.ask(1).unwrap()[0].row, Some(0));
    assert_eq!(study.ask(2), Err(Error::Exhausted { wanted: 2, left: 1 }));
    assert_eq!(study.ask(1).unwrap()[0].row, Some(2));
    // Neither a row of the table nor its point.
    study.add_candidates(&[told, (vec![Value::Real(2.0)], None)], &[Some(9), Some(0)]).unwrap();
    let asked = [1, 1, 0, 0, 2, 0].map(Some).into_iter().chain([None]).collect::<Vec<_>>();
    assert_eq!(rows(&study), asked);
    drop(study);
    let mut study = Study::open(&path).unwrap();
    assert_eq!(rows(&study), asked);
    study.reconfigure(config(&["c", "d", "a"]), &Note::new("a test", "me")).unwrap();
    let moved = [None, None, Some(2), Some(2), Some(0), Some(2), None];
    assert_eq!(rows(&study), moved);
    drop(study);
    assert_eq!(rows(&Study::open(&path).unwrap()), moved);
}

#[test]
fn replicates_that_are_allowed_are_asked_for() {
    let tiny = || Space::new(vec![Dimension::int("c", 1, 3), Dimension::choice("d", &["x", "y"])]).unwrap();
    let few = || {
        let rows = (0..5).map(|i| vec![Value::Real(f64::from(i)), Value::Choice("only".into())]);
        Space::from_table(&["a", "d"].map(String::from), rows.collect()).unwrap()
    };
    for space in [tiny(), few(), plane()] {
        for rule in of_one() {
            let config = Config {
                rule: Some(rule),
                replicates: Replicates::Allowed,
                initial: 10.into(),
                ..small(space.clone())
            };
            let mut study = memory(config);
            for count in [10, 8, 8, 8] {
                advance(&mut study, count, observe);
            }
            let without: Vec<_> = study.reports().unwrap().into_iter().map(|report| report.without_model).collect();
            assert_eq!(without, [None, None, None, None], "{rule:?} {space:?}");
            if let Some(size) = space.size() {
                // The design covers what there is before it repeats.
                let design: HashSet<String> = points(&study)[..10].iter().cloned().collect();
                assert_eq!(design.len() as u64, size);
                // The model has seen all there is, and repeats the best of it.
                let best = study.best().unwrap().unwrap().believed.trial.point;
                let best = format!("{best:?}");
                let times = points(&study)[10..].iter().filter(|point| **point == best).count();
                assert!(times >= 3, "{rule:?}: {times}");
            }
        }
    }
}

#[test]
fn two_thousand_points_at_once() {
    for (name, space) in [("plane", plane()), ("mixed", mixed())] {
        let mut study = memory(small(space));
        assert_eq!(study.ask(0), Ok(Vec::new()));
        advance(&mut study, 8, observe);
        assert_eq!(study.ask(2000).unwrap().len(), 2000, "{name}");
        assert_all_different(&points(&study));
        assert_eq!(study.history().asks(), 2);
    }
}
