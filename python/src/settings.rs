//! Settings as JSON: those of Python's keyword arguments, and those that Python shows.

use crate::heavy::unsupported;
use pyo3::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use spargo::Result;

/// Reads settings; an error names the setting, and `remedy` says where settings are described.
pub fn read<T: DeserializeOwned>(settings: &str, remedy: &str) -> Result<T> {
    // With one setting per line, the line of an error is the place of the setting.
    let text = serde_json::from_str::<Value>(settings).and_then(|value| serde_json::to_string_pretty(&value));
    let text = text.map_err(|error| unsupported(error.to_string(), remedy))?;
    serde_json::from_str(&text).map_err(|error| {
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or_default();
        let separator = if message.is_empty() { "" } else { ": " };
        unsupported(format!("{}{separator}{message}", path(&text, error.line())), remedy)
    })
}

/// Text that crosses as the dictionary or list that it describes.
pub struct Json(String);

/// Writes settings and findings.
pub fn json(value: &impl Serialize) -> Result<Json> {
    let text = serde_json::to_string(value);
    text.map(Json).map_err(|error| unsupported(error.to_string(), "report this as a fault of spargo"))
}

impl<'py> IntoPyObject<'py> for Json {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        py.import("json")?.call_method1("loads", (self.0,))
    }
}

/// The names that lead to a line of indented JSON, as Python writes them.
fn path(text: &str, line: usize) -> String {
    let mut names = Vec::new();
    let mut limit = usize::MAX;
    for line in text.lines().take(line).collect::<Vec<_>>().into_iter().rev() {
        let content = line.trim_start();
        let depth = line.len() - content.len();
        match content.strip_prefix('"').and_then(|rest| rest.split_once("\":")) {
            Some((name, _)) if depth < limit => {
                names.push(name.replace('-', "_"));
                limit = depth;
            }
            None if limit == usize::MAX => limit = depth + 1,
            _ => {}
        }
    }
    names.reverse();
    names.join(".")
}
