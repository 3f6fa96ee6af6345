//! `spargo-lab compare`: settings against each other, and against peers, on benchmark problems over seeds.

use crate::commands::settings::settings;
use crate::commands::work::Work;
use crate::{BenchmarkName, ComparedMethod, Comparison, TABLE};
use clap::Args;
use miette::{IntoDiagnostic, Result, WrapErr};
use std::path::Path;

/// Arguments of `spargo-lab compare`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  spargo-lab compare --problems shekel4,hartmann6 --settings paper,default --seeds 10 --budget 5000
  spargo-lab compare --problems shekel4 --settings default,mine.toml --budget 2000 --output mine
  spargo-lab compare --problems shekel4 --settings default,mine.toml --budget 2000 --output mine --draw
  spargo-lab compare --problems branin --problems 'command:python3 scripts/problems/example.py --dimension 2'

A file of settings is a study file without inputs and outputs. Peers' rows are made by scripts/peers/compare.py of the
sources; those in the same folder are drawn as well. What a program must print is in docs/guide/problems.md.")]
pub struct Compare {
    /// On which problems: shekel4, hartmann6, ackley5, michalewicz5, rosenbrock4, rosenbrock4-trieste, branin, levy10,
    /// rover60 (without noise), prior8-0.1 to prior8-0.5 (drawn for each seed; values in place of regret); or `command:` and a
    /// program that evaluates points by JSON lines. May be given several times
    #[arg(long, required = true, value_name = "NAMES|command:PROGRAM", value_parser = parse_problems)]
    problems: Vec<ProblemList>,
    /// Which settings: default, a study's; paper, the paper's with 500 inducing points; paper-250; or TOML files
    #[arg(long, value_delimiter = ',', default_value = "paper,default")]
    settings: Vec<String>,
    /// How many seeds
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    seeds: u64,
    /// The first seed
    #[arg(long, default_value_t = 0)]
    seed_from: u64,
    /// Evaluations of a run, the initial points included
    #[arg(long, default_value_t = 5000)]
    budget: usize,
    /// Workers that wait for nothing, each with random durations, instead of batches
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    workers: Option<u32>,
    #[command(flatten)]
    work: Work,
}

/// Problems of one word of the command line.
#[derive(Clone)]
struct ProblemList(Vec<BenchmarkName>);

fn parse_problems(text: &str) -> crate::Result<ProblemList> {
    BenchmarkName::parse_list(text).map(ProblemList)
}

impl Compare {
    pub fn run(self) -> Result<()> {
        let problems = self.problems.iter().flat_map(|list| &list.0);
        let comparison = Comparison {
            problems: problems.map(BenchmarkName::open).collect::<crate::Result<_>>().into_diagnostic()?,
            methods: self.settings.iter().map(|word| method(word)).collect::<Result<_>>()?,
            seeds: self.seed_from..self.seed_from.saturating_add(self.seeds),
            budget: self.budget,
            workers: self.workers.map(|workers| workers as usize),
        };
        let folder = self.work.folder("comparison");
        self.work.carry_out(&comparison, folder, |files, rows| {
            let path = folder.join(TABLE);
            let table = std::fs::read_to_string(&path)
                .into_diagnostic()
                .wrap_err_with(|| format!("cannot read {}", path.display()))?;
            Ok(format!("{table}\n{rows} rows\n{files}"))
        })
    }
}

/// Settings by their name, or from a file.
fn method(word: &str) -> Result<ComparedMethod> {
    let path = Path::new(word);
    match path.file_stem() {
        Some(stem) if path.extension().is_some_and(|extension| extension == "toml") => {
            Ok(ComparedMethod { name: stem.to_string_lossy().into_owned(), config: settings(path)? })
        }
        _ => ComparedMethod::named(word).into_diagnostic(),
    }
}
