//! Settings that are a whole number or the word "auto".

use super::auto::serialize;
use serde::de::{self, Deserializer, Unexpected, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;

/// A number, or one that is chosen automatically.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CountOrAuto {
    /// As many as suit.
    #[default]
    Auto,
    /// So many.
    Count(usize),
}

impl fmt::Display for CountOrAuto {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CountOrAuto::Auto => f.write_str("auto"),
            CountOrAuto::Count(count) => write!(f, "{count}"),
        }
    }
}

impl From<usize> for CountOrAuto {
    fn from(count: usize) -> Self {
        CountOrAuto::Count(count)
    }
}

impl Serialize for CountOrAuto {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let count = match self {
            CountOrAuto::Auto => None,
            CountOrAuto::Count(count) => Some(*count),
        };
        serialize(&count, serializer)
    }
}

impl<'de> Deserialize<'de> for CountOrAuto {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WordOrNumber)
    }
}

struct WordOrNumber;

impl Visitor<'_> for WordOrNumber {
    type Value = CountOrAuto;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number or \"auto\"")
    }

    fn visit_str<E: de::Error>(self, word: &str) -> Result<CountOrAuto, E> {
        if word == "auto" { Ok(CountOrAuto::Auto) } else { Err(E::invalid_value(Unexpected::Str(word), &self)) }
    }

    fn visit_u64<E: de::Error>(self, count: u64) -> Result<CountOrAuto, E> {
        let count = usize::try_from(count).map_err(|_| E::invalid_value(Unexpected::Unsigned(count), &self))?;
        Ok(CountOrAuto::Count(count))
    }

    fn visit_i64<E: de::Error>(self, count: i64) -> Result<CountOrAuto, E> {
        let count = u64::try_from(count).map_err(|_| E::invalid_value(Unexpected::Signed(count), &self))?;
        self.visit_u64(count)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for CountOrAuto {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "CountOrAuto".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "anyOf": [{ "type": "integer", "minimum": 1 }, { "const": "auto" }] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{from_str, to_string};

    #[test]
    fn a_count_or_the_word_is_read_and_written_as_it_is() {
        for (text, count) in [("\"auto\"", CountOrAuto::Auto), ("100", 100.into()), ("0", 0.into())] {
            assert_eq!(from_str::<CountOrAuto>(text).unwrap(), count);
            assert_eq!(to_string(&count).unwrap(), text);
        }
        for text in ["-4", "2.5", "\"automatic\"", "[]", "true"] {
            let refused = from_str::<CountOrAuto>(text).unwrap_err().to_string();
            assert!(refused.contains("a whole number or \"auto\""), "{text}: {refused}");
        }
    }
}
