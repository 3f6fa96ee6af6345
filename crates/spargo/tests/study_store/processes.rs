//! Several processes on one file: nothing is lost, doubled or skipped.

use super::*;
use spargo::study::Outcome;
use std::collections::BTreeSet;

const PROCESSES: u32 = 8;
const ROUNDS: u32 = 12;

/// The number that says who added or asked for a point, in which round, and as which of its call.
fn number(process: u32, round: u32, which: u32) -> f64 {
    f64::from(process * 10_000 + round * 10 + which)
}

fn number_of(point: &Point) -> f64 {
    let Value::Real(number) = point[0] else { panic!("{point:?}") };
    number
}

/// Asks for two points, adds one, and tells of the oldest pending trials, whoever asked for them.
fn work(path: &Path, process: u32) {
    let mut store = open_or_create(path);
    for round in 0..ROUNDS {
        let points = [0, 1].map(|which| point(number(process, round, which)));
        let seen = store.refresh().unwrap().tells();
        loop {
            let state = format!("{process} {round}");
            let batch = Batch { seen, ..batch(store.history(), &points, &state, &state) };
            if let Committed::Done { ask, trials } = store.commit_ask(&batch).unwrap() {
                acknowledge(&format!("{} {} {ask}", trials.start, number(process, round, 0)));
                break acknowledge(&format!("{} {} {ask}", trials.start + 1, number(process, round, 1)));
            }
            store.refresh().unwrap();
        }
        let added = store.add(&[(point(number(process, round, 2)), None)]).unwrap();
        acknowledge(&format!("{} {} 0", added.start, number(process, round, 2)));
        // Others tell of the same trials, with the same outcome.
        let pending: Vec<_> = store.refresh().unwrap().pending().take(4).collect();
        let told: Vec<_> = pending.iter().map(|t| (t.id, Outcome::value(number_of(&t.point) / 3.0))).collect();
        store.tell(&told).unwrap();
    }
}

#[test]
fn processes_never_collide() {
    if let Some(task) = task() {
        let (process, path) = task.split_once(' ').unwrap();
        return work(Path::new(path), process.parse().unwrap());
    }
    let folder = Folder::new();
    let path = folder.file("study.db");
    let children: Vec<_> = (0..PROCESSES)
        .map(|process| child("processes::processes_never_collide", &format!("{process} {}", path.display())))
        .map(|mut child| child.spawn().unwrap())
        .collect();
    let mut acknowledgements = Vec::new();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        acknowledgements.extend(acknowledged(&output.stderr));
    }

    assert_eq!(integrity(&path), "ok");
    let mut store = open(&path);
    let history = store.refresh().unwrap();
    assert_eq!(history.asks(), u64::from(PROCESSES * ROUNDS));
    assert_eq!(history.records().len() as u32, 3 * PROCESSES * ROUNDS);
    let read: BTreeSet<String> = history
        .records()
        .iter()
        .map(|record| format!("{} {} {}", record.trial.id, number_of(&record.trial.point), record.ask.unwrap_or(0)))
        .collect();
    assert_eq!(read, acknowledgements.into_iter().collect());

    let told: Vec<_> = history.records().iter().filter_map(|r| Some((&r.trial.point, r.told.as_ref()?))).collect();
    assert!(told.iter().all(|(point, told)| told.outcome == Outcome::value(number_of(point) / 3.0)));
    let seqs: BTreeSet<u64> = told.iter().map(|(_, told)| told.seq).collect();
    assert_eq!(seqs, (1..=history.tells()).collect());
    // Every round of every process told of something that was pending, its own points at least.
    assert!(history.tells() > 2 * u64::from(ROUNDS), "{}", history.tells());

    let (last, state) = (history.asks(), history.state().unwrap().clone());
    let reports = store.reports().unwrap();
    assert_eq!((state.ask, &state.json), (last, &reports.last().unwrap().json));
    assert!(reports.is_sorted_by_key(|report| report.ask));
}

/// The n-th of many files that the processes race to create.
fn nth(folder: &Path, n: u32) -> PathBuf {
    folder.join(format!("{n}.db"))
}

#[test]
fn one_of_many_creates() {
    const FILES: u32 = 60;
    if let Some(task) = task() {
        let (process, folder) = task.split_once(' ').unwrap();
        for n in 0..FILES {
            let path = nth(Path::new(folder), n);
            acknowledge(Store::open_or_create(&path, process, &StoreOptions::default()).unwrap().config());
        }
        return;
    }
    let folder = Folder::new();
    let children: Vec<_> = (0..PROCESSES)
        .map(|process| child("processes::one_of_many_creates", &format!("{process} {}", folder.0.display())))
        .map(|mut child| child.spawn().unwrap())
        .collect();
    let stored: Vec<Vec<String>> = children
        .into_iter()
        .map(|child| child.wait_with_output().unwrap())
        .inspect(|output| assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr)))
        .map(|output| acknowledged(&output.stderr))
        .collect();
    let configs: Vec<String> = (0..FILES).map(|n| open(&nth(&folder.0, n)).config().to_string()).collect();
    assert!(stored.iter().all(|read| *read == configs), "{stored:?}");
}
