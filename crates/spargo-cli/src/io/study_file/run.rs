//! `[run]`: how `spargo run` evaluates a point.

use super::source::Source;
use super::template::{self, ParsedCommand, Refusal};
use miette::Result;
use serde::Deserialize;
use spargo::study::Config;
use toml::Spanned;
use toml::de::{DeValue, ValueDeserializer};

/// Evaluations at a time; a run has no more than its batch, budget and machine allow.
const MOST_PARALLEL: usize = 1_000_000;

/// Trials in all: more than any run evaluates.
const MOST_TRIALS: usize = 1_000_000_000;

/// Longest timeout and duration: a year in seconds.
const YEAR: f64 = 31_622_400.0;

/// Settings of `spargo run`: as they are written, with a line or a list for the command, or with the command parsed.
#[derive(Debug, Clone, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[schemars(rename = "RunForm")]
pub struct RunSettings<Command = ParsedCommand> {
    /// The program that evaluates a point, and its arguments: a line, split as by a shell but never passed to one, or a
    /// list. {name} is replaced by the value of an input or the label of a candidate, {trial} by the trial's number, {{ and }} by braces. Without
    /// placeholders the point is written as JSON to standard input.
    pub command: Command,
    /// When points are asked for.
    #[serde(default)]
    pub mode: RunMode,
    /// Evaluations at a time.
    #[serde(default = "one")]
    pub parallel: usize,
    /// Seconds after which an evaluation is killed and counts as failed.
    pub timeout: Option<f64>,
    /// Seconds after which a run begins no further evaluation; those that run then are waited for.
    pub duration: Option<f64>,
    /// Trials in all, including failed ones.
    #[serde(default = "thousand")]
    pub budget: usize,
    /// How many of the budget's trials, the last ones, re-evaluate the likely winners.
    #[serde(default)]
    pub final_replicates: usize,
}

/// When a run asks for points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RunMode {
    /// Whenever a worker is idle: none waits for another, and the trials depend on the order of results.
    #[default]
    Async,
    /// When every trial of the last batch has an outcome: the same seed gives the same trials.
    Batch,
}

/// A command as a line or as a list.
#[derive(Deserialize, schemars::JsonSchema)]
#[serde(
    untagged,
    expecting = "a command that is neither text nor a list of texts; write it in quotes, as in \"./sim {x}\""
)]
pub enum Line {
    Text(String),
    List(Vec<String>),
}

fn one() -> usize {
    1
}

fn thousand() -> usize {
    1000
}

impl RunSettings {
    /// Reads `[run]`; placeholders of its command stand for inputs of the space.
    pub fn parse(source: &Source, value: Spanned<DeValue<'_>>, config: &Config) -> Result<Self> {
        let written = RunSettings::<Line>::deserialize(ValueDeserializer::from(value));
        let written = written.map_err(|error| source.unreadable(&error))?;
        let RunSettings { command, mode, parallel, timeout, duration, budget, final_replicates } = written;
        let in_command = |(message, help): Refusal| source.fault(&["run", "command"], message, help);
        let words = match command {
            Line::List(words) => words.iter().map(|word| template::word(word, &config.space)).collect(),
            Line::Text(line) => {
                template::line(&line, &config.space).and_then(|words| template::without_shell(words, &line))
            }
        };
        let command = words.and_then(ParsedCommand::new).map_err(in_command)?;
        for (key, count, most) in [("parallel", parallel, MOST_PARALLEL), ("budget", budget, MOST_TRIALS)] {
            let must = match count {
                0 => "at least 1".into(),
                _ if count > most => format!("at most {most}"),
                _ => continue,
            };
            return Err(source.fault(&["run", key], format!("{key} must be {must}"), format!("for example {key} = 4")));
        }
        if final_replicates > 0 && config.objectives_and_constraints().0.is_empty() {
            let message = "final-replicates needs an objective";
            let help = "remove it: it is for objectives that are \"max\" or \"min\"";
            return Err(source.fault(&["run", "final-replicates"], message, help));
        }
        if final_replicates >= budget {
            let message =
                format!("final-replicates must be below the budget, which is {budget}: winners must be found first");
            let help = format!("for example final-replicates = {}", budget / 10);
            return Err(source.fault(&["run", "final-replicates"], message, help));
        }
        for (key, seconds) in [("timeout", timeout), ("duration", duration)] {
            if seconds.is_some_and(|seconds| !(seconds > 0.0 && seconds <= YEAR)) {
                let help = "give seconds, or remove it to wait for ever";
                let message = format!("a {key} must be positive, and at most a year");
                return Err(source.fault(&["run", key], message, help));
            }
        }
        Ok(RunSettings { command, mode, parallel, timeout, duration, budget, final_replicates })
    }
}
