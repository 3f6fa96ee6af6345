//! A storage from outside the library: one JSON line per event, in a text file that people and scripts can read.
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
        if !self.path.exists() {
            return Ok(Vec::new());
        }
        let text = std::fs::read_to_string(&self.path).map_err(|error| self.refused(error))?;
        let event = |line| serde_json::from_str(line).map_err(|error| self.refused(error));
        text.lines().skip(position as usize).map(event).collect()
    }

    fn append(&mut self, position: u64, events: &[Event]) -> Result<Appended> {
        if self.load(0)?.len() as u64 != position {
            return Ok(Appended::Conflict);
        }
        let line = |event| serde_json::to_string(event).map(|json| json + "\n");
        let text: String =
            events.iter().map(line).collect::<std::result::Result<_, _>>().map_err(|e| self.refused(e))?;
        let write = |mut file: File| file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
        let file = OpenOptions::new().create(true).append(true).open(&self.path);
        file.and_then(write).map(|()| Appended::Done).map_err(|error| self.refused(error))
    }
}

/// Asks and tells; the study begins, or goes on where the last one ended.
fn run(path: &std::path::Path, rounds: usize) -> Result<Study> {
    let space = Space::new(vec![Dimension::real("x", -1.0, 2.0)])?;
    let config = Config { initial: 6, batch: 3, ..Config::new(space) };
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
    let mut again = run(&path, 2)?;
    let best = again.best()?.map(|best| format!("{:?}", best.believed.trial.point));
    println!("{first} trials, then {} in all; best at {best:?}", again.history().records().len());
    assert_eq!((first, again.history().records().len()), (9, 15));
    std::fs::remove_file(&path).map_err(|error| JsonLines { path: path.clone() }.refused(error))
}
