//! A benchmark problem optimised batch by batch, with its regret: Section 5.1 of the paper, and what `spargo-lab optimize`
//! runs.
//!
//! ```text
//!     ask ─▶ evaluate with noise ─▶ tell ─▶ regret of argmax_{x queried} E f(x)
//! ```
//!
//! Problems with several outputs are in multi_objective.rs, maps in active_learning.rs.

mod active_learning;
mod adam;
mod asynchronous;
mod coverage;
mod multi_objective;
mod scores;
mod study;
mod svgp;
mod svgp_model;
mod svgp_training;
mod tiles;

pub use active_learning::{ActiveLearning, ActiveLearningStep};
pub use coverage::{Coverage, zdt3_front};
pub use multi_objective::{MultiObjectiveExperiment, MultiObjectiveStep, maximum_hypervolume};
pub use scores::{Bin, calibration};
pub use study::StudyOptimizer;
pub use svgp::{SvgpOptimizer, SvgpSettings};
pub use tiles::tiles;

use crate::benchmark::{Benchmark, Evaluator};
use crate::error::Result;
use crate::processor::cpu_seconds;
use serde::Serialize;
use spargo::data::Warp;
use spargo::rng::{Purpose, normal, stream};
use spargo::study::Config;

/// Chooses points, in the problem's units, to maximise their outcomes.
pub trait Optimizer {
    /// The next points, each with its number.
    fn ask(&mut self, count: usize) -> Result<Vec<(u64, Vec<f64>)>>;

    /// Outcomes by number.
    fn tell(&mut self, outcomes: &[(u64, f64)]) -> Result<()>;

    /// The best point by its model, given everything told.
    fn recommendation(&mut self) -> Result<Recommendation>;

    /// Seconds that the choice of the last batch took, the model not counted.
    fn acquire_s(&self) -> Result<f64>;
}

/// The point that an optimizer recommends, with its model in a few numbers and what that took.
#[derive(Debug, Clone)]
pub struct Recommendation {
    /// The evaluated point that models believe to be the best.
    pub best: Vec<f64>,
    /// How outcomes were mapped.
    pub warp: Warp,
    /// The noise variance, in units of the outcomes; under a warp, in the model's units.
    pub noise: f64,
    /// Inducing points; observations if the model is exact.
    pub inducing: usize,
    /// Seconds for the inducing points and for the model.
    pub seconds: (f64, f64),
}

/// A problem being optimised.
pub struct Experiment {
    benchmark: Benchmark,
    evaluator: Evaluator,
    /// The variance of the noise.
    noise: f64,
    optimizer: Box<dyn Optimizer>,
    seed: u64,
    initial: usize,
    batch: usize,
    /// Processor seconds of this process at the last step.
    used: f64,
}

/// After one batch has been told.
#[derive(Debug, Clone, Serialize)]
pub struct Step {
    /// Evaluations so far.
    pub evaluations: usize,
    /// Regret of the point with the best posterior mean, in scaled units.
    pub regret: f64,
    /// The best outcome so far, with its noise.
    pub best_observed: f64,
    /// Least regret of any evaluated point, which no method knows.
    pub least_regret: f64,
    /// How outcomes were mapped.
    pub warp: Warp,
    /// The learned noise variance.
    pub noise: f64,
    /// Inducing points.
    pub inducing: usize,
    /// Seconds for the inducing points.
    pub allocate_s: f64,
    /// Seconds for the model.
    pub fit_s: f64,
    /// Seconds for the batch that was evaluated.
    pub acquire_s: f64,
    /// Processor seconds for everything since the last step, evaluations included.
    pub cpu_s: f64,
}

/// What was evaluated.
#[derive(Debug)]
struct Evaluated {
    /// Points and their true values.
    points: Vec<(Vec<f64>, f64)>,
    /// The best outcome.
    best: f64,
    /// The least regret.
    least: f64,
}

impl Default for Evaluated {
    fn default() -> Self {
        Evaluated { points: Vec::new(), best: f64::NEG_INFINITY, least: f64::INFINITY }
    }
}

impl Step {
    /// Seconds that are not spent on evaluations.
    pub fn overhead_s(&self) -> f64 {
        self.allocate_s + self.fit_s + self.acquire_s
    }
}

impl Experiment {
    /// A problem and its optimizer, by `initial` points and batches of `batch`; the seed is that of the noise, and of a
    /// function that is drawn.
    pub fn new(
        problem: impl Into<Benchmark>,
        optimizer: Box<dyn Optimizer>,
        seed: u64,
        (initial, batch): (usize, usize),
    ) -> Result<Self> {
        let benchmark = problem.into();
        let (evaluator, noise) = (benchmark.evaluator(seed)?, benchmark.noise());
        Ok(Experiment { benchmark, evaluator, noise, optimizer, seed, initial, batch, used: cpu_seconds() })
    }

    /// A problem optimised by a study.
    pub fn of_study(problem: impl Into<Benchmark>, configure: impl FnOnce(&mut Config)) -> Result<Self> {
        Experiment::of_study_as(problem, configure, |study| study)
    }

    /// A problem optimised by a study that is changed before it begins.
    pub fn of_study_as(
        problem: impl Into<Benchmark>,
        configure: impl FnOnce(&mut Config),
        change: impl FnOnce(StudyOptimizer) -> StudyOptimizer,
    ) -> Result<Self> {
        let benchmark = problem.into();
        let mut config = Config::new(benchmark.space()?);
        config.name = benchmark.name().into();
        configure(&mut config);
        let (seed, sizes) = (config.seed, (config.initial_count(), config.batch));
        Experiment::new(benchmark, Box::new(change(StudyOptimizer::new(config)?)), seed, sizes)
    }

    /// This experiment with noise of another variance.
    pub fn with_noise(mut self, variance: f64) -> Self {
        self.noise = variance;
        self
    }

    /// Evaluates the initial design and then `batches` batches; `watch` sees every step.
    pub fn run(&mut self, batches: usize, watch: impl FnMut(&Step)) -> Result<Vec<Step>> {
        self.run_until(self.initial + batches * self.batch, watch)
    }

    /// Evaluates the initial design and then batches, of which the last is as large as the budget allows.
    pub fn run_until(&mut self, budget: usize, mut watch: impl FnMut(&Step)) -> Result<Vec<Step>> {
        let (mut steps, mut known) = (Vec::new(), Evaluated::default());
        while known.points.len() < budget {
            let size = if known.points.is_empty() { self.initial } else { self.batch.max(1) };
            let trials = self.optimizer.ask(size.min(budget - known.points.len()))?;
            if trials.is_empty() {
                break;
            }
            let outcomes = self.evaluate(trials, &mut known)?;
            self.optimizer.tell(&outcomes)?;
            let step = self.step(known.points.len(), &known)?;
            watch(&step);
            steps.push(step);
        }
        Ok(steps)
    }

    /// Evaluates points, each with noise of its own.
    fn evaluate(&mut self, trials: Vec<(u64, Vec<f64>)>, known: &mut Evaluated) -> Result<Vec<(u64, f64)>> {
        let (ids, points): (Vec<u64>, Vec<Vec<f64>>) = trials.into_iter().unzip();
        let values = self.evaluator.scaled(&points)?;
        let mut outcomes = Vec::with_capacity(ids.len());
        for (id, value) in ids.into_iter().zip(&values) {
            let y = value + self.noise.sqrt() * normal(&mut stream(self.seed, Purpose::Data, 0, id));
            outcomes.push((id, y));
            known.best = y.max(known.best);
            known.least = (self.benchmark.optimum() - value).min(known.least);
        }
        known.points.extend(points.into_iter().zip(values));
        Ok(outcomes)
    }

    /// What is recommended once so many outcomes were told.
    fn step(&mut self, evaluations: usize, known: &Evaluated) -> Result<Step> {
        let recommendation = self.optimizer.recommendation()?;
        Ok(Step {
            evaluations,
            regret: self.regret(&known.points, &recommendation.best)?,
            best_observed: known.best,
            least_regret: known.least,
            warp: recommendation.warp,
            noise: recommendation.noise,
            inducing: recommendation.inducing,
            allocate_s: recommendation.seconds.0,
            fit_s: recommendation.seconds.1,
            acquire_s: self.optimizer.acquire_s()?,
            cpu_s: {
                let now = cpu_seconds();
                now - std::mem::replace(&mut self.used, now)
            },
        })
    }

    /// The regret at a point, as a rule one that was evaluated.
    fn regret(&mut self, evaluated: &[(Vec<f64>, f64)], x: &[f64]) -> Result<f64> {
        let value = match evaluated.iter().find(|(point, _)| point == x) {
            Some((_, value)) => *value,
            None => self.evaluator.scaled(&[x.to_vec()])?[0],
        };
        Ok(self.benchmark.optimum() - value)
    }
}
