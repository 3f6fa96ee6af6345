//! Optimisation runs of Section 5.1, which Figure 4 and Appendices C, D and F are drawn from: their settings, jobs and rows.
//!
//! Where ours differ from the paper, or the paper is silent:
//! - sparse models use the collapsed bound, whose q(u) is optimal, unless trained as the paper's were (`svgp-adam`);
//! - the kernel is Matérn-5/2 with a length scale an input and a constant mean, as the paper says of its radiator only;
//!   hyperparameters have the engine's weak priors, and the noise variance is learned;
//! - the 100 initial points are spread evenly (scrambled Sobol), and so are the 10,000 candidates of each batch, which its
//!   paths share, as they share their 100 frequencies (as in Trieste, which the paper used);
//! - no point is evaluated twice; outcomes are not warped.

use crate::error::Result;
use crate::experiment::{Experiment, Optimizer, Step, StudyOptimizer, SvgpOptimizer, SvgpSettings, space};
use crate::options::{Options, Training};
use crate::rows::{read_settings, to_value};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use spargo::allocate::Allocation;
use spargo::kernel::Family;
use spargo::maximize::Maximizing;
use spargo::model::{Learning, Priors};
use spargo::problems::{self, Problem};
use spargo::sample::Sampling;
use spargo::study::{Config, Warping};

/// The kind of these rows.
pub const KIND: &str = "run";

/// Everything that a run depends on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
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
    /// Of every random choice, the noise included.
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
    pub learning: Learning,
    /// Whether priors join it.
    pub priors: Priors,
    /// Whether outcomes are warped.
    pub warp: Warping,
    /// Whether the noise variance is known.
    pub noise: Noise,
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
}

/// What the model is told about noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Noise {
    /// Nothing.
    Learned,
    /// Its variance.
    Known,
}

/// How a run went, after the initial points and after every batch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
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
    /// Seconds for inducing points, for the model, and for the batch.
    pub allocate_s: Vec<f64>,
    /// See above.
    pub fit_s: Vec<f64>,
    /// See above.
    pub acquire_s: Vec<f64>,
}

/// A line of a figure: a name, and how inducing points are chosen (not at all by the exact GP).
pub type Method = (&'static str, Option<Allocation>);

/// What a figure consists of, as in the paper.
pub struct Design<'a> {
    /// Functions.
    pub functions: &'a [&'a str],
    /// Methods.
    pub methods: &'a [Method],
    /// Numbers of inducing points.
    pub inducing: &'a [usize],
}

/// The baselines of every figure.
pub const BASELINES: [Method; 4] = [
    ("cvr", Some(Allocation::Cvr)),
    ("kmeans", Some(Allocation::Kmeans { inputs: spargo::allocate::Inputs::Plain })),
    ("uniform", Some(Allocation::Uniform)),
    ("exact", None),
];

/// Settings that have options of their own.
const OWN: [&str; 7] = ["seed", "function", "method", "allocation", "inducing", "training", "steps"];

/// What the paper repeats, and how long its runs are.
const REPEATS: usize = 50;
const STEPS: usize = 50;
const EXACT_STEPS: usize = 10;

/// The runs that are wanted: all of the first repeat, then all of the next.
pub fn jobs(options: &Options, design: &Design<'_>) -> Result<Vec<Value>> {
    let names: Vec<&str> = design.methods.iter().map(|(name, _)| *name).collect();
    let functions = options.chosen("function", &options.functions, design.functions)?;
    let names = options.chosen("method", &options.methods, &names)?;
    let inducing = if options.inducing.is_empty() { design.inducing } else { &options.inducing };
    let mut jobs = Vec::new();
    for seed in options.seeds(REPEATS) {
        for function in &functions {
            let wanted = design.methods.iter().filter(|(name, _)| names.contains(name));
            let (sparse, exact): (Vec<&Method>, Vec<&Method>) =
                wanted.partition(|(_, allocation)| allocation.is_some());
            let sparse = inducing.iter().flat_map(|&m| sparse.iter().map(move |method| (*method, Some(m))));
            for (method, m) in sparse.chain(exact.into_iter().map(|method| (method, None))) {
                let settings = options.apply(&Settings::paper(function, method, m, seed, options), &OWN)?;
                read_settings::<Settings>(&settings)?;
                jobs.push(settings);
            }
        }
    }
    Ok(jobs)
}

/// Runs one job.
pub fn run(settings: &Value) -> Result<Value> {
    let settings: Settings = read_settings(settings)?;
    let problem = problems::by_name(&settings.function)?;
    let sizes = (settings.initial, settings.batch);
    let mut experiment = Experiment::new(problem, settings.optimizer(problem)?, settings.seed, sizes);
    let outcome = Outcome::new(&experiment.run(settings.steps, |_| {})?);
    to_value(&outcome)
}

impl Settings {
    fn paper(function: &str, method: &Method, inducing: Option<usize>, seed: u64, options: &Options) -> Self {
        let (name, allocation) = *method;
        let steps = options.steps.unwrap_or(STEPS);
        Settings {
            function: function.into(),
            method: name.into(),
            allocation,
            inducing,
            training: inducing.map(|_| options.training),
            seed,
            initial: 100,
            batch: 100,
            steps: if inducing.is_some() { steps } else { steps.min(EXACT_STEPS) },
            kernel: Family::Matern52,
            learning: Learning::Bound,
            priors: Priors::On,
            warp: Warping::Off,
            noise: Noise::Learned,
            features: 100,
            block: 100,
            pool: 10_000,
            near: 0,
            starts: 1,
        }
    }

    fn optimizer(&self, problem: &'static Problem) -> Result<Box<dyn Optimizer>> {
        let known_noise = (self.noise == Noise::Known).then_some(problem.noise);
        let sampling = Sampling { features: self.features, block: self.block };
        let maximizing = Maximizing { pool: self.pool, near: self.near, starts: self.starts, ..Maximizing::default() };
        if self.training == Some(Training::SvgpAdam) {
            return Ok(Box::new(SvgpOptimizer::new(SvgpSettings {
                space: space(problem)?,
                seed: self.seed,
                inducing: self.inducing.unwrap_or(1),
                allocation: self.allocation.unwrap_or_default(),
                kernel: self.kernel,
                priors: self.priors,
                known_noise,
                sampling,
                maximizing,
            })));
        }
        let mut config = Config::new(space(problem)?);
        config.seed = self.seed;
        config.initial = self.initial;
        config.batch = self.batch;
        config.inducing = self.inducing.unwrap_or(1);
        config.allocation = self.allocation.unwrap_or_default();
        config.model.exact_until = if self.inducing.is_some() { 0 } else { usize::MAX };
        config.model.kernel = self.kernel;
        config.model.learning = self.learning;
        config.model.priors = self.priors;
        config.model.warp = self.warp;
        config.sampling = sampling;
        config.maximizing = maximizing;
        let study = StudyOptimizer::new(config)?;
        Ok(Box::new(match known_noise {
            Some(variance) => study.with_known_noise(variance),
            None => study,
        }))
    }
}

impl Outcome {
    fn new(steps: &[Step]) -> Self {
        let of = |value: fn(&Step) -> f64| steps.iter().map(value).collect::<Vec<f64>>();
        Outcome {
            evaluations: steps.iter().map(|step| step.evaluations).collect(),
            regret: of(|step| step.regret),
            least_regret: of(|step| step.least_regret),
            best_observed: of(|step| step.best_observed),
            noise: of(|step| step.noise),
            inducing: steps.iter().map(|step| step.inducing).collect(),
            allocate_s: of(|step| step.allocate_s),
            fit_s: of(|step| step.fit_s),
            acquire_s: of(|step| step.acquire_s),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DESIGN: Design<'static> =
        Design { functions: &["shekel4", "ackley5"], methods: &BASELINES, inducing: &[250, 500] };

    #[test]
    fn jobs_are_the_product_of_what_is_wanted_repeat_by_repeat() {
        let options = Options { repeats: Some(2), seed_from: 5, ..Options::default() };
        let jobs: Vec<Settings> =
            jobs(&options, &DESIGN).unwrap().iter().map(|job| read_settings(job).unwrap()).collect();
        // Three sparse methods at two sizes, and the exact GP once.
        assert_eq!(jobs.len(), 2 * 2 * (3 * 2 + 1));
        assert!(jobs[..14].iter().all(|job| job.seed == 5) && jobs[14..].iter().all(|job| job.seed == 6));
        let exact: Vec<&Settings> = jobs.iter().filter(|job| job.method == "exact").collect();
        assert_eq!(exact.len(), 4);
        assert!(exact.iter().all(|job| job.steps == 10 && job.inducing.is_none() && job.training.is_none()));
        assert!(jobs.iter().filter(|job| job.method != "exact").all(|job| job.steps == 50 && job.features == 100));
    }

    #[test]
    fn what_is_asked_for_is_in_the_settings_and_what_is_unknown_is_refused() {
        let options = |more: Options| Options { repeats: Some(1), functions: vec!["ackley5".into()], ..more };
        let set = |name: &str, value: Value| options(Options { set: vec![(name.into(), value)], ..Options::default() });
        let known = jobs(&set("noise", "known".into()), &DESIGN).unwrap();
        assert!(known.iter().all(|job| job["noise"] == "known") && known.len() == 7);
        for (name, value) in [("noise", Value::from(3)), ("nois", "known".into()), ("seed", Value::from(3))] {
            let message = jobs(&set(name, value), &DESIGN).unwrap_err().to_string();
            assert!(
                message.contains(if name == "noise" { "cannot be run" } else { "there is no setting" }),
                "{message}"
            );
        }
        let message = jobs(&options(Options { methods: vec!["dpp".into()], ..Options::default() }), &DESIGN);
        assert!(message.unwrap_err().to_string().contains("cvr, kmeans, uniform, exact"));
    }
}
