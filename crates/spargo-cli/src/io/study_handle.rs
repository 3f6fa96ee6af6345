//! A study opened by either of its files: the study file, or its database.

use crate::io::output::network::warn_of_network;
use crate::io::study_file::StudyFile;
use miette::{IntoDiagnostic, Report, Result, miette};
use spargo::Error;
use spargo::study::Study;
use std::path::{Path, PathBuf};

/// An open study and the files it is made of.
#[derive(Debug)]
pub struct StudyHandle {
    pub study: Study,
    pub database: PathBuf,
    /// The study file, and the files it refers to.
    files: Vec<PathBuf>,
}

impl StudyHandle {
    /// Opens the study of a database or of a study file; it must exist.
    pub fn open(path: &Path) -> Result<Self> {
        open_by(path, Study::open)
    }

    /// Opens an existing study for reading; its folder need not be writable.
    pub fn open_to_read(path: &Path) -> Result<Self> {
        open_by(path, Study::open_to_read)
    }

    /// Opens the study of a database or of a study file, which creates it if need be.
    pub fn open_or_create(path: &Path) -> Result<Self> {
        if is_study_file(path) { Self::create(&StudyFile::read(path)?, path) } else { Self::open(path) }
    }

    /// Opens or creates the study of a study file that was read from `path`.
    pub fn create(file: &StudyFile, path: &Path) -> Result<Self> {
        let database = file.database();
        let study =
            Study::open_or_create(&database, file.config.clone()).map_err(|error| differs(error, path, &database))?;
        warn_of_network(&database);
        Ok(StudyHandle { study, database, files: file.inputs() })
    }

    /// The database of a study that is given by either of its files.
    pub fn database_of(path: &Path) -> Result<PathBuf> {
        if is_study_file(path) { Ok(StudyFile::read_with_extensions(path)?.database()) } else { Ok(path.into()) }
    }

    /// Files that the study is made of, none of which may be overwritten.
    pub fn inputs(&self) -> Vec<PathBuf> {
        let with_ending = |ending: &str| {
            let mut path = self.database.as_os_str().to_owned();
            path.push(ending);
            PathBuf::from(path)
        };
        self.files.iter().cloned().chain(["", "-wal", "-shm", ".lock"].map(with_ending)).collect()
    }
}

fn open_by(path: &Path, open: impl Fn(&Path) -> Result<Study, Error>) -> Result<StudyHandle> {
    if !is_study_file(path) {
        let study = open(path).into_diagnostic()?;
        warn_of_network(path);
        return Ok(StudyHandle { study, database: path.into(), files: Vec::new() });
    }
    let file = StudyFile::read_with_extensions(path)?;
    let database = file.database();
    if !database.exists() {
        let (file, database) = (path.display(), database.display());
        let help = format!("create it with `spargo run {file}` or `spargo ask {file}`");
        return Err(miette!(help = help, "the study of {file} does not exist yet: there is no {database}"));
    }
    let study = open(&database).into_diagnostic()?;
    study.check_made_with(&file.config).map_err(|error| differs(error, path, &database))?;
    warn_of_network(&database);
    Ok(StudyHandle { study, database, files: file.inputs() })
}

fn is_study_file(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml"))
}

/// The settings of a study never change; only those of `[run]` do.
fn differs(error: Error, file: &Path, database: &Path) -> Report {
    let Error::OtherSettings { path, field } = error else { return Report::msg(error) };
    let (file, database) = (file.display(), database.display());
    let help = format!(
        "{file} and {database} must agree except for [run]: undo the change, give the study in {file} another `name`, \
         or remove {database} to start again"
    );
    miette!(help = help, "the study in {path} has another setting of '{field}' than {file}")
}
