//! `spargo enqueue`: points of the user's own, which the next asks begin with.

use crate::io::csv::records::{Records, Units, value};
use crate::io::output::count::{agreed, counted};
use crate::io::output::print::{print, print_data};
use crate::io::study_handle::{StudyHandle, author};
use clap::Args;
use miette::{IntoDiagnostic, Result, miette};
use serde_json::json;
use spargo::space::{Point, Space};
use spargo::study::{Note, Study};
use std::path::{Path, PathBuf};

/// Arguments of `spargo enqueue`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  spargo enqueue study.toml --set temperature=60 --set catalyst=Pd
  spargo enqueue study.toml points.csv

The next `spargo ask` or batch of `spargo run` begins with these points, in this order. The study is created if need be. \
Keys of --json: new, waiting.")]
pub struct Enqueue {
    /// A study file, or a study's database
    study: PathBuf,
    /// A CSV file of points with one column per input
    #[arg(conflicts_with = "set", required_unless_present = "set")]
    points: Option<PathBuf>,
    /// Value of an input; every input needs one
    #[arg(long, value_name = "INPUT=VALUE", allow_hyphen_values = true)]
    set: Vec<String>,
    /// Why: kept in the study's history
    #[arg(long, value_name = "TEXT", default_value = "")]
    reason: String,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Enqueue {
    pub fn run(self) -> Result<()> {
        let mut study = StudyHandle::open_or_create(&self.study)?.study;
        let space = &study.config().space;
        let points = match &self.points {
            Some(path) => read(path, &study)?,
            None => vec![self.point(space)?],
        };
        let waiting = study.enqueue(&points, &Note::new(self.reason, author())).into_diagnostic()?;
        if self.json {
            return print_data(&format!("{}\n", json!({ "new": points.len(), "waiting": waiting })));
        }
        let are = agreed(waiting, ["is", "are"]);
        print(&format!("{} enqueued; {waiting} {are} asked for next\n", counted(points.len(), "point")))
    }

    /// The point that the flags give.
    fn point(&self, space: &Space) -> Result<Point> {
        let pair = |given: &String| {
            let (name, value) = given.split_once('=').ok_or_else(|| miette!("--set {given}: there is no '='"))?;
            Ok((name.trim().to_string(), value.trim().to_string()))
        };
        let given = self.set.iter().map(pair).collect::<Result<Vec<_>>>()?;
        if let Some((name, _)) = given.iter().find(|(name, _)| space.dimensions().iter().all(|d| d.name != *name)) {
            let names: Vec<&str> = space.dimensions().iter().map(|dimension| dimension.name.as_str()).collect();
            return Err(miette!("--set {name}: there is no such input; the inputs are {}", names.join(", ")));
        }
        let input = |dimension: &spargo::space::Dimension| {
            let mut values = given.iter().filter(|(name, _)| *name == dimension.name);
            match (values.next(), values.next()) {
                (Some((_, word)), None) => Ok(value(word, &dimension.domain)),
                (None, _) => Err(miette!("the input '{}' has no value: add --set {0}=…", dimension.name)),
                (Some(_), Some(_)) => Err(miette!("the input '{}' has two values", dimension.name)),
            }
        };
        space.dimensions().iter().map(input).collect()
    }
}

/// The points of a table.
fn read(path: &Path, study: &Study) -> Result<Vec<Point>> {
    let records = Records::read(path)?;
    let inputs = study.config().space.dimensions();
    Units::of(study).check(&records, inputs.iter().map(|input| &input.name))?;
    let columns = records.columns(inputs.iter().map(|input| &input.name))?;
    let mut points = Vec::new();
    for row in records.rows() {
        let mut point = Point::new();
        for (&column, input) in columns.iter().zip(inputs) {
            let found = value(row.cell(column), &input.domain);
            input.encode(&found).map_err(|error| records.fault_in(row, column, &error.to_string()))?;
            point.push(found);
        }
        points.push(point);
    }
    Ok(points)
}
