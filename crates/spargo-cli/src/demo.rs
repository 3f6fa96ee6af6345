//! `spargo demo`: noisy Hartmann in six dimensions, optimised in batches of 100 before the user's eyes.

use crate::drawing;
use crate::print::print;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use miette::{IntoDiagnostic, Result};
use spargo::problems::HARTMANN6;
use spargo_paper::experiment::{Experiment, Step};
use std::path::PathBuf;

/// Arguments of `spargo demo`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  spargo demo
  spargo demo --seed 3 --output regret-3.svg")]
pub struct Demo {
    /// Seed of every random choice, the noise included
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Where the drawing of the regret goes
    #[arg(short, long, default_value = "regret.svg")]
    output: PathBuf,
}

impl Demo {
    pub fn run(self) -> Result<()> {
        print(&format!(
            "Hartmann's function of 6 inputs, noise variance {}: {INITIAL} initial points, then {BATCHES} batches of {BATCH}\n\n",
            HARTMANN6.noise
        ))?;
        let mut experiment = Experiment::of_study(&HARTMANN6, |config| {
            config.seed = self.seed;
            config.initial = INITIAL;
            config.batch = BATCH;
        })
        .into_diagnostic()?;
        let bar = ProgressBar::new((INITIAL + BATCHES * BATCH) as u64);
        bar.set_style(ProgressStyle::with_template("{bar:30} {pos}/{len}  {msg}").into_diagnostic()?);
        let steps = experiment.run(BATCHES, |step| {
            bar.set_position(step.evaluations as u64);
            bar.set_message(summary(step));
        });
        let steps = steps.into_diagnostic()?;
        bar.finish_and_clear();
        print(&table(&steps))?;
        let curve: Vec<(f64, f64)> = steps.iter().map(|step| (step.evaluations as f64, step.regret)).collect();
        drawing::regret(&self.output, &curve, "Hartmann6, noise variance 0.1, batches of 100")?;
        print(&format!("\nregret drawn in {}\n", self.output.display()))
    }
}

const INITIAL: usize = 100;
const BATCHES: usize = 10;
const BATCH: usize = 100;

fn summary(step: &Step) -> String {
    format!("best {:.3}  regret {:.4}  overhead {:.2} s a step", step.best_observed, step.regret, step.overhead_s())
}

fn table(steps: &[Step]) -> String {
    let header = format!("{:>12}{:>16}{:>12}{:>14}\n", "evaluations", "best observed", "regret", "overhead s");
    let row = |step: &Step| {
        let Step { evaluations, best_observed, regret, .. } = step;
        format!("{evaluations:>12}{best_observed:>16.3}{regret:>12.4}{:>14.2}\n", step.overhead_s())
    };
    let overhead: f64 = steps.iter().map(Step::overhead_s).sum();
    let footer = format!(
        "\nregret: of the point believed to be the best, in standard deviations of the function\n\
         overhead of all steps: {overhead:.1} s\n"
    );
    header + &steps.iter().map(row).collect::<String>() + &footer
}
