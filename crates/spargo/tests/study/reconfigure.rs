//! Settings that change in mid-campaign, and points that are asked for next.

use super::outputs::with_goals;
use super::*;
use spargo::Result;
use spargo::study::storage::{Appended, Event, SqliteStorage, Storage};
use spargo::study::{ColumnUnit, Correction, Goal, Note, SettingChange};
use std::path::PathBuf;

fn note() -> Note {
    Note::new("changed", "someone")
}

fn begun(config: Config) -> Study {
    let mut study = memory(config);
    advance(&mut study, 8, observe);
    advance(&mut study, 5, observe);
    study
}

fn wider() -> Space {
    Space::new(vec![Dimension::real("a", -2.0, 3.0), Dimension::real("b", 0.001, 1000.0).log()]).unwrap()
}

#[test]
fn trials_stay_and_are_seen_as_the_new_settings_see_them() {
    let reversed = |space: Space| Space::new(space.dimensions().iter().rev().cloned().collect()).unwrap();
    let changes: Vec<(&str, Config)> = vec![
        ("batch", Config { batch: 9, ..small(plane()) }),
        ("rule", Config { rule: Some(by_name("log-ei")), ..small(plane()) }),
        ("model", {
            let mut config = small(plane());
            config.model.exact_until = 1;
            config
        }),
        ("space", small(wider())),
        ("space", small(reversed(plane()))),
        ("outputs", {
            let mut config = small(plane());
            config.outputs[0].goal = Goal::Minimize;
            config
        }),
    ];
    for (field, config) in changes {
        let mut study = begun(small(plane()));
        let told: Vec<_> = study.history().records().iter().map(|record| record.outcome()).collect();
        let changed = study.reconfigure(config.clone(), &note()).unwrap();
        assert_eq!(changed.iter().map(|change| change.field.as_str()).collect::<Vec<_>>(), [field]);
        assert!(!changed[0].parts().is_empty());
        assert_eq!(study.config().space, config.space);
        let kept: Vec<_> = study.history().records().iter().map(|record| record.outcome()).collect();
        assert_eq!(kept, told, "{field}");
        let next = study.ask(6).unwrap();
        assert!(next.iter().all(|trial| config.space.encode(&trial.point).is_ok()), "{field}");
        assert_eq!(study.reports().unwrap().pop().unwrap().without_model, None, "{field}");
        // Read again, event by event, it is the same study and asks for the same.
        let mut again = Study::from_bytes(&study.to_bytes().unwrap()).unwrap();
        assert_eq!(again.history(), study.history(), "{field}");
        assert_eq!(again.ask(3), study.ask(3), "{field}");
        let history = study.setting_history().unwrap();
        let SettingChange { before, after, .. } = &changed[0];
        assert!(
            matches!(&history[..], [(note, one)] if note.by == "someone" && one.before == *before && one.after == *after)
        );
        assert_eq!(study.reconfigure(config, &note()), Ok(vec![]), "once is enough");
    }
}

#[test]
fn a_change_is_told_by_its_parts() {
    let mut study = begun(small(plane()));
    let changes = study.reconfigure(small(wider()), &note()).unwrap();
    let parts = changes[0].parts();
    let fields: Vec<&str> = parts.iter().map(|part| part.field.as_str()).collect();
    assert_eq!(fields, ["space.inputs.a.real", "space.inputs.b.real"]);
    assert_eq!(parts[0].after, serde_json::json!([-2.0, 3.0]));
}

#[test]
fn a_model_of_changed_ranges_is_that_of_a_study_that_always_had_them() {
    let mut study = begun(small(plane()));
    study.reconfigure(small(wider()), &note()).unwrap();
    let mut fresh = memory(small(wider()));
    let told: Vec<_> =
        study.history().records().iter().map(|record| (record.trial.point.clone(), record.outcome())).collect();
    fresh.add(&told).unwrap();
    let points: Vec<Point> = told.into_iter().map(|(point, _)| point).collect();
    assert_eq!(study.predict(0, &points), fresh.predict(0, &points));
}

#[test]
fn what_cannot_change_is_refused_with_a_way_that_keeps_the_data() {
    let renamed = {
        let mut config = small(plane());
        config.outputs[0].name = "other".into();
        config
    };
    let log = {
        let mut config = small(plane());
        config.model.outcome_transform = spargo::study::OutcomeTransformChoice::Log;
        config
    };
    let fewer = Space::new(plane().dimensions()[..1].to_vec()).unwrap();
    let two = with_goals(plane(), &[Goal::Maximize, Goal::Minimize]);
    let mut study = begun(small(plane()));
    study.add(&[(vec![Value::Real(0.5), Value::Real(1.0)], Some(Outcome::value(-1.0)))]).unwrap();
    for (config, words, way) in [
        (renamed, "the outputs cannot change", "export the trials"),
        (two, "the outputs cannot change", "export the trials"),
        (log.clone(), "trial 14 does not fit: 'objective' = -1 in trial 14 has no logarithm", "discard it first"),
        (small(fewer), "the input 'b' cannot be taken away", "export the trials"),
    ] {
        let (before, position) = (study.config().clone(), study.history().position());
        let refused = study.reconfigure(config, &note()).unwrap_err().to_string();
        assert!(refused.contains(words) && refused.contains(way), "{refused}");
        assert_eq!((study.config(), study.history().position()), (&before, position));
    }
    study.discard(&[14], &note()).unwrap();
    study.reconfigure(log, &note()).unwrap();
}

/// Numbers do not change with the name of their unit: trials of the past would be at other points.
#[test]
fn units_do_not_change_under_trials() {
    let space = |unit: Option<&str>| {
        let a = Dimension::real("a", -1.0, 2.0);
        Space::new(vec![unit.map_or(a.clone(), |unit| a.clone().unit(unit)), Dimension::real("b", 0.01, 100.0).log()])
    };
    let with = |unit: Option<&str>| small(space(unit).unwrap());
    let refused = |study: &mut Study, unit: Option<&str>| {
        let position = study.history().position();
        let refused = study.reconfigure(with(unit), &note()).unwrap_err().to_string();
        assert!(refused.contains("export the trials") && study.history().position() == position, "{refused}");
        refused
    };
    let mut study = memory(with(Some("mL")));
    study.reconfigure(with(Some("L")), &note()).unwrap();
    assert_eq!(study.header("a"), "a (L)");
    advance(&mut study, 4, observe);
    let words = refused(&mut study, Some("mL"));
    assert!(words.contains("the unit of 'a', by the study, cannot change from L to mL"), "{words}");
    assert!(refused(&mut study, None).contains("cannot be left out"));
    study.reconfigure(with(Some(" L")), &note()).unwrap();
    let trials: Vec<u64> = study.history().records().iter().map(|record| record.trial.id).collect();
    study.discard(&trials, &note()).unwrap();
    study.reconfigure(with(Some("mL")), &note()).unwrap();

    // The unit of a table holds until the settings say the same.
    let mut study = begun(with(None));
    let unit = ColumnUnit { column: "a".into(), unit: "°C".into(), source: "first.csv".into() };
    study.tell_table(&[], &[], &[], &[unit]).unwrap();
    assert_eq!([study.header("a"), study.header("b")], ["a (°C)", "b"]);
    assert!(refused(&mut study, Some("K")).contains("by first.csv, cannot change from °C to K"));
    study.reconfigure(Config { batch: 9, ..with(None) }, &note()).unwrap();
    study.reconfigure(with(Some("ºC")), &note()).unwrap();
}

/// What was withdrawn is not in the way of a change, stays on record, and comes back only where it fits.
#[test]
fn discarded_trials_do_not_block_a_change() {
    let with = |choices: &[&str]| {
        small(Space::new(vec![Dimension::real("a", 0.0, 1.0), Dimension::choice("c", choices)]).unwrap())
    };
    let log = |config: Config| {
        let mut config = config;
        config.model.outcome_transform = spargo::study::OutcomeTransformChoice::Log;
        config
    };
    let point = |a: f64, c: &str| vec![Value::Real(a), Value::Choice(c.into())];
    let told = |a: f64, c: &str, y: f64| (point(a, c), Some(Outcome::value(y)));
    // The last trial has a choice that goes, or an outcome without a logarithm.
    for (odd, config) in [(told(0.3, "z", 1.0), with(&["x", "y"])), (told(0.3, "x", -1.0), log(with(&["x", "y", "z"])))]
    {
        let mut study = memory(with(&["x", "y", "z"]));
        let good: Vec<_> =
            (0..6).map(|i| told(f64::from(i) / 7.0, ["x", "y"][i as usize % 2], 1.0 + f64::from(i))).collect();
        study.add(&[&good[..], std::slice::from_ref(&odd)].concat()).unwrap();
        assert!(study.reconfigure(config.clone(), &note()).is_err());
        study.discard(&[7], &note()).unwrap();
        assert_eq!(study.reconfigure(config, &note()).unwrap().len(), 1);
        assert!(study.ask(3).unwrap().iter().all(|trial| study.config().space.contains(&trial.point)));
        let mut study = Study::from_bytes(&study.to_bytes().unwrap()).unwrap();
        let record = study.trial(7).unwrap().clone();
        assert_eq!((record.trial.point.clone(), record.outcome()), odd, "it is on record");
        assert_eq!(study.model_reports().unwrap()[0].observations, 6);
        let position = study.history().position();
        let (same, reason) = ([(7, Outcome::Measured(vec![spargo::study::Measurement::Pending]))], note());
        let refused = study.amend(&same, &reason).unwrap_err().to_string();
        assert!(refused.contains("trial 7 was discarded, and no longer fits"), "{refused}");
        assert_eq!(study.history().position(), position);
        study.reconfigure(with(&["x", "y", "z"]), &note()).unwrap();
        assert_eq!(study.amend(&same, &reason).unwrap().len(), 1);
        assert_eq!(study.model_reports().unwrap()[0].observations, 7);
    }
}

#[test]
fn an_input_is_added_with_the_value_that_past_trials_had() {
    let with = |input: Dimension| small(Space::new([plane().dimensions(), &[input]].concat()).unwrap());
    let mut study = begun(small(plane()));
    let refused = study.reconfigure(with(Dimension::int("n", 1, 3)), &note()).unwrap_err().to_string();
    assert!(refused.contains("'n' is new") && refused.contains("past = …"), "{refused}");
    study.reconfigure(with(Dimension::int("n", 1, 3).past(2)), &note()).unwrap();
    assert!(study.history().records().iter().all(|record| record.trial.point[2] == Value::Int(2)));
    assert!(study.ask(9).unwrap().iter().any(|trial| trial.point[2] != Value::Int(2)));
    // Later the study is opened by its inputs, whenever each of them was added.
    let folder = Folder::new();
    let path = folder.file("study.db");
    let mut stored = Study::create(&path, small(plane())).unwrap();
    stored.reconfigure(with(Dimension::int("n", 1, 3).past(2)), &note()).unwrap();
    assert!(Study::open_or_create(&path, with(Dimension::int("n", 1, 3))).is_ok());
    assert!(Study::open_or_create(&path, with(Dimension::int("n", 1, 4))).is_err());
    assert!(Study::open_or_create(&path, with(Dimension::int("n", 1, 3).past(3))).is_err());
}

#[test]
fn narrower_ranges_keep_what_lies_outside_and_recommend_what_lies_inside() {
    let narrow = Space::new(vec![Dimension::real("a", 0.9, 2.0), Dimension::real("b", 0.01, 100.0).log()]).unwrap();
    let mut study = begun(small(plane()));
    let inside = |study: &Study| study.history().records().iter().filter(|r| narrow.contains(&r.trial.point)).count();
    assert!((1..13).contains(&inside(&study)), "{}", inside(&study));
    study.reconfigure(small(narrow.clone()), &note()).unwrap();
    assert_eq!(study.model_reports().unwrap()[0].observations, 13);
    let best = study.best().unwrap().unwrap();
    assert!([&best.believed.trial, &best.observed.trial].iter().all(|trial| narrow.contains(&trial.point)));
    assert!(study.replicate(5).unwrap().iter().all(|trial| narrow.contains(&trial.point)));
    assert!(study.ask(5).unwrap().iter().all(|trial| narrow.contains(&trial.point)));
}

#[test]
fn a_process_takes_the_settings_that_another_one_changed() {
    let folder = Folder::new();
    let path = folder.file("shared.db");
    let mut one = Study::create(&path, small(plane())).unwrap();
    advance(&mut one, 8, observe);
    let mut other = Study::open(&path).unwrap();
    other.reconfigure(small(wider()), &note()).unwrap();
    let asked = one.ask(4).unwrap();
    assert_eq!(one.config(), other.config());
    other.refresh().unwrap();
    assert_eq!(other.trial(asked[3].id).unwrap().trial, asked[3]);
    assert!(Study::open_or_create(&path, small(plane())).is_err(), "only by a call that says so");
    let (again, changes) = Study::open_or_reconfigure(&path, small(plane()), &note()).unwrap_or_else(|error| {
        panic!("{error}");
    });
    assert_eq!((again.config(), changes.len()), (&small(plane()), 1));
}

/// A process that has not seen the change writes nothing that the others cannot read.
#[test]
fn points_are_added_under_the_settings_of_the_day() {
    let folder = Folder::new();
    let path = folder.file("shared.db");
    let mut one = Study::create(&path, small(plane())).unwrap();
    advance(&mut one, 8, observe);
    let mut other = Study::open(&path).unwrap();
    let more = Space::new([plane().dimensions(), &[Dimension::int("n", 1, 3).past(2)]].concat()).unwrap();
    other.reconfigure(small(more), &note()).unwrap();
    let point: Point = vec![Value::Real(0.5), Value::Real(1.0)];
    assert!(one.add(&[(point.clone(), Some(Outcome::value(1.0)))]).is_err());
    let mut one = Study::open(&path).unwrap();
    assert!(one.enqueue(std::slice::from_ref(&point), &note()).is_err());
    let whole = [&point[..], &[Value::Int(3)]].concat();
    one.add(&[(whole, Some(Outcome::value(1.0)))]).unwrap();
    assert_eq!(Study::open(&path).unwrap().history().records().len(), 9);
}

#[test]
fn a_point_in_the_queue_has_a_place_in_the_new_space() {
    let with = |choices: &[&str]| {
        small(Space::new(vec![Dimension::real("a", 0.0, 1.0), Dimension::choice("c", choices)]).unwrap())
    };
    let mut study = memory(with(&["x", "y", "z"]));
    study.enqueue(&[vec![Value::Real(0.5), "z".into()]], &note()).unwrap();
    let refused = study.reconfigure(with(&["x", "y"]), &note()).unwrap_err().to_string();
    assert!(refused.contains("in the queue"), "{refused}");
    study.ask(3).unwrap();
}

#[test]
fn queued_points_are_asked_for_first_and_once() {
    let own = |a: f64| vec![Value::Real(a), Value::Real(1.0)];
    let mut study = begun(small(plane()));
    assert_eq!(study.enqueue(&[own(0.25), own(0.5), own(0.25)], &note()), Ok(3));
    assert!(study.enqueue(&[own(0.5), own(9.0)], &note()).is_err());
    let first = study.ask(2).unwrap();
    assert_eq!(first.iter().map(|trial| trial.point.clone()).collect::<Vec<_>>(), [own(0.25), own(0.5)]);
    let mut study = Study::from_bytes(&study.to_bytes().unwrap()).unwrap();
    let rest = study.ask(4).unwrap();
    assert_eq!((rest.len(), &rest[0].point), (4, &own(0.25)));
    assert!(rest[1..].iter().all(|trial| trial.point != own(0.25) && trial.point != own(0.5)));
    assert_eq!(study.history().queue().len(), 0);
    let reports = study.reports().unwrap();
    assert_eq!(reports.iter().map(|report| report.queued).sum::<usize>(), 3);
    // They are there in a space that is exhausted, too.
    let mut few = memory(small(Space::new(vec![Dimension::int("n", 1, 3)]).unwrap()));
    assert_eq!(few.ask_at_most(9, spargo::study::Refit::Always).unwrap().len(), 3);
    few.enqueue(&[vec![Value::Int(2)]], &note()).unwrap();
    assert_eq!(few.ask(5).unwrap().len(), 1);
}

#[test]
fn the_changes_of_a_study_are_one_table() {
    let at = |time, reason: &str| Note { time, ..Note::new(reason, "someone") };
    let own = |a: f64| vec![Value::Real(a), Value::Real(1.0)];
    let mut study = begun(small(plane()));
    study.enqueue(&[own(0.25)], &at(3, "a hunch")).unwrap();
    study.correct(&Correction::Discard(vec![2]), &at(1, "mislabelled")).unwrap();
    let mut more = small(Space::new([plane().dimensions(), &[Dimension::int("n", 1, 3).past(2)]].concat()).unwrap());
    more.batch = 9;
    study.reconfigure(more, &at(2, "a new stirrer")).unwrap();
    study.ask(2).unwrap();
    let again = Study::from_bytes(&study.to_bytes().unwrap()).unwrap();
    for study in [study, again] {
        let changes = study.changes().unwrap();
        let rows = changes.iter().map(|one| (one.trial, one.note.reason.as_str(), one.change, one.what.as_str()));
        let expected = [
            (Some(2), "mislabelled", "discarded", "objective"),
            (None, "a new stirrer", "setting", "batch"),
            (None, "a new stirrer", "setting", "space.inputs.n"),
            (Some(14), "a hunch", "enqueued", "point"),
        ];
        assert!(rows.eq(expected), "{changes:?}");
        assert_eq!(changes[1].after, "9");
        assert_eq!(changes[3].after, "a 0.25, b 1.0, n 2", "as the new space sees it");
    }
}

/// A file that another process is faster to write to, once, than the next ask.
#[derive(Debug)]
struct Overtaken {
    storage: SqliteStorage,
    path: PathBuf,
    other: Option<fn(&mut Study)>,
}

impl Storage for Overtaken {
    fn name(&self) -> String {
        self.storage.name()
    }

    fn load(&mut self, position: u64) -> Result<Vec<Event>> {
        self.storage.load(position)
    }

    fn append(&mut self, position: u64, events: &[Event]) -> Result<Appended> {
        if let Some(other) = self.other.take() {
            other(&mut Study::open(&self.path)?);
        }
        self.storage.append(position, events)
    }
}

#[test]
fn a_batch_is_chosen_again_if_what_it_is_based_on_has_changed_meanwhile() {
    let own = |a: f64| vec![Value::Real(a), Value::Real(1.0)];
    let add_input = |study: &mut Study| {
        let input = Dimension::int("n", 1, 3).past(2);
        let config = small(Space::new([plane().dimensions(), &[input]].concat()).unwrap());
        study.reconfigure(config, &note()).unwrap();
    };
    let ask_one = |study: &mut Study| drop(study.ask(1).unwrap());
    let ask_all = |study: &mut Study| drop(study.ask(3).unwrap());
    let tell = |study: &mut Study| drop(study.amend(&[(3, Outcome::value(0.5))], &note()).unwrap());
    type Other = fn(&mut Study);
    let others: [(Other, usize); 4] = [(add_input, 2), (ask_one, 1), (ask_all, 0), (tell, 2)];
    for (other, left) in others {
        for (count, has_queue) in [(2, true), (5, true), (5, false)] {
            let folder = Folder::new();
            let path = folder.file("shared.db");
            let mut study = Study::create(&path, small(plane())).unwrap();
            advance(&mut study, 8, observe);
            let queue = [own(0.25), own(0.5)];
            study.enqueue(&queue[..if has_queue { 2 } else { 0 }], &note()).unwrap();
            let left = if has_queue { left } else { 0 };
            let storage = SqliteStorage::open(&path).unwrap();
            let storage = Overtaken { storage, path: path.clone(), other: Some(other) };
            let mut study = Study::with_storage(small(plane()), Box::new(storage)).unwrap();
            let trials = study.ask(count).unwrap();
            assert_eq!(trials.len(), count);
            assert!(trials.iter().all(|trial| study.config().space.contains(&trial.point)), "{trials:?}");
            assert_all_different(&points(&study));
            let queued = |trial: &Trial| queue.iter().any(|own| trial.point.starts_with(own));
            assert!(trials[..left].iter().all(queued) && !trials[left..].iter().any(queued), "{trials:?}");
            assert_eq!(study.history().queue().len(), 0);
            let mut again = Study::open(&path).unwrap();
            assert_eq!(again.history(), study.history());
            assert_eq!(again.ask(3).unwrap().len(), 3);
        }
    }
}
