//! `spargo allocate`: inducing points chosen among the rows of a CSV file, by any method.

use crate::io::csv::number_table::NumberTable;
use crate::io::goal_args::GoalArgs;
use crate::io::output::drawing::AllocationDrawing;
use crate::io::output::execution::Execution;
use crate::io::output::files::{Destination, Force};
use crate::io::parse::{allocation, allocation_help, by_name, kernel_help};
use clap::Args;
use miette::{IntoDiagnostic, Result, miette};
use serde::Serialize;
use spargo::allocate::{Allocation, Needs, allocate, trace};
use spargo::data::AllocationContext;
use spargo::kernel::Family;
use spargo::linalg::Mat;
use spargo::model::Priors;
use spargo::regression::{AllocationOptions, FixedHyperparameters, UserHyperparameters};
use spargo::rng::{Purpose, stream};
use std::fmt;
use std::path::PathBuf;

/// Arguments of `spargo allocate`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  spargo allocate data.csv --target y --svg chosen.svg
  spargo allocate data.csv --allocation kmeans --inducing 100

Keys of --json: rows, points, quality, variance, trace, trace_q, lengthscales, signal_variance, noise.")]
pub struct Allocate {
    /// A CSV file with a header; every column but the target is an input
    data: PathBuf,
    /// Number of inducing points
    #[arg(long, default_value_t = 40)]
    inducing: usize,
    #[arg(long, default_value = "imp-dpp", value_parser = allocation, help = allocation_help())]
    allocation: Allocation,
    /// Name of the outcome's column; methods that depend on outcomes need it
    #[arg(long)]
    target: Option<String>,
    #[command(flatten)]
    goal: GoalArgs,
    #[arg(long, default_value = "matern52", value_parser = by_name::<Family>, help = kernel_help())]
    kernel: Family,
    /// Length scales, one or one per input, separated by commas [default: learned]
    #[arg(long, value_delimiter = ',', allow_hyphen_values = true)]
    lengthscales: Option<Vec<f64>>,
    /// Signal variance [default: learned]
    #[arg(long, allow_hyphen_values = true)]
    variance: Option<f64>,
    /// Noise variance [default: learned]
    #[arg(long, allow_hyphen_values = true)]
    noise: Option<f64>,
    /// Constant prior mean [default: learned]
    #[arg(long, allow_hyphen_values = true)]
    mean: Option<f64>,
    /// Priors on learned hyperparameters: on or off
    #[arg(long, default_value = "on", value_parser = by_name::<Priors>)]
    priors: Priors,
    /// Draw data, chosen points and quality over two inputs in this file; - for standard output
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    force: Force,
    /// The two inputs to draw, separated by a comma [default: the first two]
    #[arg(long, value_delimiter = ',', requires = "svg")]
    axes: Option<Vec<String>>,
    /// Random seed
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    execution: Execution,
}

/// An allocation in numbers, in the user's units.
#[derive(Serialize)]
struct AllocationReport {
    /// Rows in the order of choice, counted from 0; `null` if the points are not rows.
    rows: Option<Vec<usize>>,
    /// The points, if they are not rows.
    points: Option<Vec<Vec<f64>>>,
    quality: Vec<f64>,
    variance: Vec<f64>,
    trace: f64,
    trace_q: f64,
    lengthscales: Vec<f64>,
    signal_variance: f64,
    noise: f64,
}

impl Allocate {
    pub fn run(self) -> Result<()> {
        self.execution.print_beside(self.svg.as_deref(), || self.allocate())
    }

    fn allocate(&self) -> Result<AllocationReport> {
        let table = NumberTable::read(&self.data)?;
        let inputs = table.inputs(self.target.as_deref().unwrap_or_default());
        if inputs.is_empty() {
            return Err(miette!("there is no input: the target is the only column of {}", self.data.display()));
        }
        let axes = self.axes(&inputs)?;
        let read = [self.data.clone()];
        let drawing = self.svg.as_ref().map(|path| Destination { path, inputs: &read, force: self.force });
        drawing.map_or(Ok(()), |drawing| drawing.check())?;
        let x = table.matrix(&inputs)?;
        let (model, context) = self.model(&table, &x)?;
        let kernel = model.kernel();
        kernel.check(x.ncols()).into_diagnostic()?;
        let mut rng = stream(self.seed, Purpose::Allocation, 0, 0);
        let chosen =
            allocate(&self.allocation, x.as_ref(), &kernel, &context, self.inducing, &mut rng).into_diagnostic()?;
        let quality = self.allocation.quality().evaluate(&context, self.inducing).into_diagnostic()?;
        let trace = trace(chosen.points.as_ref(), x.as_ref(), &kernel, &quality).into_diagnostic()?;
        if let (Some(drawing), Some(axes)) = (drawing, axes) {
            let picture = AllocationDrawing { x: &x, quality: &quality, chosen: &chosen.points, axes, names: &inputs };
            drawing.write(&picture.svg()?)?;
        }
        Ok(AllocationReport {
            points: chosen.rows.is_none().then(|| rows_of(&chosen.points)),
            trace: trace.plain,
            trace_q: trace.weighted,
            lengthscales: model.lengthscales,
            signal_variance: model.variance,
            noise: model.noise,
            rows: chosen.rows,
            quality: chosen.quality,
            variance: chosen.variance,
        })
    }

    /// The kernel and the context of the allocation, in the user's units.
    fn model(&self, table: &NumberTable, x: &Mat) -> Result<(UserHyperparameters, AllocationContext)> {
        let quality = self.allocation.quality();
        if self.target.is_none() && quality.needs() != Needs::Nothing {
            return Err(miette!(
                "this method depends on outcomes ({}): name their column with --target",
                quality.name()
            ));
        }
        let outcomes = self.target.as_ref().map(|target| table.column(target)).transpose()?;
        let (target, family, priors, seed) = (self.goal.into(), self.kernel, self.priors, self.seed);
        let options = AllocationOptions { quality, target, family, given: self.given(x.ncols())?, priors, seed };
        options.kernel_and_context(x.as_ref(), outcomes.as_deref()).into_diagnostic()
    }

    /// The hyperparameters that are given; an error names the option.
    fn given(&self, inputs: usize) -> Result<FixedHyperparameters> {
        let lengthscales = self.lengthscales.as_deref().unwrap_or_default();
        if lengthscales.len() > 1 && lengthscales.len() != inputs {
            return Err(miette!("--lengthscales has {} numbers; give one, or {inputs}", lengthscales.len()));
        }
        for (name, value) in [("variance", self.variance), ("noise", self.noise)] {
            if let Some(value) = value.filter(|value| !(value.is_finite() && *value > 0.0)) {
                return Err(miette!("--{name} {value} must be positive and finite"));
            }
        }
        Ok(FixedHyperparameters {
            variance: self.variance,
            lengthscales: self.lengthscales.clone(),
            noise: self.noise,
            mean: self.mean,
        })
    }

    /// The columns to draw, checked before time is spent on the allocation.
    fn axes(&self, inputs: &[String]) -> Result<Option<[usize; 2]>> {
        let find = |name: &String| {
            let place = inputs.iter().position(|input| input == name);
            place.ok_or_else(|| miette!("--axes: there is no input '{name}'; inputs are: {}", inputs.join(", ")))
        };
        match (&self.svg, self.axes.as_deref()) {
            (None, _) => Ok(None),
            (Some(_), None) if inputs.len() >= 2 => Ok(Some([0, 1])),
            (Some(_), Some([first, second])) if first == second => Err(miette!("--axes: '{first}' twice")),
            (Some(_), Some([first, second])) => Ok(Some([find(first)?, find(second)?])),
            (Some(_), None) => Err(miette!("--svg draws two inputs, and there is only one")),
            (Some(_), Some(list)) => Err(miette!("--axes has {} names; give two", list.len())),
        }
    }
}

impl fmt::Display for AllocationReport {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{:>6}  {:>8}  {:>12}  {:>12}", "order", "row", "quality", "variance")?;
        for (i, (quality, variance)) in self.quality.iter().zip(&self.variance).enumerate() {
            let row = self.rows.as_ref().map_or("–".to_string(), |rows| rows[i].to_string());
            writeln!(out, "{i:>6}  {row:>8}  {quality:>12.5e}  {variance:>12.5e}")?;
        }
        write!(out, "\nt(Z)   {:.6e}\nt^q(Z) {:.6e}", self.trace, self.trace_q)
    }
}

fn rows_of(points: &Mat) -> Vec<Vec<f64>> {
    (0..points.nrows()).map(|i| (0..points.ncols()).map(|k| points[(i, k)]).collect()).collect()
}
