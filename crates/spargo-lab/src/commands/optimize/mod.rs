//! `spargo-lab optimize`: a benchmark problem, batch by batch, with its regret.

mod multi_objective;

use crate::benchmark::{Benchmark, BenchmarkName, PREFIX};
use crate::experiments::{Experiment, Step, StudyOptimizer};
use clap::{Args, ValueEnum};
use miette::{IntoDiagnostic, Result, miette};
use serde::Serialize;
use spargo::acquire::Rule;
use spargo::allocate::Allocation;
use spargo::data::Warp;
use spargo::kernel::Family;
use spargo::model::{EXACT_LIMIT, Priors};
use spargo::study::{Config, HyperparameterChoice, NoiseBound, OutcomeTransformChoice};
use spargo_cli::io::output::execution::{Execution, peak_rss_mb};
use spargo_cli::io::parse::{allocation as parse_allocation, allocation_help, by_name, kernel_help};
use spargo_problems::multi_objective::{
    ALL as MULTI_OBJECTIVE, MultiObjectiveProblem, by_name as multi_objective_by_name,
};
use std::fmt;

/// What the help says of allocation beyond one objective.
const SEVERAL_HELP: &str = "\
Of several objectives imp-dpp means front-dpp, which spreads points along the whole front; hv-dpp weighs them by the volume \
that they dominate; whatever weighs points means al-dpp for constraints";

/// Rows of a subset, unless said otherwise.
const SUBSET: usize = 1500;

/// Arguments of `spargo-lab optimize`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  spargo-lab optimize hartmann6
  spargo-lab optimize branin --batches 10 --batch 20 --initial 20 --rule log-ei --json
  spargo-lab optimize zdt3 --batches 20 --inducing 100 --allocation front-dpp
  spargo-lab optimize radiator --batches 10 --inducing 100
  spargo-lab optimize 'command:python3 scripts/problems/example.py --dimension 3' --batches 5

What a program must print is in docs/guide/problems.md.")]
pub struct Optimize {
    /// Which problem: shekel4, hartmann6, ackley5, michalewicz5, rosenbrock4, rosenbrock4-trieste, branin, levy10, rover60;
    /// with several objectives zdt1, zdt2, zdt3, dtlz2, vlmop2, and radiator, which has constraints as well; or `command:`
    /// and a program that evaluates points by JSON lines
    #[arg(value_parser = problem)]
    problem: Which,
    /// Batches after the initial points
    #[arg(long, default_value_t = 50)]
    batches: usize,
    /// Points of a batch
    #[arg(long, default_value_t = 100)]
    batch: usize,
    /// Last evaluations, which replicate the trials most likely to be best
    #[arg(long, default_value_t = 0)]
    final_replicates: usize,
    /// Points spread over the box before the first batch
    #[arg(long, default_value_t = 100)]
    initial: usize,
    /// Inducing points
    #[arg(long, default_value_t = 500)]
    inducing: usize,
    #[arg(long, default_value = "imp-dpp", value_parser = parse_allocation, help = format!("{}. {SEVERAL_HELP}", allocation_help()))]
    allocation: Allocation,
    /// How batches are chosen: thompson; for one objective log-ei or gibbon, for several ehvi or hippo
    #[arg(long, default_value = "thompson", value_parser = Rule::by_name)]
    rule: &'static Rule,
    #[command(flatten)]
    pub model: Model,
    /// Random seed, of the noise as well
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    run: Execution,
}

/// What can be chosen about the model of an experiment.
#[derive(Args, Clone)]
pub struct Model {
    /// Which posterior: sparse as soon as there are more data than inducing points, exact as long as it can be had, or the
    /// study's default
    #[arg(long, value_enum, default_value = "sparse")]
    posterior: WhichPosterior,
    /// What the hyperparameters are learned from
    #[arg(long, value_enum, default_value = "default")]
    hyperparameters: Source,
    /// Rows of the subset that hyperparameters are learned from
    #[arg(long)]
    subset: Option<usize>,
    #[arg(long, default_value = "matern52", value_parser = by_name::<Family>, help = kernel_help())]
    kernel: Family,
    /// Paths that share their frequencies
    #[arg(long)]
    block: Option<usize>,
    /// Priors on the hyperparameters: on or off
    #[arg(long, default_value = "on", value_parser = by_name::<Priors>)]
    priors: Priors,
    /// Map of the outcomes before the model sees them: auto or off
    #[arg(long, value_parser = by_name::<OutcomeTransformChoice>)]
    outcome_transform: Option<OutcomeTransformChoice>,
    /// Upper bound on the learned noise variance: close-pairs, what outcomes of close points differ by, or off
    #[arg(long, value_parser = by_name::<NoiseBound>)]
    noise_bound: Option<NoiseBound>,
    /// Observations per local model (0: no local models)
    #[arg(long)]
    neighbours: Option<usize>,
    /// Share of a batch that is drawn from local models
    #[arg(long)]
    local_models: Option<f64>,
    /// Share of a batch that is maximised within trust regions
    #[arg(long)]
    trust_regions: Option<f64>,
    /// Exclude the neighbourhood of an incumbent from global search once it holds this many trials (0: never)
    #[arg(long)]
    exclusion: Option<usize>,
    /// Random features per path
    #[arg(long)]
    features: Option<usize>,
    /// Space-filling points of the candidate pool
    #[arg(long)]
    pool: Option<usize>,
    /// Points of the candidate pool that are perturbations of the incumbents
    #[arg(long)]
    near: Option<usize>,
    /// Starts of the local search of each path
    #[arg(long)]
    starts: Option<usize>,
}

#[derive(Clone, Copy, ValueEnum)]
enum WhichPosterior {
    Sparse,
    Exact,
    Default,
}

#[derive(Clone, Copy, ValueEnum)]
enum Source {
    /// The exact likelihood of a random subset
    Subset,
    /// The collapsed bound over all data
    Bound,
    /// As a study would
    Default,
}

/// A problem with one objective, or with several outputs.
#[derive(Clone)]
enum Which {
    One(BenchmarkName),
    MultiObjective(&'static MultiObjectiveProblem),
}

fn problem(name: &str) -> std::result::Result<Which, String> {
    let one = BenchmarkName::parse(name).map(Which::One);
    let several = || multi_objective_by_name(name).map(Which::MultiObjective);
    let names = || MULTI_OBJECTIVE.map(|problem| problem.name).join(", ");
    if name.starts_with(PREFIX) {
        return one.map_err(|error| error.to_string());
    }
    one.or_else(|error| several().map_err(|_| format!("{error}, or, with several objectives, {}", names())))
}

impl Model {
    /// Writes the choices into the settings of a study.
    pub fn configure(&self, config: &mut Config) {
        let model = &mut config.model;
        match self.posterior {
            WhichPosterior::Sparse => model.exact_until = 0,
            WhichPosterior::Exact => model.exact_until = EXACT_LIMIT,
            WhichPosterior::Default => {}
        }
        match (self.hyperparameters, self.subset) {
            (Source::Bound, _) => model.hyperparameters = HyperparameterChoice::Bound,
            (Source::Subset, rows) => model.hyperparameters = HyperparameterChoice::Subset(rows.unwrap_or(SUBSET)),
            (Source::Default, Some(rows)) => model.hyperparameters = HyperparameterChoice::Subset(rows),
            (Source::Default, None) => {}
        }
        model.priors = self.priors;
        model.kernel = self.kernel.into();
        model.outcome_transform = self.outcome_transform.unwrap_or(model.outcome_transform);
        model.noise_bound = self.noise_bound.unwrap_or(model.noise_bound);
        config.local_models.share = self.local_models.or(config.local_models.share);
        config.trust_regions.share = self.trust_regions.or(config.trust_regions.share);
        let choices = [
            (self.features, &mut config.sampling.features),
            (self.block, &mut config.sampling.block),
            (self.pool, &mut config.acquisition.pool),
            (self.near, &mut config.acquisition.near),
            (self.exclusion, &mut config.acquisition.exclusion),
            (self.starts, &mut config.acquisition.starts),
            (self.neighbours, &mut config.local_models.neighbours),
        ];
        choices.into_iter().for_each(|(chosen, setting)| *setting = chosen.unwrap_or(*setting));
    }
}

#[derive(Serialize)]
struct OptimizeReport {
    problem: String,
    /// Whether regret is measured from a value that is attained.
    optimum_is_known: bool,
    /// What stands in place of regret if not.
    #[serde(skip)]
    otherwise: &'static str,
    threads: usize,
    evaluations: Vec<usize>,
    regret: Vec<f64>,
    initial_regret: f64,
    best_observed: Vec<f64>,
    least_regret: Vec<f64>,
    warp: Vec<Warp>,
    allocate_s: Vec<f64>,
    fit_s: Vec<f64>,
    acquire_s: Vec<f64>,
    overhead_s: f64,
    peak_rss_mb: Option<f64>,
}

impl Optimize {
    pub fn run(self) -> Result<()> {
        match &self.problem {
            Which::One(name) => self.run.print(|| {
                let (evaluations, replicates) = (self.batches * self.batch, self.final_replicates);
                if replicates > evaluations {
                    let help = "give fewer, or more batches";
                    return Err(miette!(help = help, "{replicates} replicates are more than all batches"));
                }
                let budget = self.initial + evaluations;
                let replicating = |study: StudyOptimizer| study.with_final_replicates(budget, replicates);
                let problem = name.open().into_diagnostic()?;
                let experiment = Experiment::of_study_as(problem.clone(), |config| self.configure(config), replicating);
                let mut experiment = experiment.into_diagnostic()?;
                Ok(OptimizeReport::new(&problem, &experiment.run(self.batches, |_| {}).into_diagnostic()?))
            }),
            Which::MultiObjective(problem) if self.final_replicates > 0 => Err(miette!(
                help = "leave out --final-replicates",
                "{} has several outputs: there is no best trial to replicate",
                problem.name
            )),
            Which::MultiObjective(problem) => {
                self.run.print(|| multi_objective::optimize(problem, self.batches, |config| self.configure(config)))
            }
        }
    }

    fn configure(&self, config: &mut Config) {
        config.seed = self.seed;
        config.batch = self.batch;
        config.initial = self.initial.into();
        config.inducing = self.inducing.into();
        config.allocation = self.allocation.clone();
        config.rule = Some(self.rule);
        self.model.configure(config);
    }
}

impl OptimizeReport {
    fn new(problem: &Benchmark, steps: &[Step]) -> Self {
        let of = |value: fn(&Step) -> f64| steps[1..].iter().map(value).collect::<Vec<f64>>();
        OptimizeReport {
            problem: problem.name().into(),
            optimum_is_known: problem.optimum_is_known(),
            otherwise: match problem {
                Benchmark::BuiltIn(_) => "regret is measured from a bound of it",
                Benchmark::Program(_) | Benchmark::Prior(_) => "values are shown in place of regret",
            },
            threads: rayon::current_num_threads(),
            evaluations: steps[1..].iter().map(|step| step.evaluations).collect(),
            regret: of(|step| step.regret),
            initial_regret: steps[0].regret,
            best_observed: of(|step| step.best_observed),
            least_regret: of(|step| step.least_regret),
            warp: steps[1..].iter().map(|step| step.warp).collect(),
            allocate_s: of(|step| step.allocate_s),
            fit_s: of(|step| step.fit_s),
            acquire_s: of(|step| step.acquire_s),
            overhead_s: steps.iter().map(Step::overhead_s).sum(),
            peak_rss_mb: peak_rss_mb(),
        }
    }
}

impl fmt::Display for OptimizeReport {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let heading = ["evaluations", "regret", "best observed", "allocate s", "fit s", "acquire s"];
        writeln!(out, "{}", heading.map(|name| format!("{name:>14}")).concat())?;
        for (i, evaluations) in self.evaluations.iter().enumerate() {
            let seconds = [self.allocate_s[i], self.fit_s[i], self.acquire_s[i]].map(|s| format!("{s:>14.3}")).concat();
            writeln!(out, "{evaluations:>14}{:>14.4}{:>14.4}{seconds}", self.regret[i], self.best_observed[i])?;
        }
        if !self.optimum_is_known {
            writeln!(out, "the minimum of {} is not known: {}", self.problem, self.otherwise)?;
        }
        write!(out, "overhead of all steps {:.1} s", self.overhead_s)
    }
}
