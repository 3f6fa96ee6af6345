//! Where a study is kept: an append-only log of typed events, of which the study is a function.
//!
//! ```text
//!     history = apply(… apply(apply(∅, event 1), event 2) …, event n)
//! ```
//!
//! A [`Storage`] has two verbs: load what follows a position, and append at a position. What an event means is known to
//! [`History`] alone, so whatever a study learns to remember becomes a new kind of event, never a new verb.
//!
//! Writers are optimistic. An ask is computed without any lock, and commits only at the position that it knows:
//!
//! ```text
//!     load ─▶ choose points ─▶ append ─▶ Done
//!       ▲                        │
//!       └─── replace clashes ◀───┴▶ Conflict: others have appended since
//! ```

mod history;
mod memory;
mod merge;
mod network;
mod packed;
mod record;
mod sqlite;

pub use history::{History, LastHeartbeat, Ready};
pub use memory::MemoryStorage;
pub use network::network_file_system;
pub use record::{Enqueued, OutputChange, Record, Revision, Status, Told};
pub(super) use sqlite::RESTORE;
pub use sqlite::SqliteStorage;

use super::{Measurement, Outcome};
use crate::error::Result;
use crate::space::Point;
use serde::{Deserialize, Serialize};
use std::fmt::Debug;
use std::time::{SystemTime, UNIX_EPOCH};

/// An append-only log of events, which may be shared by several processes.
///
/// A position is the number of events before it: the log is empty at position 0.
pub trait Storage: Debug + Send {
    /// What error messages call the study, such as the path of its file.
    fn name(&self) -> String;

    /// All events after the first `position`, as of one instant and in their order.
    ///
    /// The state of an [`Event::Asked`] may be megabytes and only the last one is needed: the earlier may be dropped.
    fn load(&mut self, position: u64) -> Result<Vec<Event>>;

    /// The first of the events that [`load`](Self::load) would return, about `count` of them: a long log is read in parts, so that it
    /// need not be in memory twice. Fewer than `count` mean that there are no more.
    fn load_some(&mut self, position: u64, count: usize) -> Result<Vec<Event>> {
        let _ = count;
        self.load(position)
    }

    /// Appends all of the events if the log holds exactly `position` events, else nothing.
    ///
    /// When it returns [`Appended::Done`], the events outlive the process. [`Appended::Conflict`] means that the log holds
    /// *more* events, which [`load`](Self::load) then returns; if it returns none, the study takes the log for one that was
    /// replaced or restored, and refuses to write.
    fn append(&mut self, position: u64, events: &[Event]) -> Result<Appended>;

    /// The same log once more, for another thread; `None` if that cannot be had.
    fn another(&self) -> Result<Option<Box<dyn Storage>>> {
        Ok(None)
    }
}

/// What became of events that were to be appended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Appended {
    /// All of them were written.
    Done,
    /// Nothing was written: the log holds more events than the writer knows.
    Conflict,
}

/// One change of a study.
///
/// Trials count from 1 in the order in which [`Asked`](Event::Asked) and [`Added`](Event::Added) bring them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Event {
    /// The study was created: always the first event, and only that.
    Created {
        /// The study's settings, as JSON.
        settings: String,
    },
    /// Points were chosen, each of which is a new trial.
    Asked {
        /// The number of outcomes that the choice is based on.
        seen: u64,
        /// When the batch was committed, in milliseconds since 1970, UTC.
        time: u64,
        /// The points to be evaluated.
        points: Vec<Point>,
        /// The row of the table of candidates of each; empty if there is no table.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        rows: Vec<Option<u64>>,
        /// How many of them, the first ones, were waiting in the queue.
        #[serde(default, skip_serializing_if = "is_zero")]
        queued: usize,
        /// How many of the points that were ready became trials, after the queued ones.
        #[serde(default, skip_serializing_if = "is_zero")]
        ready: usize,
        /// Points that are ready for the next asks, instead of those that were left; `None` leaves these.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ahead: Option<Box<Ahead>>,
        /// The process that asked, and no longer holds a lease.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        by: String,
        /// What the step did, as JSON.
        report: String,
        /// What the next step needs, as JSON; `None` leaves the last state in place.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        state: Option<String>,
    },
    /// Outputs of a trial that were pending have an outcome.
    Told {
        /// The number of the trial.
        trial: u64,
        /// Its outcome, of which every value is finite; outputs that it does not tell of are pending in it.
        outcome: Outcome,
    },
    /// A point that was not asked for became a trial.
    Added {
        /// The point.
        point: Point,
        /// Its row of the table of candidates.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        row: Option<u64>,
        /// Its outcome; `None` while it is pending.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        outcome: Option<Outcome>,
    },
    /// Points of the user's own are to be asked for next.
    Enqueued {
        /// The points, in the order in which they are to be asked for.
        points: Vec<Point>,
        /// The row of the table of candidates of each, where the user said which; empty if none is known.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        rows: Vec<Option<u64>>,
        /// Why, by whom and when.
        note: Note,
    },
    /// A table said in which unit the values of an input or an output are.
    Unit {
        /// The name of the input or the output.
        column: String,
        /// The unit.
        unit: String,
        /// The name of the table.
        source: String,
    },
    /// A table of results had another dialect than the one before.
    Dialect {
        /// Its separator and decimal mark, in the words of the program that read it.
        dialect: String,
    },
    /// The settings were changed.
    Configured {
        /// The study's settings since, as JSON.
        settings: String,
        /// Why, by whom and when.
        note: Note,
    },
    /// A process has begun to fit models or to draw points for all: until it has asked, or the lease has run out, others do not.
    Leased {
        /// What it does.
        work: Work,
        /// The process.
        by: String,
        /// When the lease runs out, in milliseconds since 1970, UTC.
        until: u64,
    },
    /// A process that evaluates trials is alive.
    Heartbeat {
        /// The process.
        by: String,
        /// When, in milliseconds since 1970, UTC.
        time: u64,
        /// What its workers have done so far.
        activity: Activity,
        /// Trials of others that it has begun to evaluate since it was last alive.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        resumed: Vec<u64>,
        /// Whether it is its last one: the run has ended in order.
        #[serde(default, skip_serializing_if = "is_false")]
        is_last: bool,
    },
    /// The outcome of a trial was corrected or withdrawn.
    Revised {
        /// The number of the trial.
        trial: u64,
        /// What has been known of each output since; `None` if the trial was discarded.
        measurements: Option<Vec<Measurement>>,
        /// Why, by whom and when.
        note: Note,
    },
}

/// Points that were chosen before anything asked for them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Ahead {
    /// The points, in the order in which they are to be asked for.
    pub points: Vec<Point>,
    /// The row of the table of candidates of each; empty if there is no table.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<Option<u64>>,
}

/// What the workers of a run have done.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Activity {
    /// Evaluations at a time.
    pub workers: usize,
    /// Seconds that workers have evaluated, added up.
    pub busy_s: f64,
    /// Seconds that workers have waited for points, added up.
    pub waiting_s: f64,
}

/// Work that one process does for all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Work {
    /// New models of everything told so far, and points by them.
    Fit,
    /// More points by the last models.
    Draw,
}

/// Work that a process is doing for all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// What it does.
    pub work: Work,
    /// The process.
    pub by: String,
    /// When the lease runs out, in milliseconds since 1970, UTC.
    pub until: u64,
}

/// Why something was changed, by whom and when.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Note {
    /// Why, in words.
    pub reason: String,
    /// The name of the author.
    pub by: String,
    /// When, in milliseconds since 1970, UTC.
    pub time: u64,
}

impl Note {
    /// A note of this instant.
    pub fn new(reason: impl Into<String>, by: impl Into<String>) -> Self {
        Note { reason: reason.into(), by: by.into(), time: milliseconds() }
    }
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

fn is_false(flag: &bool) -> bool {
    !flag
}

/// Now, in milliseconds since 1970.
pub(super) fn milliseconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}

impl Event {
    /// Whether a batch that was chosen without knowing of it cannot follow it as it is: points become trials, which the
    /// batch must not repeat, or other settings apply.
    pub(super) fn outdates_batches(&self) -> bool {
        matches!(self, Event::Asked { .. } | Event::Added { .. } | Event::Configured { .. })
    }
}
