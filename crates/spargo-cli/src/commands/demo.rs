//! `spargo demo`: the noisy Hartmann function of six inputs, optimised in batches of 100.

use crate::io::output::drawing;
use crate::io::output::execution::Threads;
use crate::io::output::files::{Destination, Force};
use crate::io::output::print::{note, print, print_data, write_error};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use miette::{IntoDiagnostic, Result};
use serde::Serialize;
use spargo::Error;
use spargo::rng::{Purpose, stream};
use spargo::study::{Budget, Campaign, Config, Next, Outcome, Study};
use spargo_problems::{HARTMANN6, numbers};
use std::path::PathBuf;

const INITIAL: usize = 100;
const BATCHES: usize = 10;
const BATCH: usize = 100;

/// Arguments of `spargo demo`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  spargo demo
  spargo demo --seed 3 --output regret-3.svg

Keys of --json: evaluations, best_observed, regret, overhead_s.")]
pub struct Demo {
    /// Random seed, of the noise as well
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// The drawing of the regret to write; - for standard output
    #[arg(short, long, value_name = "FILE", default_value = "regret.svg")]
    output: PathBuf,
    #[command(flatten)]
    force: Force,
    /// Print one JSON object per step, and nothing else
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    threads: Threads,
}

impl Demo {
    pub fn run(self) -> Result<()> {
        let drawing = Destination { path: &self.output, inputs: &[], force: self.force };
        drawing.check()?;
        // The drawing may have standard output for itself.
        let show = |text: &str| {
            if drawing.is_stdout() {
                note(text.trim_end());
                return Ok(());
            }
            print(text)
        };
        if !self.json {
            show(&format!(
                "Hartmann's function of 6 inputs, noise variance {}: {INITIAL} initial points, then {BATCHES} batches of {BATCH}\n\n",
                HARTMANN6.noise
            ))?;
        }
        let bar = ProgressBar::new((INITIAL + BATCHES * BATCH) as u64);
        bar.set_style(ProgressStyle::with_template("{bar:20} {pos}/{len}  {wide_msg}").into_diagnostic()?);
        let watch = |step: &DemoStep| {
            bar.set_position(step.evaluations as u64);
            bar.set_message(summary(step));
        };
        let steps = self.threads.install(|| optimize(self.seed, watch).into_diagnostic())?;
        bar.finish_and_clear();
        let curve: Vec<(f64, f64)> = steps.iter().map(|step| (step.evaluations as f64, step.regret)).collect();
        drawing.write(&drawing::regret(&curve, "Hartmann6, noise variance 0.1, batches of 100")?)?;
        if self.json {
            let lines = steps.iter().map(|step| Ok(serde_json::to_string(step).into_diagnostic()? + "\n"));
            let lines = lines.collect::<Result<String>>()?;
            if drawing.is_stdout() {
                write_error(lines.trim_end());
                return Ok(());
            }
            return print_data(&lines);
        }
        show(&format!("{}\nregret drawn in {}\n", table(&steps), self.output.display()))
    }
}

/// The state after a batch.
#[derive(Serialize)]
struct DemoStep {
    evaluations: usize,
    /// The best outcome so far, with its noise.
    best_observed: f64,
    /// Regret of the evaluated point that the model believes to be best.
    regret: f64,
    /// Seconds that were not spent on evaluations.
    overhead_s: f64,
}

/// Runs a campaign on the noisy function; `watch` sees every step.
fn optimize(seed: u64, watch: impl Fn(&DemoStep)) -> spargo::Result<Vec<DemoStep>> {
    let mut config = Config::new(HARTMANN6.space()?);
    config.name = HARTMANN6.name.into();
    (config.seed, config.initial, config.batch) = (seed, INITIAL.into(), BATCH);
    let mut study = Study::in_memory(config)?;
    let mut campaign = Campaign::new(Budget::Total(INITIAL + BATCHES * BATCH));
    let mut steps: Vec<DemoStep> = Vec::new();
    while let Next::Evaluate(trials) = campaign.next(&mut study, 0)? {
        let mut outcomes = Vec::with_capacity(trials.len());
        for trial in &trials {
            let y = HARTMANN6.observe(&numbers(&trial.point), &mut stream(seed, Purpose::Data, 0, trial.id))?;
            outcomes.push((trial.id, Outcome::value(y)));
        }
        study.tell(&outcomes)?;
        let best = study.best()?.ok_or_else(|| Error::Empty { what: "the list of outcomes".into() })?;
        let regret = HARTMANN6.regret(&numbers(&best.believed.trial.point))?;
        let (evaluations, best_observed) = (study.counts().trials, best.observed.value);
        let step = DemoStep { evaluations, best_observed, regret, overhead_s: overhead_s(&mut study)? };
        watch(&step);
        steps.push(step);
    }
    Ok(steps)
}

/// Seconds for the last batch and for the models of all outcomes.
fn overhead_s(study: &mut Study) -> spargo::Result<f64> {
    let models: f64 = study.model_reports()?.iter().map(|model| model.allocate_s + model.fit_s).sum();
    Ok(models + study.reports()?.last().map_or(0.0, |step| step.acquire_s))
}

fn summary(step: &DemoStep) -> String {
    format!("best {:.3}  regret {:.4}  {:.2} s/step", step.best_observed, step.regret, step.overhead_s)
}

fn table(steps: &[DemoStep]) -> String {
    let header = format!("{:>12}{:>16}{:>12}{:>14}\n", "evaluations", "best observed", "regret", "overhead s");
    let row = |step: &DemoStep| {
        let DemoStep { evaluations, best_observed, regret, .. } = step;
        format!("{evaluations:>12}{best_observed:>16.3}{regret:>12.4}{:>14.2}\n", step.overhead_s)
    };
    let overhead: f64 = steps.iter().map(|step| step.overhead_s).sum();
    let footer = format!(
        "\nregret: of the point believed to be best, in standard deviations of the function\n\
         overhead of all steps: {overhead:.1} s\n"
    );
    header + &steps.iter().map(row).collect::<String>() + &footer
}
