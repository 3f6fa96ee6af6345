//! A log in a SQLite file, which any number of processes may use at the same time.
//!
//! ```text
//!     events  1, 2, …   JSON, only ever added    ┐ one transaction
//!     state   of the last ask that left one      ┘ per call
//! ```
//!
//! A process may be killed at any instant, and the machine may lose its power: what was appended stays, in whole.

mod fault;
mod file;

use super::{Appended, Event, Storage};
use crate::error::Result;
use fault::Fault;
use rusqlite::{Connection, OptionalExtension, Row, TransactionBehavior, params};
use std::path::{Path, PathBuf};

/// One study's file.
#[derive(Debug)]
pub struct SqliteStorage {
    connection: Connection,
    path: PathBuf,
}

impl SqliteStorage {
    /// Opens the file of a study.
    pub fn open(path: &Path) -> Result<Self> {
        SqliteStorage::new(path, file::open(path))
    }

    /// Opens the file of a study, for reading only if the file or its folder cannot be written.
    pub fn open_to_read(path: &Path) -> Result<Self> {
        SqliteStorage::new(path, file::open_to_read(path))
    }

    /// Opens the file of a study, or creates it with an empty log; of several processes that do so at once, one creates.
    pub fn open_or_create(path: &Path) -> Result<Self> {
        SqliteStorage::new(path, file::open_or_create(path))
    }

    fn new(path: &Path, opened: std::result::Result<Connection, Fault>) -> Result<Self> {
        let connection = opened.map_err(|fault| fault.at(path))?;
        Ok(SqliteStorage { connection, path: path.into() })
    }
}

impl Storage for SqliteStorage {
    fn name(&self) -> String {
        self.path.display().to_string()
    }

    fn load(&mut self, position: u64) -> Result<Vec<Event>> {
        load(&mut self.connection, position).map_err(|fault| fault.at(&self.path))
    }

    fn append(&mut self, position: u64, events: &[Event]) -> Result<Appended> {
        append(&mut self.connection, position, events).map_err(|fault| fault.at(&self.path))
    }
}

fn load(connection: &mut Connection, position: u64) -> std::result::Result<Vec<Event>, Fault> {
    // Readers of one transaction see one state of the file, whatever is committed meanwhile.
    let snapshot = connection.transaction()?;
    let mut select = snapshot.prepare_cached("SELECT id, json FROM events WHERE id > ? ORDER BY id")?;
    let (mut rows, mut events) = (select.query([position])?, Vec::new());
    while let Some(row) = rows.next()? {
        let (found, expected) = (row.get::<_, u64>(0)?, position + events.len() as u64 + 1);
        if expected != found {
            return Err(Fault::garbled(format_args!("event {expected} is missing")));
        }
        let event = row.get_ref(1)?.as_str().ok().and_then(|json| serde_json::from_str(json).ok());
        events.push(event.ok_or_else(|| Fault::garbled(format_args!("event {found} cannot be read")))?);
    }
    // The text may be megabytes: it is read only if it is new.
    let last = |row: &Row| Ok((row.get::<_, u64>(0)?, row.get(1)?));
    let sql = "SELECT event, json FROM state WHERE event > ?";
    if let Some((event, json)) = snapshot.query_row(sql, [position], last).optional()? {
        match usize::try_from(event - position - 1).ok().and_then(|i| events.get_mut(i)) {
            Some(Event::Asked { state, .. }) => *state = Some(json),
            _ => return Err(Fault::garbled(format_args!("event {event} is no ask, but has left a state"))),
        }
    }
    Ok(events)
}

fn append(connection: &mut Connection, position: u64, events: &[Event]) -> std::result::Result<Appended, Fault> {
    // The lock is taken at the start: what is read is still so at the end.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let last: u64 = transaction.query_row("SELECT coalesce(max(id), 0) FROM events", [], |row| row.get(0))?;
    if last != position {
        return Ok(Appended::Conflict);
    }
    let mut insert = transaction.prepare_cached("INSERT INTO events (id, json) VALUES (?, ?)")?;
    for (id, event) in (position + 1..).zip(events) {
        let mut event = event.clone();
        let state = if let Event::Asked { state, .. } = &mut event { state.take() } else { None };
        insert.execute(params![id, to_json(&event)?])?;
        if let Some(state) = state {
            let sql = "INSERT OR REPLACE INTO state (one, event, json) VALUES (1, ?, ?)";
            transaction.execute(sql, params![id, state])?;
        }
    }
    drop(insert);
    transaction.commit()?;
    Ok(Appended::Done)
}

fn to_json(event: &Event) -> std::result::Result<String, Fault> {
    serde_json::to_string(event).map_err(|error| Fault::unfit(format!("cannot keep an event ({error})"), "report this"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_writer_that_does_not_end_is_named() {
        let path = std::env::temp_dir().join(format!("spargo-writer-{}.db", std::process::id()));
        let mut storage = SqliteStorage::open_or_create(&path).unwrap();
        storage.connection.busy_timeout(Duration::from_millis(50)).unwrap();
        let other = Connection::open(&path).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        let created = [Event::Created { settings: "{}".into() }];
        let error = storage.append(0, &created).unwrap_err().to_string();
        assert!(error.contains("is kept locked by another process"), "{error}");
        // Reading goes on.
        assert_eq!(storage.load(0).unwrap(), []);
        other.execute_batch("ROLLBACK").unwrap();
        assert_eq!(storage.append(0, &created), Ok(Appended::Done));
        drop((storage, other));
        std::fs::remove_file(path).unwrap();
    }
}
