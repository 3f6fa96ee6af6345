//! A study opened by either of its files: the study file, or its database.

use crate::io::output::network::warn_of_network;
use crate::io::output::print::note;
use crate::io::study_file::StudyFile;
use miette::{IntoDiagnostic, Result, miette};
use spargo::study::{Note, SettingChange, Study};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Characters of a setting's value in a message.
const LONGEST: usize = 60;

/// An open study and the files it is made of.
#[derive(Debug)]
pub struct StudyHandle {
    pub study: Study,
    pub database: PathBuf,
    /// The study file, and the files it refers to.
    files: Vec<PathBuf>,
}

impl StudyHandle {
    /// Opens the study of a database or of a study file; it must exist. It takes the settings of the file.
    pub fn open(path: &Path) -> Result<Self> {
        if !is_study_file(path) {
            return Ok(Self::of(Study::open(path).into_diagnostic()?, path.into(), Vec::new()));
        }
        let file = StudyFile::read_with_extensions(path)?;
        Self::check_exists(&file, path)?;
        let (database, files) = (file.database(), file.inputs());
        let mut study = Study::open(&database).into_diagnostic()?;
        // Settings that name what only another program has may stay, but not change.
        if study.check_made_with(&file.config).is_err() {
            let changes = study.reconfigure(file.config, &changed()).into_diagnostic()?;
            changes.iter().flat_map(SettingChange::parts).for_each(|change| note(&in_words(&change)));
        }
        Ok(Self::of(study, database, files))
    }

    /// Opens an existing study for reading; its folder need not be writable. It keeps its settings, whatever its file says.
    pub fn open_to_read(path: &Path) -> Result<Self> {
        if !is_study_file(path) {
            return Ok(Self::of(Study::open_to_read(path).into_diagnostic()?, path.into(), Vec::new()));
        }
        let file = StudyFile::read_with_extensions(path)?;
        Self::check_exists(&file, path)?;
        let database = file.database();
        let study = Study::open_to_read(&database).into_diagnostic()?;
        if let Err(spargo::Error::OtherSettings { field, .. }) = study.check_made_with(&file.config) {
            note(&format!("'{field}' was changed in {}: it applies from the next ask or run on", path.display()));
        }
        Ok(Self::of(study, database, file.inputs()))
    }

    /// Opens the study of a database or of a study file, which creates it if need be.
    pub fn open_or_create(path: &Path) -> Result<Self> {
        let is_new = is_study_file(path) && !StudyFile::read_with_extensions(path)?.database().exists();
        if is_new { Self::create(&StudyFile::read(path)?) } else { Self::open(path) }
    }

    /// Opens or creates the study of a study file; settings that were changed in the file apply from now on.
    pub fn create(file: &StudyFile) -> Result<Self> {
        let database = file.database();
        let (study, changes) =
            Study::open_or_reconfigure(&database, file.config.clone(), &changed()).into_diagnostic()?;
        changes.iter().flat_map(SettingChange::parts).for_each(|change| note(&in_words(&change)));
        Ok(Self::of(study, database, file.inputs()))
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

    fn of(study: Study, database: PathBuf, files: Vec<PathBuf>) -> Self {
        warn_of_network(&database);
        StudyHandle { study, database, files }
    }

    fn check_exists(file: &StudyFile, path: &Path) -> Result<()> {
        if file.database().exists() {
            return Ok(());
        }
        let (file, database) = (path.display(), file.database());
        let help = format!("create it with `spargo run {file}`, `spargo ask {file}` or `spargo tell {file}`");
        Err(miette!(help = help, "the study of {file} does not exist yet: there is no {}", database.display()))
    }
}

/// The user's name, as the environment or else the system knows it, or the number of an account without a name.
pub fn author() -> String {
    let mut names = ["USER", "LOGNAME", "USERNAME"].into_iter().filter_map(|name| std::env::var(name).ok());
    let numbered = || format!("uid {}", rustix::process::getuid().as_raw());
    names.find(|name| !name.is_empty()).or_else(account).unwrap_or_else(numbered)
}

/// The name of the account, which services and containers have without a variable. `id` asks every database of accounts that
/// the system has, not only its file.
fn account() -> Option<String> {
    let said = Command::new("id").arg("-un").stdin(Stdio::null()).output().ok()?;
    let name = String::from_utf8(said.stdout).ok().filter(|_| said.status.success())?;
    Some(name.trim().to_string()).filter(|name| !name.is_empty())
}

fn changed() -> Note {
    Note::new("changed in the study file", author())
}

fn in_words(SettingChange { field, before, after }: &SettingChange) -> String {
    let [before, after] = [before, after].map(|value| {
        let text = value.to_string();
        let short: String = text.chars().take(LONGEST).collect();
        if short.len() < text.len() { format!("{short}…") } else { short }
    });
    format!("'{field}' was changed from {before} to {after}")
}

fn is_study_file(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml"))
}
