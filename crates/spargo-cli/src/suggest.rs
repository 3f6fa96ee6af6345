//! `spargo suggest`: the next batch from a spreadsheet of past results, without any memory of its own.

use crate::plate::Plate;
use crate::results::Results;
use crate::study_file::StudyFile;
use clap::Args;
use miette::{IntoDiagnostic, Result};
use spargo::study::{Config, Study};
use std::path::PathBuf;

/// Arguments of `spargo suggest`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Suggest {
    /// The study file
    study: PathBuf,
    /// CSV files of past results: empty or NaN outcomes are failures, the word "pending" marks points under way
    #[arg(long)]
    data: Vec<PathBuf>,
    /// CSV files of points that are all under way, such as plates that were suggested before
    #[arg(long)]
    pending: Vec<PathBuf>,
    /// Points to suggest [default: the study's batch]
    #[arg(short = 'n', long)]
    count: Option<usize>,
    /// Adds the predicted mean and the ends of its 95 % interval to each row
    #[arg(long)]
    predict: bool,
    /// Where the CSV file goes [default: standard output]
    #[arg(short, long)]
    output: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  spargo suggest study.toml > first.csv                                  a design, before there are any results
  spargo suggest study.toml --data results.csv -n 96 -o plate.csv       the next plate of 96
  spargo suggest study.toml --data results.csv --pending plate.csv      another one while that is being evaluated";

impl Suggest {
    pub fn run(self) -> Result<()> {
        let StudyFile { mut config, .. } = StudyFile::read(&self.study)?;
        let mut results = Results::new(&config);
        self.data.iter().try_for_each(|path| results.read(path))?;
        self.pending.iter().try_for_each(|path| results.read_pending(path))?;
        config.seed = fresh_seed(&config, results.len());
        let count = self.count.unwrap_or(config.batch);
        let mut study = Study::in_memory(config).into_diagnostic()?;
        results.tell(&mut study)?;
        let trials = study.ask(count).into_diagnostic()?;
        let points: Vec<_> = trials.into_iter().map(|trial| trial.point).collect();
        let forecasts = match self.predict {
            true => (0..study.config().outputs.len())
                .map(|output| study.forecast(output, &points).into_diagnostic())
                .collect::<Result<Vec<_>>>()?,
            false => Vec::new(),
        };
        let plate = Plate { config: study.config(), header: results.header(), points: &points, forecasts };
        plate.write(self.output.as_deref())
    }
}

/// Points of the design go on where the last plate ended; a model's draws must be new ones each time.
fn fresh_seed(config: &Config, results: usize) -> u64 {
    if results < config.initial { config.seed } else { config.seed.wrapping_add(results as u64) }
}
