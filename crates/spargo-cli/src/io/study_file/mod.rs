//! A study as a TOML file: settings of the library, and of `spargo run`.
//!
//! ```text
//!     name, seed, batch, …          the fields of `Config`
//!     [objectives], [constraints]   yield = { goal = "max" },  impurity = { at-most = 0.05 }
//!     [space]                       temperature = { real = [20, 120] },  or candidates = "pool.csv"
//!     [run]                         command, parallel, timeout, budget
//! ```

mod candidates;
mod example;
mod outputs;
mod run;
mod schema;
mod settings;
mod source;
mod space;
mod template;
mod words;

pub use example::EXAMPLE;
pub use run::Run;
pub use schema::schema;
pub use settings::settings;
pub use template::{Part, Template};
pub use words::suggestion;

use crate::io::output::excerpt::escaped;
use candidates::Candidates;
use miette::Result;
use serde::Deserialize;
use source::{Source, key_names};
use spargo::study::{Config, Goal, Output};
use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::de::DeTable;

/// What a study file says.
#[derive(Debug)]
pub struct StudyFile {
    /// What the study is determined by.
    pub config: Config,
    /// How its points are evaluated, if the file says so.
    pub run: Option<Run>,
    candidates: Option<Candidates>,
    path: PathBuf,
}

impl StudyFile {
    /// Reads and checks a file; every complaint shows the line.
    pub fn read(path: &Path) -> Result<Self> {
        let source = Source::read(path, "the study file")?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let Parsed { config, run, candidates } = parse(&source, folder)?;
        Ok(StudyFile { config, run, candidates, path: path.into() })
    }

    /// Where the study is kept: `<name>.db` beside its file.
    pub fn database(&self) -> PathBuf {
        self.path.with_file_name(format!("{}.db", self.config.name))
    }

    /// What tables call the inputs: their names, or the columns of the candidates' file.
    pub fn header(&self) -> Vec<String> {
        match &self.candidates {
            Some(candidates) => candidates.header.clone(),
            None => self.config.space.dimensions().iter().map(|dimension| dimension.name.clone()).collect(),
        }
    }

    /// The files that it was read from.
    pub fn inputs(&self) -> Vec<PathBuf> {
        std::iter::once(self.path.clone())
            .chain(self.candidates.iter().map(|candidates| candidates.path.clone()))
            .collect()
    }

    /// The folder that the file's relative paths begin at.
    pub fn folder(&self) -> &Path {
        self.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
    }
}

struct Parsed {
    config: Config,
    run: Option<Run>,
    candidates: Option<Candidates>,
}

fn parse(source: &Source, folder: &Path) -> Result<Parsed> {
    let table = DeTable::parse(source.text()).map_err(|error| source.unreadable(&error))?;
    let whole = table.span();
    let mut table = table.into_inner();
    let source = &source.with_places(&table);
    source.refuse_unknown_keys(&table, &schema::root_keys())?;

    let outputs = outputs::outputs(source, table.remove("objectives"), table.remove("constraints"))?;
    let (space, candidates) = space::space(source, table.remove("space"), folder, &outputs)?;
    let run = table.remove("run");
    let config = Config { space, outputs, ..config(source, table, whole)? };
    check_name(source, &config.name)?;
    check_columns(source, &config)?;
    config.check().map_err(|error| source.refused(&error))?;
    let run = run.map(|run| Run::parse(source, run, &config)).transpose()?;
    Ok(Parsed { config, run, candidates })
}

/// The library's settings, from what they share with it.
fn config(source: &Source, table: DeTable<'_>, whole: Range<usize>) -> Result<Config> {
    let allocation = key_names(table.get("allocation"));
    let rest = toml::Deserializer::from(toml::Spanned::new(whole, table));
    let config = Config::deserialize(rest).map_err(|error| source.unreadable(&error))?;
    source.check_allocation(&config.allocation, &allocation)?;
    Ok(config)
}

/// The study's name names its file.
fn check_name(source: &Source, name: &str) -> Result<()> {
    let bad = name.trim().is_empty()
        || name.starts_with('.')
        || name.contains(['/', '\\'])
        || name.chars().any(char::is_control);
    match bad {
        true => Err(source.fault(
            &["name"],
            format!("'{}' cannot be the name of a file", escaped(name)),
            "use letters, digits, '-' and '_'",
        )),
        false => Ok(()),
    }
}

/// Inputs and outputs are columns of the same tables.
fn check_columns(source: &Source, config: &Config) -> Result<()> {
    let mut excluded: HashMap<&str, &str> =
        config.space.dimensions().iter().map(|dimension| (dimension.name.as_str(), "an input")).collect();
    for Output { name, goal } in &config.outputs {
        // Only limits come from the second section.
        let limit = matches!(goal, Goal::Constraint { .. });
        let (section, what) = if limit { ("constraints", "a constraint") } else { ("objectives", "an objective") };
        if let Some(other) = excluded.insert(name, what) {
            let help = "give every input and every output a name of its own";
            return Err(source.fault(&[section, name], format!("'{name}' is the name of {other} already"), help));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
