//! One `spargo run` per study at a time: the kernel releases the lock when its holder ends, however it ends.
//!
//! A study has one lock under whatever name it is opened. A program that the holder was just starting keeps the lock, if the
//! holder is killed at that instant, until it has been started: a lock whose holder is gone is waited for.

use miette::{IntoDiagnostic, Report, Result, WrapErr, miette};
use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};
use std::fs::{File, TryLockError, canonicalize};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long to wait for a lock whose holder is gone.
const PATIENCE: Duration = Duration::from_secs(5);

/// Links from one name to the next; more are a circle.
const MOST_LINKS: usize = 40;

/// Bytes of a process id at most.
const LONGEST_ID: u64 = 20;

/// Locks `<database>.lock` until the file that is returned is dropped.
pub fn lock(database: &Path) -> Result<File> {
    let context = || format!("cannot lock {}", database.display());
    let mut path = resolved(database).into_diagnostic().wrap_err_with(context)?.into_os_string();
    path.push(".lock");
    let path = PathBuf::from(path);
    let mut file = open(&path)?;
    let started = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => break,
            Err(TryLockError::Error(error)) => return Err(error).into_diagnostic().wrap_err_with(context),
            Err(TryLockError::WouldBlock) => {
                let holder = holder(&mut file);
                if started.elapsed() > PATIENCE || holder.is_some_and(is_running) {
                    return Err(excluded(holder, database, &path));
                }
                sleep(Duration::from_millis(10));
            }
        }
    }
    // The holder's process id, for the message of a later run.
    let written = file.set_len(0).and_then(|()| file.rewind()).and_then(|()| write!(file, "{}", std::process::id()));
    written.into_diagnostic().wrap_err_with(context)?;
    Ok(file)
}

/// The path without links, of a file that need not exist yet.
fn resolved(database: &Path) -> io::Result<PathBuf> {
    let mut path = database.to_path_buf();
    for _ in 0..MOST_LINKS {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let name = path.file_name().ok_or(io::ErrorKind::IsADirectory)?;
        path = canonicalize(folder)?.join(name);
        match path.read_link() {
            Ok(target) => path = path.with_file_name("").join(target),
            Err(_) => return Ok(path),
        }
    }
    Err(Errno::LOOP.into())
}

/// The lock file, created if need be; refuses what is not one, as it would be overwritten.
fn open(path: &Path) -> Result<File> {
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(false);
    let opened = options.custom_flags(OFlags::NOFOLLOW.bits().cast_signed()).open(path);
    let mut file = match opened {
        Err(error) if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => return Err(foreign(path)),
        opened => opened.into_diagnostic().wrap_err_with(|| format!("cannot lock {}", path.display()))?,
    };
    let found = file.metadata().into_diagnostic()?;
    let is_lock = found.is_file() && found.nlink() == 1 && (found.len() == 0 || holder(&mut file).is_some());
    if is_lock { Ok(file) } else { Err(foreign(path)) }
}

/// The process whose id is in a lock file.
fn holder(file: &mut File) -> Option<Pid> {
    let mut text = String::new();
    file.rewind().ok()?;
    file.take(LONGEST_ID).read_to_string(&mut text).ok()?;
    Pid::from_raw(text.trim().parse().ok().filter(|id| *id > 0)?)
}

fn is_running(process: Pid) -> bool {
    // One of another user's cannot be signalled, but is there.
    test_kill_process(process) != Err(Errno::SRCH)
}

fn foreign(path: &Path) -> Report {
    miette!(
        help = "rename or remove it: spargo keeps its lock under this name",
        "{} is a link, or not a lock file of spargo",
        path.display()
    )
}

fn excluded(holder: Option<Pid>, database: &Path, path: &Path) -> Report {
    let process = holder.map_or(String::new(), |id| format!(", process {},", id.as_raw_nonzero()));
    miette!(
        help = "wait for it or stop it; `spargo status` shows its progress",
        "another `spargo run`{process} is running {} (it holds {})",
        database.display(),
        path.display()
    )
}
