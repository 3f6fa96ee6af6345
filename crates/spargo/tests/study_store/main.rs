//! The store of a study: what goes in comes out, whatever the order, the number of processes and the instant of death.

#[path = "../common/process.rs"]
mod process;

mod files;
mod kills;
mod processes;
mod protocol;
mod tells;

use process::{Folder, acknowledge, acknowledged, child, task};
use spargo::space::{Point, Value};
use spargo::study::store::{Batch, Committed, History, Store, StoreOptions};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

fn open(path: &Path) -> Store {
    Store::open(path, &StoreOptions::default()).unwrap()
}

fn open_or_create(path: &Path) -> Store {
    Store::open_or_create(path, "{}", &StoreOptions::default()).unwrap()
}

fn memory() -> Store {
    Store::in_memory("{}").unwrap()
}

fn point(number: f64) -> Point {
    vec![Value::Real(number), Value::Int(7), Value::Choice("red".into())]
}

/// A batch that was computed from this history.
fn batch<'a>(history: &History, points: &'a [Point], state: &'a str, report: &'a str) -> Batch<'a> {
    Batch { beside: history.mark(), seen: history.tells(), points, state, report }
}

/// Refreshes and commits; nobody is expected to interfere.
fn ask(store: &mut Store, points: &[Point]) -> Range<u64> {
    store.refresh().unwrap();
    let batch = batch(store.history(), points, "state", "report");
    match store.commit_ask(&batch).unwrap() {
        Committed::Done { trials, .. } => trials,
        Committed::Conflict => panic!("nobody else asks"),
    }
}

/// SQLite's own opinion of a file.
fn integrity(path: &Path) -> String {
    let connection = rusqlite::Connection::open(path).unwrap();
    connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap()
}
