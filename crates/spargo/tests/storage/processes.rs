//! Several processes on one file: nothing is lost, doubled or skipped.

use super::*;
use spargo::study::Trial;
use std::collections::BTreeSet;

const PROCESSES: u32 = 8;
const ROUNDS: u32 = 12;

/// The number of a point: which process added or asked for it, in which round, and as which of its call.
fn number(process: u32, round: u32, which: u32) -> f64 {
    f64::from(process * 10_000 + round * 10 + which)
}

fn number_of(point: &Point) -> f64 {
    let Value::Real(number) = point[0] else { panic!("{point:?}") };
    number
}

/// Appends what the closure makes of the history, however often others are faster.
fn append(log: &mut Log, events: impl Fn(&History) -> Vec<Event>) {
    while log.append(&events(&log.history)) == Appended::Conflict {}
}

/// Asks for two points, adds one, and tells the oldest pending trials, whichever process asked for them.
fn work(path: &Path, process: u32) {
    let mut log = Log::open_or_create(path);
    for round in 0..ROUNDS {
        let numbers = [0, 1, 2].map(|which| number(process, round, which));
        let (points, state) = ([point(numbers[0]), point(numbers[1])], format!("{process} {round}"));
        append(&mut log, |history| vec![asked(history.tells(), &points, Some(&state), &state)]);
        append(&mut log, |_| vec![added(numbers[2], None)]);
        for record in log.history.records().iter().filter(|r| numbers.contains(&number_of(&r.trial.point))) {
            let (id, ask) = (record.trial.id, record.ask.unwrap_or(0));
            acknowledge(&format!("{id} {} {ask}", number_of(&record.trial.point)));
        }
        let outcome = |trial: &Trial| Outcome::value(number_of(&trial.point) / 3.0);
        let told = |trial: &Trial| Event::Told { trial: trial.id, outcome: outcome(trial) };
        append(&mut log, |history| history.pending().take(4).map(told).collect());
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
    let Log { history, .. } = Log::open(&path);
    assert_eq!(history.asks(), u64::from(PROCESSES * ROUNDS));
    assert_eq!(history.records().len() as u32, 3 * PROCESSES * ROUNDS);
    let read: BTreeSet<String> = history
        .records()
        .iter()
        .map(|record| format!("{} {} {}", record.trial.id, number_of(&record.trial.point), record.ask.unwrap_or(0)))
        .collect();
    assert_eq!(read, acknowledgements.into_iter().collect());

    let told: Vec<_> = history.records().iter().filter(|r| !r.is_pending()).collect();
    assert!(told.iter().all(|r| r.values() == Some(vec![number_of(&r.trial.point) / 3.0])));
    let seqs: BTreeSet<u64> = told.iter().map(|r| r.told[0].seq).collect();
    assert_eq!(seqs, (1..=history.tells()).collect());
    // Every round of every process told something that was pending.
    assert!(history.tells() > 2 * u64::from(ROUNDS), "{}", history.tells());

    assert_eq!(history.state(), history.reports().last().map(String::as_str));
}

/// The n-th of many files that the processes race to create.
fn nth(folder: &Path, n: u32) -> PathBuf {
    folder.join(format!("{n}.db"))
}

/// What the only event of a log says.
fn settings(log: &mut Log) -> String {
    match log.storage.load(0).unwrap().as_slice() {
        [Event::Created { settings }] => settings.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn one_of_many_creates() {
    const FILES: u32 = 60;
    if let Some(task) = task() {
        let (process, folder) = task.split_once(' ').unwrap();
        for n in 0..FILES {
            let path = nth(Path::new(folder), n);
            let mut log = Log::open_or_create(&path);
            log.storage.append(0, &[Event::Created { settings: process.into() }]).unwrap();
            acknowledge(&settings(&mut log));
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
    let configs: Vec<String> = (0..FILES).map(|n| settings(&mut Log::open(&nth(&folder.0, n)))).collect();
    assert!(stored.iter().all(|read| *read == configs), "{stored:?}");
}
