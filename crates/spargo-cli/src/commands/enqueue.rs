//! `spargo enqueue`: points of the user's own, which the next asks begin with.

use crate::io::csv::records::{Records, Units, value};
use crate::io::output::count::{agreed, counted};
use crate::io::output::print::{print, print_data};
use crate::io::study_handle::{StudyHandle, author};
use clap::Args;
use miette::{IntoDiagnostic, Result, miette};
use serde_json::json;
use spargo::space::{Dimension, Point, Space, Value};
use spargo::study::{Note, Study};
use std::path::{Path, PathBuf};

/// Arguments of `spargo enqueue`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  spargo enqueue study.toml --set temperature=60 --set catalyst=Pd
  spargo enqueue study.toml points.csv
  A candidate by its label:
    spargo enqueue study.toml --set id=C17

The next `spargo ask` or batch of `spargo run` begins with these points, in this order. The study is created if need be. Of \
a candidate it is enough to give what no other one has: some inputs, an id or other labels. \
Keys of --json: new, waiting.")]
pub struct Enqueue {
    /// A study file, or a study's database
    study: PathBuf,
    /// A CSV file of points with one column per input or label of the candidates; - for standard input
    #[arg(conflicts_with = "set", required_unless_present = "set")]
    points: Option<PathBuf>,
    /// Value of an input, or label of a candidate; every input needs one, unless it is a candidate's
    #[arg(long, value_name = "NAME=VALUE", allow_hyphen_values = true)]
    set: Vec<String>,
    /// Why: kept in the study's history
    #[arg(long, value_name = "TEXT", default_value = "")]
    reason: String,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Points, and the row of the table of candidates of each, if it is known.
type Candidates = (Vec<Point>, Vec<Option<u64>>);

impl Enqueue {
    pub fn run(self) -> Result<()> {
        let mut study = StudyHandle::open_or_create(&self.study)?.study;
        let (points, rows) = match &self.points {
            Some(path) => read(path, &study)?,
            None => {
                let (point, row) = self.candidate(&study.config().space)?;
                (vec![point], vec![row])
            }
        };
        let note = Note::new(self.reason, author());
        let waiting = study.enqueue_candidates(&points, &rows, &note).into_diagnostic()?;
        if self.json {
            return print_data(&format!("{}\n", json!({ "new": points.len(), "waiting": waiting })));
        }
        let are = agreed(waiting, ["is", "are"]);
        print(&format!("{} enqueued; {waiting} {are} asked for next\n", counted(points.len(), "point")))
    }

    /// The point that the flags give, or the candidate that they name.
    fn candidate(&self, space: &Space) -> Result<(Point, Option<u64>)> {
        let pair = |given: &String| {
            let (name, value) = given.split_once('=').ok_or_else(|| miette!("--set {given}: there is no '='"))?;
            Ok((name.trim().to_string(), value.trim().to_string()))
        };
        let given = self.set.iter().map(pair).collect::<Result<Vec<_>>>()?;
        let inputs = space.dimensions().iter().map(|dimension| dimension.name.as_str());
        let names: Vec<&str> = inputs.chain(space.label_names()).collect();
        for (k, (name, _)) in given.iter().enumerate() {
            if !names.contains(&name.as_str()) {
                let kinds = if space.label_names().next().is_some() { "inputs and labels" } else { "inputs" };
                return Err(miette!("--set {name}: there is no such input; the {kinds} are {}", names.join(", ")));
            }
            if given[..k].iter().any(|(other, _)| other == name) {
                return Err(miette!("'{name}' has two values"));
            }
        }
        let word = |name: &str| given.iter().find(|(other, _)| other == name).map(|(_, word)| word.as_str());
        let input = |dimension: &Dimension| word(&dimension.name).map(|word| value(word, dimension));
        let inputs: Vec<_> = space.dimensions().iter().map(input).collect();
        let labels: Vec<_> = space.label_names().map(word).collect();
        if let Some(k) = inputs.iter().position(Option::is_none).filter(|_| space.candidates().is_none()) {
            return Err(miette!("the input '{}' has no value: add --set {0}=…", names[k]));
        }
        space.identify(&inputs, &labels).into_diagnostic()
    }
}

/// The points of a table, or the candidates that it names.
fn read(path: &Path, study: &Study) -> Result<Candidates> {
    let records = Records::read(path)?;
    let space = &study.config().space;
    let inputs = space.dimensions();
    Units::of(study).check(&records, inputs.iter().map(|input| &input.name))?;
    if space.candidates().is_none() {
        // For the error of a missing column.
        records.columns(inputs.iter().map(|input| &input.name))?;
    }
    let columns = inputs.iter().map(|input| records.find(&input.name)).collect::<Result<Vec<_>>>()?;
    let labels = space.label_names().map(|name| records.find(name)).collect::<Result<Vec<_>>>()?;
    let mut candidates = Candidates::default();
    for row in records.rows() {
        let input = |(column, input): (&Option<usize>, &Dimension)| {
            let Some(column) = column.filter(|&k| space.candidates().is_none() || !row.cell(k).is_empty()) else {
                return Ok(None);
            };
            let found = value(row.cell(column), input);
            if found == Value::Null && input.when.is_some() {
                return Ok(Some(found));
            }
            input.encode(&found).map_err(|error| records.fault_in(row, column, &error.to_string()))?;
            Ok(Some(found))
        };
        let point = columns.iter().zip(inputs).map(input).collect::<Result<Vec<_>>>()?;
        let labels: Vec<_> = labels.iter().map(|label| label.map(|k| row.cell(k))).collect();
        let found = space.identify(&point, &labels);
        let (point, row) = found.map_err(|error| records.fault_at(row, &error.to_string()))?;
        candidates.0.push(point);
        candidates.1.push(row);
    }
    Ok(candidates)
}
