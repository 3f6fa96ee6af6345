//! Optimisation runs of Sections 5.1 and 5.3, which Figures 4 and 6 and Appendices C, D and F are drawn from: their settings,
//! jobs and rows.
//!
//! Where ours differ from the paper, or the paper is silent:
//! - sparse models use the collapsed bound, whose q(u) is optimal, unless trained as the paper's were (`svgp-adam`);
//! - the kernel is Matérn-5/2 with a length scale per input and a constant mean, as the paper says of its radiator only;
//!   hyperparameters have the engine's weak priors, and the noise variance is learned;
//! - the 100 initial points are spread evenly (scrambled Sobol), and so are the 10,000 candidates of each batch, which its
//!   paths share, as they share their 100 frequencies (as in Trieste, which the paper used);
//! - no point is evaluated twice; outcomes are not warped;
//! - problems with several outputs are run in the same way, with a model per output, by the collapsed bound only.

mod multi_output;
mod settings;

pub use multi_output::MultiOutputRun;
pub use settings::{RunResult, RunSettings};

use crate::curves::{Curve, Of};
use crate::error::Result;
use crate::experiments::Experiment;
use crate::options::{Options, Part};
use crate::rows::{Row, read_settings, to_value};
use serde::de::DeserializeOwned;
use serde_json::Value;
use spargo::allocate::Allocation;
use spargo::allocate::quality::{Baseline, Improvement, Link};
use spargo::study::{Config, Replicates};
use spargo_problems as problems;

/// The kind of these rows.
pub const KIND: &str = "run";

/// The paper's method.
pub const IMP_DPP: Method =
    ("imp-dpp", Some(Allocation::ImpDpp(Improvement { baseline: Baseline::Min, link: Link::Relu })));

/// Conditional variance reduction.
pub const CVR: Method = ("cvr", Some(Allocation::Cvr));

/// Centroids of clusters.
pub const KMEANS: Method = ("kmeans", Some(Allocation::Kmeans { inputs: spargo::allocate::Inputs::Plain }));

/// Points spread evenly over the space.
pub const UNIFORM: Method = ("uniform", Some(Allocation::Uniform));

/// The exact GP.
pub const EXACT: Method = ("exact", None);

/// Settings that have options of their own.
const OWN: [&str; 7] = ["seed", "function", "method", "allocation", "inducing", "training", "steps"];

/// What the paper repeats.
const REPEATS: usize = 50;

/// A line of a figure: a name, and how inducing points are chosen (not at all by the exact GP).
pub type Method = (&'static str, Option<Allocation>);

/// What lines of these methods are called, in their order.
pub fn names(methods: &[Method]) -> Vec<&'static str> {
    methods.iter().map(|(name, _)| *name).collect()
}

/// What a figure, or a part of it, consists of, as in the paper.
#[derive(Clone, Copy)]
pub struct Design<'a> {
    /// The figure.
    pub figure: &'a str,
    /// How batches are chosen for several outputs; none for problems with one, whose batches are Thompson's.
    pub rule: Option<&'static str>,
    /// Batches of sparse models.
    pub steps: usize,
    /// Functions.
    pub functions: &'a [&'a str],
    /// Methods.
    pub methods: &'a [Method],
    /// Numbers of inducing points.
    pub inducing: &'a [usize],
}

/// The runs that are wanted: all of the first repeat, then all of the next.
pub fn jobs(options: &Options, designs: &[Design<'_>]) -> Result<Vec<Value>> {
    let mut parts = vec![Part::Functions, Part::Methods, Part::Inducing, Part::Steps];
    parts.extend(designs.iter().any(|design| design.rule.is_none()).then_some(Part::Training));
    options.allow(designs.first().map_or("", |design| design.figure), &parts)?;
    let functions = distinct(designs.iter().flat_map(|design| design.functions.iter().copied()));
    let names = distinct(designs.iter().flat_map(|design| names(design.methods)));
    let functions = options.chosen("function", &options.functions, &functions)?;
    let names = options.chosen("method", &options.methods, &names)?;
    let mut jobs = Vec::new();
    for seed in options.seeds(REPEATS) {
        for design in designs {
            for function in design.functions.iter().filter(|function| functions.contains(function)) {
                for (method, m) in design.models(options, &names) {
                    let settings = RunSettings::paper(design, (function, method, m), seed, options);
                    let settings = options.apply(&settings, &OWN)?;
                    read_settings::<RunSettings>(&settings)?;
                    jobs.push(settings);
                }
            }
        }
    }
    Ok(jobs)
}

/// Writes the paper's settings of a study with one objective into those of any.
pub fn configure_as_paper(config: &mut Config, inducing: usize) {
    let design = Design { figure: "", rule: Some("thompson"), steps: 0, functions: &[], methods: &[], inducing: &[] };
    let settings = RunSettings::paper(&design, ("", &IMP_DPP, Some(inducing)), config.seed, &Options::default());
    settings.configure(config);
    config.replicates = Replicates::Never;
}

/// Runs one job.
pub fn run(settings: &Value, _: &Options) -> Result<Value> {
    let settings: RunSettings = read_settings(settings)?;
    if settings.rule.is_some() {
        return to_value(&MultiOutputRun::of(&settings)?);
    }
    let problem = problems::by_name(&settings.function)?;
    let sizes = (settings.initial, settings.batch);
    let mut experiment = Experiment::new(problem, settings.optimizer(problem)?, settings.seed, sizes)?;
    let outcome = RunResult::new(&experiment.run(settings.steps, |_| {})?);
    to_value(&outcome)
}

/// A reader of rows with such results, for curves.
pub fn shown<R: DeserializeOwned>(curve: fn(&R) -> Curve) -> impl Fn(&Row) -> Option<(Of, Curve)> {
    move |row| {
        let (settings, result) = row.read::<RunSettings, R>()?;
        Some((settings.of(), curve(&result)))
    }
}

impl<'a> Design<'a> {
    /// Sparse models of every size, then exact ones.
    fn models(&self, options: &Options, names: &[&str]) -> Vec<(&'a Method, Option<usize>)> {
        let inducing = if options.inducing.is_empty() { self.inducing.to_vec() } else { options.inducing.clone() };
        let wanted = self.methods.iter().filter(|(name, _)| names.contains(name));
        let (sparse, exact): (Vec<&Method>, Vec<&Method>) = wanted.partition(|(_, allocation)| allocation.is_some());
        let sparse = inducing.iter().flat_map(|&m| sparse.iter().map(move |method| (*method, Some(m))));
        sparse.chain(exact.into_iter().map(|method| (method, None))).collect()
    }
}

fn distinct<'a>(words: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut list = Vec::new();
    words.for_each(|word| {
        if !list.contains(&word) {
            list.push(word)
        }
    });
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    const DESIGN: Design<'static> = Design {
        figure: "regret",
        rule: None,
        steps: 50,
        functions: &["shekel4", "ackley5"],
        methods: &[CVR, KMEANS, UNIFORM, EXACT],
        inducing: &[250, 500],
    };

    #[test]
    fn jobs_are_the_product_of_what_is_wanted_repeat_by_repeat() {
        let options = Options { repeats: Some(2), seed_from: 5, ..Options::default() };
        let jobs: Vec<RunSettings> =
            jobs(&options, &[DESIGN]).unwrap().iter().map(|job| read_settings(job).unwrap()).collect();
        // Three sparse methods at two sizes, and the exact GP once.
        assert_eq!(jobs.len(), 2 * 2 * (3 * 2 + 1));
        assert!(jobs[..14].iter().all(|job| job.seed == 5) && jobs[14..].iter().all(|job| job.seed == 6));
        let exact: Vec<&RunSettings> = jobs.iter().filter(|job| job.method == "exact").collect();
        assert_eq!(exact.len(), 4);
        assert!(exact.iter().all(|job| job.steps == 10 && job.inducing.is_none() && job.training.is_none()));
        assert!(jobs.iter().filter(|job| job.method != "exact").all(|job| job.steps == 50 && job.features == 100));
    }

    #[test]
    fn what_is_asked_for_is_in_the_settings_and_what_is_unknown_is_refused() {
        let options = |more: Options| Options { repeats: Some(1), functions: vec!["ackley5".into()], ..more };
        let set = |name: &str, value: Value| options(Options { set: vec![(name.into(), value)], ..Options::default() });
        let known = jobs(&set("noise", "known".into()), &[DESIGN]).unwrap();
        assert!(known.iter().all(|job| job["noise"] == "known") && known.len() == 7);
        for (name, value) in [("noise", Value::from(3)), ("nois", "known".into()), ("seed", Value::from(3))] {
            let message = jobs(&set(name, value), &[DESIGN]).unwrap_err().to_string();
            assert!(
                message.contains(if name == "noise" { "cannot be run" } else { "there is no setting" }),
                "{message}"
            );
        }
        let message = jobs(&options(Options { methods: vec!["dpp".into()], ..Options::default() }), &[DESIGN]);
        assert!(message.unwrap_err().to_string().contains("cvr, kmeans, uniform, exact"));
    }

    #[test]
    fn parts_of_a_figure_are_chosen_from_apart_and_share_their_words() {
        let several = Design {
            rule: Some("hippo"),
            steps: 10,
            functions: &["radiator"],
            methods: &[("hv-dpp", Some(Allocation::HvDpp)), EXACT],
            inducing: &[100],
            ..DESIGN
        };
        let jobs = |options: Options| jobs(&Options { repeats: Some(1), ..options }, &[DESIGN, several]);
        let words = |list: &[&str]| list.iter().map(|word| word.to_string()).collect::<Vec<_>>();
        assert_eq!(jobs(Options::default()).unwrap().len(), 2 * 7 + 2);
        let radiator = jobs(Options { functions: words(&["radiator"]), ..Options::default() }).unwrap();
        let told = |job: &Value| (job["method"].clone(), job["steps"].clone(), job["rule"].clone());
        assert_eq!(
            radiator.iter().map(told).collect::<Vec<_>>(),
            ["hv-dpp", "exact"].map(|m| (m.into(), 10.into(), "hippo".into()))
        );
        let exact = jobs(Options { methods: words(&["exact"]), ..Options::default() }).unwrap();
        assert_eq!(exact.len(), 3);
        // Rows of runs with one output have no word for it.
        assert!(exact[0].get("rule").is_none());
        let adam = Options { training: crate::options::Training::SvgpAdam, ..Options::default() };
        assert_eq!(jobs(adam.clone()).unwrap()[14]["training"], "collapsed");
        assert!(super::jobs(&adam, &[several]).unwrap_err().to_string().contains("ways of training"));
    }
}
