//! Files of earlier versions become files of this one: with everything in them, once, whatever happens meanwhile.

use super::*;
use crate::process::repeats;
use rand::RngExt;
use spargo::rng::{Purpose, stream};
use spargo::study::{
    Activity, ColumnUnit, Enqueued, Goal, Measurement, Note, Output, Refit, Revision, Runner, SettingChange,
};
use std::io::{BufRead, BufReader};
use std::time::Duration;

/// A study as format 2 was written: observed, failed and pending trials of two outputs, asked and added.
const FORMAT_2: &[u8] = include_bytes!("format2.db");

/// The folder of the files that earlier versions wrote, and of what they hold in words.
const FILES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/storage");

/// Events of a large file of format 2.
const MANY: u32 = 60_000;

/// The version of a file.
fn version_of(path: &Path) -> i32 {
    rusqlite::Connection::open(path).unwrap().query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap()
}

/// The version of a file, and the text of its events, in hexadecimal digits of those that are packed, and of its state.
fn content(path: &Path) -> (i32, Vec<String>, String) {
    let version = version_of(path);
    let connection = rusqlite::Connection::open(path).unwrap();
    let mut select =
        connection.prepare("SELECT iif(typeof(json) = 'text', json, hex(json)) FROM events ORDER BY id").unwrap();
    let events = select.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap();
    let state = connection.query_row("SELECT json FROM state", [], |row| row.get(0)).unwrap();
    (version, events, state)
}

#[test]
fn a_file_of_format_2_is_migrated_with_everything_in_it() {
    let folder = Folder::new();
    let path = folder.file("study.db");
    fs::write(&path, FORMAT_2).unwrap();
    let (version, events, state) = content(&path);
    assert_eq!((version, events.len()), (2, 28));
    for _ in 0..2 {
        let mut study = Study::open(&path).unwrap();
        let counts = study.counts();
        assert_eq!((counts.trials, counts.failed, counts.pending), (25, 3, 3));
        assert_eq!(study.history().state(), Some(state.as_str()));
        assert_eq!(study.best_observation().unwrap().trial.id, 10);
        assert!(study.best().unwrap().is_some() && study.reports().unwrap().len() == 5);
        drop(study);
        assert_eq!(content(&path), (5, events.clone(), state.clone()));
    }
    assert_eq!(integrity(&path), "ok");
    let mut study = Study::open(&path).unwrap();
    assert_eq!(study.ask(2).unwrap().len(), 2);
    // A process that has had the file open since before, and knows of no checksums, cannot write any more.
    let earlier = rusqlite::Connection::open(&path).unwrap();
    let written = earlier.execute("INSERT INTO events (id, json) VALUES (30, '{}')", []).unwrap_err().to_string();
    assert!(written.contains("NOT NULL constraint failed: events.checksum"), "{written}");
}

/// Everything that happens to a study: two outputs, asked and added, told in parts, with noise, failed, pending, amended, discarded,
/// retried, queued, with units, a dialect and changed settings, points that are ready and a process that is alive.
fn eventful(path: &Path) -> Study {
    let output = |name: &str, goal| Output::new(name, goal);
    let limit = Goal::Constraint { at_least: None, at_most: Some(0.5) };
    let outputs = vec![output("yield", Goal::Maximize), output("impurity", limit)];
    let mut config = Config { outputs, initial: 6.into(), inducing: 5.into(), ..config() };
    (config.space, config.model.exact_until) = (Space::new(config.space.dimensions()[1..].to_vec()).unwrap(), 0);
    let mut study = Study::create(path, config.clone()).unwrap();
    let note = |reason: &str| Note { reason: reason.into(), by: "someone".into(), time: 1_790_000_000_000 };
    let point = |n: i64, colour: &str| vec![Value::Int(n), Value::Choice(colour.into())];
    let both = |trial: u64| {
        let value = trial as f64;
        Outcome::Measured(vec![
            Measurement::value(0.1 * value),
            Measurement::Observed { value: value / 7.0, variance: Some(0.01 * value) },
        ])
    };
    study.ask(6).unwrap();
    let unit = ColumnUnit { column: "n".into(), unit: "mL".into(), source: "first.csv".into() };
    let told: Vec<_> = (1..5).map(|trial| (trial, both(trial))).collect();
    study.tell_table(&told, &[(point(7, "red"), Some(both(9)))], &[], &[unit]).unwrap();
    study.tell(&[(5, Outcome::Measured(vec![Measurement::value(-1e-300), Measurement::Pending]))]).unwrap();
    study.tell(&[(6, Outcome::failed("the vial broke"))]).unwrap();
    study.ask(3).unwrap();
    study.tell(&[(8, both(8)), (9, both(3))]).unwrap();
    study.amend(&[(2, Outcome::values([99.5, 0.25]))], &note("typed 99999")).unwrap();
    study.discard(&[3], &note("spilt")).unwrap();
    study.retry(&[6], &note("another vial")).unwrap();
    study.enqueue(&[point(3, "green"), point(4, "red")], &note("to be sure")).unwrap();
    let wider = Dimension::choice("colour", &["red", "green", "blue"]);
    config.space = Space::new(vec![Dimension::int("n", 0, 999), wider]).unwrap();
    study.reconfigure(config, &note("a new colour")).unwrap();
    study.ask_with(3, Refit::Every(1000)).unwrap();
    study.keep_dialect("semicolon").unwrap();
    study.ask_with(1, Refit::Every(1000)).unwrap();
    study.beat(Activity { workers: 2, busy_s: 12.5, waiting_s: 0.5 }).unwrap();
    study.enqueue(&[point(5, "blue")], &note("for the last well")).unwrap();
    assert!(study.history().ready().len() > 0);
    study
}

/// Everything in a file, as a process of this name would have written it.
fn signed(path: &Path, name: &str) -> Vec<Event> {
    let mut events = SqliteStorage::open(path).unwrap().load(0).unwrap();
    for event in &mut events {
        match event {
            Event::Asked { by, .. } | Event::Leased { by, .. } | Event::Heartbeat { by, .. } => *by = name.into(),
            _ => {}
        }
    }
    events
}

/// All that a study knows, in words.
fn in_words(study: &Study) -> String {
    let (history, mut text) = (study.history(), String::new());
    let words = |known: &Option<Vec<Measurement>>| match known {
        Some(known) => known.iter().map(Measurement::to_string).collect::<Vec<_>>().join(", "),
        None => "discarded".into(),
    };
    for record in history.records() {
        let point: Vec<String> = record.trial.point.iter().map(Value::to_string).collect();
        let told = words(&Some(record.measurements().cloned().collect()));
        let (id, ask, status) = (record.trial.id, record.ask, record.status().name());
        text += &format!("trial {id} of ask {ask:?}: {} is {status}: {told}\n", point.join(", "));
        for Revision { before, after, note: Note { reason, by, time } } in &record.revisions {
            text += &format!("  {} became {}: {reason}, {by}, {time}\n", words(before), words(after));
        }
    }
    for (note, change) in study.setting_history().unwrap() {
        let SettingChange { field, before, after } = change;
        text += &format!("{field} was {before}, is {after}: {}\n", note.reason);
    }
    // What earlier formats did not have.
    for Enqueued { point, note, trial, .. } in history.enqueued().iter().filter(|one| one.trial.is_none()) {
        text += &format!("{point:?} waits for trial {trial:?}: {}\n", note.reason);
    }
    for ready in history.ready() {
        text += &format!("{:?} is ready\n", ready.point);
    }
    for Runner { name, activity, trials, .. } in study.runners().iter().filter(|runner| !runner.name.is_empty()) {
        let trials: Vec<u64> = trials.iter().map(|(trial, _)| *trial).collect();
        text += &format!("{name} has {activity:?} and evaluates {trials:?}\n");
    }
    text += &history.dialect().map_or(String::new(), |dialect| format!("dialect {dialect}\n"));
    let queue: Vec<_> = history.queue().collect();
    text + &format!("queue {queue:?}, units {:?}, {} asks\n", history.units(), history.asks())
}

/// Writes the files of the present format: run it once when there is a new one.
#[test]
#[ignore = "writes into the sources"]
fn write_files_of_this_format() {
    let folder = Folder::new();
    let (own, path) = (folder.file("own.db"), folder.file("study.db"));
    drop(eventful(&own));
    let events = signed(&own, "host:1:000001");
    assert!(SqliteStorage::open_or_create(&path).unwrap().append(0, &events).unwrap() == Appended::Done);
    let study = Study::open(&path).unwrap();
    let (name, text) = (format!("{FILES}/format{}", content(&path).0), in_words(&study));
    drop(study);
    fs::copy(&path, format!("{name}.db")).unwrap();
    fs::write(format!("{name}.txt"), text).unwrap();
}

#[test]
fn files_of_each_format_are_read_with_the_values_that_were_written() {
    for format in [3, 4, 5] {
        let folder = Folder::new();
        let path = folder.file("study.db");
        fs::copy(format!("{FILES}/format{format}.db"), &path).unwrap();
        let written = fs::read_to_string(format!("{FILES}/format{format}.txt")).unwrap();
        let before = content(&path);
        assert_eq!(before.0, format);
        let study = Study::open_to_read(&path).unwrap();
        assert_eq!(in_words(&study), written);
        drop(study);
        let mut study = Study::open(&path).unwrap();
        assert_eq!(in_words(&study), written);
        assert_eq!(study.model_reports().unwrap().iter().map(|model| model.observations).collect::<Vec<_>>(), [7, 6]);
        assert_eq!(study.ask(2).unwrap().len(), 2);
        let after = content(&path);
        assert_eq!((after.0, &after.1[..before.1.len()]), (5, &before.1[..]));
        assert_eq!(integrity(&path), "ok");
    }
}

/// A new format comes with a file of the one before: this fails until there is one.
#[test]
fn the_present_format_has_its_file() {
    let folder = Folder::new();
    let path = folder.file("study.db");
    drop(Study::create(&path, config()).unwrap());
    let version = version_of(&path);
    assert!(Path::new(&format!("{FILES}/format{version}.db")).exists(), "run write_files_of_this_format");
}

#[test]
fn several_processes_migrate_a_file_once() {
    if let Some(path) = task() {
        return acknowledge(&Study::open(Path::new(&path)).unwrap().history().records().len().to_string());
    }
    let folder = Folder::new();
    let path = folder.file("study.db");
    fs::write(&path, FORMAT_2).unwrap();
    let name = "formats::several_processes_migrate_a_file_once";
    let children: Vec<_> = (0..6).map(|_| child(name, path.to_str().unwrap()).spawn().unwrap()).collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert_eq!(acknowledged(&output.stderr), ["25"], "{output:?}");
    }
    assert_eq!(content(&path).0, 5);
}

#[test]
fn a_migration_that_is_killed_has_not_begun() {
    if let Some(path) = task() {
        acknowledge("begun");
        drop(SqliteStorage::open(Path::new(&path)).unwrap());
        return acknowledge("migrated");
    }
    let folder = Folder::new();
    let (large, path) = (folder.file("large.db"), folder.file("study.db"));
    fs::write(&large, FORMAT_2).unwrap();
    let added = format!(
        "WITH RECURSIVE number (i) AS (SELECT 29 UNION ALL SELECT i + 1 FROM number WHERE i < {MANY})
         INSERT INTO events (id, json) SELECT i, (SELECT json FROM events WHERE id = 27) FROM number"
    );
    rusqlite::Connection::open(&large).unwrap().execute_batch(&added).unwrap();
    let (mut rng, mut versions) = (stream(5, Purpose::Data, 0, 0), Vec::new());
    let name = "formats::a_migration_that_is_killed_has_not_begun";
    for turn in 0..repeats(12, 200) {
        ["-wal", "-shm"].iter().for_each(|ending| _ = fs::remove_file(folder.file(&format!("study.db{ending}"))));
        fs::copy(&large, &path).unwrap();
        let mut process = child(name, path.to_str().unwrap()).spawn().unwrap();
        // At once when it begins, so that some are early on every machine, or later.
        let mut line = String::new();
        let mut said = BufReader::new(process.stderr.take().unwrap());
        while !line.contains("ack begun") && said.read_line(&mut line).unwrap() > 0 {}
        if turn % 2 == 1 {
            std::thread::sleep(Duration::from_millis(rng.random_range(1..100)));
        }
        process.kill().unwrap();
        process.wait().unwrap();
        let (version, events, _) = content(&path);
        versions.push(version);
        assert_eq!((events.len(), integrity(&path).as_str()), (MANY as usize, "ok"));
        assert_eq!(SqliteStorage::open(&path).unwrap().load(0).unwrap().len(), MANY as usize);
        assert_eq!(content(&path).0, 5);
    }
    assert!(versions.contains(&2), "no process was killed early enough: {versions:?}");
}

#[test]
fn a_version_that_does_not_suit_the_tables_is_damage() {
    let folder = Folder::new();
    let path = folder.file("study.db");
    drop(Study::create(&path, config()).unwrap());
    rusqlite::Connection::open(&path).unwrap().execute_batch("PRAGMA user_version = 2").unwrap();
    let before = fs::read(&path).unwrap();
    for result in [SqliteStorage::open(&path), SqliteStorage::open_to_read(&path)] {
        let refused = result.unwrap_err().to_string();
        assert!(refused.contains("is damaged: its version is wrong"), "{refused}");
    }
    assert_eq!(fs::read(&path).unwrap(), before);
}
