//! Words of the command line: the serde names of the library's enums.

use serde::de::DeserializeOwned;
use spargo::allocate::Allocation;
use spargo::kernel::KERNELS;

/// How an allocation is written with its settings.
const ALLOCATION_SETTINGS: &str = "\
with settings, as a JSON object: '{\"method\": \"imp-dpp\", \"baseline\": \"mean\", \"link\": \"softplus\"}', \
'{\"method\": \"ent-dpp\", \"alpha\": 0.9, \"share\": \"per-point\"}', '{\"method\": \"kmeans\", \"inputs\": \"scaled\"}', \
'{\"method\": \"dpp\", \"quality\": {\"imp\": {}}}'";

/// The help text of `--allocation`.
pub fn allocation_help() -> String {
    format!("How inducing points are chosen: {}; {ALLOCATION_SETTINGS}", alternatives(Allocation::NAMES))
}

/// The help text of `--kernel`.
pub fn kernel_help() -> String {
    let stationary = KERNELS.iter().rev().filter(|kernel| kernel.family.is_some());
    format!("Covariance function: {}", alternatives(stationary.map(|kernel| kernel.name)))
}

/// Words to choose from: "rbf, matern12 or matern32".
fn alternatives<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<&str> = words.into_iter().collect();
    match words.as_slice() {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        few => few.concat(),
    }
}

/// Parses an enum by its serde name; the error lists the known names.
pub fn by_name<T: DeserializeOwned>(word: &str) -> Result<T, String> {
    serde_json::from_value(serde_json::Value::String(word.into())).map_err(|error| error.to_string())
}

/// Parses an allocation method by its name, or as a JSON object with its settings.
pub fn allocation(word: &str) -> Result<Allocation, String> {
    if word.starts_with('{') {
        serde_json::from_str(word).map_err(|error| error.to_string())
    } else {
        word.parse().map_err(|error: spargo::Error| error.to_string())
    }
}
