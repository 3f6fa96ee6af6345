//! Files of earlier versions become files of this one: with everything in them, once, whatever happens meanwhile.

use super::*;
use crate::process::repeats;
use rand::RngExt;
use spargo::rng::{Purpose, stream};
use std::io::{BufRead, BufReader};
use std::time::Duration;

/// A study as format 2 was written: observed, failed and pending trials of two outputs, asked and added.
const FORMAT_2: &[u8] = include_bytes!("format2.db");

/// Events of a large file of format 2.
const MANY: u32 = 60_000;

/// The version of a file, and the text of its events and of its state.
fn content(path: &Path) -> (i32, Vec<String>, String) {
    let connection = rusqlite::Connection::open(path).unwrap();
    let version = connection.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
    let mut select = connection.prepare("SELECT json FROM events ORDER BY id").unwrap();
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
        assert_eq!(content(&path), (3, events.clone(), state.clone()));
    }
    assert_eq!(integrity(&path), "ok");
    let mut study = Study::open(&path).unwrap();
    assert_eq!(study.ask(2).unwrap().len(), 2);
    // A process that has had the file open since before, and knows of no checksums, cannot write any more.
    let earlier = rusqlite::Connection::open(&path).unwrap();
    let written = earlier.execute("INSERT INTO events (id, json) VALUES (30, '{}')", []).unwrap_err().to_string();
    assert!(written.contains("NOT NULL constraint failed: events.checksum"), "{written}");
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
    assert_eq!(content(&path).0, 3);
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
        assert_eq!(content(&path).0, 3);
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
