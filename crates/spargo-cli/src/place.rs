//! A study by either of its files: the study file, or the database beside it.

use crate::study_file::StudyFile;
use miette::{IntoDiagnostic, Report, Result, miette};
use spargo::Error;
use spargo::study::Study;
use std::path::{Path, PathBuf};

/// A study, and where it is kept.
#[derive(Debug)]
pub struct Place {
    pub study: Study,
    pub database: PathBuf,
}

/// The study in a database or of a study file, which must have been begun.
pub fn existing(path: &Path) -> Result<Place> {
    if !is_study_file(path) {
        let study = Study::open(path).into_diagnostic()?;
        return Ok(Place { study, database: path.into() });
    }
    let file = StudyFile::read(path)?;
    let database = file.database();
    if !database.exists() {
        let (file, database) = (path.display(), database.display());
        let help = format!("`spargo run {file}` or `spargo ask {file}` begins it");
        return Err(miette!(help = help, "the study of {file} has not begun: there is no {database}"));
    }
    begin(&file, path)
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
    Ok(Place { study, database })
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
