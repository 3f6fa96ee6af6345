//! `spargo-lab bench mixture`: a batch of mixtures, and one of the same inputs without their constraints.
//!
//! ```text
//!     x in steps of 0.01,   Σ xₖ = 1,   #{k : xₖ ≠ 0} ≤ most            against x in [0, 1]ᵈ in the same steps
//! ```

use crate::processor::cpu_seconds;
use clap::Args;
use miette::{IntoDiagnostic, Result};
use serde::Serialize;
use spargo::space::{Dimension, InputConstraint, Limits, Space, Value};
use spargo::study::{Config, Outcome, Study, Trial};
use spargo_cli::io::output::execution::Execution;
use std::fmt;

/// Arguments of `spargo-lab bench mixture`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  spargo-lab bench mixture --threads 1
  spargo-lab bench mixture --inputs 50 --nonzero 8 --batch 100 --json")]
pub struct BenchMixture {
    /// Inputs
    #[arg(long, default_value_t = 20)]
    inputs: usize,
    /// How many of them may be other than 0
    #[arg(long, default_value_t = 5)]
    nonzero: usize,
    /// Observations
    #[arg(long, default_value_t = 200)]
    n: usize,
    /// Points of the batch
    #[arg(long, default_value_t = 500)]
    batch: usize,
    /// Seed of every random choice
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    run: Execution,
}

#[derive(Serialize)]
struct BenchMixtureReport {
    threads: usize,
    mixture: StepCost,
    free: StepCost,
}

/// Processor seconds of all threads.
#[derive(Serialize, Clone, Copy)]
struct StepCost {
    /// For the design, whose outcomes are told.
    design_s: f64,
    /// For the batch, with the fit before it.
    batch_s: f64,
}

impl BenchMixture {
    pub fn run(self) -> Result<()> {
        self.run.print(|| self.measure())
    }

    fn measure(&self) -> Result<BenchMixtureReport> {
        let inputs = (0..self.inputs).map(|k| Dimension::real(format!("x{k}"), 0.0, 1.0).digits(2));
        let free = Space::new(inputs.collect()).into_diagnostic()?;
        let names: Vec<String> = free.dimensions().iter().map(|input| input.name.clone()).collect();
        let limits = |lower, upper| Limits { lower, upper };
        let sum = InputConstraint::Sum {
            terms: names.iter().map(|name| (name.clone(), 1.0)).collect(),
            limits: limits(1.0, 1.0),
        };
        let nonzero = InputConstraint::Nonzero { inputs: names, limits: limits(0.0, self.nonzero as f64) };
        let mixture = free.clone().with_input_constraints(vec![sum, nonzero]).into_diagnostic()?;
        let threads = rayon::current_num_threads();
        Ok(BenchMixtureReport { threads, mixture: self.cost(mixture)?, free: self.cost(free)? })
    }

    /// What a design and a batch cost in a space.
    fn cost(&self, space: Space) -> Result<StepCost> {
        let initial = self.n.max(1);
        let config = Config { seed: self.seed, initial: initial.into(), batch: self.batch, ..Config::new(space) };
        let mut study = Study::in_memory(config).into_diagnostic()?;
        let begun = cpu_seconds();
        let trials = study.ask(initial).into_diagnostic()?;
        let designed = cpu_seconds();
        study.tell(&trials.iter().map(outcome).collect::<Vec<_>>()).into_diagnostic()?;
        study.ask(self.batch).into_diagnostic()?;
        Ok(StepCost { design_s: designed - begun, batch_s: cpu_seconds() - designed })
    }
}

/// A smooth function of a point, largest where the inputs are all different.
fn outcome(trial: &Trial) -> (u64, Outcome) {
    let number = |value: &Value| if let Value::Real(number) = value { *number } else { 0.0 };
    let term = |(k, value): (usize, &Value)| -(number(value) - 0.02 * k as f64).powi(2);
    (trial.id, Outcome::value(trial.point.iter().enumerate().map(term).sum()))
}

impl fmt::Display for StepCost {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "processor {:.2} s for the design, {:.2} s for the batch", self.design_s, self.batch_s)
    }
}

impl fmt::Display for BenchMixtureReport {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{:<28}{}", "threads", self.threads)?;
        writeln!(out, "{:<28}{}", "mixture", self.mixture)?;
        write!(out, "{:<28}{}", "without constraints", self.free)
    }
}
