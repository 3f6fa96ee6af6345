//! A storage from outside the library: one JSON line per append, in a text file that people and scripts can read.
//!
//! An append is all or nothing: a line that a crash has left without its end is ignored, and the next append removes it.
//!
//! ```sh
//! cargo run --release -p spargo --example custom_storage
//! ```

use spargo::space::{Dimension, Space, Value};
use spargo::study::storage::{Appended, Event, Storage};
use spargo::study::{Config, Outcome, Study};
use spargo::{Error, Result};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::PathBuf;

/// A file of one process: several of them would need a lock around [`append`](Storage::append).
#[derive(Debug)]
struct JsonLines {
    path: PathBuf,
}

impl JsonLines {
    /// The complete lines.
    fn read(&self) -> Result<String> {
        if !self.path.exists() {
            return Ok(String::new());
        }
        let mut bytes = std::fs::read(&self.path).map_err(|error| self.refused(error))?;
        bytes.truncate(bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1));
        String::from_utf8(bytes).map_err(|error| self.refused(error))
    }

    fn refused(&self, cause: impl std::fmt::Display) -> Error {
        let cause = format!("cannot be used ({cause})");
        Error::Storage { path: self.name(), cause, remedy: "check the file and its folder".into() }
    }
}

impl Storage for JsonLines {
    fn name(&self) -> String {
        self.path.display().to_string()
    }

    fn load(&mut self, position: u64) -> Result<Vec<Event>> {
        let text = self.read()?;
        let events = |line| serde_json::from_str::<Vec<Event>>(line).map_err(|error| self.refused(error));
        let events = text.lines().map(events).collect::<Result<Vec<_>>>()?;
        Ok(events.into_iter().flatten().skip(position as usize).collect())
    }

    fn append(&mut self, position: u64, events: &[Event]) -> Result<Appended> {
        if self.load(0)?.len() as u64 != position {
            return Ok(Appended::Conflict);
        }
        let line = serde_json::to_string(events).map_err(|error| self.refused(error))? + "\n";
        let end = self.read()?.len() as u64;
        let write = |mut file: File| {
            file.set_len(end)?;
            file.write_all(line.as_bytes())?;
            file.sync_all()
        };
        let file = OpenOptions::new().create(true).append(true).open(&self.path);
        file.and_then(write).map(|()| Appended::Done).map_err(|error| self.refused(error))
    }
}

/// Asks and tells; the study begins, or goes on where the last one ended.
fn run(path: &std::path::Path, rounds: usize) -> Result<Study> {
    let space = Space::new(vec![Dimension::real("x", -1.0, 2.0)])?;
    let config = Config { initial: 6.into(), batch: 3, ..Config::new(space) };
    let mut study = Study::with_storage(config, Box::new(JsonLines { path: path.into() }))?;
    for _ in 0..rounds {
        let trials = study.ask(study.config().batch)?;
        let value = |point: &[Value]| if let Value::Real(x) = point[0] { -(x - 0.7).powi(2) } else { f64::NAN };
        let told: Vec<_> = trials.iter().map(|trial| (trial.id, Outcome::value(value(&trial.point)))).collect();
        study.tell(&told)?;
    }
    Ok(study)
}

fn main() -> Result<()> {
    let path = std::env::temp_dir().join(format!("spargo-custom-storage-{}.jsonl", std::process::id()));
    let first = run(&path, 3)?.history().records().len();
    // As a crash in the middle of an append leaves it.
    let half = |mut file: File| file.write_all(b"[{\"told\":{\"tri");
    let left = OpenOptions::new().append(true).open(&path).and_then(half);
    left.map_err(|error| JsonLines { path: path.clone() }.refused(error))?;
    let mut again = run(&path, 2)?;
    let best = again.best()?.map(|best| format!("{:?}", best.believed.trial.point));
    println!("{first} trials, then {} in all; best at {best:?}", again.history().records().len());
    assert_eq!((first, again.history().records().len()), (9, 15));
    std::fs::remove_file(&path).map_err(|error| JsonLines { path: path.clone() }.refused(error))
}
