//! Words of the command line: the serde names of the library's enums.

use serde::de::DeserializeOwned;
use spargo::allocate::Allocation;

/// The help text of `--allocation`.
pub const ALLOCATION_HELP: &str = "\
How inducing points are chosen: random, uniform, kmeans, cvr, dpp, lin-dpp, imp-dpp, ent-dpp or al-dpp; with settings, as a \
JSON object: '{\"method\": \"imp-dpp\", \"baseline\": \"mean\", \"link\": \"softplus\"}', \
'{\"method\": \"ent-dpp\", \"alpha\": 0.9, \"share\": \"per-point\"}', '{\"method\": \"kmeans\", \"inputs\": \"scaled\"}', \
'{\"method\": \"dpp\", \"quality\": {\"imp\": {}}}'";

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
