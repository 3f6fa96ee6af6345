//! `spargo-lab serve`: a benchmark problem for other programs, by JSON lines on standard input and output (docs/guide/problems.md).

use crate::BenchmarkName;
use clap::Args;
use miette::{IntoDiagnostic, Result, WrapErr};
use serde::Deserialize;
use serde_json::json;
use spargo_cli::io::output::print::print_data;

/// Arguments of `spargo-lab serve`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  echo '{\"points\": [[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]]}' | spargo-lab serve prior8-0.1 --seed 3
  python scripts/peers/compare.py --problems 'command:spargo-lab serve prior8-0.1 --seed 0' --peers enn --seeds 1")]
pub struct Serve {
    /// Which problem, as of `compare`
    #[arg(value_parser = BenchmarkName::parse)]
    problem: BenchmarkName,
    /// The seed of the run whose function is served, if it is drawn
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

/// A line of standard input.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    points: Vec<Vec<f64>>,
}

impl Serve {
    pub fn run(self) -> Result<()> {
        let benchmark = self.problem.open().into_diagnostic()?;
        let mut evaluator = benchmark.evaluator(self.seed).into_diagnostic()?;
        let space = benchmark.space().into_diagnostic()?;
        let ends = |(lower, upper, _): (f64, f64, _)| [lower, upper];
        let inputs: Vec<_> = space.dimensions().iter().map(|input| input.domain.range().map(ends)).collect();
        let mut described = json!({ "name": benchmark.name(), "inputs": inputs, "noise": benchmark.noise() });
        if benchmark.optimum_is_known() {
            described["minimum"] = json!(-benchmark.optimum());
        }
        print_data(&format!("{described}\n"))?;
        for line in std::io::stdin().lines() {
            let line = line.into_diagnostic()?;
            let Question { points } = serde_json::from_str(&line)
                .into_diagnostic()
                .wrap_err("a line of standard input is not {\"points\": [[…], …]}")?;
            let values: Vec<f64> = evaluator.scaled(&points).into_diagnostic()?.into_iter().map(|g| -g).collect();
            print_data(&format!("{}\n", json!({ "values": values })))?;
        }
        Ok(())
    }
}
