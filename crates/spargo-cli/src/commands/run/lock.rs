//! One `spargo run` per study at a time: the kernel releases the lock when its holder ends, however it ends.

use miette::{IntoDiagnostic, Result, WrapErr, miette};
use std::fs::{File, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// Locks `<database>.lock` until the file that is returned is dropped.
pub fn lock(database: &Path) -> Result<File> {
    let mut path = database.as_os_str().to_owned();
    path.push(".lock");
    let path = PathBuf::from(path);
    let context = || format!("cannot lock {}", path.display());
    let opened = File::options().read(true).write(true).create(true).truncate(false).open(&path);
    let mut file = opened.into_diagnostic().wrap_err_with(context)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(excluded(&mut file, database, &path)),
        Err(TryLockError::Error(error)) => return Err(error).into_diagnostic().wrap_err_with(context),
    }
    // The holder's process id, for the message of a later run.
    file.set_len(0).and_then(|()| write!(file, "{}", std::process::id())).into_diagnostic().wrap_err_with(context)?;
    Ok(file)
}

fn excluded(file: &mut File, database: &Path, path: &Path) -> miette::Report {
    let mut holder = String::new();
    let read = file.read_to_string(&mut holder);
    let process = match read.ok().and_then(|_| holder.trim().parse::<u32>().ok()) {
        Some(id) => format!(", process {id},"),
        None => String::new(),
    };
    miette!(
        help = "wait for it or stop it; `spargo status` shows its progress",
        "another `spargo run`{process} is running {} (it holds {})",
        database.display(),
        path.display()
    )
}
