//! The number of space-filling points before a model is used: the user's, or one that suits dimension and batch.
//!
//! ```text
//!     auto = max(2 (d + 1), min(batch, 20 d)), at least 10 and at most 1,000
//! ```

use super::{Config, auto};
use serde::de::{self, Deserializer, Unexpected, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;

/// Initial points per unknown of a linear model, of which there are d + 1: fewer say nothing of an input.
const PER_COEFFICIENT: usize = 2;

/// Initial points per input at most, however large a batch is: from there on a model chooses better than chance.
const PER_INPUT: usize = 20;

/// The least and the largest initial design that is chosen automatically.
const RANGE: (usize, usize) = (10, 1000);

/// How many points are spread over the space before a model is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Initial {
    /// As many as suit the dimension and the batch.
    #[default]
    Auto,
    /// So many.
    Count(usize),
}

impl Config {
    /// Points spread over the space before a model is used.
    pub fn initial_count(&self) -> usize {
        match self.initial {
            Initial::Auto => suitable(self.space.dimensions().len(), self.batch),
            Initial::Count(count) => count,
        }
    }
}

/// The initial design that suits a number of inputs and a batch.
fn suitable(inputs: usize, batch: usize) -> usize {
    let least = PER_COEFFICIENT * (inputs + 1);
    least.max(batch.min(PER_INPUT * inputs)).clamp(RANGE.0, RANGE.1)
}

impl From<usize> for Initial {
    fn from(count: usize) -> Self {
        Initial::Count(count)
    }
}

impl Serialize for Initial {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let count = match self {
            Initial::Auto => None,
            Initial::Count(count) => Some(*count),
        };
        auto::serialize(&count, serializer)
    }
}

impl<'de> Deserialize<'de> for Initial {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CountOrAuto)
    }
}

struct CountOrAuto;

impl Visitor<'_> for CountOrAuto {
    type Value = Initial;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number or \"auto\"")
    }

    fn visit_str<E: de::Error>(self, word: &str) -> Result<Initial, E> {
        if word == "auto" { Ok(Initial::Auto) } else { Err(E::invalid_value(Unexpected::Str(word), &self)) }
    }

    fn visit_u64<E: de::Error>(self, count: u64) -> Result<Initial, E> {
        let count = usize::try_from(count).map_err(|_| E::invalid_value(Unexpected::Unsigned(count), &self))?;
        Ok(Initial::Count(count))
    }

    fn visit_i64<E: de::Error>(self, count: i64) -> Result<Initial, E> {
        let count = u64::try_from(count).map_err(|_| E::invalid_value(Unexpected::Signed(count), &self))?;
        self.visit_u64(count)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Initial {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Initial".into()
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
    fn the_automatic_number_grows_with_dimension_and_batch_within_its_range() {
        for ((inputs, batch), count) in [
            ((1, 1), 10),
            ((1, 100), 20),
            ((2, 100), 40),
            ((6, 100), 100),
            ((6, 1), 14),
            ((60, 100), 122),
            ((20, 1_000_000), 400),
            ((60, 5000), 1000),
            ((2000, 1), 1000),
        ] {
            assert_eq!(suitable(inputs, batch), count, "{inputs} inputs, batches of {batch}");
        }
    }

    #[test]
    fn a_count_or_the_word_is_read_and_written_as_it_is() {
        for (text, initial) in [("\"auto\"", Initial::Auto), ("100", 100.into()), ("0", 0.into())] {
            assert_eq!(from_str::<Initial>(text).unwrap(), initial);
            assert_eq!(to_string(&initial).unwrap(), text);
        }
        for text in ["-4", "2.5", "\"automatic\"", "[]", "true"] {
            let refused = from_str::<Initial>(text).unwrap_err().to_string();
            assert!(refused.contains("a whole number or \"auto\""), "{text}: {refused}");
        }
    }
}
