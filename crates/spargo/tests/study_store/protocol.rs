//! Asks: numbered, kept with their report, refused if others came in between; only the last state is kept.

use super::*;
use spargo::study::Outcome;
use spargo::study::store::State;

#[test]
fn an_ask_is_kept_with_what_it_saw() {
    let folder = Folder::new();
    let path = folder.file("study.db");
    let mut store = open_or_create(&path);
    assert_eq!(*store.refresh().unwrap(), History::default());
    store.add(&[(point(0.5), Some(Outcome::value(2.0)))]).unwrap();
    let commit = |store: &mut Store, points: &[Point], state, report| {
        let batch = batch(store.refresh().unwrap(), points, state, report);
        store.commit_ask(&batch)
    };
    let first = commit(&mut store, &[point(1.0), point(2.0)], "first", "one");
    assert_eq!(first, Ok(Committed::Done { ask: 1, trials: 2..4 }));
    store.tell(&[(3, Outcome::value(1.0))]).unwrap();
    let second = commit(&mut store, &[point(3.0)], "second", "two");
    assert_eq!(second, Ok(Committed::Done { ask: 2, trials: 4..5 }));

    let mut again = open(&path);
    let history = again.refresh().unwrap();
    assert_eq!(history.state(), Some(&State { ask: 2, seen: 2, json: "second".into() }));
    assert_eq!((history.asks(), history.tells()), (2, 2));
    assert_eq!(history.pending().map(|trial| trial.id).collect::<Vec<_>>(), [2, 4]);
    assert_eq!(*history, *store.refresh().unwrap());
    let reports = again.reports().unwrap();
    let read: Vec<_> = reports.iter().map(|report| (report.ask, report.seen, report.json.as_str())).collect();
    assert_eq!(read, [(1, 1, "one"), (2, 2, "two")]);
    // Any time after this was written and before the year 2200.
    assert!(reports.iter().all(|report| (1_700_000_000_000..7_300_000_000_000).contains(&report.time)));
}

#[test]
fn asks_and_points_that_came_in_between_are_a_conflict_and_tells_are_not() {
    let folder = Folder::new();
    let path = folder.file("study.db");
    let (mut ours, mut theirs) = (open_or_create(&path), open_or_create(&path));
    ask(&mut theirs, &[point(0.0)]);
    type Act = fn(&mut Store);
    let meantime: [(Act, bool); 4] = [
        (|store| _ = ask(store, &[point(1.0)]), true),
        (|store| _ = ask(store, &[]), true),
        (|store| _ = store.add(&[(point(1.0), None)]).unwrap(), true),
        (|store| _ = store.tell(&[(1, Outcome::value(1.0))]).unwrap(), false),
    ];
    for (act, conflict) in meantime {
        let points = [point(2.0)];
        let seen = ours.refresh().unwrap().tells();
        let first = batch(ours.history(), &points, "state", "report");
        act(&mut theirs);
        let committed = ours.commit_ask(&first).unwrap();
        assert_eq!(committed == Committed::Conflict, conflict, "{committed:?}");
        let before = ours.history().mark();
        let now = ours.refresh().unwrap().mark();
        if conflict {
            assert!(now != before && now.trials <= before.trials + 1, "the batch was not written: {before:?} {now:?}");
            let again = Batch { beside: now, seen, ..first };
            assert!(matches!(ours.commit_ask(&again), Ok(Committed::Done { .. })));
        }
    }
}

#[test]
fn only_the_last_state_is_kept_and_the_file_stops_growing() {
    let folder = Folder::new();
    let path = folder.file("study.db");
    let mut store = open_or_create(&path);
    let large = "x".repeat(1 << 20);
    let mut sizes = Vec::new();
    for step in 0..12 {
        store.refresh().unwrap();
        let state = format!("{step}{large}");
        store.commit_ask(&batch(store.history(), &[point(step as f64)], &state, "report")).unwrap();
        // The log's part, too.
        drop(store);
        sizes.push(fs::metadata(&path).unwrap().len());
        store = open(&path);
    }
    assert!(sizes[11] < 3 << 20, "{sizes:?}");
    assert_eq!(sizes[11], sizes[4], "{sizes:?}");
    assert!(store.refresh().unwrap().state().unwrap().json.starts_with("11x"));
    assert_eq!(store.reports().unwrap().len(), 12);
}

#[test]
fn the_log_shrinks_again_while_a_process_lives() {
    let folder = Folder::new();
    let mut store = open_or_create(&folder.file("study.db"));
    let log = || fs::metadata(folder.file("study.db-wal")).unwrap().len();
    let mut lengths = Vec::new();
    for (step, size) in [24 << 20, 1, 1, 1].into_iter().enumerate() {
        store.refresh().unwrap();
        store.commit_ask(&batch(store.history(), &[point(step as f64)], &"x".repeat(size), "report")).unwrap();
        lengths.push(log());
    }
    assert!(lengths[0] > 24 << 20 && lengths[3] <= 1 << 24, "{lengths:?}");
}
