//! `[objectives]` and `[constraints]`: what an evaluation returns.

use super::source::Source;
use miette::{Report, Result};
use serde::{Deserialize, Serialize};
use spargo::study::{Goal, Output};
use toml::Spanned;
use toml::de::{DeString, DeValue, ValueDeserializer};

/// An output that is optimised or, alone in its study, known well somewhere.
#[derive(Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Objective {
    /// What it is for.
    goal: Wish,
    /// The level around which it is to be known, for the goal "level".
    level: Option<f64>,
}

/// What an objective is for.
#[derive(Clone, Copy, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Wish {
    /// The larger the better.
    Max,
    /// The smaller the better.
    Min,
    /// It is 1 or 0: where the one ends and the other begins is to be known.
    Classify,
    /// Where it crosses a level is to be known.
    Level,
}

impl Objective {
    fn goal(&self) -> std::result::Result<Goal, (&'static str, &'static str)> {
        match (self.goal, self.level) {
            (Wish::Max, None) => Ok(Goal::Maximize),
            (Wish::Min, None) => Ok(Goal::Minimize),
            (Wish::Classify, None) => Ok(Goal::Classify),
            (Wish::Level, Some(level)) => Ok(Goal::Level(level)),
            (Wish::Level, None) => {
                Err(("the key 'level' is missing", "say around which: { goal = \"level\", level = 0.5 }"))
            }
            (_, Some(_)) => Err(("this goal has no level", "leave it out, or make the goal \"level\"")),
        }
    }
}

/// An output that must stay within limits.
#[derive(Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Constraint {
    /// The least value that will do.
    at_least: Option<f64>,
    /// The largest value that will do.
    at_most: Option<f64>,
}

/// Words that name other columns of tables of trials.
pub const RESERVED: [&str; 3] = ["trial", "status", "reason"];

/// Objectives first, then constraints, each in the order of the file.
pub fn outputs(
    source: &Source,
    objectives: Option<Spanned<DeValue<'_>>>,
    constraints: Option<Spanned<DeValue<'_>>>,
) -> Result<Vec<Output>> {
    let Some(objectives) = objectives else {
        let help = "say what is optimised:\n[objectives]\nyield = { goal = \"max\" }";
        return Err(source.fault(&[], "the study has no objectives", help));
    };
    let mut outputs = Vec::new();
    for (name, value) in entries(source, "objectives", "goal = \"max\"", objectives)? {
        let goal = read::<Objective>(source, value)?.goal();
        let goal = goal.map_err(|(message, help)| source.fault(&["objectives", &name], message, help))?;
        outputs.push(Output { name, goal });
    }
    if outputs.is_empty() {
        return Err(source.fault(&["objectives"], "no objective is listed", "add, say, yield = { goal = \"max\" }"));
    }
    let Some(constraints) = constraints else { return Ok(outputs) };
    for (name, value) in entries(source, "constraints", "at-most = 0.05", constraints)? {
        let Constraint { at_least, at_most } = read(source, value)?;
        check_limits(at_least, at_most)
            .map_err(|(message, help)| source.fault(&["constraints", &name], message, help))?;
        outputs.push(Output { name, goal: Goal::Constraint { at_least, at_most } });
    }
    Ok(outputs)
}

/// The named entries of a section.
fn entries<'i>(
    source: &Source,
    section: &str,
    example: &str,
    value: Spanned<DeValue<'i>>,
) -> Result<Vec<(String, Spanned<DeValue<'i>>)>> {
    let span = value.span();
    let DeValue::Table(table) = value.into_inner() else {
        let help = format!("begin a section:\n[{section}]");
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

/// A name that is taken.
pub fn reserved(source: &Source, path: &[&str]) -> Report {
    let name = path.last().unwrap_or(&"");
    let help = "these name other columns of a study's table: trial, status, reason";
    source.fault(path, format!("'{name}' cannot be the name of an input or an output"), help)
}

fn read<'i, T: Deserialize<'i>>(source: &Source, value: Spanned<DeValue<'i>>) -> Result<T> {
    T::deserialize(ValueDeserializer::from(value)).map_err(|error| source.unreadable(&error))
}

fn check_limits(at_least: Option<f64>, at_most: Option<f64>) -> std::result::Result<(), (&'static str, &'static str)> {
    match (at_least, at_most) {
        (None, None) => Err(("a constraint without limits", "give at-least, at-most or both")),
        (Some(low), Some(high)) if low > high => Err(("no value lies within these limits", "swap them")),
        (Some(low), Some(high)) if low == high => Err((
            "only one value lies within these limits",
            "leave some room, as no model log_predictive_density a number exactly",
        )),
        _ if [at_least, at_most].iter().flatten().any(|limit| !limit.is_finite()) => {
            Err(("a limit that is not finite", "leave it out"))
        }
        _ => Ok(()),
    }
}
