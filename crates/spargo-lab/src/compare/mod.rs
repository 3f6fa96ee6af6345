//! Settings of studies compared with each other and with peers, on the same noisy functions, over seeds: `spargo-lab compare`.
//!
//! ```text
//!     problems × settings × seeds ─▶ a row each ─▶ regret after every batch, its mean over seeds with 95 % intervals
//! ```
//!
//! A job holds the whole settings of its study: when defaults change, the same words mean other jobs, and old rows are neither
//! taken for theirs nor drawn with them. Only the seeds that are asked for are drawn, because settings that were chosen on some
//! seeds are to be judged on others. Peers' rows come from elsewhere (scripts/peers/compare.py), and all that are there for
//! the same seeds and budget are drawn.

mod draw;
mod method;
mod peers;

pub use draw::TABLE;
pub use method::ComparedMethod;

use crate::benchmark::{Benchmark, BenchmarkName, ProgramProblem};
use crate::error::{Error, Result};
use crate::experiments::{Experiment, StudyOptimizer};
use crate::rows::{Row, Rows, read_settings, to_value};
use crate::runner::JobList;
use crate::runs::RunResult;
use method::{read_study, study};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The kind of these rows, peers' included.
const KIND: &str = "compare";

/// Problems whose outcomes are exact here: the rover's way is compared as in the literature (Wang et al. 2018).
const EXACT: [&str; 1] = ["rover60"];

/// What is compared.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// On which problems.
    pub problems: Vec<Benchmark>,
    /// Which settings.
    pub methods: Vec<ComparedMethod>,
    /// On which seeds.
    pub seeds: Range<u64>,
    /// Evaluations of a run.
    pub budget: usize,
    /// Workers that wait for nothing; none for batches.
    pub workers: Option<usize>,
}

/// Everything that a run depends on.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ComparisonSettings {
    /// The problem.
    function: String,
    /// What the settings are called.
    method: String,
    /// Random seed, of the noise as well.
    seed: u64,
    /// Evaluations.
    budget: usize,
    /// The variance of the noise.
    noise: f64,
    /// The program that evaluates the problem; none for a built-in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    program: Option<ProgramProblem>,
    /// Workers that wait for nothing; none for batches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    workers: Option<usize>,
    /// The settings of the study, but for what the problem and the seed decide.
    study: Value,
}

impl JobList for Comparison {
    fn name(&self) -> &str {
        KIND
    }

    fn kind(&self) -> &str {
        KIND
    }

    /// All of the first seed, then all of the next.
    fn jobs(&self) -> Result<Vec<Value>> {
        self.check()?;
        let mut jobs = Vec::new();
        for seed in self.seeds.clone() {
            for problem in &self.problems {
                for method in &self.methods {
                    jobs.push(to_value(&ComparisonSettings {
                        function: problem.name().into(),
                        method: method.name.clone(),
                        seed,
                        budget: self.budget,
                        workers: self.workers,
                        noise: noise(problem),
                        program: match problem {
                            Benchmark::BuiltIn(_) | Benchmark::Prior(_) => None,
                            Benchmark::Program(program) => Some(program.clone()),
                        },
                        study: study(&method.config)?,
                    })?);
                }
            }
        }
        Ok(jobs)
    }

    fn run(&self, settings: &Value) -> Result<Value> {
        let settings: ComparisonSettings = read_settings(settings)?;
        let problem = match settings.program {
            Some(program) => Benchmark::Program(program),
            None => BenchmarkName::parse(&settings.function)?.open()?,
        };
        let study = read_study(&settings.study)?;
        let refit_every = settings.workers.map(|_| study.batch as u64);
        let configure = |config: &mut spargo::study::Config| {
            let space = std::mem::take(&mut config.space);
            *config = spargo::study::Config { space, seed: settings.seed, ..study };
        };
        let change = |study: StudyOptimizer| match refit_every {
            Some(outcomes) => study.asynchronous(outcomes),
            None => study,
        };
        let mut experiment = Experiment::of_study_as(problem, configure, change)?.with_noise(settings.noise);
        let steps = match settings.workers {
            Some(workers) => experiment.run_asynchronously(settings.budget, workers)?,
            None => experiment.run_until(settings.budget, |_| {})?,
        };
        to_value(&RunResult::new(&steps))
    }

    fn shown(&self, rows: &Rows) -> Result<Vec<Row>> {
        let jobs: HashSet<Value> = self.jobs()?.into_iter().collect();
        let own = rows.0.iter().filter(|row| row.kind == KIND && jobs.contains(&row.settings)).cloned();
        Ok(own.chain(self.peers(rows)?).collect())
    }

    fn draw(&self, rows: &[Row], folder: &Path) -> Result<Vec<PathBuf>> {
        self.draw_all(rows, folder)
    }
}

impl Comparison {
    /// Refuses what cannot be run, or could not be told apart.
    fn check(&self) -> Result<()> {
        let refuse = |what: String, remedy: &str| Err(Error::Unsupported { what, remedy: remedy.into() });
        for (i, problem) in self.problems.iter().enumerate() {
            if self.problems[..i].iter().any(|other| other.name() == problem.name()) {
                return refuse(format!("two problems are called '{}'", problem.name()), "leave out one, or rename it");
            }
        }
        for (i, ComparedMethod { name, config }) in self.methods.iter().enumerate() {
            if self.methods[..i].iter().any(|other| other.name == *name) {
                return refuse(format!("two settings are called '{name}'"), "give their files names of their own");
            }
            for problem in &self.problems {
                let config = spargo::study::Config { space: problem.space()?, ..config.clone() };
                if config.initial_count() > self.budget {
                    let what = format!(
                        "a budget of {} does not reach for the {} initial points of '{name}'",
                        self.budget,
                        config.initial_count()
                    );
                    return refuse(what, "give a larger one, or set fewer initial points in a file of settings");
                }
                config.check()?;
            }
        }
        Ok(())
    }
}

fn noise(problem: &Benchmark) -> f64 {
    if EXACT.contains(&problem.name()) { 0.0 } else { problem.noise() }
}

#[cfg(test)]
mod tests;
