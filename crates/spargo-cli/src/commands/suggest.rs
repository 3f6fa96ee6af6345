//! `spargo suggest`: the next batch from a spreadsheet of past results; nothing is stored.

use crate::commands::ask::PointArgs;
use crate::io::csv::batch_table::BatchTable;
use crate::io::csv::results::Results;
use crate::io::output::execution::Threads;
use crate::io::output::files::print_or_write;
use crate::io::study_file::StudyFile;
use clap::Args;
use miette::{IntoDiagnostic, Result};
use spargo::study::{Config, Study};
use std::path::PathBuf;
use tracing::info;

/// Arguments of `spargo suggest`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Suggest {
    /// The study file
    study: PathBuf,
    /// CSV files of past results: an empty or NaN outcome is a failure, the word "pending" marks a pending point
    #[arg(long, value_name = "FILE")]
    data: Vec<PathBuf>,
    /// CSV files of points that are all pending, such as batches that were suggested before
    #[arg(long, value_name = "FILE")]
    pending: Vec<PathBuf>,
    #[command(flatten)]
    points: PointArgs,
    /// Add the predicted mean and the ends of its 95 % interval to each row; of a class, the probability of yes
    #[arg(long)]
    predict: bool,
    /// Random seed [default: the study file's]
    #[arg(long)]
    seed: Option<u64>,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print one JSON object per point
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    threads: Threads,
}

const EXAMPLES: &str = "\
Examples:
  spargo suggest study.toml > first.csv                                 the initial design, before there are results
  spargo suggest study.toml --data results.csv -n 96 -o plate.csv       the next plate of 96
  spargo suggest study.toml --data results.csv --pending plate.csv      another one while that is being evaluated
  spargo suggest study.toml --data results.csv --replicate -n 24        replicates of the likely winners";

impl Suggest {
    pub fn run(self) -> Result<()> {
        let file = StudyFile::read(&self.study)?;
        let config = Config { seed: self.seed.unwrap_or(file.config.seed), ..file.config.clone() };
        let mut results = Results::new(&config, file.header());
        self.data.iter().try_for_each(|path| results.read(path))?;
        self.pending.iter().try_for_each(|path| results.read_pending(path))?;
        let seed = fresh_seed(&config, results.len());
        let mut study = Study::in_memory(Config { seed, ..config }).into_diagnostic()?;
        let header = results.add_to(&mut study)?;
        info!("{} rows read", study.counts().trials);
        let text = self.threads.install(|| self.suggest(&mut study, &header))?;
        print_or_write(&text, self.output.as_deref(), &[file.inputs(), self.data, self.pending].concat())
    }

    fn suggest(&self, study: &mut Study, header: &[String]) -> Result<String> {
        let points: Vec<_> = self.points.ask(study)?.into_iter().map(|trial| trial.point).collect();
        let outputs = if self.predict { study.config().outputs.len() } else { 0 };
        let predictions = (0..outputs).map(|output| study.predict_interval(output, &points));
        let predictions = predictions.collect::<spargo::Result<Vec<_>>>().into_diagnostic()?;
        let table = BatchTable { config: study.config(), header, points: &points, predictions };
        if self.json { table.json() } else { table.csv() }
    }
}

/// The design continues where the last batch ended, while the draws of a model must differ from batch to batch.
fn fresh_seed(config: &Config, results: usize) -> u64 {
    if results < config.initial { config.seed } else { config.seed.wrapping_add(results as u64) }
}
