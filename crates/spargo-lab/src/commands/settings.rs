//! Files of settings for `spargo-lab compare`: study files without inputs and outputs.

use miette::{IntoDiagnostic, Result};
use spargo::space::{Dimension, Space};
use spargo::study::Config;
use spargo_cli::io::study_file::{Source, config, root_keys};
use std::path::Path;
use toml::de::DeTable;

/// Keys of study files that the comparison sets.
const OTHERS: [&str; 6] = ["name", "space", "objectives", "constraints", "run", "seed"];

/// Reads and checks a file of settings; every error shows the line. They have one output and no space.
pub fn settings(path: &Path) -> Result<Config> {
    let source = Source::read(path, "the settings")?;
    let table = DeTable::parse(source.text()).map_err(|error| source.unreadable(&error))?;
    let whole = table.span();
    let table = table.into_inner();
    let source = &source.with_places(&table);
    let known: Vec<String> = root_keys().into_iter().filter(|key| !OTHERS.contains(&key.as_str())).collect();
    if let Some(key) = table.keys().find(|key| OTHERS.contains(&key.get_ref().as_ref())) {
        let message = format!("'{}' is set by the comparison", key.get_ref());
        return Err(source.fault_at(Some(key.span()), message, "remove it"));
    }
    source.refuse_unknown_keys(&table, &known)?;
    let config = config(source, table, whole)?;
    // The check needs some space; the comparison sets the real one.
    let space = Space::new(vec![Dimension::real("x", 0.0, 1.0)]).into_diagnostic()?;
    Config { space, ..config.clone() }.check().map_err(|error| source.refused(&error))?;
    source.check_extensions(&config)?;
    Ok(config)
}
