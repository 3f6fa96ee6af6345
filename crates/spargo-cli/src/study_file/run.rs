//! `[run]`: how `spargo run` evaluates a point.

use super::source::Source;
use miette::Result;
use serde::Deserialize;
use spargo::study::Config;
use toml::Spanned;
use toml::de::{DeValue, ValueDeserializer};

/// Settings of `spargo run`.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// The program and its arguments.
    pub command: Vec<Template>,
    /// Evaluations at a time.
    pub parallel: usize,
    /// Seconds after which an evaluation is killed, if ever.
    pub timeout: Option<f64>,
    /// Trials in all.
    pub budget: usize,
}

/// An argument, with places for values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template(pub Vec<Part>);

/// A piece of an argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// As it is.
    Text(String),
    /// The value of the input with this number.
    Input(usize),
    /// The trial's number.
    Trial,
}

/// `[run]` as it is written.
#[derive(Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RunForm {
    /// The program that evaluates a point, and its arguments: a line, split as a shell would but never given to one, or a
    /// list. {name} stands for the value of an input, {trial} for the trial's number, {{ and }} for braces. Without any of
    /// these the point is written to its standard input as JSON.
    command: Line,
    /// Evaluations at a time.
    #[serde(default = "one")]
    parallel: usize,
    /// Seconds after which an evaluation is killed and counts as failed.
    timeout: Option<f64>,
    /// Trials in all, those that failed included.
    #[serde(default = "thousand")]
    budget: usize,
}

/// A command in either way of writing it.
#[derive(Deserialize, schemars::JsonSchema)]
#[serde(untagged, expecting = "a command: text in quotes, or a list of texts")]
enum Line {
    Text(String),
    List(Vec<String>),
}

fn one() -> usize {
    1
}

fn thousand() -> usize {
    1000
}

impl Run {
    pub fn parse(source: &Source, value: Spanned<DeValue<'_>>, config: &Config) -> Result<Self> {
        let form = RunForm::deserialize(ValueDeserializer::from(value)).map_err(|error| source.unreadable(&error))?;
        let RunForm { command, parallel, timeout, budget } = form;
        let in_command = |(message, help): (String, String)| source.fault(&["run", "command"], message, help);
        let words = match command {
            Line::List(words) => words,
            Line::Text(line) => shell_words::split(&line)
                .map_err(|_| in_command(("a quote is not closed".into(), "close it, or write a list".into())))?,
        };
        if words.first().is_none_or(|program| program.is_empty()) {
            return Err(in_command(("the command is empty".into(), "name a program".into())));
        }
        let command: Vec<Template> = words
            .iter()
            .map(|word| template(word, config))
            .collect::<std::result::Result<_, _>>()
            .map_err(in_command)?;
        if let Template(parts) = &command[0]
            && parts.iter().any(|part| !matches!(part, Part::Text(_)))
        {
            let help = "the program is fixed; a value may only be among its arguments";
            return Err(in_command(("the program's own name has a value in it".into(), help.into())));
        }
        for (key, count) in [("parallel", parallel), ("budget", budget)] {
            if count == 0 {
                return Err(source.fault(&["run", key], format!("{key} must be at least 1"), ""));
            }
        }
        if timeout.is_some_and(|seconds| !(seconds > 0.0 && seconds <= YEAR)) {
            let help = "give seconds, or leave it out to wait for ever";
            return Err(source.fault(&["run", "timeout"], "a timeout must be positive, and at most a year", help));
        }
        Ok(Run { command, parallel, timeout, budget })
    }
}

/// In seconds.
const YEAR: f64 = 31_622_400.0;

/// Reads `{name}`, `{trial}`, `{{` and `}}`.
fn template(word: &str, config: &Config) -> std::result::Result<Template, (String, String)> {
    let (mut parts, mut text, mut rest) = (Vec::new(), String::new(), word);
    while let Some(at) = rest.find(['{', '}']) {
        text.push_str(&rest[..at]);
        let brace = &rest[at..at + 1];
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix(brace) {
            text.push_str(brace);
            rest = after;
            continue;
        }
        let Some((name, after)) = rest.split_once('}').filter(|_| brace == "{") else {
            return Err((format!("a lone '{brace}' in '{word}'"), format!("write {brace}{brace} for one brace")));
        };
        if !text.is_empty() {
            parts.push(Part::Text(std::mem::take(&mut text)));
        }
        parts.push(part(name, config)?);
        rest = after;
    }
    text.push_str(rest);
    if !text.is_empty() || parts.is_empty() {
        parts.push(Part::Text(text));
    }
    Ok(Template(parts))
}

fn part(name: &str, config: &Config) -> std::result::Result<Part, (String, String)> {
    let names = || config.space.dimensions().iter().map(|dimension| dimension.name.as_str());
    match names().position(|input| input == name) {
        Some(k) => Ok(Part::Input(k)),
        None if name == "trial" => Ok(Part::Trial),
        None => {
            let help = super::words::suggestion(name, names().chain(["trial"]));
            Err((format!("there is no input '{name}' for '{{{name}}}'"), help))
        }
    }
}
