//! Settings of studies by name, and as the part of a job that they are.

use crate::error::{Error, Result};
use crate::rows::{read_settings, to_value};
use crate::runs::configure_as_paper;
use serde_json::Value;
use spargo::space::Space;
use spargo::study::Config;

/// What a job decides otherwise than by the settings of a study.
const OTHERS: [&str; 4] = ["name", "space", "outputs", "seed"];

/// Settings that take part in a comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedMethod {
    /// What tables and drawings call them.
    pub name: String,
    /// The settings; space and outputs are the problem's, the seed is the job's.
    pub config: Config,
}

impl ComparedMethod {
    /// The names of settings that are known.
    pub const NAMES: [&'static str; 3] = ["default", "paper", "paper-250"];

    /// Settings by name: a study's defaults, or the paper's with 500 or 250 inducing points.
    pub fn named(name: &str) -> Result<Self> {
        let mut config = Config::new(Space::default());
        match name {
            "default" => {}
            "paper" => configure_as_paper(&mut config, 500),
            "paper-250" => configure_as_paper(&mut config, 250),
            _ => {
                let remedy = format!("they are {}, or a file whose name ends in .toml", Self::NAMES.join(", "));
                return Err(Error::Unsupported { what: format!("there are no settings '{name}'"), remedy });
            }
        }
        Ok(ComparedMethod { name: name.into(), config })
    }
}

/// Settings as a job holds them.
pub(super) fn study(config: &Config) -> Result<Value> {
    let mut study = to_value(config)?;
    if let Value::Object(table) = &mut study {
        OTHERS.iter().for_each(|key| drop(table.remove(*key)));
    }
    Ok(study)
}

/// The settings that a job holds.
pub(super) fn read_study(study: &Value) -> Result<Config> {
    read_settings(study)
}
