//! The file: how it is found and opened.

use super::fault::Fault;
use super::format::{check_owner, create, migrate};
use rusqlite::{Connection, OpenFlags};
use std::path::{Path, PathBuf, absolute};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long to wait for other processes before giving up.
const PATIENCE: Duration = Duration::from_secs(60);

/// The log is reused; after a large step it shrinks to this many bytes again.
const LOG_BYTES: i64 = 1 << 24;

pub(super) const ANOTHER: &str = "give the path of a study, or another path to create one";

/// Opens a study.
pub(super) fn open(path: &Path) -> Result<Connection, Fault> {
    check_path(path)?;
    if !path.try_exists().unwrap_or(true) {
        return Err(Fault::unfit("does not exist", "create it, or check its path"));
    }
    let connection = connect(&located(path)?, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    shared(connection, path)
}

/// Opens a study, or creates an empty one.
pub(super) fn open_or_create(path: &Path) -> Result<Connection, Fault> {
    check_path(path)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    let mut connection = connect(&located(path)?, flags)?;
    create(&mut connection)?;
    shared(connection, path)
}

/// Opens a study, for reading only if its file or its folder cannot be written.
///
/// A write-ahead log is shared through files in the study's folder. Where these cannot be made, a file without a log is
/// read as one that does not change (<https://www.sqlite.org/wal.html#read_only_databases>).
pub(super) fn open_to_read(path: &Path) -> Result<Connection, Fault> {
    match open(path) {
        Err(fault) if fault.forbids_writing() => {}
        opened => return opened,
    }
    let has_log = length(&log_of(path)) > 0;
    let name = if has_log { located(path)? } else { unchanging(&located(path)?) };
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let opened = connect(&name, flags).and_then(|mut connection| {
        check_owner(&mut connection)?;
        Ok(connection)
    });
    match opened {
        Err(fault) if has_log && fault.forbids_writing() => Err(Fault::unfit(
            "has its last changes in a log next to it (-wal), which cannot be read without writing to its folder",
            "copy both to a folder of yours, or open it as a user who may write there",
        )),
        Err(fault) if fault.forbids_writing() => {
            Err(Fault::unfit("cannot be read", "check that you may read the file"))
        }
        opened => opened,
    }
}

pub(super) fn check_path(path: &Path) -> Result<(), Fault> {
    if path.is_dir() {
        return Err(Fault::unfit("is a folder", "give the path of a file"));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.filter(|folder| !folder.exists()).map_or(Ok(()), |folder| {
        let cause = format!("is in the folder '{}', which does not exist", folder.display());
        Err(Fault::unfit(cause, "create it"))
    })
}

/// An absolute path, so that no name is special to SQLite, as ":memory:" is.
pub(super) fn located(path: &Path) -> Result<PathBuf, Fault> {
    absolute(path).map_err(|error| Fault::unfit(format!("has no path ({error})"), "give one"))
}

/// A connection whose changes survive a loss of power.
fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, Fault> {
    let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(PATIENCE)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    // Only where a plain sync leaves changes in the disk's cache; elsewhere it does nothing.
    connection.pragma_update(None, "fullfsync", true)?;
    Ok(connection)
}

/// A connection to a study that readers and a writer use side by side, by a write-ahead log.
fn shared(mut connection: Connection, path: &Path) -> Result<Connection, Fault> {
    check_owner(&mut connection)?;
    if connection.is_readonly("main")? {
        return Err(Fault::ReadOnly);
    }
    // SQLite does not wait by itself for the lock that the change of mode needs.
    let start = Instant::now();
    let mode = loop {
        let mode = connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get::<_, String>(0));
        match mode.map_err(Fault::from) {
            Err(fault) if fault.is_busy() && start.elapsed() < PATIENCE => sleep(Duration::from_millis(5)),
            mode => break mode?,
        }
    };
    if mode != "wal" {
        let cause = "is on a file system that cannot share memory between processes";
        return Err(Fault::unfit(cause, "put it on a local disk"));
    }
    connection.pragma_update(None, "journal_size_limit", LOG_BYTES)?;
    check_whole(&connection, path)?;
    migrate(&mut connection)?;
    Ok(connection)
}

/// Refuses a file that was cut within a page: SQLite notices missing pages, but would read zeros here.
fn check_whole(connection: &Connection, path: &Path) -> Result<(), Fault> {
    let page: u64 = connection.query_row("PRAGMA page_size", [], |row| row.get(0))?;
    // If there is a log, it may hold the rest: a copy of it that was interrupted is repeated.
    if length(&log_of(path)) == 0 && !length(path).is_multiple_of(page) {
        return Err(Fault::garbled("its end is missing"));
    }
    Ok(())
}

fn length(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |file| file.len())
}

/// The log of a file.
pub(super) fn log_of(path: &Path) -> PathBuf {
    beside(path, "-wal")
}

/// The name of a file with an ending after it.
pub(super) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// The address of a file that does not change; whatever could mean something else is escaped.
fn unchanging(path: &Path) -> PathBuf {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/-_.".contains(byte);
    let escape = |byte: &u8| if plain(byte) { char::from(*byte).to_string() } else { format!("%{byte:02X}") };
    let path: String = path.as_os_str().as_encoded_bytes().iter().map(escape).collect();
    format!("file:{path}?immutable=1").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_survive_a_loss_of_power() {
        let path = std::env::temp_dir().join(format!("spargo-durability-{}.db", std::process::id()));
        let connection = open_or_create(&path).unwrap();
        for (pragma, value) in [("synchronous", "2"), ("journal_mode", "wal"), ("foreign_keys", "1")] {
            let sql = format!("SELECT CAST({pragma} AS TEXT) FROM pragma_{pragma}");
            assert_eq!(connection.query_row(&sql, [], |row| row.get::<_, String>(0)).unwrap(), value);
        }
        drop(connection);
        std::fs::remove_file(path).unwrap();
    }
}
