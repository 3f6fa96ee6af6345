//! `spargo copy`: a study as one file, also while others use it.

use crate::io::output::count::counted;
use crate::io::output::print::{print, print_data};
use crate::io::study_handle::StudyHandle;
use clap::Args;
use miette::{IntoDiagnostic, Result};
use serde_json::json;
use spargo::study::Study;
use spargo::study::storage::SqliteStorage;
use std::path::PathBuf;

/// Arguments of `spargo copy`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  spargo copy coupling.db backup.db
  spargo copy study.toml /mnt/backup/coupling.db --force

It works while `spargo run` is running, and the copy is checked. While a study is open, its last changes are in a log next \
to its database (-wal, -shm): `cp` of the database alone would leave them out. To continue from a copy, give it the name of \
the study's database again. Keys of --json: from, to, trials.")]
pub struct Copy {
    /// A study file, or a study's database
    from: PathBuf,
    /// The file to write
    to: PathBuf,
    /// Replace the study that is there already
    #[arg(long)]
    force: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Copy {
    pub fn run(self) -> Result<()> {
        let database = StudyHandle::database_of(&self.from)?;
        SqliteStorage::copy(&database, &self.to, self.force).into_diagnostic()?;
        let trials = Study::open_to_read(&self.to).into_diagnostic()?.history().records().len();
        if self.json {
            let copied = json!({ "from": database.display().to_string(), "to": self.to.display().to_string(), "trials": trials });
            return print_data(&format!("{copied}\n"));
        }
        print(&format!("{} of {} copied to {}\n", counted(trials, "trial"), database.display(), self.to.display()))
    }
}
