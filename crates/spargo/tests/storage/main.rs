//! Storages of a study: what goes in comes out, whatever the order, the number of processes and the instant of death.

#[path = "../common/process.rs"]
mod process;

mod damage;
mod files;
mod formats;
mod identity;
mod kills;
mod processes;
mod protocol;
mod strangers;
mod tells;

use process::{Folder, acknowledge, acknowledged, child, task};
use spargo::space::{Dimension, Point, Space, Value};
use spargo::study::storage::{Appended, Event, MemoryStorage, SqliteStorage, Storage};
use spargo::study::{Config, History, Measurement, Outcome, Record, Study};
use std::fs;
use std::path::{Path, PathBuf};

/// A storage and its history as far as it has been read.
struct Log {
    storage: Box<dyn Storage>,
    history: History,
}

impl Log {
    fn open(path: &Path) -> Self {
        Log::of(SqliteStorage::open(path).unwrap())
    }

    fn open_or_create(path: &Path) -> Self {
        Log::of(SqliteStorage::open_or_create(path).unwrap())
    }

    fn of(storage: impl Storage + 'static) -> Self {
        Log::with_outputs(storage, 1)
    }

    /// The log of trials with this many outputs.
    fn with_outputs(storage: impl Storage + 'static, outputs: usize) -> Self {
        let mut log = Log { storage: Box::new(storage), history: History::new(outputs) };
        log.refresh();
        log
    }

    fn refresh(&mut self) -> &History {
        let events = self.storage.load(self.history.position()).unwrap();
        events.into_iter().for_each(|event| self.history.apply(event).unwrap());
        &self.history
    }

    /// Appends where the history ends.
    fn append(&mut self, events: &[Event]) -> Appended {
        let appended = self.storage.append(self.history.position(), events).unwrap();
        self.refresh();
        appended
    }
}

/// An empty storage of every kind: what one of them promises, all of them keep.
fn storages(folder: &Folder) -> [Box<dyn Storage>; 2] {
    let file = SqliteStorage::open_or_create(&folder.file("study.db")).unwrap();
    [Box::new(MemoryStorage::default()), Box::new(file)]
}

/// A new study in a storage of every kind.
fn studies(folder: &Folder) -> [Study; 2] {
    storages(folder).map(|storage| Study::with_storage(config(), storage).unwrap())
}

/// Settings of a study that asks for points of its design only.
fn config() -> Config {
    let colours = Dimension::choice("colour", &["red", "green"]);
    let space = Space::new(vec![Dimension::real("x", -1e6, 1e6), Dimension::int("n", 0, 9), colours]).unwrap();
    Config { initial: 10_000.into(), ..Config::new(space) }
}

fn point(number: f64) -> Point {
    vec![Value::Real(number), Value::Int(7), Value::Choice("red".into())]
}

fn asked(seen: u64, points: &[Point], state: Option<&str>, report: &str) -> Event {
    let (points, report, state) = (points.into(), report.into(), state.map(String::from));
    Event::Asked {
        seen,
        time: 1,
        points,
        rows: Vec::new(),
        queued: 0,
        ready: 0,
        ahead: None,
        by: String::new(),
        report,
        state,
    }
}

fn added(number: f64, outcome: Option<Outcome>) -> Event {
    Event::Added { point: point(number), row: None, outcome }
}

/// The opinion of SQLite about a file.
fn integrity(path: &Path) -> String {
    let connection = rusqlite::Connection::open(path).unwrap();
    connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap()
}
