//! `spargo amend`, `discard` and `retry`: outcomes are corrected, trials withdrawn or evaluated again; history is kept.

mod table;

use crate::io::outcome_args::{OutcomeArgs, output_number};
use crate::io::output::count::counted;
use crate::io::output::excerpt::escaped;
use crate::io::output::print::{print, print_data};
use crate::io::study_handle::{StudyHandle, author};
use clap::Args;
use miette::{IntoDiagnostic, Result};
use serde_json::{Value, json};
use spargo::study::{Change, Correction, Measurement, Note, Study};
use std::path::{Path, PathBuf};

/// What all corrections have in common.
#[derive(Args)]
struct CorrectionArgs {
    /// Why: kept in the study's history (`spargo export --history`)
    #[arg(long, value_name = "TEXT")]
    reason: String,
    /// Show what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Arguments of `spargo amend`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  spargo amend coupling.db --trial 7 --value 5.2 --reason 'typed 99999'
  One output of several:
    spargo amend coupling.db --trial 7 --output impurity --value 0.3 --reason again
  spargo amend coupling.db --trial 8 --failed 'a cracked vial' --reason 'seen late'
  spargo amend coupling.db corrections.csv --reason 'recalibrated' --dry-run

Columns of a table: trial, outputs and, optionally, the inputs, which must be the trial's, noise (`yield sd`, `yield \
variance`), status and reason. An empty cell stays as it is. All rows are amended or, if one is refused, none. A trial that was discarded counts again. Models use \
the corrected outcomes from the next ask on, also in a run that is going on.
Keys of --json: changes, a list of trial, before and after (by output, or \"discarded\"); dry_run.")]
pub struct Amend {
    /// A study file, or a study's database
    study: PathBuf,
    /// A CSV file of corrected outcomes
    #[arg(conflicts_with_all = ["trial", "outcome"], required_unless_present = "trial")]
    table: Option<PathBuf>,
    #[command(flatten)]
    outcome: OutcomeArgs,
    #[command(flatten)]
    common: CorrectionArgs,
}

/// Arguments of `spargo discard`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  spargo discard coupling.db --trial 7 --trial 8 --reason 'mislabelled'
  The trials of a table:
    spargo discard coupling.db plate3.csv --reason 'the plate was swapped'
  spargo discard coupling.db --pending --reason 'the robot was stopped'

A discarded trial is kept in the history, but no model sees it, it is not part of the budget, and its point may be asked for \
again. `spargo amend` brings it back. --pending discards the trials of which nothing has been measured.
Keys of --json: changes, a list of trial, before and after (by output, or \"discarded\"); dry_run.")]
pub struct Discard {
    /// A study file, or a study's database
    study: PathBuf,
    /// A CSV file with a column of trial numbers
    #[arg(conflicts_with_all = ["trial", "pending"], required_unless_present_any = ["trial", "pending"])]
    table: Option<PathBuf>,
    /// Number of a trial; may be repeated
    #[arg(long)]
    trial: Vec<u64>,
    /// All trials of which nothing has been measured yet
    #[arg(long, conflicts_with = "trial")]
    pending: bool,
    #[command(flatten)]
    common: CorrectionArgs,
}

/// Arguments of `spargo retry`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  spargo retry coupling.db --trial 7 --reason 'measured too hot'
  One output of several:
    spargo retry coupling.db --trial 7 --output impurity --reason 'blocked column'
  spargo retry coupling.db --failed --reason 'the licence server was down'

A trial that is retried is pending again: `spargo run` evaluates it, `spargo tell` takes its outcome. --failed retries every \
output that failed.
Keys of --json: changes, a list of trial, before and after (by output, or \"discarded\"); dry_run.")]
pub struct Retry {
    /// A study file, or a study's database
    study: PathBuf,
    /// A CSV file with a column of trial numbers
    #[arg(conflicts_with_all = ["trial", "failed"], required_unless_present_any = ["trial", "failed"])]
    table: Option<PathBuf>,
    /// Number of a trial; may be repeated
    #[arg(long)]
    trial: Vec<u64>,
    /// The only output that is measured again
    #[arg(long, value_name = "NAME", conflicts_with = "failed")]
    output: Option<String>,
    /// Everything that failed
    #[arg(long, conflicts_with = "trial")]
    failed: bool,
    #[command(flatten)]
    common: CorrectionArgs,
}

impl Amend {
    pub fn run(self) -> Result<()> {
        let study = self.common.open(&self.study)?;
        let outcomes = match &self.table {
            Some(path) => table::outcomes(path, &study)?,
            None => vec![self.outcome.outcome(&study)?],
        };
        self.common.correct(study, &Correction::Amend(outcomes))
    }
}

impl Discard {
    pub fn run(self) -> Result<()> {
        let study = self.common.open(&self.study)?;
        let correction = match self.table {
            Some(path) => Correction::Discard(table::trials(&path, &study)?),
            None if self.pending => Correction::DiscardPending,
            None => Correction::Discard(self.trial),
        };
        self.common.correct(study, &correction)
    }
}

impl Retry {
    pub fn run(self) -> Result<()> {
        let study = self.common.open(&self.study)?;
        let output = self.output.as_ref().map(|name| output_number(&study, name)).transpose()?;
        let correction = match self.table {
            Some(path) => Correction::Retry { trials: table::trials(&path, &study)?, output },
            None if self.failed => Correction::RetryFailed,
            None => Correction::Retry { trials: self.trial, output },
        };
        self.common.correct(study, &correction)
    }
}

impl CorrectionArgs {
    /// Opens the study; to be looked at only, if nothing is to be changed.
    fn open(&self, path: &Path) -> Result<Study> {
        let handle = if self.dry_run { StudyHandle::open_to_read(path) } else { StudyHandle::open(path) };
        Ok(handle?.study)
    }

    fn correct(&self, mut study: Study, correction: &Correction) -> Result<()> {
        let note = Note::new(escaped(&self.reason), author());
        let changes = if self.dry_run { study.preview(correction) } else { study.correct(correction, &note) };
        let changes = changes.into_diagnostic()?;
        if self.json {
            let changes: Vec<Value> = changes.iter().map(|change| as_json(change, &study)).collect();
            return print_data(&format!("{}\n", json!({ "changes": changes, "dry_run": self.dry_run })));
        }
        let lines: String = changes.iter().map(|change| format!("{change}\n")).collect();
        let what = if self.dry_run { "would change; nothing was changed" } else { "changed" };
        print(&format!("{lines}{} {what}\n", counted(changes.len(), "trial")))
    }
}

fn as_json(Change { trial, before, after }: &Change, study: &Study) -> Value {
    let outputs = &study.config().outputs;
    let named = |known: &Option<Vec<Measurement>>| -> Value {
        let Some(known) = known else { return "discarded".into() };
        outputs.iter().zip(known).map(|(output, one)| (output.name.clone(), json!(one))).collect()
    };
    json!({ "trial": trial, "before": named(before), "after": named(after) })
}
