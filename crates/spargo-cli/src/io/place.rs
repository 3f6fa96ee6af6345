//! A study by either of its files: the study file, or the database beside it.

use crate::io::study_file::StudyFile;
use miette::{IntoDiagnostic, Report, Result, miette};
use spargo::Error;
use spargo::study::Study;
use std::path::{Path, PathBuf};

/// A study, and where it is kept.
#[derive(Debug)]
pub struct Place {
    pub study: Study,
    pub database: PathBuf,
    /// The study file, and what it was read with.
    files: Vec<PathBuf>,
}

impl Place {
    /// Files that the study is made of, none of which may be written over.
    pub fn inputs(&self) -> Vec<PathBuf> {
        let beside = |ending: &str| {
            let mut path = self.database.as_os_str().to_owned();
            path.push(ending);
            PathBuf::from(path)
        };
        self.files.iter().cloned().chain(["", "-wal", "-shm", ".lock"].map(beside)).collect()
    }
}

/// The study in a database or of a study file, which must have been begun.
pub fn existing(path: &Path) -> Result<Place> {
    opened(path, Study::open)
}

/// The same, to be looked at: its folder need not be writable.
pub fn readable(path: &Path) -> Result<Place> {
    opened(path, Study::open_to_read)
}

fn opened(path: &Path, open: impl Fn(&Path) -> Result<Study, Error>) -> Result<Place> {
    if !is_study_file(path) {
        return Ok(Place { study: open(path).into_diagnostic()?, database: path.into(), files: Vec::new() });
    }
    let file = StudyFile::read(path)?;
    let database = file.database();
    if !database.exists() {
        let (file, database) = (path.display(), database.display());
        let help = format!("`spargo run {file}` or `spargo ask {file}` begins it");
        return Err(miette!(help = help, "the study of {file} has not begun: there is no {database}"));
    }
    let study = open(&database).into_diagnostic()?;
    study.check_made_with(&file.config).map_err(|error| differs(error, path, &database))?;
    Ok(Place { study, database, files: file.inputs() })
}

/// The same; the study of a study file is begun if need be.
pub fn existing_or_new(path: &Path) -> Result<Place> {
    match is_study_file(path) {
        true => begin(&StudyFile::read(path)?, path),
        false => existing(path),
    }
}

/// The study of a study file that was read from `path`, begun if need be.
pub fn begin(file: &StudyFile, path: &Path) -> Result<Place> {
    let database = file.database();
    let study =
        Study::open_or_create(&database, file.config.clone()).map_err(|error| differs(error, path, &database))?;
    Ok(Place { study, database, files: file.inputs() })
}

fn is_study_file(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml"))
}

/// The settings of a study never change; only those of `[run]` do.
fn differs(error: Error, file: &Path, database: &Path) -> Report {
    let Error::Unsupported { what, .. } = error else { return Report::msg(error) };
    let (file, database) = (file.display(), database.display());
    let help = format!(
        "{file} and {database} must agree but for [run]: take the change back, give the study in {file} another `name`, \
         or remove {database} to begin anew"
    );
    miette!(help = help, "{what} than {file}")
}
