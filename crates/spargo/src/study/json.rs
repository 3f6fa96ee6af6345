//! Settings, states and reports as the text that a storage keeps.

use crate::error::{Error, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

pub(super) fn to_json<T: Serialize>(value: &T) -> Result<String> {
    serde_json::to_string(value).map_err(|error| unreadable("a part of the study", error))
}

pub(super) fn from_json<T: DeserializeOwned>(what: &str, json: &str) -> Result<T> {
    serde_json::from_str(json).map_err(|error| unreadable(what, error))
}

fn unreadable(what: &str, error: serde_json::Error) -> Error {
    Error::unsupported(format!("{what} cannot be read or written ({error})"), "create another study")
}

/// The first setting in which two studies differ.
pub(super) fn differing(ours: &str, theirs: &str) -> Result<Option<String>> {
    let read = |json| from_json::<Map<String, Value>>("the settings in the study's file", json);
    let (ours, theirs) = (read(ours)?, read(theirs)?);
    let names = ours.keys().chain(theirs.keys().filter(|name| !ours.contains_key(*name)));
    Ok(names.into_iter().find(|name| ours.get(*name) != theirs.get(*name)).cloned())
}
