//! What can go wrong in a file, in the user's words.

use crate::error::Error;
use rusqlite::ErrorCode;
use std::path::Path;

/// A log (-wal) that is left next to the file would be taken for the copy's.
pub(crate) const RESTORE: &str = "restore it from a copy by `spargo copy COPY FILE --force`";
const PERMISSIONS: &str = "check that you may write the file and its folder";

/// A failure before it knows its file.
#[derive(Debug)]
pub(super) enum Fault {
    /// An error of the database.
    Sql(rusqlite::Error),
    /// A file that may be read only.
    ReadOnly,
    /// A file that is not what it should be.
    Unfit { cause: String, remedy: &'static str },
}

impl Fault {
    pub(super) fn unfit(cause: impl Into<String>, remedy: &'static str) -> Self {
        Fault::Unfit { cause: cause.into(), remedy }
    }

    /// Content that this library never wrote.
    pub(super) fn garbled(what: impl std::fmt::Display) -> Self {
        Fault::unfit(format!("is damaged: {what}"), RESTORE)
    }

    /// Whether another process is in the way.
    pub(super) fn is_busy(&self) -> bool {
        matches!(self.code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
    }

    /// Whether it is for want of permission to write.
    pub(super) fn forbids_writing(&self) -> bool {
        let forbidden = [ErrorCode::ReadOnly, ErrorCode::CannotOpen, ErrorCode::PermissionDenied];
        matches!(self, Fault::ReadOnly) || self.code().is_some_and(|code| forbidden.contains(&code))
    }

    pub(super) fn at(self, path: &Path) -> Error {
        let (cause, remedy) = match self {
            Fault::ReadOnly => ("is read-only".into(), PERMISSIONS),
            Fault::Unfit { cause, remedy } => (cause, remedy),
            Fault::Sql(error) => words(&error),
        };
        Error::Storage { path: path.display().to_string(), cause, remedy: remedy.into() }
    }

    fn code(&self) -> Option<ErrorCode> {
        if let Fault::Sql(error) = self { error.sqlite_error_code() } else { None }
    }
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Fault::Sql(error)
    }
}

fn words(error: &rusqlite::Error) -> (String, &'static str) {
    let is = |cause: &str| format!("{cause} ({error})");
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => ("is not a study of spargo, but another kind of file".into(), "give its path"),
        Some(ErrorCode::DatabaseCorrupt) => (is("is damaged"), RESTORE),
        Some(ErrorCode::ReadOnly) => (is("cannot be written"), PERMISSIONS),
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => (is("cannot be opened for writing"), PERMISSIONS),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            (is("is kept locked by another process"), "wait for that process or end it, and try again")
        }
        Some(ErrorCode::DiskFull) => (is("does not fit on the disk"), "make room and try again"),
        Some(ErrorCode::SystemIoFailure) => (is("cannot be read or written"), "check the disk"),
        // A column of another type or length than the tables allow.
        None => (is("is damaged"), RESTORE),
        Some(_) => (is("cannot be used"), RESTORE),
    }
}
