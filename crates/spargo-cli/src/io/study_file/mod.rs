//! Study files in TOML: settings of the library and of `spargo run`.
//!
//! ```text
//!     name, seed, batch, …          the fields of `Config`
//!     [objectives], [constraints]   yield = { goal = "max" },  impurity = { at-most = 0.05 }
//!     [space]                       temperature = { real = [20, 120] },  or candidates = "pool.csv"
//!     [[input-constraints]]         sum = ["water", "glycol"],  equals = 1
//!     [run]                         command, mode, parallel, timeout, budget
//! ```

mod candidates;
mod descriptors;
mod diagnostics;
mod input_constraints;
mod outputs;
mod run;
mod schema;
mod source;
mod space;
mod template;

pub use diagnostics::suggestion;
pub use run::{RunMode, RunSettings};
pub use schema::{root_keys, schema};
pub use source::Source;
pub use template::{ParsedCommand, Template};

use crate::io::output::excerpt::escaped;
use candidates::Candidates;
use miette::Result;
use serde::Deserialize;
use source::key_names;
use space::ParsedSpace;
use spargo::space::{Dimension, Space};
use spargo::study::{Config, Goal, Output};
use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::de::DeTable;

/// Most bytes of a study's name: file systems allow 255 in a file's name, which has further endings (`.db-journal`).
const LONGEST_NAME: usize = 200;

/// The study file that `spargo new` writes: a commented example that runs as it is.
pub const EXAMPLE: &str = include_str!("examples/simulator.toml");

/// Other study files to begin with, by their names.
pub const EXAMPLES: [(&str, &str); 3] = [
    ("simulator", EXAMPLE),
    ("formulation", include_str!("examples/formulation.toml")),
    ("screen", include_str!("examples/screen.toml")),
];

/// The content of a study file.
#[derive(Debug)]
pub struct StudyFile {
    /// Settings of the study.
    pub config: Config,
    /// Settings of `spargo run`, if the file has them.
    pub run: Option<RunSettings>,
    candidates: Option<Candidates>,
    /// The files of descriptors and of excluded combinations.
    files: Vec<PathBuf>,
    path: PathBuf,
    source: Source,
}

impl StudyFile {
    /// Reads and checks a file whose study is to be asked; every error shows the line.
    pub fn read(path: &Path) -> Result<Self> {
        let file = StudyFile::read_with_extensions(path)?;
        file.source.check_extensions(&file.config)?;
        file.source.check_policy(&file.config)?;
        Ok(file)
    }

    /// Reads and checks a file that may name kernels, qualities and policies of other programs; every error shows the line.
    pub fn read_with_extensions(path: &Path) -> Result<Self> {
        parse(&Source::read(path, "the study file")?, path)
    }

    /// The study's database: `<name>.db` next to its file.
    pub fn database(&self) -> PathBuf {
        self.path.with_file_name(format!("{}.db", self.config.name))
    }

    /// The names of the inputs' columns: their own with their units, or those of the candidates' file.
    pub fn header(&self) -> Vec<String> {
        match &self.candidates {
            Some(candidates) => candidates.header.clone(),
            None => self.config.space.dimensions().iter().map(Dimension::label).collect(),
        }
    }

    /// The files it was read from.
    pub fn inputs(&self) -> Vec<PathBuf> {
        std::iter::once(self.path.clone())
            .chain(self.candidates.iter().map(|candidates| candidates.path.clone()))
            .chain(self.files.iter().cloned())
            .collect()
    }

    /// The folder that paths in the file are relative to.
    pub fn folder(&self) -> &Path {
        self.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
    }
}

fn parse(source: &Source, path: &Path) -> Result<StudyFile> {
    let table = DeTable::parse(source.text()).map_err(|error| source.unreadable(&error))?;
    let whole = table.span();
    let mut table = table.into_inner();
    let source = &source.with_places(&table);
    source.refuse_unknown_keys(&table, &schema::root_keys())?;

    let outputs = outputs::outputs(source, table.remove("objectives"), table.remove("constraints"))?;
    let constraints = table.remove("input-constraints");
    let parsed = space::space(source, table.remove("space"), path, &outputs)?;
    let ParsedSpace { space, candidates, mut files } = parsed;
    check_outputs(source, &space, &outputs)?;
    let space = input_constraints::constrained(source, space, constraints, path, &mut files)?;
    let run = table.remove("run");
    let config = Config { space, outputs, ..config(source, table, whole)? };
    check_name(source, &config.name)?;
    check_columns(source, &config)?;
    config.check().map_err(|error| source.refused(&error))?;
    let run = run.map(|run| RunSettings::parse(source, run, &config)).transpose()?;
    Ok(StudyFile { config, run, candidates, files, path: path.into(), source: source.clone() })
}

/// Refuses an output that is a formula of inputs: what must hold between inputs has a section of its own.
fn check_outputs(source: &Source, space: &Space, outputs: &[Output]) -> Result<()> {
    let is_operator = |c: char| "+-*/<>=".contains(c);
    let is_input = |word: &str| space.dimensions().iter().any(|input| input.name == word.trim());
    let is_formula =
        |name: &str| !is_input(name) && name.contains(is_operator) && name.split(is_operator).any(is_input);
    let Some(output) = outputs.iter().find(|output| is_formula(&output.name)) else { return Ok(()) };
    let inputs: Vec<String> = output
        .name
        .split(is_operator)
        .filter(|word| is_input(word))
        .map(|word| format!("\"{}\"", word.trim()))
        .collect();
    let help = format!(
        "if it is about inputs, write:\n[[input-constraints]]\nsum = [{}]\nat-most = 1\nif it is an output, give it another name",
        inputs.join(", ")
    );
    let section = if matches!(output.goal, Goal::Constraint { .. }) { "constraints" } else { "objectives" };
    let message =
        format!("'{}' is the name of an output here, and looks like a formula of inputs", escaped(&output.name));
    Err(source.fault(&[section, &output.name], message, help))
}

/// The library's settings, from all other keys.
pub fn config(source: &Source, table: DeTable<'_>, whole: Range<usize>) -> Result<Config> {
    let allocation = key_names(table.get("allocation"));
    let rest = toml::Deserializer::from(toml::Spanned::new(whole, table));
    let config = Config::deserialize(rest).map_err(|error| source.unreadable(&error))?;
    source.check_allocation(&config.allocation, &allocation)?;
    Ok(config)
}

/// Checks that the study's name can be the name of a file.
fn check_name(source: &Source, name: &str) -> Result<()> {
    let bad = name.trim().is_empty()
        || name.starts_with('.')
        || name.contains(['/', '\\'])
        || name.chars().any(char::is_control);
    if name.len() > LONGEST_NAME {
        let message =
            format!("the name has {} bytes, and at most {LONGEST_NAME} fit into the name of a file", name.len());
        return Err(source.fault(&["name"], message, "use a shorter name"));
    }
    if bad {
        let message = format!("'{}' cannot be the name of a file", escaped(name));
        return Err(source.fault(&["name"], message, "use letters, digits, '-' and '_'"));
    }
    Ok(())
}

/// Checks that inputs and outputs, which are columns of the same tables, have different names.
fn check_columns(source: &Source, config: &Config) -> Result<()> {
    let mut names: HashMap<&str, &str> =
        config.space.dimensions().iter().map(|dimension| (dimension.name.as_str(), "an input")).collect();
    for Output { name, goal, .. } in &config.outputs {
        let constraint = matches!(goal, Goal::Constraint { .. });
        let (section, what) = if constraint { ("constraints", "a constraint") } else { ("objectives", "an objective") };
        if let Some(other) = names.insert(name, what) {
            let help = "give every input and output a different name";
            return Err(source.fault(&[section, name], format!("'{name}' is already the name of {other}"), help));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
