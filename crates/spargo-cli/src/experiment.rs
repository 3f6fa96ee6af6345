//! A benchmark problem optimised by a study: what `optimize` and `demo` run.

use miette::{IntoDiagnostic, Result};
use serde::Serialize;
use spargo::data::Warp;
use spargo::problems::Problem;
use spargo::rng::{Purpose, stream};
use spargo::space::{Dimension, Domain, Point, Scale, Space, Value};
use spargo::study::{Config, Outcome, StepReport, Study, Trial};

/// The study of a problem, and how it went so far.
pub struct Experiment {
    problem: &'static Problem,
    study: Study,
    seed: u64,
}

/// After one batch has been told.
#[derive(Debug, Clone, Serialize)]
pub struct Step {
    /// Evaluations so far.
    pub evaluations: usize,
    /// Of the point with the best posterior mean, in scaled units.
    pub regret: f64,
    /// The best outcome so far, with its noise.
    pub best_observed: f64,
    /// Least regret of any evaluated point, which nobody could know.
    pub least_regret: f64,
    /// How outcomes were mapped.
    pub warp: Warp,
    /// Seconds: for the inducing points, the model, and the batch that came next.
    pub allocate_s: f64,
    pub fit_s: f64,
    pub acquire_s: f64,
}

impl Step {
    /// Seconds that are not spent on evaluations.
    pub fn overhead_s(&self) -> f64 {
        self.allocate_s + self.fit_s + self.acquire_s
    }
}

impl Experiment {
    pub fn new(problem: &'static Problem, configure: impl FnOnce(&mut Config)) -> Result<Self> {
        let mut config = Config::new(space(problem)?);
        config.name = problem.name.into();
        configure(&mut config);
        let seed = config.seed;
        Ok(Experiment { problem, study: Study::in_memory(config).into_diagnostic()?, seed })
    }

    /// Evaluates the initial design and then `batches` batches; `watch` sees every step.
    pub fn run(&mut self, batches: usize, mut watch: impl FnMut(&Step)) -> Result<Vec<Step>> {
        let (initial, batch) = (self.study.config().initial, self.study.config().batch);
        let mut steps = Vec::new();
        let mut least = f64::INFINITY;
        for number in 0..=batches {
            let trials = self.study.ask(if number == 0 { initial } else { batch }).into_diagnostic()?;
            least = self.evaluate(&trials)?.min(least);
            let mut step = self.step(number, least)?;
            step.acquire_s = self.last_report()?.acquire_s;
            watch(&step);
            steps.push(step);
        }
        Ok(steps)
    }

    /// Tells the outcomes of a batch; the least regret in it.
    fn evaluate(&mut self, trials: &[Trial]) -> Result<f64> {
        let (mut outcomes, mut least) = (Vec::with_capacity(trials.len()), f64::INFINITY);
        for trial in trials {
            let x = numbers(&trial.point);
            let mut rng = stream(self.seed, Purpose::Data, 0, trial.id);
            outcomes.push((trial.id, Outcome::value(self.problem.observe(&x, &mut rng).into_diagnostic()?)));
            least = least.min(self.problem.regret(&x).into_diagnostic()?);
        }
        self.study.tell(&outcomes).into_diagnostic()?;
        Ok(least)
    }

    fn step(&mut self, number: usize, least_regret: f64) -> Result<Step> {
        let best = self.study.best().into_diagnostic()?;
        let Some(best) = best else { return Err(miette::miette!("step {number} left no observation")) };
        let report = self.study.model_reports().into_diagnostic()?.remove(0);
        Ok(Step {
            evaluations: self.study.history().records().len(),
            regret: self.problem.regret(&numbers(&best.believed.trial.point)).into_diagnostic()?,
            best_observed: best.observed.value,
            least_regret,
            warp: report.warp,
            allocate_s: report.allocate_s,
            fit_s: report.fit_s,
            acquire_s: 0.0,
        })
    }

    fn last_report(&self) -> Result<StepReport> {
        let reports = self.study.reports().into_diagnostic()?;
        reports.into_iter().last().ok_or_else(|| miette::miette!("no step has been made"))
    }
}

/// The box of a problem.
pub fn space(problem: &Problem) -> Result<Space> {
    let input = |(k, &(lower, upper)): (usize, &(f64, f64))| Dimension {
        name: format!("x{}", k + 1),
        domain: Domain::Real { lower, upper, scale: Scale::Linear },
    };
    Space::new(problem.bounds.iter().enumerate().map(input).collect()).into_diagnostic()
}

/// A point of such a box.
pub fn numbers(point: &Point) -> Vec<f64> {
    let number = |value: &Value| match value {
        Value::Real(real) => *real,
        Value::Int(int) => *int as f64,
        Value::Choice(_) => f64::NAN,
    };
    point.iter().map(number).collect()
}
