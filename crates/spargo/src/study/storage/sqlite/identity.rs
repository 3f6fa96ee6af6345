//! Which file is open: SQLite goes on writing to a file that was removed or replaced, where it cannot be found again.
//!
//! The log (-wal) exists as long as one process has the study open, so it must stay the same file as well.

use super::fault::Fault;
use super::file::{located, log_of};
use std::fs::{Metadata, metadata};
use std::path::{Path, PathBuf};

const REMOVED: &str = "put it back from a copy by `spargo copy COPY FILE --force`, which removes its old log (-wal) as well, open it again \
                       and tell again what was not kept";

/// The files of an open study, as they were found under their names.
#[derive(Debug)]
pub(super) struct Identity {
    /// Absolute, as the process may change its folder.
    path: PathBuf,
    files: [Option<FileId>; 2],
}

/// Device and number of a file.
type FileId = (u64, u64);

impl Identity {
    /// The files that are under these names now.
    pub fn of(path: &Path) -> Result<Self, Fault> {
        let path = located(path)?;
        let files = files(&path);
        Ok(Identity { path, files })
    }

    /// The name of the file, absolute.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Refuses to go on if other files, or none, are under these names.
    pub fn check(&self) -> Result<(), Fault> {
        let what = match (self.files, files(&self.path)) {
            (opened, found) if opened == found => return Ok(()),
            ([Some(_), _], [None, _]) => "was removed or renamed",
            ([opened, _], [found, _]) if opened != found => "was replaced by another file",
            (_, [_, None]) => "lost its log (-wal), which was removed or renamed",
            _ => "lost its log (-wal), which was replaced by another file",
        };
        Err(Fault::unfit(format!("{what} while it was open: nothing more is kept"), REMOVED))
    }
}

fn files(path: &Path) -> [Option<FileId>; 2] {
    [metadata(path), metadata(log_of(path))].map(|file| file.ok().map(|file| id(&file)))
}

#[cfg(unix)]
fn id(file: &Metadata) -> FileId {
    use std::os::unix::fs::MetadataExt;
    (file.dev(), file.ino())
}

/// Without numbers of files only their absence is noticed; such systems do not let open files be removed.
#[cfg(not(unix))]
fn id(_: &Metadata) -> FileId {
    (0, 0)
}
