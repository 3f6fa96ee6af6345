//! A copy of a study that others may be using: one file that is whole by itself.

use super::fault::Fault;
use super::file::{beside, check_path, open_to_read};
use super::format::APPLICATION;
use super::publish::{draft_of, sync_folder_of};
use super::{SqliteStorage, Storage};
use crate::error::Result;
use std::fs::{File, canonicalize, remove_file, rename};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

const ELSEWHERE: &str = "give another path, or have it replaced (--force)";

/// Copies the study of one file to another, all or nothing.
pub(super) fn copy(from: &Path, to: &Path, force: bool) -> Result<()> {
    let temporary = check_target(from, to, force).map_err(|fault| fault.at(to))?;
    let copied = write(from, &temporary).map_err(|fault| fault.at(from)).and_then(|()| {
        // Reads all of it, and compares the checksums.
        SqliteStorage::open_to_read(&temporary)?.load(0)?;
        publish(&temporary, to).map_err(|error| {
            let remedy = "check that you may write there, and that there is room";
            Fault::unfit(format!("cannot be written ({error})"), remedy).at(to)
        })
    });
    if copied.is_err() {
        // The first error is reported.
        let _ = remove_file(&temporary);
    }
    copied
}

/// The name under which a copy is made, if it may be made there.
fn check_target(from: &Path, to: &Path, force: bool) -> std::result::Result<PathBuf, Fault> {
    check_path(to)?;
    if canonicalize(to).is_ok_and(|to| canonicalize(from).is_ok_and(|from| from == to)) {
        return Err(Fault::unfit("is the study itself", "give another path"));
    }
    match ["", "-wal"].into_iter().find(|ending| beside(to, ending).symlink_metadata().is_ok()) {
        Some("") if !force => Err(Fault::unfit("exists already", ELSEWHERE)),
        Some(_) if !force => Err(Fault::unfit("has the log (-wal) of another study next to it", ELSEWHERE)),
        Some("") if !is_study(to) => Err(Fault::unfit("is not a study of spargo", "give another path")),
        _ => draft_of(to),
    }
}

/// Whether a file begins as studies do: nothing else is replaced.
fn is_study(path: &Path) -> bool {
    let mut header = [0; 72];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut header));
    read.is_ok() && header.starts_with(b"SQLite format 3\0") && header.ends_with(&APPLICATION.to_be_bytes())
}

/// Everything that is committed at one instant, from the file and its log.
fn write(from: &Path, to: &Path) -> std::result::Result<(), Fault> {
    let name = to.to_str().ok_or_else(|| Fault::unfit("cannot be copied to a path that is not UTF-8", "rename it"))?;
    open_to_read(from)?.execute("VACUUM INTO ?", [name])?;
    Ok(())
}

/// Gives the copy its name, once it is on the disk.
fn publish(temporary: &Path, to: &Path) -> io::Result<()> {
    File::open(temporary)?.sync_all()?;
    // The log of a study that had the name before would be taken for the copy's.
    for ending in ["-wal", "-shm"] {
        match remove_file(beside(to, ending)) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    rename(temporary, to)?;
    sync_folder_of(to)
}
