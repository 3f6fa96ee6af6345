//! What comes of a run on a problem with several outputs.

use super::settings::{Noise, RunSettings};
use crate::curves::Curve;
use crate::error::Result;
use crate::experiments::{Coverage, MultiObjectiveExperiment, MultiObjectiveStep};
use crate::table::rounded;
use serde::{Deserialize, Serialize};
use spargo_problems::multi_objective;

/// How such a run went, after the initial points and after every batch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MultiOutputRun {
    /// Evaluations so far.
    pub evaluations: Vec<usize>,
    /// Noise-free hypervolume of the feasible trials on the believed front.
    pub hypervolume: Vec<f64>,
    /// Maximum hypervolume minus `hypervolume`.
    pub regret: Vec<f64>,
    /// Regret of the noise-free front of all trials.
    pub least_regret: Vec<f64>,
    /// Trials that no other one beats in posterior mean.
    pub front: Vec<usize>,
    /// Trials that satisfy every constraint.
    pub feasible: Vec<usize>,
    /// Inducing points of all models.
    pub inducing: Vec<usize>,
    /// Seconds for the inducing points.
    pub allocate_s: Vec<f64>,
    /// Seconds for the models.
    pub fit_s: Vec<f64>,
    /// Seconds for the batch.
    pub acquire_s: Vec<f64>,
    /// The objectives of the feasible trials believed to be the front after the last batch, noise-free.
    pub found: Vec<Vec<f64>>,
    /// How each model's inducing points cover the true front then, where it is known in pieces.
    pub coverage: Vec<Coverage>,
}

impl MultiOutputRun {
    /// Runs it.
    pub(super) fn of(settings: &RunSettings) -> Result<Self> {
        let problem = multi_objective::by_name(&settings.function)?;
        let mut experiment = MultiObjectiveExperiment::new(problem, |config| settings.configure(config))?;
        if settings.noise == Noise::Known {
            experiment = experiment.with_known_noise();
        }
        let steps = experiment.run(settings.steps)?;
        let of = |value: fn(&MultiObjectiveStep) -> f64| steps.iter().map(value).collect::<Vec<f64>>();
        let count = |value: fn(&MultiObjectiveStep) -> usize| steps.iter().map(value).collect::<Vec<usize>>();
        let found = experiment.front()?.into_iter().map(|point| point.into_iter().map(rounded).collect());
        Ok(MultiOutputRun {
            evaluations: count(|step| step.evaluations),
            hypervolume: of(|step| step.hypervolume),
            regret: of(|step| step.regret),
            least_regret: of(|step| step.least_regret),
            front: count(|step| step.front),
            feasible: count(|step| step.feasible),
            inducing: count(|step| step.inducing),
            allocate_s: of(|step| step.allocate_s),
            fit_s: of(|step| step.fit_s),
            acquire_s: of(|step| step.acquire_s),
            found: found.collect(),
            coverage: experiment.coverage()?,
        })
    }

    /// The volume after every batch.
    pub fn volume(&self) -> Curve {
        Curve { evaluations: self.evaluations.clone(), values: self.hypervolume.clone() }
    }

    /// What it lacks.
    pub fn regret(&self) -> Curve {
        Curve { evaluations: self.evaluations.clone(), values: self.regret.clone() }
    }

    /// Seconds of its first steps that were not spent on evaluations; all of them if there are fewer.
    pub fn overhead_s(&self, steps: usize) -> f64 {
        [&self.allocate_s, &self.fit_s, &self.acquire_s].iter().flat_map(|list| list.iter().take(steps)).sum()
    }
}
