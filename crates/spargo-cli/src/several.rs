//! A benchmark problem with several outputs, optimised by a study: what `optimize` runs on it.
//!
//! ```text
//!     volume_n = hypervolume of f(x), noise-free, over the x that no other trial beats in posterior mean   (feasible ones)
//!     regret_n = attainable − volume_n
//! ```

use crate::coverage::{Coverage, coverage};
use crate::machine::peak_rss_mb;
use miette::{IntoDiagnostic, Result};
use serde::Serialize;
use spargo::problems::tradeoffs::{Attainable, Direction, Tradeoff};
use spargo::rng::{Purpose, stream};
use spargo::study::{Config, Goal, Outcome, Output, Study, Trial};
use spargo_paper::experiment::numbers;
use std::fmt;

/// How it went.
#[derive(Serialize)]
pub struct Report {
    problem: &'static str,
    /// The volume that regret is measured from, and whether it is known to be attained.
    attainable: f64,
    attainable_is_known: bool,
    threads: usize,
    initial_hypervolume: f64,
    evaluations: Vec<usize>,
    hypervolume: Vec<f64>,
    regret: Vec<f64>,
    /// Of all trials, noise-free, which nobody could know.
    least_regret: Vec<f64>,
    /// Trials that no other one beats in posterior mean.
    front: Vec<usize>,
    /// Of all trials so far, those that keep every constraint.
    feasible: Vec<usize>,
    allocate_s: Vec<f64>,
    fit_s: Vec<f64>,
    acquire_s: Vec<f64>,
    overhead_s: f64,
    /// How each model's inducing points cover the pieces of the true front, where it is known and the model is sparse.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    coverage: Vec<Coverage>,
    peak_rss_mb: Option<f64>,
}

/// Evaluates the initial design and then `batches` batches.
pub fn optimize(problem: &'static Tradeoff, batches: usize, configure: impl FnOnce(&mut Config)) -> Result<Report> {
    let mut config = Config::new(problem.space().into_diagnostic()?);
    config.name = problem.name.into();
    config.outputs = outputs(problem);
    configure(&mut config);
    let mut experiment = Experiment { problem, study: Study::in_memory(config).into_diagnostic()?, seen: Vec::new() };
    let steps = (0..=batches).map(|number| experiment.step(number)).collect::<Result<Vec<_>>>()?;
    let coverage = coverage(problem, &mut experiment.study)?;
    Ok(Report::new(problem, &steps, coverage))
}

/// Objectives, then constraints.
fn outputs(problem: &Tradeoff) -> Vec<Output> {
    let goal = |direction| if direction == Direction::Maximize { Goal::Maximize } else { Goal::Minimize };
    let objectives = problem.objectives.iter().map(|objective| goal(objective.direction));
    let limit = |at_most| Goal::Limit { at_least: None, at_most: Some(at_most) };
    let goals = objectives.chain(problem.constraints.iter().map(|constraint| limit(constraint.at_most)));
    problem.outputs().zip(goals).map(|(name, goal)| Output { name: name.into(), goal }).collect()
}

struct Experiment {
    problem: &'static Tradeoff,
    study: Study,
    /// The outputs of all trials, without noise.
    seen: Vec<Vec<f64>>,
}

/// After one batch has been told.
struct Step {
    evaluations: usize,
    hypervolume: f64,
    /// Of all trials.
    largest: f64,
    front: usize,
    feasible: usize,
    allocate_s: f64,
    fit_s: f64,
    acquire_s: f64,
}

impl Experiment {
    fn step(&mut self, number: usize) -> Result<Step> {
        let config = self.study.config();
        let count = if number == 0 { config.initial } else { config.batch };
        let trials = self.study.ask(count).into_diagnostic()?;
        self.evaluate(&trials)?;
        let believed = self.study.fronts().into_diagnostic()?.believed;
        let points: Vec<Vec<f64>> = believed.iter().map(|one| numbers(&one.trial.point)).collect();
        let values = self.problem.values(&points).into_diagnostic()?;
        let models = self.study.model_reports().into_diagnostic()?;
        let asked = self.study.reports().into_diagnostic()?;
        Ok(Step {
            evaluations: self.study.history().records().len(),
            hypervolume: self.problem.hypervolume(&values).into_diagnostic()?,
            largest: self.problem.hypervolume(&self.seen).into_diagnostic()?,
            front: believed.len(),
            feasible: self.seen.iter().filter(|outputs| self.problem.feasible(outputs)).count(),
            allocate_s: models.iter().map(|model| model.allocate_s).sum(),
            fit_s: models.iter().map(|model| model.fit_s).sum(),
            acquire_s: asked.last().map_or(0.0, |report| report.acquire_s),
        })
    }

    /// Tells the outcomes of a batch.
    fn evaluate(&mut self, trials: &[Trial]) -> Result<()> {
        let seed = self.study.config().seed;
        let mut outcomes = Vec::with_capacity(trials.len());
        for trial in trials {
            let x = numbers(&trial.point);
            let mut rng = stream(seed, Purpose::Data, 0, trial.id);
            let values = self.problem.observe(&x, &mut rng).into_diagnostic()?;
            self.seen.push(self.problem.value(&x).into_diagnostic()?);
            outcomes.push((trial.id, Outcome::Observed { values, noise: None }));
        }
        self.study.tell(&outcomes).into_diagnostic()?;
        Ok(())
    }
}

impl Report {
    fn new(problem: &Tradeoff, steps: &[Step], coverage: Vec<Coverage>) -> Self {
        let of = |value: fn(&Step) -> f64| steps[1..].iter().map(value).collect::<Vec<f64>>();
        let count = |value: fn(&Step) -> usize| steps[1..].iter().map(value).collect::<Vec<usize>>();
        let (attainable, known) = match problem.attainable {
            Attainable::Exactly(volume) => (volume, true),
            Attainable::AtLeast(volume) => (volume, false),
        };
        Report {
            problem: problem.name,
            attainable,
            attainable_is_known: known,
            threads: rayon::current_num_threads(),
            initial_hypervolume: steps[0].hypervolume,
            evaluations: count(|step| step.evaluations),
            hypervolume: of(|step| step.hypervolume),
            regret: steps[1..].iter().map(|step| attainable - step.hypervolume).collect(),
            least_regret: steps[1..].iter().map(|step| attainable - step.largest).collect(),
            front: count(|step| step.front),
            feasible: count(|step| step.feasible),
            allocate_s: of(|step| step.allocate_s),
            fit_s: of(|step| step.fit_s),
            acquire_s: of(|step| step.acquire_s),
            overhead_s: steps.iter().map(|step| step.allocate_s + step.fit_s + step.acquire_s).sum(),
            coverage,
            peak_rss_mb: peak_rss_mb(),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let heading = ["evaluations", "hypervolume", "regret", "front", "feasible", "allocate s", "fit s", "acquire s"];
        writeln!(out, "{}", heading.map(|name| format!("{name:>12}")).concat())?;
        for (i, evaluations) in self.evaluations.iter().enumerate() {
            let seconds = [self.allocate_s[i], self.fit_s[i], self.acquire_s[i]].map(|s| format!("{s:>12.3}")).concat();
            let (volume, regret, front, feasible) =
                (self.hypervolume[i], self.regret[i], self.front[i], self.feasible[i]);
            writeln!(out, "{evaluations:>12}{volume:>12.4}{regret:>12.4}{front:>12}{feasible:>12}{seconds}")?;
        }
        for coverage in &self.coverage {
            writeln!(out, "{coverage}")?;
        }
        if !self.attainable_is_known {
            writeln!(out, "the front of {} is not known: regret is measured from the best one known", self.problem)?;
        }
        write!(out, "overhead of all steps {:.1} s", self.overhead_s)
    }
}
