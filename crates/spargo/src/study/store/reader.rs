//! A study that may be read and not written, because its file or its folder is another's.
//!
//! A write-ahead log is shared through files in the study's folder. Where these cannot be made, a file without a log is
//! read as one that does not change (<https://www.sqlite.org/wal.html#read_only_databases>).

use super::fault::Fault;
use super::file::{self, Expect, StoreOptions};
use rusqlite::{Connection, OpenFlags};
use std::path::{Path, PathBuf};

/// Opens a study, for reading only if it cannot be otherwise.
pub(super) fn open(path: &Path, options: &StoreOptions) -> Result<(Connection, String), Fault> {
    match file::open(path, &Expect::Study, options) {
        Err(fault) if fault.forbids_writing() => read_only(path, options),
        opened => opened,
    }
}

fn read_only(path: &Path, options: &StoreOptions) -> Result<(Connection, String), Fault> {
    let absolute = std::path::absolute(path).map_err(|e| Fault::unfit(format!("has no path ({e})"), "give one"))?;
    let logged = std::fs::metadata(log_of(path)).is_ok_and(|log| log.len() > 0);
    let name = if logged { absolute } else { unchanging(&absolute) };
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let opened = Connection::open_with_flags(name, flags).map_err(Fault::from).and_then(|mut connection| {
        let config = file::prepare(&mut connection, &Expect::Study, options)?;
        Ok((connection, config))
    });
    match opened {
        Err(fault) if logged && fault.forbids_writing() => Err(Fault::unfit(
            "has its last changes in a log beside it (-wal), which cannot be read without writing to its folder",
            "copy both to a folder of yours, or have somebody open it who may write there",
        )),
        Err(fault) if fault.forbids_writing() => {
            Err(Fault::unfit("cannot be read", "check that you may read the file"))
        }
        opened => opened,
    }
}

fn log_of(path: &Path) -> PathBuf {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    log.into()
}

/// The address of a file that nobody changes; whatever could mean something else is escaped.
fn unchanging(path: &Path) -> PathBuf {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/-_.".contains(byte);
    let escape = |byte: &u8| if plain(byte) { char::from(*byte).to_string() } else { format!("%{byte:02X}") };
    let path: String = path.as_os_str().as_encoded_bytes().iter().map(escape).collect();
    format!("file:{path}?immutable=1").into()
}
