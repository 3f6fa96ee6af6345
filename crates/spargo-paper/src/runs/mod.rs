//! Optimisation runs of Section 5.1, which Figure 4 and Appendices C, D and F are drawn from: their settings, jobs and rows.
//!
//! Where ours differ from the paper, or the paper is silent:
//! - sparse models use the collapsed bound, whose q(u) is optimal, unless trained as the paper's were (`svgp-adam`);
//! - the kernel is Matérn-5/2 with a length scale an input and a constant mean, as the paper says of its radiator only;
//!   hyperparameters have the engine's weak priors, and the noise variance is learned;
//! - the 100 initial points are spread evenly (scrambled Sobol), and so are the 10,000 candidates of each batch, which its
//!   paths share, as they share their 100 frequencies (as in Trieste, which the paper used);
//! - no point is evaluated twice; outcomes are not warped.

mod settings;

pub use settings::{Outcome, Settings};

use crate::error::Result;
use crate::experiment::Experiment;
use crate::options::Options;
use crate::rows::{read_settings, to_value};
use serde_json::Value;
use spargo::allocate::Allocation;
use spargo::problems;

/// The kind of these rows.
pub const KIND: &str = "run";

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

/// What the paper repeats.
const REPEATS: usize = 50;

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
