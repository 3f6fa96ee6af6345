//! `spargo-lab learn`: where a map crosses a threshold, learned from the cells that tell most (the paper's Section 5.2).

mod chart;

use crate::experiments::{ActiveLearning, ActiveLearningStep, Bin, calibration};
use clap::{Args, ValueEnum};
use miette::{IntoDiagnostic, Result, WrapErr};
use serde::Serialize;
use spargo::allocate::Allocation;
use spargo::kernel::Family;
use spargo_cli::io::csv::number_table::NumberTable;
use spargo_cli::io::output::execution::{Execution, peak_rss_mb};
use spargo_cli::io::parse::{allocation as parse_allocation, allocation_help, by_name, kernel_help};
use spargo_problems::prevalence::Map;
use std::fmt;
use std::path::{Path, PathBuf};

/// Arguments of `spargo-lab learn`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  spargo-lab learn malaria
  spargo-lab learn malaria --data nigeria_pfpr_map2015.csv --allocation cvr --seed 3 --output map.svg")]
pub struct Learn {
    /// What is learned: malaria, which cells have a prevalence of at least 0.35
    #[arg(value_enum)]
    what: What,
    /// CSV file with the columns longitude, latitude and pfpr_2015; a land that does not exist if not given
    #[arg(long)]
    data: Option<PathBuf>,
    /// Cells kept for tests
    #[arg(long, default_value_t = 10_000)]
    held_out: usize,
    /// Random cells before the first batch
    #[arg(long, default_value_t = 100)]
    initial: usize,
    /// Batches after them
    #[arg(long, default_value_t = 10)]
    batches: usize,
    /// Cells of a batch
    #[arg(long, default_value_t = 100)]
    batch: usize,
    /// Inducing points
    #[arg(long, default_value_t = 50)]
    inducing: usize,
    #[arg(long, default_value = "al-dpp", value_parser = parse_allocation, help = allocation_help())]
    allocation: Allocation,
    #[arg(long, default_value = "matern32", value_parser = by_name::<Family>, help = kernel_help())]
    kernel: Family,
    /// Random seed, of the held-out cells as well
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Draw the map, the cells asked for, the inducing points and the calibration to this SVG file
    #[arg(short, long)]
    output: Option<PathBuf>,
    #[command(flatten)]
    run: Execution,
}

#[derive(Clone, Copy, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
enum What {
    Malaria,
}

#[derive(Serialize)]
struct LearnReport {
    problem: What,
    threads: usize,
    cells: usize,
    held_out: usize,
    initial_accuracy: f64,
    evaluations: Vec<usize>,
    /// Share of the held-out cells whose class is the likelier one.
    accuracy: Vec<f64>,
    /// −log of the probability of a held-out cell’s class, on average, in nats.
    log_loss: Vec<f64>,
    /// Held-out cells by their probability, after the last batch.
    calibration: Vec<Bin>,
    inducing: usize,
    allocate_s: Vec<f64>,
    fit_s: Vec<f64>,
    acquire_s: Vec<f64>,
    overhead_s: f64,
    peak_rss_mb: Option<f64>,
}

impl Learn {
    pub fn run(self) -> Result<()> {
        self.run.print(|| self.learn())
    }

    fn learn(&self) -> Result<LearnReport> {
        let map = match &self.data {
            Some(path) => read_map(path)?,
            None => Map::synthetic(),
        };
        let split = map.split(self.held_out, self.seed).into_diagnostic()?;
        let mut experiment = ActiveLearning::new(&map, &split, |config| {
            config.seed = self.seed;
            config.initial = self.initial.into();
            config.batch = self.batch;
            config.inducing = self.inducing.into();
            config.allocation = self.allocation.clone();
            config.model.kernel = self.kernel.into();
        })
        .into_diagnostic()?;
        let steps = experiment.run(self.batches).into_diagnostic()?;
        let probabilities = experiment.probabilities(&split.held_out).into_diagnostic()?;
        let calibration = calibration(&probabilities, &experiment.labels(&split.held_out));
        if let Some(path) = &self.output {
            chart::draw(path, &mut experiment, &calibration)?;
        }
        Ok(LearnReport::new(self, &map, &steps, calibration))
    }
}

/// The map of a file.
pub fn read_map(path: &Path) -> Result<Map> {
    let table = NumberTable::read(path)?;
    let [x, y, prevalence] = ["longitude", "latitude", "pfpr_2015"].map(|name| table.column(name));
    let (x, y, prevalence) = (x?, y?, prevalence?);
    let rows: Vec<[f64; 3]> = x.iter().zip(&y).zip(&prevalence).map(|((&x, &y), &share)| [x, y, share]).collect();
    Map::new(&rows).into_diagnostic().wrap_err_with(|| format!("{} is no map", path.display()))
}

impl LearnReport {
    fn new(learn: &Learn, map: &Map, steps: &[ActiveLearningStep], calibration: Vec<Bin>) -> Self {
        let of = |value: fn(&ActiveLearningStep) -> f64| steps[1..].iter().map(value).collect::<Vec<f64>>();
        LearnReport {
            problem: learn.what,
            threads: rayon::current_num_threads(),
            cells: map.cells().len(),
            held_out: learn.held_out,
            initial_accuracy: steps[0].accuracy,
            evaluations: steps[1..].iter().map(|step| step.evaluations).collect(),
            accuracy: of(|step| step.accuracy),
            log_loss: of(|step| step.log_loss),
            calibration,
            inducing: steps.last().map_or(0, |step| step.inducing),
            allocate_s: of(|step| step.allocate_s),
            fit_s: of(|step| step.fit_s),
            acquire_s: of(|step| step.acquire_s),
            overhead_s: steps.iter().map(ActiveLearningStep::overhead_s).sum(),
            peak_rss_mb: peak_rss_mb(),
        }
    }
}

impl fmt::Display for LearnReport {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let heading = ["evaluations", "accuracy", "log loss", "allocate s", "fit s", "acquire s"];
        writeln!(out, "{}", heading.map(|name| format!("{name:>12}")).concat())?;
        for (i, evaluations) in self.evaluations.iter().enumerate() {
            let seconds = [self.allocate_s[i], self.fit_s[i], self.acquire_s[i]].map(|s| format!("{s:>12.3}")).concat();
            writeln!(out, "{evaluations:>12}{:>12.4}{:>12.4}{seconds}", self.accuracy[i], self.log_loss[i])?;
        }
        writeln!(out, "\n{:>12}{:>12}{:>12}", "probability", "share", "cells")?;
        for Bin { probability, share, cells } in &self.calibration {
            writeln!(out, "{probability:>12.3}{share:>12.3}{cells:>12}")?;
        }
        let [cells, held_out] = [self.cells, self.held_out];
        write!(out, "\n{held_out} of {cells} cells held out; overhead of all steps {:.1} s", self.overhead_s)
    }
}
