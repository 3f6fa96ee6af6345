//! `[objectives]` and `[constraints]`: what an evaluation returns.

use super::source::Source;
use miette::{Report, Result};
use serde::{Deserialize, Serialize};
use spargo::study::{Goal, Noise, Output};
use toml::Spanned;
use toml::de::{DeString, DeValue, ValueDeserializer};

pub use spargo::study::RESERVED_NAMES as RESERVED;

/// An output that is optimised or, alone in its study, learned around a boundary.
#[derive(Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Objective {
    /// What is wanted of the output.
    goal: GoalKind,
    /// The level of the goal "level".
    level: Option<f64>,
    /// What is known of its noise.
    #[serde(default)]
    noise: Noise,
}

/// What is wanted of an objective.
#[derive(Clone, Copy, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum GoalKind {
    /// The larger the better.
    Max,
    /// The smaller the better.
    Min,
    /// Learn the boundary between classes 1 and 0.
    Classify,
    /// Learn where the output crosses a level.
    Level,
}

impl Objective {
    fn goal(&self) -> std::result::Result<Goal, (&'static str, &'static str)> {
        match (self.goal, self.level) {
            (GoalKind::Max, None) => Ok(Goal::Maximize),
            (GoalKind::Min, None) => Ok(Goal::Minimize),
            (GoalKind::Classify, None) => Ok(Goal::Classify),
            (GoalKind::Level, Some(level)) => Ok(Goal::Level(level)),
            (GoalKind::Level, None) => {
                Err(("the key 'level' is missing", "give it: { goal = \"level\", level = 0.5 }"))
            }
            (_, Some(_)) => Err(("this goal has no level", "remove it, or use the goal \"level\"")),
        }
    }
}

/// An output that must stay within bounds.
#[derive(Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Constraint {
    /// Lower bound.
    at_least: Option<f64>,
    /// Upper bound.
    at_most: Option<f64>,
    /// What is known of its noise.
    #[serde(default)]
    noise: Noise,
}

/// Objectives first, then constraints, each in the order of the file.
pub fn outputs(
    source: &Source,
    objectives: Option<Spanned<DeValue<'_>>>,
    constraints: Option<Spanned<DeValue<'_>>>,
) -> Result<Vec<Output>> {
    let Some(objectives) = objectives else {
        let help = "add what is optimised:\n[objectives]\nyield = { goal = \"max\" }";
        return Err(source.fault(&[], "the study has no objectives", help));
    };
    let mut outputs = Vec::new();
    for (name, value) in entries(source, "objectives", "goal = \"max\"", objectives)? {
        let objective: Objective = read(source, value)?;
        let goal = objective.goal().map_err(|(message, help)| source.fault(&["objectives", &name], message, help))?;
        outputs.push(Output::new(name, goal).with_noise(objective.noise));
    }
    if outputs.is_empty() {
        return Err(source.fault(&["objectives"], "no objective is listed", "add, say, yield = { goal = \"max\" }"));
    }
    let Some(constraints) = constraints else { return Ok(outputs) };
    for (name, value) in entries(source, "constraints", "at-most = 0.05", constraints)? {
        let Constraint { at_least, at_most, noise } = read(source, value)?;
        check_bounds(at_least, at_most)
            .map_err(|(message, help)| source.fault(&["constraints", &name], message, help))?;
        outputs.push(Output::new(name, Goal::Constraint { at_least, at_most }).with_noise(noise));
    }
    Ok(outputs)
}

/// The entries of a section with their names.
fn entries<'i>(
    source: &Source,
    section: &str,
    example: &str,
    value: Spanned<DeValue<'i>>,
) -> Result<Vec<(String, Spanned<DeValue<'i>>)>> {
    let span = value.span();
    let DeValue::Table(table) = value.into_inner() else {
        let help = format!("start a section:\n[{section}]");
        return Err(source.fault_at(Some(span), format!("'{section}' must be a table"), help));
    };
    let entry = |(name, value): (Spanned<DeString<'i>>, _)| (name.into_inner().to_string(), value);
    let entries: Vec<_> = table.into_iter().map(entry).collect();
    for (name, value) in &entries {
        if RESERVED.contains(&name.as_str()) {
            return Err(reserved(source, &[section, name]));
        }
        if !value.get_ref().is_table() {
            let help = format!("write {name} = {{ {example} }}");
            return Err(source.fault(&[section, name], format!("'{name}' must be a table"), help));
        }
    }
    Ok(entries)
}

/// The error of a reserved name.
pub fn reserved(source: &Source, path: &[&str]) -> Report {
    let name = path.last().unwrap_or(&"");
    let help = "trial, status and reason are other columns of a study's table";
    source.fault(path, format!("'{name}' cannot be the name of an input or an output"), help)
}

fn read<'i, T: Deserialize<'i>>(source: &Source, value: Spanned<DeValue<'i>>) -> Result<T> {
    T::deserialize(ValueDeserializer::from(value)).map_err(|error| source.unreadable(&error))
}

fn check_bounds(at_least: Option<f64>, at_most: Option<f64>) -> std::result::Result<(), (&'static str, &'static str)> {
    match (at_least, at_most) {
        (None, None) => Err(("a constraint without bounds", "give at-least, at-most or both")),
        (Some(low), Some(high)) if low > high => Err(("no value lies between these bounds", "swap them")),
        (Some(low), Some(high)) if low == high => {
            Err(("only one value lies between these bounds", "widen them: a model gives a single value no probability"))
        }
        _ if [at_least, at_most].iter().flatten().any(|bound| !bound.is_finite()) => {
            Err(("a bound that is not finite", "remove it"))
        }
        _ => Ok(()),
    }
}
