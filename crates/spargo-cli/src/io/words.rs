//! The words of the command line are the serde names of the library's enums.

use serde::de::DeserializeOwned;
use spargo::allocate::Allocation;

/// Reads an enum by its serde name; the complaint lists the names there are.
pub fn by_name<T: DeserializeOwned>(word: &str) -> Result<T, String> {
    serde_json::from_value(serde_json::Value::String(word.into())).map_err(|error| error.to_string())
}

/// A method of allocation by its name, or as a JSON table with its settings.
pub fn allocation(word: &str) -> Result<Allocation, String> {
    match word.starts_with('{') {
        true => serde_json::from_str(word).map_err(|error| error.to_string()),
        false => word.parse().map_err(|error: spargo::Error| error.to_string()),
    }
}

/// What the help says of both.
pub const ALLOCATION_HELP: &str = "\
How inducing points are chosen: random, uniform, kmeans, cvr, dpp, lin-dpp, imp-dpp, ent-dpp or al-dpp; or, with settings, a \
JSON table: '{\"method\": \"imp-dpp\", \"baseline\": \"mean\", \"link\": \"softplus\"}', \
'{\"method\": \"ent-dpp\", \"alpha\": 0.9, \"share\": \"per-point\"}', '{\"method\": \"kmeans\", \"inputs\": \"scaled\"}', \
'{\"method\": \"dpp\", \"quality\": {\"imp\": {}}}'";
