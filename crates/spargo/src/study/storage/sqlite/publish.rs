//! Files that get their name once they are whole: no other process finds half of one.
//!
//! ```text
//!     write under another name ─▶ sync ─▶ give it its name ─▶ sync the folder
//! ```

use super::fault::Fault;
use super::file::{beside, located, open_or_create};
use super::identity::Identity;
use super::{Appended, Event, append};
use std::fs::{File, hard_link, remove_file};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// The files that a study may consist of, by what follows its name.
const FILES: [&str; 3] = ["", "-wal", "-shm"];

/// A name next to a path that no other process and no other thread uses.
pub(super) fn draft_of(path: &Path) -> Result<PathBuf, Fault> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    Ok(beside(&located(path)?, &format!(".{}-{number}", std::process::id())))
}

/// Creates a study with its first events, unless something is there; says whether it has.
///
/// Where it cannot, such as on a disk on which files have one name only, it is to be created in place, which says why.
pub(super) fn create(path: &Path, events: &[Event]) -> bool {
    // The log of an earlier study would be taken for the new one's.
    if FILES.iter().any(|ending| beside(path, ending).symlink_metadata().is_ok()) {
        return false;
    }
    let Ok(draft) = draft_of(path) else { return false };
    // A link, unlike a new name, never replaces what another process has created meanwhile.
    let is_created = write(&draft, events).is_ok() && hard_link(&draft, path).is_ok();
    FILES.iter().for_each(|ending| _ = remove_file(beside(&draft, ending)));
    if is_created {
        // Not every system can; the first sync of the study's log does so as well.
        let _ = sync_folder_of(path);
    }
    is_created
}

/// A study in a file without a log.
fn write(draft: &Path, events: &[Event]) -> Result<(), Fault> {
    let mut connection = open_or_create(draft)?;
    let appended = append(&mut connection, &Identity::of(draft)?, 0, events)?;
    connection.close().map_err(|(_, error)| error)?;
    if appended == Appended::Done && beside(draft, "-wal").symlink_metadata().is_err() {
        return Ok(());
    }
    Err(Fault::unfit("is used by another process", "try again"))
}

/// Makes the names of a folder outlive a loss of power.
pub(super) fn sync_folder_of(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}
