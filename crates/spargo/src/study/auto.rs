//! Settings that are a number or the word "auto", which is `None`.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
#[serde(untagged, expecting = "a number or \"auto\"")]
enum Setting<T> {
    Auto(Word),
    Set(T),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Word {
    Auto,
}

pub(super) fn serialize<T: Serialize + Copy, S: Serializer>(
    value: &Option<T>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    value.map_or(Setting::Auto(Word::Auto), Setting::Set).serialize(serializer)
}

pub(super) fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    Ok(match Setting::deserialize(deserializer)? {
        Setting::Auto(Word::Auto) => None,
        Setting::Set(value) => Some(value),
    })
}

/// The schema of a share of a batch.
#[cfg(feature = "schema")]
pub(super) fn share(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "anyOf": [{ "type": "number", "minimum": 0, "maximum": 1 }, { "const": "auto" }] })
}
