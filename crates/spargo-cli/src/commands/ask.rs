//! `spargo ask`: the next points of a study, for robots and scripts.

use crate::io::csv::csv_out::CsvFormat;
use crate::io::csv::point_table::{PointTable, TableArgs};
use crate::io::csv::points::{label_cells, point_cells};
use crate::io::csv::records::value;
use crate::io::csv::wells::insert_wells;
use crate::io::output::count::{agreed, are, counted};
use crate::io::output::execution::Threads;
use crate::io::output::logs::log_last_step;
use crate::io::output::print::note;
use crate::io::study_handle::StudyHandle;
use clap::Args;
use miette::{IntoDiagnostic, Report, Result, miette};
use spargo::space::{Dimension, Value};
use spargo::study::{Refit, Study, Trial};
use std::path::{Path, PathBuf};

/// Arguments of `spargo ask`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  A batch as CSV, trial numbers and inputs; creates the study if need be:
    spargo ask study.toml
  One point as {\"trial\": 7, \"catalyst\": \"Pd\", \"temperature\": 81.2}, and its outcome:
    spargo ask coupling.db -n 1 --json
    spargo tell coupling.db --trial 7 --value 71.3
  Replicates of the likely winners:
    spargo ask study.toml --replicate -n 24
  A plate at 60 °C:
    spargo ask study.toml -n 24 --fix temperature=60

Settings may be changed in the study file at any time: batch, rule, allocation and models, wider or narrower ranges, more \
choices, goals. Trials stay; what has no meaning for them is refused, with a way that keeps the data. The history shows what \
was changed when (`spargo export --history`).

If a run with mode = \"async\" has points ready (`spargo status` counts them), these are handed out, at once, while their model \
has missed fewer outcomes than a batch or while another process fits the next one. Otherwise the model is fitted to every \
outcome first.

As long as no trial has one of several outputs, the others choose the points as if it were not there, and a note names it.

A trial is pending until its outcome is told, and no point is asked for twice except by --replicate. `spargo run` evaluates \
the trials that are pending when it starts. If the points cannot be written, the exit code is 1 and the message names \
the trials, which are pending nevertheless. Plates have the separator and the decimal mark of the last table that was told, \
unless --dialect says otherwise, and a column `well` if the study file has `[plate] wells = 96` or 384. Keys of --json: trial, \
the well, the inputs and the labels of candidates.")]
pub struct Ask {
    /// A study file, or a study's database
    study: PathBuf,
    #[command(flatten)]
    points: PointArgs,
    #[command(flatten)]
    table: TableArgs,
    #[command(flatten)]
    threads: Threads,
}

/// Which points are asked for, and how many.
#[derive(Args, Clone)]
pub struct PointArgs {
    /// Number of points [default: the initial design before there are outcomes, then a batch; fewer if the space has no more]
    #[arg(short = 'n', long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    count: Option<u64>,
    /// Re-evaluate the trials that are likely to be best instead of asking for new points
    #[arg(long)]
    replicate: bool,
    /// Give an input one value for all of these points; may be given several times
    #[arg(long, value_name = "INPUT=VALUE", conflicts_with = "replicate")]
    fix: Vec<String>,
}

impl Ask {
    pub fn run(self) -> Result<()> {
        let mut handle = StudyHandle::open_or_create(&self.study)?;
        let inputs = handle.inputs();
        self.table.check(&inputs)?;
        let trials = self.threads.install(|| self.points.ask(&mut handle.study))?;
        let numbers: Vec<u64> = trials.iter().map(|trial| trial.id).collect();
        let named = |input: &Dimension| {
            if self.table.json { input.name.clone() } else { handle.study.header(&input.name) }
        };
        let space = &handle.study.config().space;
        let names = space.dimensions().iter().map(named).chain(space.label_names().map(String::from));
        let columns = std::iter::once("trial".into()).chain(names).collect();
        let row = |trial: &Trial| {
            let id = Some(Value::Int(trial.id as i64));
            let point = point_cells(space, trial);
            std::iter::once(id).chain(point).chain(label_cells(space, trial)).collect()
        };
        let last = handle.study.history().dialect().and_then(CsvFormat::named);
        let rows = trials.iter().map(row).collect();
        let mut table = PointTable { columns, rows, format: self.table.format(last) };
        insert_wells(&mut table, handle.study.config(), 1);
        self.table.deliver(&table, &inputs).map_err(|error| undelivered(&error, &numbers, &self.study))
    }
}

impl PointArgs {
    /// Asks a study for these points.
    pub fn ask(&self, study: &mut Study) -> Result<Vec<Trial>> {
        let default = if self.replicate { study.config().batch } else { study.default_count() };
        let count = self.count.map_or(default, |count| count as usize);
        if let Some(wells) = study.config().plate.wells {
            wells.check(count).into_diagnostic()?;
        }
        let refit = study.refit_beside_runs().into_diagnostic()?;
        let fixed = self.fixed(study)?;
        let trials = match (self.replicate, self.count) {
            _ if !fixed.is_empty() => study.ask_fixed(count, &fixed, refit).into_diagnostic(),
            (true, _) => study.replicate(count).into_diagnostic(),
            (false, Some(count)) => study.ask_with(count as usize, refit).into_diagnostic(),
            (false, None) => ask_by_default(study, refit),
        };
        log_last_step(study)?;
        let last = study.reports().into_diagnostic()?.pop();
        if let Some(report) = last.filter(|_| trials.is_ok()) {
            if let Some(reason) = &report.without_model {
                note(&format!("no model has chosen these points: {reason}"));
            }
            for warning in study.warnings() {
                note(&format!("warning: {warning}"));
            }
        }
        trials
    }
}

impl PointArgs {
    /// The inputs that are fixed, with their values.
    fn fixed(&self, study: &Study) -> Result<Vec<(String, Value)>> {
        let one = |word: &String| {
            let help = "write --fix temperature=60, once per input";
            let (name, cell) = word.split_once('=').ok_or_else(|| miette!(help = help, "'{word}' has no '='"))?;
            let (name, cell) = (name.trim(), cell.trim());
            let input = study.config().space.dimensions().iter().find(|input| input.name == name);
            Ok((name.to_string(), input.map_or_else(|| Value::from(cell), |input| value(cell, input))))
        };
        self.fix.iter().map(one).collect()
    }
}

/// Explains that trials are pending though their points were not written.
fn undelivered(error: &Report, trials: &[u64], study: &Path) -> Report {
    let study = study.display();
    let causes: Vec<String> = error.chain().map(|cause| cause.to_string()).collect();
    let flags: String = trials.iter().map(|trial| format!(" --trial {trial}")).collect();
    let (them, their) =
        (agreed(trials.len(), ["it", "them"]), agreed(trials.len(), ["its point was", "their points were"]));
    let help = format!(
        "`spargo export {study}` shows {them}, `spargo run` would evaluate {them}; to release {them}: `spargo discard \
         {study}{flags} --reason 'not delivered'`"
    );
    miette!(help = help, "{}; {} pending although {their} not delivered", causes.join(": "), are(trials))
}

/// As many new points as a study gives by default; fewer are noted, none is an error.
fn ask_by_default(study: &mut Study, refit: Refit) -> Result<Vec<Trial>> {
    let wanted = study.default_count();
    let trials = study.ask_by_default(refit).into_diagnostic()?;
    if trials.len() < wanted {
        note(&format!("{} instead of {wanted}: no more are left", counted(trials.len(), "point")));
    }
    Ok(trials)
}
