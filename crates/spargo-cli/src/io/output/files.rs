//! Files that commands write: completely or not at all, and never over their own inputs.

use crate::io::output::print::print;
use miette::{IntoDiagnostic, Result, WrapErr, miette};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Writes text to a file, unless it is one of the `inputs`, or without a path to standard output.
pub fn print_or_write(text: &str, path: Option<&Path>, inputs: &[PathBuf]) -> Result<()> {
    path.map_or_else(|| print(text), |path| write_file(path, text.as_bytes(), inputs))
}

/// Writes a file, unless it is one of the `inputs`.
///
/// It is written under another name and then moved, so that an interruption or a full disk leaves the old file intact.
pub fn write_file(path: &Path, bytes: &[u8], inputs: &[PathBuf]) -> Result<()> {
    if let Some(input) = inputs.iter().find(|input| same_file(path, input)) {
        let help = "choose another output file";
        return Err(miette!(help = help, "{} would overwrite its own input {}", path.display(), input.display()));
    }
    write(path, bytes).into_diagnostic().wrap_err_with(|| format!("cannot write {}", path.display()))
}

/// Whether both paths are the same file, by name or by any link.
fn same_file(a: &Path, b: &Path) -> bool {
    let identity = |path: &Path| fs::metadata(path).map(|file| (file.dev(), file.ino()));
    matches!((identity(a), identity(b)), (Ok(a), Ok(b)) if a == b)
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let existing = match fs::metadata(path) {
        // A pipe or a device is not replaced.
        Ok(file) if !file.is_file() => return OpenOptions::new().write(true).open(path)?.write_all(bytes),
        Ok(file) => {
            // Moving would ignore that the file is not writable.
            OpenOptions::new().write(true).open(path)?;
            Some((fs::canonicalize(path)?, file.permissions()))
        }
        Err(_) => None,
    };
    let place = existing.as_ref().map_or(path, |(place, _)| place);
    let temporary = temporary(place)?;
    let written = File::create_new(&temporary).and_then(|mut file| {
        file.write_all(bytes)?;
        existing.as_ref().map_or(Ok(()), |(_, permissions)| file.set_permissions(permissions.clone()))?;
        // Or a loss of power after the rename leaves an empty file in place of the old one.
        file.sync_all()?;
        fs::rename(&temporary, place)
    });
    if written.is_err() {
        // The first error is reported.
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// An unused name in the same folder.
fn temporary(place: &Path) -> io::Result<PathBuf> {
    let Some(name) = place.file_name() else { return Err(io::ErrorKind::IsADirectory.into()) };
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}", std::process::id()));
    Ok(place.with_file_name(hidden))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_written_completely_and_never_over_its_inputs() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("input"), "old").unwrap();
        std::os::unix::fs::symlink(at("input"), at("link")).unwrap();
        fs::hard_link(at("input"), at("twin")).unwrap();
        for name in ["input", "link", "twin"] {
            let refused = write_file(&at(name), b"new", &[at("other"), at("input")]).unwrap_err().to_string();
            assert!(refused.contains("would overwrite") && refused.contains("input"), "{refused}");
        }
        assert_eq!(fs::read_to_string(at("input")).unwrap(), "old");

        fs::write(at("private"), "old").unwrap();
        let owner_only = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        fs::set_permissions(at("private"), owner_only).unwrap();
        std::os::unix::fs::symlink(at("private"), at("alias")).unwrap();
        for (name, target) in [("new", "new"), ("new", "new"), ("alias", "private")] {
            write_file(&at(name), b"content", &[at("input")]).unwrap();
            assert_eq!(fs::read_to_string(at(target)).unwrap(), "content");
        }
        assert!(at("alias").is_symlink());
        assert_eq!(fs::metadata(at("private")).unwrap().mode() & 0o777, 0o600);
        write_file(Path::new("/dev/null"), b"content", &[]).unwrap();
        assert!(!Path::new("/dev/null").metadata().unwrap().is_file());
        assert!(write_file(&at("no/such/file"), b"", &[]).is_err() && write_file(folder.path(), b"", &[]).is_err());
        // No temporary file is left.
        let mut names: Vec<String> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, ["alias", "input", "link", "new", "private", "twin"]);
    }
}
