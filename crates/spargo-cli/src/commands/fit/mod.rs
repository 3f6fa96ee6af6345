//! `spargo fit`: a Gaussian process for a CSV file, with its scores and its cost.

mod regression;

use crate::io::csv::table::Table;
use crate::io::output::files::write_file;
use crate::io::output::machine::Run;
use crate::io::target::Target;
use crate::io::words::{ALLOCATION_HELP, allocation, by_name};
use clap::{Args, ValueEnum};
use miette::{IntoDiagnostic, Result, miette};
use regression::{Regression, Scores, Summary};
use serde::Serialize;
use spargo::allocate::Allocation;
use spargo::data::Dataset;
use spargo::kernel::Family;
use spargo::model::{HyperparameterObjective, Inference, Priors};
use spargo::regression::{Inducing, RegressionOptions};
use std::fmt;
use std::path::{Path, PathBuf};

/// Arguments of `spargo fit`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  spargo fit train.csv --target y
  spargo fit train.csv --target y --allocate imp-dpp --inducing 200 --test test.csv
  spargo fit train.csv --target y --predict new.csv --output predicted.csv")]
pub struct Fit {
    /// Training data: a CSV file with a header; every column but the target is an input
    train: PathBuf,
    /// Name of the outcome's column
    #[arg(long)]
    target: String,
    /// Number of inducing points
    #[arg(long, default_value_t = 500)]
    inducing: usize,
    #[arg(long, default_value = "random", value_parser = allocation, help = ALLOCATION_HELP)]
    allocate: Allocation,
    #[command(flatten)]
    wanted: Target,
    /// Covariance function: rbf, matern12, matern32 or matern52
    #[arg(long, default_value = "matern52", value_parser = by_name::<Family>)]
    kernel: Family,
    /// What the hyperparameters are learned from
    #[arg(long, value_enum, default_value = "subset")]
    hyperparameters: Source,
    /// Rows of the subset that hyperparameters are learned from; a rough search on up to 500 goes first
    #[arg(long, default_value_t = 1500)]
    subset: usize,
    /// Which posterior is computed with them: sparse, exact or variational
    #[arg(long, default_value = "sparse", value_parser = by_name::<Inference>)]
    posterior: Inference,
    /// Priors on the hyperparameters: on or off
    #[arg(long, default_value = "on", value_parser = by_name::<Priors>)]
    priors: Priors,
    /// Held-out data with the same columns, for RMSE and log density
    #[arg(long)]
    test: Option<PathBuf>,
    /// Points to predict at: the same inputs, the target may be missing
    #[arg(long, requires = "output")]
    predict: Option<PathBuf>,
    /// Where predictions go: the rows of --predict with mean, sd (of f) and sd_y (of an observation)
    #[arg(short, long, requires = "predict")]
    output: Option<PathBuf>,
    /// Seed of every random choice
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    run: Run,
}

/// The fit and, with a test set, its scores.
#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    summary: Summary,
    #[serde(flatten)]
    scores: Option<Scores>,
}

/// What the hyperparameters maximise.
#[derive(Clone, Copy, ValueEnum)]
enum Source {
    /// The exact likelihood of a random subset
    Subset,
    /// The collapsed bound over all data
    Bound,
}

impl Fit {
    pub fn run(self) -> Result<()> {
        self.run.print(|| self.fit())
    }

    fn fit(&self) -> Result<Report> {
        let train = Table::read(&self.train)?;
        let inputs = train.inputs(&self.target);
        let data = dataset(&train, &inputs, &self.target)?;
        // Everything is read and checked before the time is spent.
        let test = self.test.as_deref().map(|path| read_dataset(path, &inputs, &self.target)).transpose()?;
        let predict = self.predict.as_deref().map(Table::read).transpose()?;
        let points = predict.as_ref().map(|table| table.matrix(&inputs)).transpose()?;

        let regression = Regression::fit(&data, &self.settings())?;
        let scores = test.as_ref().map(|test| regression.scores(test)).transpose()?;
        if let (Some(table), Some(points), Some(output)) = (&predict, &points, &self.output) {
            let prediction = regression.predict(points.as_ref())?;
            let columns = [prediction.mean, prediction.deviation, prediction.observed_deviation];
            let csv = table.csv_with(&["mean", "sd", "sd_y"], &columns)?;
            let read = [Some(&self.train), self.test.as_ref(), self.predict.as_ref()];
            write_file(output, csv.as_bytes(), &read.into_iter().flatten().cloned().collect::<Vec<_>>())?;
        }
        Ok(Report { summary: regression.summary(&inputs), scores })
    }

    fn settings(&self) -> RegressionOptions {
        let hyperparameters = match self.hyperparameters {
            Source::Subset => HyperparameterObjective::Subset(self.subset),
            Source::Bound => HyperparameterObjective::Bound,
        };
        RegressionOptions {
            inducing: Inducing::Count(self.inducing),
            allocation: self.allocate,
            target: self.wanted.into(),
            family: self.kernel,
            hyperparameters,
            inference: self.posterior,
            priors: self.priors,
            seed: self.seed,
            ..RegressionOptions::default()
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.summary)?;
        self.scores.as_ref().map_or(Ok(()), |scores| write!(out, "\n{scores}"))
    }
}

fn read_dataset(path: &Path, inputs: &[String], target: &str) -> Result<Dataset> {
    dataset(&Table::read(path)?, inputs, target)
}

fn dataset(table: &Table, inputs: &[String], target: &str) -> Result<Dataset> {
    let y = table.column(target)?;
    if inputs.is_empty() {
        return Err(miette!("there is no input: '{target}' is the only column"));
    }
    Dataset::new(table.matrix(inputs)?, y).into_diagnostic()
}
