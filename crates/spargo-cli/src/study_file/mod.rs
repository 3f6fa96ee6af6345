//! A study as a TOML file: settings of the library, and of `spargo run`.
//!
//! ```text
//!     name, seed, batch, …          the fields of `Config`
//!     [objectives], [constraints]   yield = { goal = "max" },  impurity = { at-most = 0.05 }
//!     [space]                       temperature = { real = [20, 120] },  or candidates = "pool.csv"
//!     [run]                         command, parallel, timeout, budget
//! ```

mod example;
mod outputs;
mod run;
mod schema;
mod source;
mod space;
mod words;

pub use example::EXAMPLE;
pub use run::{Part, Run, Template};
pub use schema::schema;
pub use words::suggestion;

use miette::Result;
use serde::Deserialize;
use source::{Source, key_names};
use spargo::study::Config;
use std::path::{Path, PathBuf};
use toml::de::DeTable;

/// What a study file says.
#[derive(Debug)]
pub struct StudyFile {
    /// What the study is determined by.
    pub config: Config,
    /// How its points are evaluated, if the file says so.
    pub run: Option<Run>,
    path: PathBuf,
}

impl StudyFile {
    /// Reads and checks a file; every complaint shows the line.
    pub fn read(path: &Path) -> Result<Self> {
        let source = Source::read(path)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let (config, run) = parse(&source, folder)?;
        Ok(StudyFile { config, run, path: path.into() })
    }

    /// Where the study is kept: `<name>.db` beside its file.
    pub fn database(&self) -> PathBuf {
        self.path.with_file_name(format!("{}.db", self.config.name))
    }

    /// The folder that the file's relative paths begin at.
    pub fn folder(&self) -> &Path {
        self.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
    }
}

fn parse(source: &Source, folder: &Path) -> Result<(Config, Option<Run>)> {
    let table = DeTable::parse(source.text()).map_err(|error| source.unreadable(&error))?;
    let whole = table.span();
    let mut table = table.into_inner();
    let source = &source.with_places(&table);
    source.refuse_unknown_keys(&table, &schema::root_keys())?;

    let outputs = outputs::outputs(source, table.remove("objectives"), table.remove("constraints"))?;
    let space = space::space(source, table.remove("space"), folder, &outputs)?;
    let run = table.remove("run");
    let allocation = key_names(table.get("allocation"));
    let rest = toml::Deserializer::from(toml::Spanned::new(whole, table));
    let mut config = Config::deserialize(rest).map_err(|error| source.unreadable(&error))?;
    (config.space, config.outputs) = (space, outputs);
    source.check_allocation(&config.allocation, &allocation)?;
    check_name(source, &config.name)?;
    config.check().map_err(|error| source.refused(&error))?;
    let run = run.map(|run| Run::parse(source, run, &config)).transpose()?;
    Ok((config, run))
}

/// The study's name names its file.
fn check_name(source: &Source, name: &str) -> Result<()> {
    let bad = name.trim().is_empty() || name.starts_with('.') || name.contains(['/', '\\', '\0']);
    match bad {
        true => Err(source.fault(
            &["name"],
            format!("'{name}' cannot be the name of a file"),
            "use letters, digits, '-' and '_'",
        )),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests;
