//! What `optimize` prints of a benchmark problem with several outputs.

use crate::experiments::{Coverage, MultiObjectiveExperiment, MultiObjectiveStep, maximum_hypervolume};
use miette::{IntoDiagnostic, Result};
use serde::Serialize;
use spargo::study::Config;
use spargo_cli::io::output::execution::peak_rss_mb;
use spargo_problems::multi_objective::{MaximumHypervolume, MultiObjectiveProblem};
use std::fmt;

/// How it went.
#[derive(Serialize)]
pub struct MultiObjectiveReport {
    problem: &'static str,
    /// The volume that regret is measured from, and whether it is known to be attained.
    attainable: f64,
    attainable_is_known: bool,
    threads: usize,
    initial_hypervolume: f64,
    evaluations: Vec<usize>,
    hypervolume: Vec<f64>,
    regret: Vec<f64>,
    /// Regret of the noise-free front of all trials, which no method knows.
    least_regret: Vec<f64>,
    /// Trials that no other one beats in posterior mean.
    front: Vec<usize>,
    /// Trials so far that satisfy every constraint.
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
pub fn optimize(
    problem: &'static MultiObjectiveProblem,
    batches: usize,
    configure: impl FnOnce(&mut Config),
) -> Result<MultiObjectiveReport> {
    let mut experiment = MultiObjectiveExperiment::new(problem, configure).into_diagnostic()?;
    let steps = experiment.run(batches).into_diagnostic()?;
    Ok(MultiObjectiveReport::new(problem, &steps, experiment.coverage().into_diagnostic()?))
}

impl MultiObjectiveReport {
    fn new(problem: &MultiObjectiveProblem, steps: &[MultiObjectiveStep], coverage: Vec<Coverage>) -> Self {
        let of = |value: fn(&MultiObjectiveStep) -> f64| steps[1..].iter().map(value).collect::<Vec<f64>>();
        let count = |value: fn(&MultiObjectiveStep) -> usize| steps[1..].iter().map(value).collect::<Vec<usize>>();
        MultiObjectiveReport {
            problem: problem.name,
            attainable: maximum_hypervolume(problem),
            attainable_is_known: matches!(problem.maximum_hypervolume, MaximumHypervolume::Exactly(_)),
            threads: rayon::current_num_threads(),
            initial_hypervolume: steps[0].hypervolume,
            evaluations: count(|step| step.evaluations),
            hypervolume: of(|step| step.hypervolume),
            regret: of(|step| step.regret),
            least_regret: of(|step| step.least_regret),
            front: count(|step| step.front),
            feasible: count(|step| step.feasible),
            allocate_s: of(|step| step.allocate_s),
            fit_s: of(|step| step.fit_s),
            acquire_s: of(|step| step.acquire_s),
            overhead_s: steps.iter().map(MultiObjectiveStep::overhead_s).sum(),
            coverage,
            peak_rss_mb: peak_rss_mb(),
        }
    }
}

impl fmt::Display for MultiObjectiveReport {
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
