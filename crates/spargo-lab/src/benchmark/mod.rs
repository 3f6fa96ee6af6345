//! Benchmark problems with one objective: built in, drawn from a prior, or evaluated by a program.
//!
//! ```text
//!     maximised:  g(x) = −(f(x) − mean) / std,     regret(x) = g* − g(x)
//! ```
//!
//! If a program does not know the minimum of f, g* is 0: in place of regret stands −g(x), which is f(x) itself unless the program
//! gives a mean or a standard deviation. So it is for functions drawn from a prior, whose maximum is not known.

mod description;
mod program;

pub use description::Description;

use crate::error::{Error, Result};
use program::Program;
use serde::{Deserialize, Serialize};
use spargo::space::Space;
use spargo_problems::prior::{PRIORS, PriorFunction, PriorProblem};
use spargo_problems::{self as problems, Problem};

/// Precedes a command on the command line.
pub const PREFIX: &str = "command:";

/// A problem with one objective.
#[derive(Debug, Clone)]
pub enum Benchmark {
    /// A function of this workspace.
    BuiltIn(&'static Problem),
    /// A function drawn from a prior, another one for every seed.
    Prior(&'static PriorProblem),
    /// A function that a program evaluates.
    Program(ProgramProblem),
}

/// A function that a program evaluates: everything that its values depend on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramProblem {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// What the program said of itself when it was started.
    pub description: Description,
}

/// Evaluates a problem.
pub(crate) enum Evaluator {
    BuiltIn(&'static Problem),
    Prior(Box<PriorFunction>),
    Program(Box<Program>, Description),
}

/// A problem as it is named on the command line.
#[derive(Debug, Clone)]
pub enum BenchmarkName {
    /// A built-in problem.
    BuiltIn(&'static Problem),
    /// A prior that functions are drawn from.
    Prior(&'static PriorProblem),
    /// The program that evaluates it, and its arguments.
    Command(Vec<String>),
}

impl BenchmarkName {
    /// Reads the name of a built-in problem, or `command:` and a command, which is split as a shell would split it.
    pub fn parse(text: &str) -> Result<Self> {
        let Some(command) = text.strip_prefix(PREFIX) else {
            if PRIORS.iter().any(|prior| prior.name == text) {
                return Ok(BenchmarkName::Prior(PriorProblem::by_name(text)?));
            }
            return Ok(BenchmarkName::BuiltIn(problems::by_name(text)?));
        };
        match shell_words::split(command) {
            Ok(words) if !words.is_empty() => Ok(BenchmarkName::Command(words)),
            Ok(_) => Err(Error::Unsupported {
                what: format!("there is no command after '{PREFIX}'"),
                remedy: "write the program and its arguments behind it".into(),
            }),
            Err(_) => Err(Error::Unsupported {
                what: format!("the command '{command}' has a quote without its end"),
                remedy: "close it".into(),
            }),
        }
    }

    /// Reads names separated by commas, or one command.
    pub fn parse_list(text: &str) -> Result<Vec<Self>> {
        if text.starts_with(PREFIX) {
            return Ok(vec![BenchmarkName::parse(text)?]);
        }
        text.split(',').map(BenchmarkName::parse).collect()
    }

    /// The problem; a program is started to learn what it says of itself.
    pub fn open(&self) -> Result<Benchmark> {
        match self {
            BenchmarkName::BuiltIn(problem) => Ok(Benchmark::BuiltIn(problem)),
            BenchmarkName::Prior(prior) => Ok(Benchmark::Prior(prior)),
            BenchmarkName::Command(command) => {
                let (_, description) = Program::start(command)?;
                Ok(Benchmark::Program(ProgramProblem { command: command.clone(), description }))
            }
        }
    }
}

impl From<&'static Problem> for Benchmark {
    fn from(problem: &'static Problem) -> Self {
        Benchmark::BuiltIn(problem)
    }
}

impl Benchmark {
    /// Name of the problem.
    pub fn name(&self) -> &str {
        match self {
            Benchmark::BuiltIn(problem) => problem.name,
            Benchmark::Prior(prior) => prior.name,
            Benchmark::Program(program) => &program.description.name,
        }
    }

    /// Its space; inputs without names are x1, x2, …
    pub fn space(&self) -> Result<Space> {
        match self {
            Benchmark::BuiltIn(problem) => Ok(problem.space()?),
            Benchmark::Prior(prior) => Ok(prior.space()?),
            Benchmark::Program(program) => Ok(program.description.space()?),
        }
    }

    /// The variance of the noise that is added to g.
    pub fn noise(&self) -> f64 {
        match self {
            Benchmark::BuiltIn(problem) => problem.noise,
            Benchmark::Prior(prior) => prior.noise,
            Benchmark::Program(program) => program.description.noise,
        }
    }

    /// The largest g(x), which regret is measured from.
    pub fn optimum(&self) -> f64 {
        match self {
            Benchmark::BuiltIn(problem) => problem.optimum(),
            Benchmark::Prior(_) => 0.0,
            Benchmark::Program(ProgramProblem { description, .. }) => {
                description.minimum.map_or(0.0, |minimum| description.scale(minimum))
            }
        }
    }

    /// Whether the optimum is known to be attained.
    pub fn optimum_is_known(&self) -> bool {
        match self {
            Benchmark::BuiltIn(problem) => !problem.minimisers.is_empty(),
            Benchmark::Prior(_) => false,
            Benchmark::Program(program) => program.description.minimum.is_some(),
        }
    }

    /// What evaluates it, in the run of a seed; a program that no longer says the same of itself is refused.
    pub(crate) fn evaluator(&self, seed: u64) -> Result<Evaluator> {
        match self {
            Benchmark::BuiltIn(problem) => Ok(Evaluator::BuiltIn(problem)),
            Benchmark::Prior(prior) => Ok(Evaluator::Prior(Box::new(prior.draw(seed)?))),
            Benchmark::Program(ProgramProblem { command, description }) => {
                let (program, found) = Program::start(command)?;
                if found != *description {
                    return Err(program.error("describes itself otherwise than before: its rows cannot be continued"));
                }
                Ok(Evaluator::Program(Box::new(program), found))
            }
        }
    }
}

impl Evaluator {
    /// g at each point, without the noise that is added.
    pub fn scaled(&mut self, points: &[Vec<f64>]) -> Result<Vec<f64>> {
        match self {
            Evaluator::BuiltIn(problem) => points.iter().map(|x| Ok(problem.scaled(x)?)).collect(),
            Evaluator::Prior(function) => Ok(function.values(points)?),
            Evaluator::Program(program, description) => {
                Ok(program.values(points)?.into_iter().map(|value| description.scale(value)).collect())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_at_commas_and_commands_are_not() {
        assert_eq!(BenchmarkName::parse_list("branin,prior8-0.1,levy10").unwrap().len(), 3);
        let list = BenchmarkName::parse_list("command:python3 a.py --list 1,2 'b c'").unwrap();
        let [BenchmarkName::Command(words)] = &list[..] else { panic!("{list:?}") };
        assert_eq!(words[..], ["python3", "a.py", "--list", "1,2", "b c"]);
        for (text, answer) in
            [("command: ", "no command"), ("command:a 'b", "a quote without"), ("x", "no problem 'x'")]
        {
            assert!(BenchmarkName::parse(text).unwrap_err().to_string().contains(answer), "{text}");
        }
    }
}
