//! A process killed at any instant has lost nothing that was acknowledged, and left nothing half-written.

use super::*;
use crate::process::repeats;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use spargo::rng::{Purpose, stream};
use std::io::Read;
use std::time::Duration;

fn kills_in_all() -> u32 {
    repeats(30, 600) as u32
}

/// Of each round, the trials that its ask, then its add, write.
const ASKED: usize = 5;
const ADDED: usize = 3;

/// Asks, tells and adds without end, each step with a state large enough for the log to be copied back often.
fn work(path: &Path) {
    let mut log = Log::open_or_create(path);
    acknowledge("created");
    let mut append = |events: &dyn Fn(&History) -> Vec<Event>| {
        let events = events(&log.history);
        assert_eq!(log.append(&events), Appended::Done, "no other process appends");
        (log.history.asks(), log.history.records().len())
    };
    loop {
        let (ask, trials) = append(&|history| {
            let round = history.asks() + 1;
            let points: Vec<Point> = (0..ASKED).map(|which| point(round as f64 + which as f64 / 8.0)).collect();
            vec![asked(history.tells(), &points, Some(&format!("{round} {}", "z".repeat(300_000))), "report")]
        });
        acknowledge(&format!("ask {ask} {}", trials + 1 - ASKED));
        append(&|history| {
            let pending = history.pending().map(|trial| Event::Told { trial: trial.id, outcome: outcome(trial.id) });
            pending.collect()
        });
        acknowledge(&format!("tell {trials}"));
        append(&|history| {
            let first = history.records().len() as u64 + 1;
            (first..).take(ADDED).map(|id| added(0.0, Some(outcome(id)))).collect()
        });
        acknowledge(&format!("add {}", trials + 1));
    }
}

fn outcome(id: u64) -> Outcome {
    if id.is_multiple_of(7) { Outcome::failed(format!("of {id}")) } else { Outcome::value(id as f64 / 3.0) }
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
    // The instants were not all before the first write.
    assert!(committed > 3 * kills && created >= kills / 2, "{committed} commits, {created} opened");
}

/// Starts a process that works on the file, kills it, and returns what it said.
fn kill_at_random(path: &Path, kill: u32, rng: &mut ChaCha8Rng) -> Vec<u8> {
    let task = path.to_str().unwrap();
    let mut process = child("kills::nothing_acknowledged_is_lost_and_nothing_is_half_written", task).spawn().unwrap();
    let (mut pipe, mut output) = (process.stderr.take().unwrap(), Vec::new());
    // Two of three die at work, however slow the machine; the third perhaps while it opens or creates the file.
    let early = kill.is_multiple_of(3);
    if !early {
        (&mut pipe).take(1).read_to_end(&mut output).unwrap();
    }
    std::thread::sleep(Duration::from_micros(rng.random_range(0..if early { 25_000 } else { 100_000 })));
    process.kill().unwrap();
    process.wait().unwrap();
    pipe.read_to_end(&mut output).unwrap();
    output
}

fn check(path: &Path, acknowledged: &[String]) {
    let log = Log::open_or_create(path);
    assert_eq!(integrity(path), "ok");
    let history = &log.history;
    for line in acknowledged.iter().filter(|line| *line != "created") {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |i: usize| words[i].parse::<u64>().unwrap();
        match words[0] {
            "ask" => {
                let record = &history.records()[number(2) as usize - 1 + ASKED - 1];
                assert_eq!(record.ask, Some(number(1)), "{line}");
                assert_eq!(record.trial.point, point(number(1) as f64 + (ASKED - 1) as f64 / 8.0), "{line}");
            }
            "tell" => assert!(history.records()[number(1) as usize - 1].outcome().is_some(), "{line}"),
            "add" => assert!(history.records().len() as u64 >= number(1) - 1 + ADDED as u64, "{line}"),
            other => panic!("{other}"),
        }
    }
    check_whole(history);
}

/// Calls are there in whole or not at all.
fn check_whole(history: &History) {
    for ask in 1..=history.asks() {
        let of_ask = history.records().iter().filter(|record| record.ask == Some(ask));
        let told: Vec<bool> = of_ask.map(|record| record.outcome().is_some()).collect();
        assert!(told == [true; ASKED] || told == [false; ASKED], "{ask}: {told:?}");
    }
    let added = history.records().iter().filter(|record| record.ask.is_none());
    assert_eq!(added.clone().count() % ADDED, 0);
    assert!(added.clone().all(|record| record.outcome().is_some()));
    for record in history.records().iter().filter(|record| !record.is_pending()) {
        assert_eq!(record.outcome(), Some(outcome(record.trial.id)));
    }
    assert_eq!(history.state().is_some(), history.asks() > 0);
    if let Some(state) = history.state() {
        assert!(state.starts_with(&format!("{} z", history.asks())) && state.len() > 300_000);
    }
}
