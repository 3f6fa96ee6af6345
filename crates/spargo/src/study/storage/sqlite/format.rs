//! The tables of a study's file, and how those of earlier versions become those of this one.
//!
//! ```text
//!     row = (number, bytes, checksum),     checksum = XXH3₆₄(bytes; seeded by number and table)
//! ```
//!
//! A changed byte, and a row under another's number, is noticed but for one case in 2⁶⁴. `extent` says how far the log goes,
//! so that a lost end is noticed as well.

use super::fault::Fault;
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// "spar": says in the file's header whose it is.
pub(super) const APPLICATION: i32 = 0x7370_6172;

/// The version of the tables below.
pub(super) const VERSION: i32 = 5;

/// The earliest version that is migrated: one before the first of [`MIGRATIONS`].
const EARLIEST: i32 = VERSION - MIGRATIONS.len() as i32;

/// The tables of this version. Events count from 1 without a gap and are never changed; those of trials and outcomes are packed, which
/// is a blob, all others are JSON, which is text.
const TABLES: &str = "
    CREATE TABLE events (
        id INTEGER PRIMARY KEY,
        json ANY NOT NULL,
        checksum INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE state (                  -- of the last ask that left one: it may be megabytes
        one INTEGER PRIMARY KEY CHECK (one = 1),
        event INTEGER NOT NULL REFERENCES events,
        json TEXT NOT NULL,
        checksum INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE extent (                 -- the last event, and the event of the state; 0 if there is none
        one INTEGER PRIMARY KEY CHECK (one = 1),
        events INTEGER NOT NULL,
        state INTEGER NOT NULL
    ) STRICT;
    INSERT INTO extent (one, events, state) VALUES (1, 0, 0);
";

/// Formats 3 and 4. Events count from 1 without a gap and are never changed.
const TABLES_3: &str = "
    CREATE TABLE events (
        id INTEGER PRIMARY KEY,
        json TEXT NOT NULL,
        checksum INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE state (                  -- of the last ask that left one: it may be megabytes
        one INTEGER PRIMARY KEY CHECK (one = 1),
        event INTEGER NOT NULL REFERENCES events,
        json TEXT NOT NULL,
        checksum INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE extent (                 -- the last event, and the event of the state; 0 if there is none
        one INTEGER PRIMARY KEY CHECK (one = 1),
        events INTEGER NOT NULL,
        state INTEGER NOT NULL
    ) STRICT;
    INSERT INTO extent (one, events, state) VALUES (1, 0, 0);
";

/// Each makes the tables of the next version; the last one makes those of [`VERSION`].
const MIGRATIONS: [Migration; 3] = [add_checksums, allow_for_more_events, allow_for_packed_events];

/// Makes the tables of a version out of those of the one before, within a transaction.
type Migration = fn(&Connection) -> Result<(), Fault>;

/// Whose file it is, by its header.
#[derive(PartialEq)]
pub(super) enum Owner {
    None,
    Study { version: i32 },
    Other,
}

/// A table of which every row has a checksum.
#[derive(Clone, Copy)]
pub(super) enum Table {
    Events,
    State,
}

impl Table {
    /// The checksum of the bytes that belong to an event.
    pub fn checksum(self, event: u64, bytes: &[u8]) -> i64 {
        let seed = match self {
            Table::Events => event,
            Table::State => !event,
        };
        xxh3_64_with_seed(bytes, seed).cast_signed()
    }

    /// What the text of an event is, in words.
    pub fn part(self, event: u64) -> String {
        match self {
            Table::Events => format!("event {event}"),
            Table::State => format!("the state of the last step (event {event})"),
        }
    }
}

/// How far the log goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Extent {
    /// The number of the last event.
    pub events: u64,
    /// The event that left the state; 0 if none did.
    pub state: u64,
}

impl Extent {
    /// The extent as it is written; `None` in tables that do not have it yet.
    pub fn read(connection: &Connection) -> Result<Option<Self>, Fault> {
        if version(connection)? < 3 {
            let sql = "SELECT count(*) FROM sqlite_schema WHERE name = 'extent'";
            let is_later = connection.query_row(sql, [], |row| row.get(0))?;
            return if is_later { Err(Fault::garbled("its version is wrong")) } else { Ok(None) };
        }
        let sql = "SELECT events, state FROM extent";
        let read = connection.query_row(sql, [], |row| Ok(Extent { events: row.get(0)?, state: row.get(1)? }));
        read.optional()?.ok_or_else(|| Fault::garbled("its number of events is missing")).map(Some)
    }

    pub fn write(self, connection: &Connection) -> Result<(), Fault> {
        let sql = "UPDATE extent SET events = ?, state = ?";
        connection.prepare_cached(sql)?.execute(params![self.events, self.state])?;
        Ok(())
    }
}

/// Writes an empty study into an empty file.
///
/// Header and tables come with one transaction: other processes see an empty file or a study.
pub(super) fn create(connection: &mut Connection) -> Result<(), Fault> {
    // Without waiting for writers, as most files that are opened exist.
    if owner(connection)? != Owner::None {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if read_owner(&transaction)? == Owner::None {
        transaction.pragma_update(None, "application_id", APPLICATION)?;
        transaction.pragma_update(None, "user_version", VERSION)?;
        transaction.execute_batch(TABLES)?;
        transaction.commit()?;
    }
    Ok(())
}

/// Refuses a file that is no study, or one of a version that cannot be read.
pub(super) fn check_owner(connection: &mut Connection) -> Result<(), Fault> {
    match owner(connection)? {
        Owner::Study { version } => check_version(version),
        Owner::None => Err(Fault::unfit("is empty", super::file::ANOTHER)),
        Owner::Other => {
            Err(Fault::unfit("is not a study of spargo, but another program's database", super::file::ANOTHER))
        }
    }
}

/// The version of the tables, in the transaction that the connection is in.
pub(super) fn version(connection: &Connection) -> Result<i32, Fault> {
    Ok(connection.query_row("PRAGMA user_version", [], |row| row.get(0))?)
}

/// Refuses versions that this library does not know.
pub(super) fn check_version(version: i32) -> Result<(), Fault> {
    if version > VERSION {
        let cause = format!("was written by a later version of spargo (format {version}, not {VERSION})");
        return Err(Fault::unfit(cause, "use that version of spargo"));
    }
    if version < EARLIEST {
        let cause = format!("was written by an early version of spargo (format {version}, not {VERSION})");
        return Err(Fault::unfit(cause, "export it with that version, and add its trials to a new study"));
    }
    Ok(())
}

/// Makes the tables of this version out of those of an earlier one, all or nothing.
///
/// Of several processes one does so, and the others find it done.
pub(super) fn migrate(connection: &mut Connection) -> Result<(), Fault> {
    // Without waiting for writers, as most files are of this version.
    if version(connection)? == VERSION {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found = version(&transaction)?;
    check_version(found)?;
    Extent::read(&transaction)?;
    check_damage(&transaction)?;
    for step in &MIGRATIONS[(found - EARLIEST) as usize..] {
        step(&transaction)?;
    }
    transaction.pragma_update(None, "user_version", VERSION)?;
    Ok(transaction.commit()?)
}

/// Refuses damage that the tables of an earlier version do not show: it must not get a valid checksum.
fn check_damage(transaction: &Transaction<'_>) -> Result<(), Fault> {
    let verdict: String = transaction.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if verdict == "ok" { Ok(()) } else { Err(Fault::garbled(verdict)) }
}

/// From format 2 to 3: rows have checksums, and the log an extent.
fn add_checksums(connection: &Connection) -> Result<(), Fault> {
    connection.execute_batch("ALTER TABLE events RENAME TO events_2; ALTER TABLE state RENAME TO state_2")?;
    connection.execute_batch(TABLES_3)?;
    let mut extent = Extent { events: 0, state: 0 };
    let mut rows = connection.prepare("SELECT id, json FROM events_2 ORDER BY id")?;
    let mut insert = connection.prepare("INSERT INTO events (id, json, checksum) VALUES (?, ?, ?)")?;
    let mut rows = rows.query([])?;
    while let Some(row) = rows.next()? {
        let (id, json) = (row.get::<_, u64>(0)?, row.get_ref(1)?.as_str().map_err(Fault::garbled)?);
        insert.execute(params![id, json, Table::Events.checksum(id, json.as_bytes())])?;
        extent.events = id;
    }
    let last = |row: &rusqlite::Row<'_>| Ok((row.get::<_, u64>(0)?, row.get::<_, String>(1)?));
    if let Some((event, json)) = connection.query_row("SELECT event, json FROM state_2", [], last).optional()? {
        let sql = "INSERT INTO state (one, event, json, checksum) VALUES (1, ?, ?, ?)";
        connection.execute(sql, params![event, json, Table::State.checksum(event, json.as_bytes())])?;
        extent.state = event;
    }
    extent.write(connection)?;
    drop((rows, insert));
    Ok(connection.execute_batch("DROP TABLE state_2; DROP TABLE events_2")?)
}

/// From format 3 to 4: leases, heartbeats, dialects and points that are ready are kinds of events, which format 3 takes for damage.
fn allow_for_more_events(_: &Connection) -> Result<(), Fault> {
    Ok(())
}

/// From format 4 to 5: an event may be packed; those that are there stay as they are.
fn allow_for_packed_events(connection: &Connection) -> Result<(), Fault> {
    connection.execute_batch(
        "ALTER TABLE events RENAME TO events_4; ALTER TABLE state RENAME TO state_4; ALTER TABLE extent RENAME TO extent_4",
    )?;
    connection.execute_batch(TABLES)?;
    Ok(connection.execute_batch(
        "INSERT INTO events SELECT id, json, checksum FROM events_4 ORDER BY id;
         INSERT INTO state SELECT one, event, json, checksum FROM state_4;
         UPDATE extent SET (events, state) = (SELECT events, state FROM extent_4);
         DROP TABLE state_4; DROP TABLE events_4; DROP TABLE extent_4",
    )?)
}

fn owner(connection: &mut Connection) -> Result<Owner, Fault> {
    // One transaction, or a study that another process creates meanwhile is seen by halves.
    let snapshot = connection.transaction()?;
    read_owner(&snapshot)
}

fn read_owner(connection: &Connection) -> Result<Owner, Fault> {
    let number = |sql: &str| connection.query_row(sql, [], |row| row.get(0));
    let things: i32 = number("SELECT count(*) FROM sqlite_schema")?;
    Ok(match (number("PRAGMA application_id")?, number("PRAGMA user_version")?) {
        (APPLICATION, version) => Owner::Study { version },
        (0, 0) if things == 0 => Owner::None,
        _ => Owner::Other,
    })
}
