//! A process killed at any instant has lost nothing that was acknowledged, and left nothing half-written.

use super::*;
use crate::process::repeats;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use spargo::rng::{Purpose, stream};
use spargo::study::Note;
use std::io::{BufRead, BufReader, Read};
use std::time::Duration;

fn kills_in_all() -> u32 {
    repeats(30, 600) as u32
}

/// Of each round, the trials that its ask, then its add, write; of those of the ask, the first that may come from the queue.
const ASKED: usize = 5;
const ADDED: usize = 3;
const QUEUED: usize = 2;

/// The calls by which the trials of an ask become known: outputs come one by one, then a trial is amended, one discarded and
/// an output of a third one retried, in one call, and told again.
const CALLS: usize = 4;
const CORRECTION: usize = 3;

/// The most lines after which a process is killed: those of two rounds, so that every kind of event may be its last.
const LINES: usize = 15;

/// What is known of a trial: nothing if it was discarded.
type Known = Option<Vec<Measurement>>;

fn open(path: &Path) -> Log {
    Log::with_outputs(SqliteStorage::open_or_create(path).unwrap(), 2)
}

/// Rounds of every kind of event without end, each with a state large enough for the log to be copied back often.
fn work(path: &Path) {
    let mut log = open(path);
    acknowledge("created");
    let mut append = |events: &dyn Fn(&History) -> Vec<Event>| {
        let events = events(&log.history);
        assert_eq!(log.append(&events), Appended::Done, "no other process appends");
        (log.history.asks(), log.history.records().len())
    };
    loop {
        let (round, trials) = append(&|history| vec![ask(history)]);
        acknowledge(&format!("ask {round}"));
        for call in 1..=CALLS {
            append(&|_| (0..ASKED).filter_map(|which| told(round, call, which, trials + 1 - ASKED + which)).collect());
            acknowledge(&format!("call {round} {call}"));
        }
        append(&|_| (0..ADDED).map(|_| added(0.0, Some(Outcome::values([0.5, 0.25])))).collect());
        acknowledge(&format!("add {}", trials + ADDED));
        append(&|_| {
            let points = (0..QUEUED).map(|which| point(round as f64 + which as f64)).collect();
            let settings = round.to_string();
            vec![
                Event::Enqueued { points, rows: Vec::new(), note: note() },
                Event::Configured { settings, note: note() },
            ]
        });
        acknowledge(&format!("configure {round}"));
    }
}

fn note() -> Note {
    Note::new("a typo", "someone")
}

fn ask(history: &History) -> Event {
    let round = history.asks() + 1;
    let chosen = (history.queue().len()..ASKED).map(|which| chosen(round, which));
    let points = history.queue().cloned().chain(chosen).collect();
    let state = Some(format!("{round} {}", "z".repeat(300_000)));
    Event::Asked {
        seen: history.tells(),
        time: 1,
        points,
        rows: Vec::new(),
        queued: history.queue().len(),
        ready: 0,
        ahead: None,
        by: String::new(),
        report: "report".into(),
        state,
    }
}

fn chosen(round: u64, which: usize) -> Point {
    point(round as f64 + which as f64 / 8.0)
}

/// What is known of a trial of an ask after so many calls.
fn known(round: u64, calls: usize, which: usize) -> Known {
    let number = (round * 10) as f64 + which as f64;
    let second =
        if which == 4 { Measurement::failed(format!("of {round}")) } else { Measurement::value(-number / 3.0) };
    let first = match (calls, which) {
        (0, _) | (CORRECTION, 2) => Measurement::Pending,
        (CORRECTION.., 0) => Measurement::value(number + 1e6),
        (CORRECTION.., 1) => return None,
        (CORRECTION.., 2) => Measurement::value(number - 1e6),
        _ => Measurement::value(number / 3.0),
    };
    Some(vec![first, if calls < 2 { Measurement::Pending } else { second }])
}

/// The event by which a call makes that of a trial which is known after it, if it changes anything.
fn told(round: u64, call: usize, which: usize, trial: usize) -> Option<Event> {
    let [before, after] = [call - 1, call].map(|calls| known(round, calls, which));
    let trial = trial as u64;
    match (before, after) {
        (before, after) if before == after => None,
        (_, measurements) if call == CORRECTION => Some(Event::Revised { trial, measurements, note: note() }),
        (before, after) => {
            let news = |(old, new)| if old == new { Measurement::Pending } else { new };
            let outcome = before?.into_iter().zip(after?).map(news).collect();
            Some(Event::Told { trial, outcome: Outcome::Measured(outcome) })
        }
    }
}

#[test]
fn nothing_acknowledged_is_lost_and_nothing_is_half_written() {
    if let Some(path) = task() {
        return work(Path::new(&path));
    }
    let folder = Folder::new();
    let mut rng = stream(4, Purpose::Data, 0, 0);
    let (mut committed, mut created) = (0, 0);
    for kill in 0..kills_in_all() {
        // A few files, so that some die while they are created and others while they grow long.
        let path = folder.file(&format!("{}.db", kill % 20 * (kill % 2)));
        let output = kill_at_random(&path, kill, &mut rng);
        assert!(!String::from_utf8_lossy(&output).contains("panicked"), "{}", String::from_utf8_lossy(&output));
        let acknowledged = acknowledged(&output);
        created += usize::from(!acknowledged.is_empty());
        committed += acknowledged.len();
        check(&path, &acknowledged);
    }
    let kills = kills_in_all() as usize;
    // The instants were not all before the first write, however slow the machine: most come after some acknowledgements.
    assert!(committed > 3 * kills && created >= kills / 2, "{committed} commits, {created} opened");
}

/// Starts a process that works on the file, kills it, and returns what it said.
fn kill_at_random(path: &Path, kill: u32, rng: &mut ChaCha8Rng) -> Vec<u8> {
    let task = path.to_str().unwrap();
    let mut process = child("kills::nothing_acknowledged_is_lost_and_nothing_is_half_written", task).spawn().unwrap();
    let (mut pipe, mut output) = (BufReader::new(process.stderr.take().unwrap()), Vec::new());
    // Two of three die at work, a moment after so many acknowledgements; the third perhaps while it opens or creates the file.
    let lines = if kill.is_multiple_of(3) { 0 } else { rng.random_range(1..=LINES) };
    for _ in 0..lines {
        pipe.read_until(b'\n', &mut output).unwrap();
    }
    std::thread::sleep(Duration::from_micros(rng.random_range(0..25_000)));
    process.kill().unwrap();
    process.wait().unwrap();
    pipe.read_to_end(&mut output).unwrap();
    output
}

fn check(path: &Path, acknowledged: &[String]) {
    let mut log = open(path);
    assert_eq!(integrity(path), "ok");
    let calls = check_whole(&log.history);
    let configured = check_settings(&log.storage.load(0).unwrap());
    for line in acknowledged.iter().filter(|line| *line != "created") {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |i: usize| words[i].parse::<u64>().unwrap();
        let is_kept = match words[0] {
            "ask" => log.history.asks() >= number(1),
            "call" => calls[number(1) as usize - 1] >= number(2) as usize,
            "add" => log.history.records().len() as u64 >= number(1),
            "configure" => configured >= number(1),
            other => panic!("{other}"),
        };
        assert!(is_kept, "{line}");
    }
}

/// Calls are there in whole or not at all; returns how many there were of each ask's trials.
fn check_whole(history: &History) -> Vec<usize> {
    let calls = (1..=history.asks()).map(|round| check_round(history, round)).collect();
    let added = history.records().iter().filter(|record| record.ask.is_none());
    assert_eq!(added.clone().count() % ADDED, 0);
    assert!(added.clone().all(|record| record.values() == Some(vec![0.5, 0.25])));
    assert_eq!(history.state().is_some(), history.asks() > 0);
    if let Some(state) = history.state() {
        assert!(state.starts_with(&format!("{} z", history.asks())) && state.len() > 300_000);
    }
    calls
}

/// The calls of one ask's trials.
fn check_round(history: &History, round: u64) -> usize {
    let records: Vec<&Record> = history.records().iter().filter(|record| record.ask == Some(round)).collect();
    assert_eq!(records.len(), ASKED);
    assert!((QUEUED..ASKED).all(|which| records[which].trial.point == chosen(round, which)), "{round}: {records:?}");
    let all_known = |calls: usize| (0..ASKED).map(|which| known(round, calls, which)).collect::<Vec<_>>();
    let found: Vec<Known> =
        records.iter().map(|record| (!record.is_discarded).then(|| record.measurements().cloned().collect())).collect();
    let calls = (0..=CALLS).find(|&calls| all_known(calls) == found);
    let calls = calls.unwrap_or_else(|| panic!("{round} in part: {found:?}"));
    // What was known before a correction is kept.
    for (which, record) in records.iter().enumerate() {
        let revised = calls >= CORRECTION && which < 3;
        let before: Vec<Known> = record.revisions.iter().map(|revision| revision.before.clone()).collect();
        assert_eq!(before, vec![known(round, CORRECTION - 1, which); usize::from(revised)]);
    }
    calls
}

/// Points are queued and settings changed in one call; returns the last round that did so.
fn check_settings(events: &[Event]) -> u64 {
    let is_enqueued = |event: &&Event| matches!(event, Event::Enqueued { .. });
    let settings: Vec<&String> = events
        .iter()
        .filter_map(|event| if let Event::Configured { settings, .. } = event { Some(settings) } else { None })
        .collect();
    assert_eq!(events.iter().filter(is_enqueued).count(), settings.len());
    settings.last().map_or(0, |settings| settings.parse().unwrap())
}
