//! A benchmark problem with several outputs, optimised by a study: Section 5.3 of the paper, and what `spargo-lab optimize` runs
//! on such a problem.
//!
//! ```text
//!     volume_n = hypervolume of f(x), noise-free, over the x that no other trial beats in posterior mean   (feasible ones)
//!     regret_n = maximum volume − volume_n
//! ```

use super::coverage::{Coverage, coverage};
use crate::error::Result;
use spargo::rng::{Purpose, stream};
use spargo::study::{Config, Goal, Outcome, Output, Study, Trial};
use spargo_problems::multi_objective::{Direction, MaximumHypervolume, MultiObjectiveProblem};
use spargo_problems::numbers;

/// A problem with several outputs that is being optimised.
#[derive(Debug)]
pub struct MultiObjectiveExperiment {
    problem: &'static MultiObjectiveProblem,
    study: Study,
    /// The noise variance of every output, as far as the study is told.
    known_noise: Option<Vec<Option<f64>>>,
    /// The outputs of all trials, without noise.
    seen: Vec<Vec<f64>>,
}

/// After one batch has been told.
#[derive(Debug, Clone)]
pub struct MultiObjectiveStep {
    /// Evaluations so far.
    pub evaluations: usize,
    /// Noise-free hypervolume of the trials on the believed front.
    pub hypervolume: f64,
    /// Maximum hypervolume minus `hypervolume`.
    pub regret: f64,
    /// Regret of the noise-free front of all trials, which no method knows.
    pub least_regret: f64,
    /// Trials that no other one beats in posterior mean.
    pub front: usize,
    /// Trials so far that satisfy every constraint.
    pub feasible: usize,
    /// Inducing points of all models; observations where a model is exact.
    pub inducing: usize,
    /// Seconds for the inducing points.
    pub allocate_s: f64,
    /// Seconds for the models.
    pub fit_s: f64,
    /// Seconds for the batch that was evaluated.
    pub acquire_s: f64,
}

impl MultiObjectiveStep {
    /// Seconds that are not spent on evaluations.
    pub fn overhead_s(&self) -> f64 {
        self.allocate_s + self.fit_s + self.acquire_s
    }
}

impl MultiObjectiveExperiment {
    /// A problem optimised by a study.
    pub fn new(problem: &'static MultiObjectiveProblem, configure: impl FnOnce(&mut Config)) -> Result<Self> {
        let mut config = Config::new(problem.space()?);
        config.name = problem.name.into();
        config.outputs = outputs(problem);
        configure(&mut config);
        Ok(MultiObjectiveExperiment { problem, study: Study::in_memory(config)?, known_noise: None, seen: Vec::new() })
    }

    /// This experiment with known noise variances of the objectives.
    pub fn with_known_noise(self) -> Self {
        let objectives = self.problem.objectives.iter().map(|one| Some(self.problem.noise * one.std * one.std));
        let known = objectives.chain(self.problem.constraints.iter().map(|_| None)).collect();
        MultiObjectiveExperiment { known_noise: Some(known), ..self }
    }

    /// Evaluates the initial design and then `batches` batches.
    pub fn run(&mut self, batches: usize) -> Result<Vec<MultiObjectiveStep>> {
        (0..=batches).map(|number| self.step(number)).collect()
    }

    /// The objectives, without noise, of those trials believed to be the front that satisfy every constraint.
    pub fn front(&mut self) -> Result<Vec<Vec<f64>>> {
        let mut front = self.believed()?;
        front.retain(|outputs| self.problem.feasible(outputs));
        front.iter_mut().for_each(|outputs| outputs.truncate(self.problem.objectives.len()));
        Ok(front)
    }

    /// How each model's inducing points cover the true front, where it is known in pieces and the model is sparse.
    pub fn coverage(&mut self) -> Result<Vec<Coverage>> {
        coverage(self.problem, &mut self.study)
    }

    fn step(&mut self, number: usize) -> Result<MultiObjectiveStep> {
        let config = self.study.config();
        let trials = self.study.ask(if number == 0 { config.initial_count() } else { config.batch })?;
        self.evaluate(&trials)?;
        let believed = self.believed()?;
        let models = self.study.model_reports()?;
        let asked = self.study.reports()?;
        let hypervolume = self.problem.hypervolume(&believed)?;
        let maximum_hypervolume = maximum_hypervolume(self.problem);
        Ok(MultiObjectiveStep {
            evaluations: self.study.history().records().len(),
            hypervolume,
            regret: maximum_hypervolume - hypervolume,
            least_regret: maximum_hypervolume - self.problem.hypervolume(&self.seen)?,
            front: believed.len(),
            feasible: self.seen.iter().filter(|outputs| self.problem.feasible(outputs)).count(),
            inducing: models.iter().map(|model| model.inducing).sum(),
            allocate_s: models.iter().map(|model| model.allocate_s).sum(),
            fit_s: models.iter().map(|model| model.fit_s).sum(),
            acquire_s: asked.last().map_or(0.0, |report| report.acquire_s),
        })
    }

    /// The outputs, without noise, of the trials that no other one beats in posterior mean.
    fn believed(&mut self) -> Result<Vec<Vec<f64>>> {
        let believed = self.study.fronts()?.believed;
        let points: Vec<Vec<f64>> = believed.iter().map(|one| numbers(&one.trial.point)).collect();
        Ok(self.problem.values(&points)?)
    }

    /// Tells the outcomes of a batch.
    fn evaluate(&mut self, trials: &[Trial]) -> Result<()> {
        let seed = self.study.config().seed;
        let mut outcomes = Vec::with_capacity(trials.len());
        for trial in trials {
            let x = numbers(&trial.point);
            let mut rng = stream(seed, Purpose::Data, 0, trial.id);
            let values = self.problem.observe(&x, &mut rng)?;
            self.seen.push(self.problem.value(&x)?);
            let outcome = match &self.known_noise {
                Some(variances) => Outcome::with_variances(values, variances.iter().copied()),
                None => Outcome::values(values),
            };
            outcomes.push((trial.id, outcome));
        }
        self.study.tell(&outcomes)?;
        Ok(())
    }
}

/// The volume that regret is measured from.
pub fn maximum_hypervolume(problem: &MultiObjectiveProblem) -> f64 {
    match problem.maximum_hypervolume {
        MaximumHypervolume::Exactly(volume) | MaximumHypervolume::AtLeast(volume) => volume,
    }
}

/// Objectives, then constraints.
fn outputs(problem: &MultiObjectiveProblem) -> Vec<Output> {
    let goal = |direction| if direction == Direction::Maximize { Goal::Maximize } else { Goal::Minimize };
    let objectives = problem.objectives.iter().map(|objective| goal(objective.direction));
    let limit = |at_most| Goal::Constraint { at_least: None, at_most: Some(at_most) };
    let goals = objectives.chain(problem.constraints.iter().map(|constraint| limit(constraint.at_most)));
    problem.outputs().zip(goals).map(|(name, goal)| Output::new(name, goal)).collect()
}
