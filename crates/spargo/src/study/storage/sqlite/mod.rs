//! A log in a SQLite file, which any number of processes may use at the same time.
//!
//! ```text
//!     events  1, 2, …   packed or JSON, only added  ┐ one transaction
//!     state   of the last ask that left one         │ per call
//!     extent  how far both go                       ┘
//! ```
//!
//! A process may be killed at any instant, and the machine may lose its power: what was appended stays, in whole. Damage is
//! noticed by checksums, and a file that was removed or replaced under an open study by its identity.

mod copy;
mod fault;
mod file;
mod format;
mod identity;
mod publish;

use super::packed::{pack, unpack};
use super::{Appended, Event, Storage};
use crate::error::Result;
use fault::Fault;
pub(crate) use fault::RESTORE;
use format::{Extent, Table, VERSION};
use identity::Identity;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// One study's file.
#[derive(Debug)]
pub struct SqliteStorage {
    connection: Connection,
    path: PathBuf,
    identity: Identity,
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

    /// Opens the file of a study, or creates it with its first events, so that no other process finds it without them; says
    /// whether it was created. If that cannot be done at once, the log is empty.
    pub(in crate::study) fn open_or_begin(path: &Path, events: &[Event]) -> Result<(Self, bool)> {
        let is_created = publish::create(path, events);
        Ok((SqliteStorage::open_or_create(path)?, is_created))
    }

    /// Writes what the file of a study holds at this instant, while others may use it, into a new file, which is then
    /// opened and compared; one that exists already is replaced if `force` says so.
    pub fn copy(from: &Path, to: &Path, force: bool) -> Result<()> {
        copy::copy(from, to, force)
    }

    fn new(path: &Path, opened: std::result::Result<Connection, Fault>) -> Result<Self> {
        let identified = opened.and_then(|connection| Ok((connection, Identity::of(path)?)));
        let (connection, identity) = identified.map_err(|fault| fault.at(path))?;
        Ok(SqliteStorage { connection, path: path.into(), identity })
    }
}

impl Storage for SqliteStorage {
    fn name(&self) -> String {
        self.path.display().to_string()
    }

    fn load(&mut self, position: u64) -> Result<Vec<Event>> {
        load(&mut self.connection, position, i64::MAX as usize).map_err(|fault| fault.at(&self.path))
    }

    fn load_some(&mut self, position: u64, count: usize) -> Result<Vec<Event>> {
        load(&mut self.connection, position, count).map_err(|fault| fault.at(&self.path))
    }

    fn append(&mut self, position: u64, events: &[Event]) -> Result<Appended> {
        append(&mut self.connection, &self.identity, position, events).map_err(|fault| fault.at(&self.path))
    }

    fn another(&self) -> Result<Option<Box<dyn Storage>>> {
        // The process may have changed its folder, and the file may be another by now.
        self.identity.check().map_err(|fault| fault.at(&self.path))?;
        let storage = SqliteStorage::open(self.identity.path())?;
        Ok(Some(Box::new(SqliteStorage { path: self.path.clone(), ..storage })))
    }
}

fn load(connection: &mut Connection, position: u64, count: usize) -> std::result::Result<Vec<Event>, Fault> {
    // Readers of one transaction see one state of the file, whatever is committed meanwhile.
    let snapshot = connection.transaction()?;
    format::check_version(format::version(&snapshot)?)?;
    let extent = Extent::read(&snapshot)?;
    let mut events = load_events(&snapshot, position, count, extent)?;
    let last = if events.len() < count { u64::MAX } else { position + events.len() as u64 };
    let Some((event, json)) = load_state(&snapshot, position, last, extent)? else { return Ok(events) };
    match usize::try_from(event - position - 1).ok().and_then(|i| events.get_mut(i)) {
        Some(Event::Asked { state, .. }) => *state = Some(json),
        _ => return Err(Fault::garbled(format_args!("event {event} is no ask, but has left a state"))),
    }
    Ok(events)
}

/// The events after a position, so many at most.
fn load_events(
    snapshot: &Connection,
    position: u64,
    count: usize,
    extent: Option<Extent>,
) -> std::result::Result<Vec<Event>, Fault> {
    // Tables without an extent have no checksums either.
    let checksum = extent.map_or("NULL", |_| "checksum");
    let sql = format!("SELECT id, json, {checksum} FROM events WHERE id > ? ORDER BY id LIMIT ?");
    let mut select = snapshot.prepare_cached(&sql)?;
    let (mut rows, mut events) = (select.query(params![position, count as i64])?, Vec::new());
    let missing = |event: u64| Fault::garbled(format_args!("event {event} is missing"));
    let mut last = position;
    while let Some(row) = rows.next()? {
        last += 1;
        let (found, unreadable) =
            (row.get::<_, u64>(0)?, || Fault::garbled(format_args!("event {last} cannot be read")));
        if found != last {
            return Err(missing(last));
        }
        let (bytes, event) = match row.get_ref(1)? {
            ValueRef::Text(json) => (json, serde_json::from_slice(json).ok()),
            ValueRef::Blob(packed) => (packed, unpack(packed)),
            _ => return Err(unreadable()),
        };
        check(Table::Events, last, bytes, row.get(2)?)?;
        events.push(event.ok_or_else(unreadable)?);
    }
    match extent {
        _ if events.len() == count => Ok(events),
        Some(extent) if last < extent.events => Err(missing(last + 1)),
        Some(extent) if last > extent.events.max(position) => {
            Err(Fault::garbled(format_args!("it has {last} events instead of {}", extent.events)))
        }
        _ => Ok(events),
    }
}

/// The state if it was left after a position by an event up to the last, and the event that left it.
fn load_state(
    snapshot: &Connection,
    position: u64,
    last: u64,
    extent: Option<Extent>,
) -> std::result::Result<Option<(u64, String)>, Fault> {
    let event: Option<u64> = snapshot.query_row("SELECT event FROM state", [], |row| row.get(0)).optional()?;
    if extent.is_some_and(|extent| extent.state != event.unwrap_or(0)) {
        return Err(Fault::garbled("the state of its last step is missing"));
    }
    // The text may be megabytes: it is read only if it is new.
    let Some(event) = event.filter(|event| (position + 1..=last).contains(event)) else { return Ok(None) };
    let sql = format!("SELECT json, {} FROM state", extent.map_or("NULL", |_| "checksum"));
    let (json, checksum) = snapshot.query_row(&sql, [], |row| Ok((row.get::<_, String>(0)?, row.get(1)?)))?;
    check(Table::State, event, json.as_bytes(), checksum)?;
    Ok(Some((event, json)))
}

/// Refuses bytes that are not those that were written.
fn check(table: Table, event: u64, bytes: &[u8], checksum: Option<i64>) -> std::result::Result<(), Fault> {
    match checksum {
        Some(checksum) if checksum != table.checksum(event, bytes) => {
            Err(Fault::garbled(format_args!("the checksum of {} does not agree", table.part(event))))
        }
        _ => Ok(()),
    }
}

fn append(
    connection: &mut Connection,
    identity: &Identity,
    position: u64,
    events: &[Event],
) -> std::result::Result<Appended, Fault> {
    identity.check()?;
    // The lock is taken at the start: what is read is still so at the end.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if format::version(&transaction)? != VERSION {
        format::check_version(format::version(&transaction)?)?;
        return Err(Fault::ReadOnly);
    }
    let extent = Extent::read(&transaction)?;
    let last: u64 = transaction.query_row("SELECT coalesce(max(id), 0) FROM events", [], |row| row.get(0))?;
    let Some(mut extent) = extent.filter(|extent| extent.events == last) else {
        return Err(Fault::garbled(format_args!("its last event is not {last}")));
    };
    if last != position {
        return Ok(Appended::Conflict);
    }
    let mut insert = transaction.prepare_cached("INSERT INTO events (id, json, checksum) VALUES (?, ?, ?)")?;
    for (id, event) in (position + 1..).zip(events) {
        let (event, state) = apart(event);
        match pack(&event) {
            Some(bytes) => insert.execute(params![id, bytes, Table::Events.checksum(id, &bytes)])?,
            None => {
                let json = to_json(&event)?;
                insert.execute(params![id, json, Table::Events.checksum(id, json.as_bytes())])?
            }
        };
        if let Some(state) = state {
            let sql = "INSERT OR REPLACE INTO state (one, event, json, checksum) VALUES (1, ?, ?, ?)";
            transaction.execute(sql, params![id, state, Table::State.checksum(id, state.as_bytes())])?;
            extent.state = id;
        }
        extent.events = id;
    }
    drop(insert);
    extent.write(&transaction)?;
    transaction.commit()?;
    // What was written to a file that has no name any more is lost.
    identity.check()?;
    Ok(Appended::Done)
}

/// An event without its state, and the state, which is written once.
fn apart(event: &Event) -> (Cow<'_, Event>, Option<String>) {
    let mut event = Cow::Borrowed(event);
    if !matches!(&*event, Event::Asked { state: Some(_), .. }) {
        return (event, None);
    }
    let state = if let Event::Asked { state, .. } = event.to_mut() { state.take() } else { None };
    (event, state)
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
