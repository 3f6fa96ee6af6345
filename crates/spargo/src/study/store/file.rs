//! The file: how it is opened, told from others and created.

use super::fault::Fault;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How a study's file is used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct StoreOptions {
    /// What a committed change survives.
    pub durability: Durability,
    /// How long to wait for other processes before giving up.
    pub patience: Duration,
}

impl Default for StoreOptions {
    fn default() -> Self {
        StoreOptions { durability: Durability::default(), patience: Duration::from_secs(60) }
    }
}

/// What a committed change survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Durability {
    /// The end of the process at any instant, and a loss of power.
    #[default]
    PowerLoss,
    /// The end of the process at any instant; a loss of power may undo the last changes, in whole.
    Crash,
}

/// What the caller expects to find.
pub(super) enum Expect<'a> {
    /// A study.
    Study,
    /// Nothing: a study is created with this config.
    Nothing(&'a str),
    /// Either.
    Either(&'a str),
}

/// Opens the file and returns the study's config with it.
pub(super) fn open(path: &Path, expect: &Expect, options: &StoreOptions) -> Result<(Connection, String), Fault> {
    check_path(path, expect)?;
    let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    if !matches!(expect, Expect::Study) {
        flags |= OpenFlags::SQLITE_OPEN_CREATE;
    }
    // A path of its own, so that no name is special to SQLite, as ":memory:" is.
    let absolute = std::path::absolute(path).map_err(|e| Fault::unfit(format!("has no path ({e})"), "give one"))?;
    let mut connection = Connection::open_with_flags(absolute, flags)?;
    let config = prepare(&mut connection, expect, options)?;
    if connection.is_readonly("main")? {
        return Err(Fault::ReadOnly);
    }
    share(&connection, options.patience)?;
    check_whole(&connection, path)?;
    Ok((connection, config))
}

/// A study that ends with the process.
pub(super) fn in_memory(config: &str) -> Result<Connection, Fault> {
    let mut connection = Connection::open_in_memory()?;
    prepare(&mut connection, &Expect::Nothing(config), &StoreOptions::default())?;
    Ok(connection)
}

/// A study in memory from the bytes of another's.
pub(super) fn from_bytes(bytes: &[u8]) -> Result<(Connection, String), Fault> {
    let mut bytes = bytes.to_vec();
    // A study in a file keeps a log beside it, which one in memory cannot: the header says so in two bytes
    // (<https://www.sqlite.org/fileformat.html#file_format_version_numbers>).
    if let Some(versions) = bytes.get_mut(18..20) {
        versions.fill(1);
    }
    let mut connection = Connection::open_in_memory()?;
    connection.deserialize_read_exact("main", bytes.as_slice(), bytes.len(), false)?;
    let config = prepare(&mut connection, &Expect::Study, &StoreOptions::default())?;
    Ok((connection, config))
}

/// "spar": says in the file's header whose it is.
const APPLICATION: i32 = 0x7370_6172;

/// The version of the tables below.
const VERSION: i32 = 1;

/// Ids and tells count from 1 without a gap; rows are never changed, but for the one of `state`.
const TABLES: &str = "
    CREATE TABLE study (
        one INTEGER PRIMARY KEY CHECK (one = 1),
        config TEXT NOT NULL              -- JSON
    ) STRICT;
    CREATE TABLE asks (
        id INTEGER PRIMARY KEY,           -- the number of the step
        seen INTEGER NOT NULL,            -- the last tell (outcomes.seq) that it knew of
        time INTEGER NOT NULL,            -- milliseconds since 1970, UTC
        report TEXT NOT NULL              -- JSON
    ) STRICT;
    CREATE TABLE state (                  -- what the step after the last ask needs
        one INTEGER PRIMARY KEY CHECK (one = 1),
        ask INTEGER NOT NULL REFERENCES asks,
        json TEXT NOT NULL
    ) STRICT;
    CREATE TABLE trials (
        id INTEGER PRIMARY KEY,
        ask INTEGER REFERENCES asks,      -- NULL: told without having been asked for
        point BLOB NOT NULL               -- blob.rs
    ) STRICT;
    CREATE TABLE outcomes (
        seq INTEGER PRIMARY KEY,          -- the order of tells
        trial INTEGER NOT NULL UNIQUE REFERENCES trials,
        numbers BLOB,                     -- the values, blob.rs; NULL: failed
        noise BLOB,                       -- known variances, blob.rs
        reason TEXT,                      -- of a failure
        CHECK ((numbers IS NULL) <> (reason IS NULL))
    ) STRICT;
";

/// Whose file it is, by its header.
#[derive(PartialEq)]
enum Owner {
    Nobody,
    Study { version: i32 },
    Other,
}

fn check_path(path: &Path, expect: &Expect) -> Result<(), Fault> {
    if path.is_dir() {
        return Err(Fault::unfit("is a folder", "give the path of a file"));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.exists()) {
        return Err(Fault::unfit(
            format!("is in the folder '{}', which does not exist", folder.display()),
            "create it",
        ));
    }
    if matches!(expect, Expect::Study) && !path.try_exists().unwrap_or(true) {
        return Err(Fault::unfit("does not exist", "create it, or check its path"));
    }
    Ok(())
}

/// Refuses a file that was cut within a page: SQLite notices missing pages, but would read zeros here.
fn check_whole(connection: &Connection, path: &Path) -> Result<(), Fault> {
    let length = |path: &Path| std::fs::metadata(path).map_or(0, |file| file.len());
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let page: u64 = connection.query_row("PRAGMA page_size", [], |row| row.get(0))?;
    // If there is a log, it may hold the rest: a copy of it that was interrupted is repeated.
    if length(Path::new(&log)) == 0 && !length(path).is_multiple_of(page) {
        return Err(Fault::garbled("its end is missing"));
    }
    Ok(())
}

/// Sets the connection up and sees to it that the file is a study, created if the caller expects that.
pub(super) fn prepare(connection: &mut Connection, expect: &Expect, options: &StoreOptions) -> Result<String, Fault> {
    connection.busy_timeout(options.patience)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    match options.durability {
        Durability::PowerLoss => {
            connection.pragma_update(None, "synchronous", "FULL")?;
            // Only where a plain sync leaves changes in the disk's cache; elsewhere it does nothing.
            connection.pragma_update(None, "fullfsync", true)?;
        }
        Durability::Crash => connection.pragma_update(None, "synchronous", "NORMAL")?,
    }
    match expect {
        Expect::Study => {}
        Expect::Either(config) => _ = create(connection, config)?,
        Expect::Nothing(config) => {
            if !create(connection, config)? {
                return Err(Fault::unfit("exists already", "open it, or give another path"));
            }
        }
    }
    check_owner(connection)?;
    Ok(connection.query_row("SELECT config FROM study", [], |row| row.get(0))?)
}

/// Writes an empty study into a file that is nobody's; false if it is somebody's.
///
/// Header, tables and config come with one transaction: other processes see an empty file or a study.
fn create(connection: &mut Connection, config: &str) -> Result<bool, Fault> {
    // Without waiting for writers, as most files that are opened exist.
    if owner(connection)? != Owner::Nobody {
        return Ok(false);
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if read_owner(&transaction)? != Owner::Nobody {
        return Ok(false);
    }
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.execute_batch(TABLES)?;
    transaction.execute("INSERT INTO study (one, config) VALUES (1, ?)", [config])?;
    transaction.commit()?;
    Ok(true)
}

fn check_owner(connection: &mut Connection) -> Result<(), Fault> {
    let another = "give the path of a study, or another path to create one";
    match owner(connection)? {
        Owner::Study { version: VERSION } => Ok(()),
        Owner::Study { version } => {
            let cause = format!("has format {version}, and this version of spargo reads format {VERSION}");
            Err(Fault::unfit(cause, "use the version of spargo that wrote it, or a newer one"))
        }
        Owner::Nobody => Err(Fault::unfit("is empty", another)),
        Owner::Other => Err(Fault::unfit("is not a study of spargo, but another program's database", another)),
    }
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
        (0, 0) if things == 0 => Owner::Nobody,
        _ => Owner::Other,
    })
}

/// Lets readers and a writer work side by side, by a write-ahead log.
fn share(connection: &Connection, patience: Duration) -> Result<(), Fault> {
    // SQLite does not wait by itself for the lock that the change of mode needs.
    let start = Instant::now();
    let mode = loop {
        match connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get::<_, String>(0)).map_err(Fault::from)
        {
            Err(fault) if fault.is_busy() && start.elapsed() < patience => sleep(Duration::from_millis(5)),
            mode => break mode?,
        }
    };
    if mode != "wal" {
        let cause = "is on a file system that cannot share memory between processes";
        return Err(Fault::unfit(cause, "put it on a local disk"));
    }
    // The log is reused; after a large step it shrinks to this many bytes again.
    connection.pragma_update(None, "journal_size_limit", 1 << 24)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durability_is_what_the_options_say() {
        let path = std::env::temp_dir().join(format!("spargo-durability-{}.db", std::process::id()));
        for (durability, synchronous) in [(Durability::PowerLoss, 2), (Durability::Crash, 1)] {
            let options = StoreOptions { durability, ..StoreOptions::default() };
            let (connection, _) = open(&path, &Expect::Either("{}"), &options).unwrap();
            let read = |pragma: &str| -> String {
                let sql = format!("SELECT CAST({pragma} AS TEXT) FROM pragma_{pragma}");
                connection.query_row(&sql, [], |row| row.get(0)).unwrap()
            };
            assert_eq!(read("synchronous"), synchronous.to_string());
            assert_eq!(read("journal_mode"), "wal");
            assert_eq!(read("foreign_keys"), "1");
        }
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn the_default_survives_a_loss_of_power() {
        assert_eq!(StoreOptions::default().durability, Durability::PowerLoss);
    }
}
