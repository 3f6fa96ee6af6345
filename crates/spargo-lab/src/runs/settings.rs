//! What a run depends on, and what comes of it.

use super::{Design, Method};
use crate::curves::{Curve, Of};
use crate::error::{Error, Result};
use crate::experiments::{Optimizer, Step, StudyOptimizer, SvgpOptimizer, SvgpSettings};
use crate::options::{Options, Training};
use serde::{Deserialize, Serialize};
use spargo::acquire::Rule;
use spargo::acquire::optimizer::AcquisitionOptions;
use spargo::allocate::Allocation;
use spargo::kernel::Family;
use spargo::model::{EXACT_LIMIT, Priors};
use spargo::sample::SamplingOptions;
use spargo::study::{Config, HyperparameterChoice, LocalModelOptions, NoiseBound, OutcomeTransformChoice};
use spargo_problems::Problem;

/// The paper's batches of the exact GP, at most.
const EXACT_STEPS: usize = 10;

/// Everything that a run depends on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RunSettings {
    /// The problem.
    pub function: String,
    /// What the figure calls the model.
    pub method: String,
    /// How inducing points are chosen; none for the exact GP.
    pub allocation: Option<Allocation>,
    /// M; none for the exact GP.
    pub inducing: Option<usize>,
    /// How sparse models are trained; none for the exact GP.
    pub training: Option<Training>,
    /// Random seed, of the noise as well.
    pub seed: u64,
    /// Points before the first batch.
    pub initial: usize,
    /// Points of a batch.
    pub batch: usize,
    /// Batches.
    pub steps: usize,
    /// The kernel.
    pub kernel: Family,
    /// What hyperparameters maximise; the bound of the exact GP is its likelihood. Adam climbs the variational bound.
    pub hyperparameters: HyperparameterChoice,
    /// Whether priors join it.
    pub priors: Priors,
    /// How outcomes are mapped before the model sees them.
    pub outcome_transform: OutcomeTransformChoice,
    /// Whether the noise variance is learned or known.
    pub noise: Noise,
    /// Upper bound on a learned noise variance.
    pub noise_bound: NoiseBound,
    /// Features of a path.
    pub features: usize,
    /// Paths that share frequencies.
    pub block: usize,
    /// Candidates from which climbs begin.
    pub pool: usize,
    /// Candidates around the best points so far.
    pub near: usize,
    /// Climbs of each path.
    pub starts: usize,
    /// How batches are chosen for several outputs; one output has Thompson's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<&'static Rule>,
}

/// Where the noise variance of the model comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Noise {
    /// It is learned from the outcomes.
    Learned,
    /// It is the problem's own.
    Known,
}

/// How a run went, after the initial points and after every batch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunResult {
    /// Evaluations so far.
    pub evaluations: Vec<usize>,
    /// Regret of the best posterior mean among queried points.
    pub regret: Vec<f64>,
    /// Least regret of all queried points.
    pub least_regret: Vec<f64>,
    /// The best outcome.
    pub best_observed: Vec<f64>,
    /// The noise variance that was learned.
    pub noise: Vec<f64>,
    /// Inducing points.
    pub inducing: Vec<usize>,
    /// Seconds for the inducing points.
    pub allocate_s: Vec<f64>,
    /// Seconds for the model.
    pub fit_s: Vec<f64>,
    /// Seconds for the batch.
    pub acquire_s: Vec<f64>,
    /// Processor seconds for everything, evaluations included; empty in rows of earlier versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cpu_s: Vec<f64>,
}

impl RunSettings {
    /// The paper's settings.
    pub(super) fn paper(
        design: &Design<'_>,
        (function, (name, allocation), inducing): (&str, &Method, Option<usize>),
        seed: u64,
        options: &Options,
    ) -> Self {
        let steps = options.steps.unwrap_or(design.steps);
        let training = design.rule.map_or(options.training, |_| Training::Collapsed);
        RunSettings {
            function: function.into(),
            method: (*name).into(),
            allocation: allocation.clone(),
            inducing,
            training: inducing.map(|_| training),
            seed,
            initial: 100,
            batch: 100,
            steps: if inducing.is_some() { steps } else { steps.min(EXACT_STEPS) },
            kernel: Family::Matern52,
            hyperparameters: HyperparameterChoice::Bound,
            priors: Priors::On,
            outcome_transform: OutcomeTransformChoice::Off,
            noise: Noise::Learned,
            noise_bound: NoiseBound::Off,
            features: 100,
            block: 100,
            pool: 10_000,
            near: 0,
            starts: 1,
            rule: design.rule.and_then(|name| Rule::by_name(name).ok()),
        }
    }

    /// The line it belongs to.
    pub fn of(&self) -> Of {
        Of { function: self.function.clone(), method: self.method.clone(), inducing: self.inducing }
    }

    /// Writes them into the settings of a study.
    pub(super) fn configure(&self, config: &mut Config) {
        config.seed = self.seed;
        config.initial = self.initial.into();
        config.batch = self.batch;
        config.inducing = self.inducing.unwrap_or(1).into();
        config.allocation = self.allocation.clone().unwrap_or_default();
        config.rule = self.rule;
        config.model.exact_until = if self.inducing.is_some() { 0 } else { EXACT_LIMIT };
        config.model.kernel = self.kernel.into();
        config.model.hyperparameters = self.hyperparameters.clone();
        config.model.priors = self.priors;
        config.model.outcome_transform = self.outcome_transform;
        config.model.noise_bound = self.noise_bound;
        config.local_models = LocalModelOptions { neighbours: 0, share: Some(0.0) };
        config.sampling = SamplingOptions { features: self.features, block: self.block };
        config.acquisition = self.acquisition();
        config.trust_regions.share = Some(0.0);
    }

    fn acquisition(&self) -> AcquisitionOptions {
        let (pool, near, starts) = (self.pool, self.near, self.starts);
        AcquisitionOptions { pool, near, starts, exclusion: 0, ..AcquisitionOptions::default() }
    }

    /// The optimizer of a run with these settings.
    pub(super) fn optimizer(&self, problem: &'static Problem) -> Result<Box<dyn Optimizer>> {
        let known_noise = (self.noise == Noise::Known).then_some(problem.noise);
        if self.training == Some(Training::SvgpAdam) {
            if self.noise_bound == NoiseBound::ClosePairs {
                return Err(Error::Unsupported {
                    what: "a noise bound for models trained by Adam".into(),
                    remedy: "leave out one of noise-bound=close-pairs and --inference svgp-adam".into(),
                });
            }
            return Ok(Box::new(SvgpOptimizer::new(SvgpSettings {
                space: problem.space()?,
                seed: self.seed,
                inducing: self.inducing.unwrap_or(1),
                allocation: self.allocation.clone().unwrap_or_default(),
                kernel: self.kernel,
                priors: self.priors,
                known_noise,
                sampling: SamplingOptions { features: self.features, block: self.block },
                acquisition: self.acquisition(),
            })));
        }
        let mut config = Config::new(problem.space()?);
        self.configure(&mut config);
        let study = StudyOptimizer::new(config)?;
        Ok(Box::new(match known_noise {
            Some(variance) => study.with_known_noise(variance),
            None => study,
        }))
    }
}

impl RunResult {
    /// Regret after every batch.
    pub fn regret(&self) -> Curve {
        Curve { evaluations: self.evaluations.clone(), values: self.regret.clone() }
    }

    /// The lists of what its steps tell.
    pub fn new(steps: &[Step]) -> Self {
        let of = |value: fn(&Step) -> f64| steps.iter().map(value).collect::<Vec<f64>>();
        RunResult {
            evaluations: steps.iter().map(|step| step.evaluations).collect(),
            regret: of(|step| step.regret),
            least_regret: of(|step| step.least_regret),
            best_observed: of(|step| step.best_observed),
            noise: of(|step| step.noise),
            inducing: steps.iter().map(|step| step.inducing).collect(),
            allocate_s: of(|step| step.allocate_s),
            fit_s: of(|step| step.fit_s),
            acquire_s: of(|step| step.acquire_s),
            cpu_s: of(|step| step.cpu_s),
        }
    }
}
