//! `spargo suggest`: the next batch from a spreadsheet of past results; nothing is stored.

use crate::commands::ask::PointArgs;
use crate::io::csv::csv_out::CsvFormat;
use crate::io::csv::point_table::{PointTable, TableArgs};
use crate::io::csv::points::{label_cells, point_cells};
use crate::io::csv::results::Results;
use crate::io::csv::wells::insert_wells;
use crate::io::output::count::counted;
use crate::io::output::execution::Threads;
use crate::io::output::long_work::LongWork;
use crate::io::output::print::note;
use crate::io::study_file::StudyFile;
use clap::Args;
use miette::{IntoDiagnostic, Result};
use spargo::space::{Point, Value};
use spargo::study::{Config, CrediblePrediction, Study, Trial};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  The initial design, before there are results:
    spargo suggest study.toml > first.csv
  The next plate of 96:
    spargo suggest study.toml --data a.csv b.csv -n 96 -o plate.csv
  Another one while that is being evaluated:
    spargo suggest study.toml --data results.csv --pending plate.csv
  Replicates of the likely winners:
    spargo suggest study.toml --data results.csv --replicate -n 24

Plates have the separator and the decimal mark of the last file that was read, unless --dialect says otherwise, and a column \
`well` if the study file has `[plate] wells = 96` or 384. Text that begins with =, +, - or @ is \
written after an apostrophe, so that no spreadsheet runs it; it is read without. Keys of --json: the well, the inputs, the labels of candidates and, with \
--predict, 'NAME mean', 'NAME low', 'NAME high' per output.";

/// Arguments of `spargo suggest`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Suggest {
    /// The study file
    study: PathBuf,
    /// CSV files of past results: an empty outcome is pending, NaN or the word "failed" is a failure
    #[arg(long, value_name = "FILE", num_args = 1..)]
    data: Vec<PathBuf>,
    /// CSV files of points that are all pending, such as batches that were suggested before
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pending: Vec<PathBuf>,
    #[command(flatten)]
    points: PointArgs,
    /// Add the predicted mean and the ends of its 95 % interval to each row; of a class, the probability of yes
    #[arg(long)]
    predict: bool,
    /// Random seed [default: the study file's]
    #[arg(long)]
    seed: Option<u64>,
    #[command(flatten)]
    table: TableArgs,
    #[command(flatten)]
    threads: Threads,
}

impl Suggest {
    pub fn run(self) -> Result<()> {
        let file = StudyFile::read(&self.study)?;
        let inputs = [file.inputs(), self.data.clone(), self.pending.clone()].concat();
        self.table.check(&inputs)?;
        let config = Config { seed: self.seed.unwrap_or(file.config.seed), ..file.config.clone() };
        let mut results = Results::new(&config, file.header());
        self.data.iter().try_for_each(|path| results.read(path))?;
        self.pending.iter().try_for_each(|path| results.read_pending(path))?;
        let (seed, format, rows) = (fresh_seed(&config, results.len()), results.format(), results.counts());
        let mut study = Study::in_memory(Config { seed, ..config }).into_diagnostic()?;
        let work = LongWork::on(results.len());
        let header = results.add_to(&mut study, &work)?;
        work.say("fitting a model and choosing points");
        let table = self.threads.install(|| self.suggest(&mut study, header, self.table.format(format)))?;
        drop(work);
        self.table.write(&table, &inputs)?;
        note(&format!("{rows}; {} written to {}", counted(table.rows.len(), "point"), self.table.target()));
        Ok(())
    }

    /// The batch, whose inputs have these columns in CSV and their own names in JSON.
    fn suggest(&self, study: &mut Study, header: Vec<String>, format: CsvFormat) -> Result<PointTable> {
        let trials = self.points.ask(study)?;
        let space = &study.config().space;
        let names = space.dimensions().iter().map(|dimension| dimension.name.clone());
        let mut columns = if self.table.json { names.collect() } else { header };
        columns.extend(space.label_names().map(String::from));
        let cells = |trial: &Trial| point_cells(space, trial).chain(label_cells(space, trial)).collect();
        let mut rows: Vec<Vec<_>> = trials.iter().map(cells).collect();
        let points: Vec<Point> = trials.into_iter().map(|trial| trial.point).collect();
        let models = if self.predict { study.model_reports().into_diagnostic()? } else { Vec::new() };
        for (k, model) in models.iter().enumerate() {
            let name = &study.config().outputs[k].name;
            columns.extend(["mean", "low", "high"].map(|part| format!("{name} {part}")));
            // Of an output without any outcome nothing can be said.
            if model.observations == 0 {
                rows.iter_mut().for_each(|row| row.extend([None, None, None]));
                continue;
            }
            for (row, prediction) in rows.iter_mut().zip(study.predict_interval(k, &points).into_diagnostic()?) {
                let CrediblePrediction { mean, interval: (low, high) } = prediction;
                row.extend([mean, low, high].map(|number| Some(Value::Real(number))));
            }
        }
        let mut table = PointTable { columns, rows, format };
        insert_wells(&mut table, study.config(), 0);
        Ok(table)
    }
}

/// The design continues where the last batch ended, while the draws of a model must differ from batch to batch.
fn fresh_seed(config: &Config, results: usize) -> u64 {
    if results < config.initial_count() { config.seed } else { config.seed.wrapping_add(results as u64) }
}
