//! `spargo demo`: noisy Hartmann in six dimensions, optimised in batches of 100 before the user's eyes.

use crate::io::output::drawing;
use crate::io::output::print::print;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use miette::{IntoDiagnostic, Result};
use spargo::Error;
use spargo::rng::{Purpose, stream};
use spargo::study::{Config, Outcome, Study};
use spargo_problems::{HARTMANN6, numbers};
use std::iter;
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
        let bar = ProgressBar::new((INITIAL + BATCHES * BATCH) as u64);
        bar.set_style(ProgressStyle::with_template("{bar:30} {pos}/{len}  {msg}").into_diagnostic()?);
        let steps = optimize(self.seed, |step| {
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

/// After one batch has been told.
struct Step {
    evaluations: usize,
    /// The best outcome so far, with its noise.
    best_observed: f64,
    /// Of the evaluated point that the model believes to be the best.
    regret: f64,
    /// Seconds that are not spent on evaluations.
    overhead_s: f64,
}

/// Ask, evaluate with noise, tell: the initial points and then the batches; `watch` sees every step.
fn optimize(seed: u64, watch: impl Fn(&Step)) -> spargo::Result<Vec<Step>> {
    let mut config = Config::new(HARTMANN6.space()?);
    config.name = HARTMANN6.name.into();
    (config.seed, config.initial, config.batch) = (seed, INITIAL, BATCH);
    let mut study = Study::in_memory(config)?;
    let mut steps: Vec<Step> = Vec::new();
    let (mut evaluations, mut best_observed) = (0, f64::NEG_INFINITY);
    for size in iter::once(INITIAL).chain(iter::repeat_n(BATCH, BATCHES)) {
        let trials = study.ask(size)?;
        let mut outcomes = Vec::with_capacity(trials.len());
        for trial in &trials {
            let y = HARTMANN6.observe(&numbers(&trial.point), &mut stream(seed, Purpose::Data, 0, trial.id))?;
            best_observed = y.max(best_observed);
            outcomes.push((trial.id, Outcome::value(y)));
        }
        study.tell(&outcomes)?;
        evaluations += trials.len();
        let best = study.best()?.ok_or_else(|| Error::Empty { what: "the list of outcomes".into() })?;
        let regret = HARTMANN6.regret(&numbers(&best.believed.trial.point))?;
        let step = Step { evaluations, best_observed, regret, overhead_s: overhead_s(&mut study)? };
        watch(&step);
        steps.push(step);
    }
    Ok(steps)
}

/// Seconds for the last batch and for the models of everything told.
fn overhead_s(study: &mut Study) -> spargo::Result<f64> {
    let models: f64 = study.model_reports()?.iter().map(|model| model.allocate_s + model.fit_s).sum();
    Ok(models + study.reports()?.last().map_or(0.0, |step| step.acquire_s))
}

fn summary(step: &Step) -> String {
    format!("best {:.3}  regret {:.4}  overhead {:.2} s a step", step.best_observed, step.regret, step.overhead_s)
}

fn table(steps: &[Step]) -> String {
    let header = format!("{:>12}{:>16}{:>12}{:>14}\n", "evaluations", "best observed", "regret", "overhead s");
    let row = |step: &Step| {
        let Step { evaluations, best_observed, regret, .. } = step;
        format!("{evaluations:>12}{best_observed:>16.3}{regret:>12.4}{:>14.2}\n", step.overhead_s)
    };
    let overhead: f64 = steps.iter().map(|step| step.overhead_s).sum();
    let footer = format!(
        "\nregret: of the point believed to be the best, in standard deviations of the function\n\
         overhead of all steps: {overhead:.1} s\n"
    );
    header + &steps.iter().map(row).collect::<String>() + &footer
}
