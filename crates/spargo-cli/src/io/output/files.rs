//! Files that commands write: completely or not at all, never over their own inputs, and over other files with `--force` only.

use crate::io::output::print::print_data;
use clap::Args;
use miette::{IntoDiagnostic, Result, WrapErr, miette};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The path that stands for standard input or standard output.
pub const STANDARD_STREAM: &str = "-";

/// `--force`.
#[derive(Args, Debug, Clone, Copy, Default)]
pub struct Force {
    /// Replace the output file if it exists
    #[arg(long)]
    force: bool,
}

/// Where a command writes: a file, or standard output as `-`.
#[derive(Debug, Clone, Copy)]
pub struct Destination<'a> {
    pub path: &'a Path,
    /// Files that are never overwritten.
    pub inputs: &'a [PathBuf],
    pub force: Force,
}

impl Destination<'_> {
    /// Whether it is standard output.
    pub fn is_stdout(&self) -> bool {
        self.path == Path::new(STANDARD_STREAM)
    }

    /// Refuses an input, an existing file without `--force`, and a folder that does not exist or cannot be written, before any
    /// work is done.
    pub fn check(&self) -> Result<()> {
        if self.is_stdout() {
            return Ok(());
        }
        self.check_replaced()?;
        if fs::metadata(self.path).is_ok() {
            return Ok(());
        }
        let probe = temporary(self.path).and_then(|place| {
            File::create_new(&place)?;
            fs::remove_file(place)
        });
        self.explained(probe)
    }

    /// Writes text there.
    ///
    /// A file is written under another name and then moved, so that an interruption or a full disk leaves the old file intact.
    pub fn write(&self, text: &str) -> Result<()> {
        if self.is_stdout() {
            return print_data(text);
        }
        self.check_replaced()?;
        self.explained(write(self.path, text.as_bytes()))
    }

    fn check_replaced(&self) -> Result<()> {
        let path = self.path.display();
        if let Some(input) = self.inputs.iter().find(|input| same_file(self.path, input)) {
            let help = "choose another output file";
            return Err(miette!(help = help, "{path} would overwrite its own input {}", input.display()));
        }
        // A pipe or a device is not replaced.
        if !self.force.force && fs::metadata(self.path).is_ok_and(|file| file.is_file()) {
            return Err(miette!(
                help = "choose another output file, or replace it with --force",
                "{path} exists already"
            ));
        }
        Ok(())
    }

    fn explained(&self, written: io::Result<()>) -> Result<()> {
        written.into_diagnostic().wrap_err_with(|| format!("cannot write {}", self.path.display()))
    }
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
        let inputs = [at("other"), at("input")];
        let write = |path: &Path, force: bool| {
            let destination = Destination { path, inputs: &inputs, force: Force { force } };
            let (checked, written) = (destination.check(), destination.write("content"));
            assert_eq!(checked.is_ok(), written.is_ok(), "{path:?}");
            written.map_err(|refused| refused.to_string())
        };
        for name in ["input", "link", "twin"] {
            let refused = write(&at(name), true).unwrap_err();
            assert!(refused.contains("would overwrite") && refused.contains("input"), "{refused}");
        }
        assert_eq!(fs::read_to_string(at("input")).unwrap(), "old");

        fs::write(at("private"), "old").unwrap();
        let owner_only = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        fs::set_permissions(at("private"), owner_only).unwrap();
        std::os::unix::fs::symlink(at("private"), at("alias")).unwrap();
        write(&at("new"), false).unwrap();
        for (name, target) in [("new", "new"), ("alias", "private")] {
            fs::write(at(target), "old").unwrap();
            assert!(write(&at(name), false).unwrap_err().contains("exists already"));
            assert_eq!(fs::read_to_string(at(target)).unwrap(), "old");
            write(&at(name), true).unwrap();
            assert_eq!(fs::read_to_string(at(target)).unwrap(), "content");
        }
        assert!(at("alias").is_symlink());
        assert_eq!(fs::metadata(at("private")).unwrap().mode() & 0o777, 0o600);
        write(Path::new("/dev/null"), false).unwrap();
        assert!(!Path::new("/dev/null").metadata().unwrap().is_file());
        assert!(write(&at("no/such/file"), true).is_err());
        assert!(Destination { path: folder.path(), inputs: &[], force: Force::default() }.write("").is_err());
        // No temporary file is left.
        let mut names: Vec<String> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, ["alias", "input", "link", "new", "private", "twin"]);
    }
}
