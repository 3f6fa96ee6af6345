//! Settings, states and reports as the text that a storage keeps.

use crate::error::{Error, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;

pub(super) fn to_json<T: Serialize>(value: &T) -> Result<String> {
    serde_json::to_string(value).map_err(|error| unreadable("a part of the study", error))
}

pub(super) fn from_json<T: DeserializeOwned>(what: &str, json: &str) -> Result<T> {
    serde_json::from_str(json).map_err(|error| unreadable(what, error))
}

fn unreadable(what: &str, error: serde_json::Error) -> Error {
    Error::unsupported(format!("{what} cannot be read or written ({error})"), "create another study")
}
