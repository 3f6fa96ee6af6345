//! `spargo suggest`: the next batch from a spreadsheet of past results, without any memory of its own.

use crate::commands::ask::{ask, replicate};
use crate::io::csv::plate::Plate;
use crate::io::csv::results::Results;
use crate::io::output::files::write_file;
use crate::io::output::logs::log_last_step;
use crate::io::output::print::print;
use crate::io::study_file::StudyFile;
use clap::Args;
use miette::{IntoDiagnostic, Result};
use spargo::study::{Config, Study};
use spargo_report::forecasts;
use std::path::PathBuf;
use tracing::info;

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
    /// Points to suggest [default: the study's batch, or what is left]
    #[arg(short = 'n', long, value_parser = clap::value_parser!(u64).range(1..))]
    count: Option<u64>,
    /// No new points, but replicates of those that may be best, to be sure which is
    #[arg(long)]
    replicate: bool,
    /// Adds the predicted mean and the ends of its 95 % interval to each row; of a class, the probability of yes
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
  spargo suggest study.toml --data results.csv --pending plate.csv      another one while that is being evaluated
  spargo suggest study.toml --data results.csv --replicate -n 24          the best once more: which of them is it?";

impl Suggest {
    pub fn run(self) -> Result<()> {
        let file = StudyFile::read(&self.study)?;
        let mut config = file.config.clone();
        let mut results = Results::new(&config, file.header());
        self.data.iter().try_for_each(|path| results.read(path))?;
        self.pending.iter().try_for_each(|path| results.read_pending(path))?;
        config.seed = fresh_seed(&config, results.len());
        let mut study = Study::in_memory(config).into_diagnostic()?;
        results.tell(&mut study)?;
        info!("{} rows read", results.len());
        let batch = study.config().batch;
        let trials = match self.replicate {
            true => replicate(&mut study, self.count)?,
            false => ask(&mut study, self.count, batch)?,
        };
        log_last_step(&study)?;
        let points: Vec<_> = trials.into_iter().map(|trial| trial.point).collect();
        let forecasts = match self.predict {
            true => (0..study.config().outputs.len())
                .map(|output| forecasts(&mut study, output, &points))
                .collect::<spargo::Result<Vec<_>>>()
                .into_diagnostic()?,
            false => Vec::new(),
        };
        let plate = Plate { config: study.config(), header: results.header(), points: &points, forecasts };
        let csv = plate.csv()?;
        match &self.output {
            None => print(&csv),
            Some(path) => {
                let inputs = [file.inputs(), self.data, self.pending].concat();
                write_file(path, csv.as_bytes(), &inputs)
            }
        }
    }
}

/// Points of the design go on where the last plate ended; a model's draws must be new ones each time.
fn fresh_seed(config: &Config, results: usize) -> u64 {
    if results < config.initial { config.seed } else { config.seed.wrapping_add(results as u64) }
}
