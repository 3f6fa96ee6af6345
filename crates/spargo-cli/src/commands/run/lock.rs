//! One `spargo run` a study at a time: the kernel lets go of the lock when its holder ends, however it ends.

use miette::{IntoDiagnostic, Result, WrapErr, miette};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// The right to run a study, until it is dropped.
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Takes `<database>.lock`.
    pub fn take(database: &Path) -> Result<Self> {
        let mut path = database.as_os_str().to_owned();
        path.push(".lock");
        let path = PathBuf::from(path);
        let context = || format!("cannot lock {}", path.display());
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(&path).into_diagnostic().wrap_err_with(context)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(excluded(&mut file, database, &path)),
            Err(TryLockError::Error(error)) => return Err(error).into_diagnostic().wrap_err_with(context),
        }
        // Who holds it, for those who come later.
        file.set_len(0)
            .and_then(|()| write!(file, "{}", std::process::id()))
            .into_diagnostic()
            .wrap_err_with(context)?;
        Ok(Lock { _file: file })
    }
}

fn excluded(file: &mut File, database: &Path, path: &Path) -> miette::Report {
    let mut holder = String::new();
    let read = file.read_to_string(&mut holder);
    let process = match read.ok().and_then(|_| holder.trim().parse::<u32>().ok()) {
        Some(id) => format!(", process {id},"),
        None => String::new(),
    };
    miette!(
        help = "wait for it or end it; `spargo status` shows how far it is",
        "another `spargo run`{process} is under way on {} (it holds {})",
        database.display(),
        path.display()
    )
}
