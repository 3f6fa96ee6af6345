//! `spargo fit`: a Gaussian process fitted to a CSV file, with its scores and its cost.

mod regression;

use crate::io::csv::number_table::NumberTable;
use crate::io::goal_args::GoalArgs;
use crate::io::output::execution::Execution;
use crate::io::output::files::{Destination, Force};
use crate::io::parse::{allocation, allocation_help, by_name, kernel_help};
use clap::{Args, ValueEnum};
use miette::{IntoDiagnostic, Result, miette};
use regression::{FitSummary, TimedRegression};
use spargo::allocate::Allocation;
use spargo::data::Dataset;
use spargo::kernel::Family;
use spargo::model::{FitOptions, HyperparameterObjective, Inference, Priors};
use spargo::regression::{Inducing, RegressionOptions};
use std::path::PathBuf;

/// Arguments of `spargo fit`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  spargo fit train.csv --target y
  spargo fit train.csv --target y --inducing 200 --test test.csv
  spargo fit train.csv --target y --predict new.csv --output predicted.csv

Keys of --json: rows, inducing, bound, noise, variance, mean, lengthscales, inputs, seconds, evaluations, stop, kept, jitter, \
peak_rss_mb and, with --test, rmse, nlpd, nlpd_latent.")]
pub struct Fit {
    /// Training data: a CSV file with a header; every column but the target is an input
    train: PathBuf,
    /// Name of the outcome's column
    #[arg(long)]
    target: String,
    /// Number of inducing points
    #[arg(long, default_value_t = 500)]
    inducing: usize,
    #[arg(long, default_value = "random", value_parser = allocation, help = allocation_help())]
    allocation: Allocation,
    #[command(flatten)]
    goal: GoalArgs,
    #[arg(long, default_value = "matern52", value_parser = by_name::<Family>, help = kernel_help())]
    kernel: Family,
    /// The objective that hyperparameters maximise
    #[arg(long, value_enum, default_value = "subset")]
    hyperparameters: Objective,
    /// Rows of the subset for --hyperparameters subset; a rough search on up to 500 comes first
    #[arg(long, default_value_t = 1500)]
    subset: usize,
    /// Posterior: sparse, exact or variational
    #[arg(long, default_value = "sparse", value_parser = by_name::<Inference>)]
    posterior: Inference,
    /// Priors on the hyperparameters: on or off
    #[arg(long, default_value = "on", value_parser = by_name::<Priors>)]
    priors: Priors,
    /// Held-out data with the same columns, for RMSE and log density
    #[arg(long)]
    test: Option<PathBuf>,
    /// Points to predict at: the same inputs; the target may be missing
    #[arg(long, requires = "output")]
    predict: Option<PathBuf>,
    /// The file for predictions (- for standard output): the rows of --predict with mean, sd (of f) and sd_y (of an observation)
    #[arg(short, long, value_name = "FILE", requires = "predict")]
    output: Option<PathBuf>,
    #[command(flatten)]
    force: Force,
    /// Random seed
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    execution: Execution,
}

/// The objective that hyperparameters maximise.
#[derive(Clone, Copy, ValueEnum)]
enum Objective {
    /// The exact likelihood of a random subset
    Subset,
    /// The collapsed bound over all data
    Bound,
}

impl Fit {
    pub fn run(self) -> Result<()> {
        self.execution.print_beside(self.output.as_deref(), || self.fit())
    }

    fn fit(&self) -> Result<FitSummary> {
        let read = [Some(&self.train), self.test.as_ref(), self.predict.as_ref()];
        let read: Vec<PathBuf> = read.into_iter().flatten().cloned().collect();
        if let Some(path) = &self.output {
            Destination { path, inputs: &read, force: self.force }.check()?;
        }
        let train = NumberTable::read(&self.train)?;
        let inputs = train.inputs(&self.target);
        let data = dataset(&train, &inputs, &self.target)?;
        // All files are read before time is spent on the fit.
        let test = self.test.as_deref().map(NumberTable::read).transpose()?;
        let test = test.map(|table| dataset(&table, &inputs, &self.target)).transpose()?;
        let predict = self.predict.as_deref().map(NumberTable::read).transpose()?;
        let points = predict.as_ref().map(|table| table.matrix(&inputs)).transpose()?;

        let regression = TimedRegression::fit(&data, &self.options())?;
        let scores = test.as_ref().map(|test| regression.scores(test)).transpose()?;
        if let (Some(table), Some(points), Some(output)) = (&predict, &points, &self.output) {
            let prediction = regression.predict(points.as_ref())?;
            let columns = [prediction.mean, prediction.deviation, prediction.observed_deviation];
            let csv = table.csv_with(&["mean", "sd", "sd_y"], &columns)?;
            Destination { path: output, inputs: &read, force: self.force }.write(&csv)?;
        }
        Ok(regression.summary(inputs, scores))
    }

    fn options(&self) -> RegressionOptions {
        let hyperparameters = match self.hyperparameters {
            Objective::Subset => HyperparameterObjective::Subset(self.subset),
            Objective::Bound => HyperparameterObjective::Bound,
        };
        let (inference, priors, seed) = (self.posterior, self.priors, self.seed);
        RegressionOptions {
            inducing: Inducing::Count(self.inducing),
            allocation: self.allocation.clone(),
            target: self.goal.into(),
            family: self.kernel,
            fit: FitOptions { hyperparameters, inference, priors, seed, ..FitOptions::default() },
            ..RegressionOptions::default()
        }
    }
}

fn dataset(table: &NumberTable, inputs: &[String], target: &str) -> Result<Dataset> {
    let y = table.column(target)?;
    if inputs.is_empty() {
        return Err(miette!("there is no input: '{target}' is the only column"));
    }
    Dataset::new(table.matrix(inputs)?, y).into_diagnostic()
}
