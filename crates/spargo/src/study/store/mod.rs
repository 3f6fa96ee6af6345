//! The durable store: one SQLite file a study, which any number of processes may use at the same time.
//!
//! ```text
//!     study   config                                       written once
//!     asks    1, 2, …   the last tell seen, time, report   ┐ one transaction
//!     state   of the last ask only                         │ an ask
//!     trials  1, 2, …   ask or NULL, point                 ┘
//!     outcomes          seq 1, 2, …, trial, values, noise | reason
//! ```
//!
//! Rows are only ever added (but for the one of `state`). So a process reads what is new and nothing twice, and what an
//! ask saw can be told later: the outcomes up to its `seen`. It is why an outcome never changes, not even a failure:
//! a late result of a trial that was told as failed is a new trial at the same point ([`Store::add`]).
//!
//! An ask is computed without any lock, between two short transactions:
//!
//! ```text
//!     refresh ─▶ choose points ─▶ commit_ask ─▶ Done
//!        ▲       beside a Mark         │
//!        └── replace what clashes ◀────┴▶ Conflict: others have asked or added points since that Mark
//! ```

mod blob;
mod fault;
mod file;
mod history;
mod reader;
mod write;

pub use file::{Durability, StoreOptions};
pub use history::{History, Mark, Record, State, Told};
pub use write::{Batch, Committed};

use super::Outcome;
use crate::error::Result;
use crate::space::Point;
use fault::Fault;
use file::Expect;
use rusqlite::{Connection, Row};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// One study's file, and its history as far as it has been read.
#[derive(Debug)]
pub struct Store {
    connection: Connection,
    path: PathBuf,
    config: String,
    history: History,
}

/// What is remembered of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepReport {
    /// The number of its ask.
    pub ask: u64,
    /// The last tell that it knew of.
    pub seen: u64,
    /// When it was committed, in milliseconds since 1970, UTC.
    pub time: u64,
    /// The caller's text.
    pub json: String,
}

impl Store {
    /// Creates a study with this config; refuses a file that is one already.
    pub fn create(path: &Path, config: &str, options: &StoreOptions) -> Result<Self> {
        Store::new(path, &Expect::Nothing(config), options)
    }

    /// Opens a study.
    pub fn open(path: &Path, options: &StoreOptions) -> Result<Self> {
        Store::new(path, &Expect::Study, options)
    }

    /// Opens a study, for reading only if its file or its folder cannot be written.
    pub fn open_to_read(path: &Path, options: &StoreOptions) -> Result<Self> {
        let (connection, config) = reader::open(path, options).map_err(|fault| fault.at(path))?;
        Ok(Store { connection, path: path.into(), config, history: History::default() })
    }

    /// Opens a study, or creates it with this config if there is none.
    ///
    /// Of several processes that do so at once, one creates. [`Store::config`] is the stored one, for comparison.
    pub fn open_or_create(path: &Path, config: &str, options: &StoreOptions) -> Result<Self> {
        Store::new(path, &Expect::Either(config), options)
    }

    /// A study that ends with the process.
    pub fn in_memory(config: &str) -> Result<Self> {
        let path = PathBuf::from("in memory");
        let connection = file::in_memory(config).map_err(|fault| fault.at(&path))?;
        Ok(Store { connection, path, config: config.into(), history: History::default() })
    }

    /// All of it, to be made into a store in memory by [`from_bytes`](Store::from_bytes).
    pub fn to_bytes(&mut self) -> Result<Vec<u8>> {
        let bytes = self.connection.serialize("main").map(|data| data.to_vec());
        self.named(bytes.map_err(Fault::from))
    }

    /// A study in memory that goes on where the one with these bytes was.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let path = PathBuf::from("in memory");
        let (connection, config) = file::from_bytes(bytes).map_err(|fault| fault.at(&path))?;
        Ok(Store { connection, path, config, history: History::default() })
    }

    /// The text that the study was created with.
    pub fn config(&self) -> &str {
        &self.config
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The history as of the last [`refresh`](Store::refresh), empty before the first.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Brings the history up to date; costs as much as there is new.
    pub fn refresh(&mut self) -> Result<&History> {
        let read = self.history.refresh(&mut self.connection);
        self.named(read)?;
        Ok(&self.history)
    }

    /// Writes an ask: its trials, its report, and its state in place of the last one's; all or nothing.
    ///
    /// At a [`Committed::Conflict`] the caller refreshes, replaces points that clash with the new ones, and tries again
    /// with the new [`History::mark`] but the same `seen`: its step has not learned from the new tells.
    pub fn commit_ask(&mut self, batch: &Batch) -> Result<Committed> {
        let written = write::commit_ask(&mut self.connection, batch);
        self.named(written)
    }

    /// Writes outcomes of trials by their numbers, all or nothing, and returns how many of them are new.
    ///
    /// A trial that is told the same outcome again is passed over, and another one is refused; so is a trial that does
    /// not exist. A value that is not finite is written as a failure. Any failure counts as the same outcome as another:
    /// the first reason stays.
    pub fn tell(&mut self, outcomes: &[(u64, Outcome)]) -> Result<usize> {
        let written = write::tell(&mut self.connection, outcomes);
        self.named(written)
    }

    /// Writes points that were not asked for, with their outcomes (`None`: they are pending), all or nothing.
    ///
    /// Returns their numbers. A point told twice makes two trials: replicates are data.
    pub fn add(&mut self, points: &[(Point, Option<Outcome>)]) -> Result<Range<u64>> {
        let written = write::add(&mut self.connection, points);
        self.named(written)
    }

    /// The reports of all steps, in their order.
    pub fn reports(&self) -> Result<Vec<StepReport>> {
        let report =
            |row: &Row| Ok(StepReport { ask: row.get(0)?, seen: row.get(1)?, time: row.get(2)?, json: row.get(3)? });
        let read = || {
            let mut select = self.connection.prepare("SELECT id, seen, time, report FROM asks ORDER BY id")?;
            select.query_map([], report)?.collect::<rusqlite::Result<Vec<_>>>()
        };
        self.named(read().map_err(Fault::from))
    }

    fn new(path: &Path, expect: &Expect, options: &StoreOptions) -> Result<Self> {
        let (connection, config) = file::open(path, expect, options).map_err(|fault| fault.at(path))?;
        Ok(Store { connection, path: path.into(), config, history: History::default() })
    }

    fn named<T>(&self, result: std::result::Result<T, Fault>) -> Result<T> {
        result.map_err(|fault| fault.at(&self.path))
    }
}
