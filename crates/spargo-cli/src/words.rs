//! The words of the command line are the serde names of the library's enums.

use serde::de::DeserializeOwned;

/// Reads an enum by its serde name; the complaint lists the names there are.
pub fn by_name<T: DeserializeOwned>(word: &str) -> Result<T, String> {
    serde_json::from_value(serde_json::Value::String(word.into())).map_err(|error| error.to_string())
}
