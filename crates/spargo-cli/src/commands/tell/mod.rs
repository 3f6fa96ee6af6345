//! `spargo tell`: outcomes of trials, one at a time or as a table.

mod table;

use crate::io::outcome_args::OutcomeArgs;
use crate::io::output::count::{agreed, are, counted};
use crate::io::output::print::{note, print, print_data};
use crate::io::study_handle::StudyHandle;
use clap::Args;
use miette::{IntoDiagnostic, Result};
use serde_json::json;
use spargo::study::{ColumnUnit, Counts, Study};
use std::path::PathBuf;
use table::NewOutcomes;

/// Arguments of `spargo tell`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  spargo tell coupling.db --trial 7 --value 71.3
  With a known noise variance:
    spargo tell coupling.db --trial 7 --value 71.3 --variance 0.4
  One output of several; the others may come later:
    spargo tell coupling.db --trial 7 --output impurity --value 0.3
  spargo tell coupling.db --trial 8 --failed 'the vial broke'
  All rows or, if one is refused, none:
    spargo tell coupling.db results.csv
  Past results; creates the study if need be:
    spargo tell study.toml past.csv --as-new

Columns of a table: trial, the outputs and, optionally, the inputs, noise (`yield sd` or `yield variance`), status and \
reason. An empty cell is pending: it can be told later. The words failed or NaN, or a reason, are a failure, of that output \
if there are several. Rows without a trial number are new points and need all inputs; they are added again if the table is \
told again; without any outcome they are passed over and counted. Units in a header, `temperature (°C)`, are kept from the \
first table that has them and printed; other ones are refused. An outcome that is already known is skipped, a different \
one is refused: `spargo amend` corrects it.
Keys of --json: new, known, trials, pending; of a table also rows (outcomes, failed, pending, without_outcome, discarded) \
and units, those that are kept from now on by column.")]
pub struct Tell {
    /// A study file, or a study's database
    study: PathBuf,
    /// A CSV file of results; - for standard input
    #[arg(conflicts_with_all = ["trial", "outcome", "variance"], required_unless_present = "trial")]
    results: Option<PathBuf>,
    #[command(flatten)]
    outcome: OutcomeArgs,
    /// Add every row of the table as a new point, whatever its column `trial` says
    #[arg(long, requires = "results")]
    as_new: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Tell {
    pub fn run(self) -> Result<()> {
        let mut study = StudyHandle::open_or_create(&self.study)?.study;
        let outcomes = match &self.results {
            Some(path) => table::read(path, &study, self.as_new)?,
            None => NewOutcomes { outcomes: vec![self.outcome.outcome(&study)?], ..NewOutcomes::default() },
        };
        let rows = self.results.as_ref().map(|_| outcomes.counts);
        let repeated = study.count_known(&outcomes.points);
        let pending_there = study.pending_at(&outcomes.points, &outcomes.rows);
        let Told { new, known, units } = tell(&mut study, outcomes)?;
        let Counts { trials, pending, partial, .. } = study.counts();
        if !pending_there.is_empty() {
            let them = agreed(pending_there.len(), ["its outcome", "their outcomes"]);
            note(&format!(
                "{} still pending at points of rows that have no trial number: if these are {them}, discard the new trials \
                 and give the numbers in a column `trial`",
                are(&pending_there)
            ));
        }
        if repeated > 0 {
            let (trials, have) = (counted(repeated, "new trial"), agreed(repeated, ["has", "have"]));
            note(&format!(
                "{trials} {have} the inputs and outcomes of earlier ones: if the table was told before, `spargo discard` them"
            ));
        }
        if self.json {
            let mut told = json!({ "new": new, "known": known, "trials": trials, "pending": pending });
            if let Some(rows) = rows {
                told["rows"] = json!(rows);
                told["units"] = units.iter().map(|unit| (unit.column.clone(), json!(unit.unit))).collect();
            }
            return print_data(&format!("{told}\n"));
        }
        if let Some(rows) = rows {
            print(&format!("{rows}\n"))?;
        }
        if !units.is_empty() {
            let units: Vec<String> = units.iter().map(ColumnUnit::to_string).collect();
            print(&format!("units kept: {}\n", units.join(", ")))?;
        }
        let skipped = if known > 0 { format!(", {known} already known") } else { String::new() };
        let partly = if partial > 0 { format!(", {partial} more in part") } else { String::new() };
        let (with, trials) = (trials - pending, counted(trials, "trial"));
        let have = agreed(with, ["has", "have"]);
        print(&format!("{new} told{skipped}; {with} of {trials} {have} an outcome{partly}\n"))?;
        match study.outside() {
            0 => {}
            count => {
                let (trials, are) = (counted(count, "trial"), agreed(count, ["is", "are"]));
                note(&format!("{trials} outside the ranges {are} used, but neither asked for nor recommended"));
            }
        }
        Ok(())
    }
}

/// What came of telling outcomes.
struct Told {
    /// How many are new.
    new: usize,
    /// How many were known.
    known: usize,
    /// The units that the study keeps from now on.
    units: Vec<ColumnUnit>,
}

fn tell(
    study: &mut Study,
    NewOutcomes { outcomes, known, points, rows, units, format, .. }: NewOutcomes,
) -> Result<Told> {
    let told = study.tell_table(&outcomes, &points, &rows, &units);
    let (new, units) = told.map_err(|refused| refused.error).into_diagnostic()?;
    if let Some(format) = format {
        study.keep_dialect(format.name()).into_diagnostic()?;
    }
    Ok(Told { new, known: known + outcomes.len() + points.len() - new, units })
}
