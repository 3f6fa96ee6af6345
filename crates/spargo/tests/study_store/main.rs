//! The store of a study: what goes in comes out, whatever the order, the number of processes and the instant of death.

mod files;
mod kills;
mod processes;
mod protocol;
mod tells;

use spargo::space::{Point, Value};
use spargo::study::store::{Batch, Committed, History, Store, StoreOptions};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder of a test's own, gone when the test is.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("spargo-store-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        fs::create_dir(&path).unwrap();
        Folder(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

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

/// This program once more, as a process that runs the test `name` with `SPARGO_STORE_CHILD` set to `task`.
///
/// What it acknowledges comes line by line over its standard error, which the test harness leaves alone.
fn child(name: &str, task: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([name, "--exact", "--nocapture", "--test-threads=1"]);
    command.env("SPARGO_STORE_CHILD", task).stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

/// The task of this process, if it is a child.
fn task() -> Option<String> {
    std::env::var("SPARGO_STORE_CHILD").ok()
}

/// Says over the pipe, in one write, that something was committed.
fn acknowledge(line: &str) {
    use std::io::Write;
    std::io::stderr().write_all(format!("ack {line}\n").as_bytes()).unwrap();
}

/// The acknowledgements among a child's output; a line that was cut short is none.
fn acknowledged(output: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(output);
    let whole = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
    whole.filter_map(|line| line.trim_end().strip_prefix("ack ")).map(String::from).collect()
}

/// SQLite's own opinion of a file.
fn integrity(path: &Path) -> String {
    let connection = rusqlite::Connection::open(path).unwrap();
    connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap()
}
