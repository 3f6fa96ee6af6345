//! The noise of an output, as far as the user knows it.
//!
//! ```text
//!     y = f(x) + ε,   ε ~ N(0, σ²)        σ² learned, or at least what is known of it, or 0
//! ```

use super::config::Config;
use super::goal::Goal;
use crate::error::{Error, Result};
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserializer, MapAccess, Unexpected, Visitor};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The words for noise that is not a number.
const WORDS: [&str; 2] = ["auto", "none"];

/// What is known of the noise of an output; rows with a variance of their own keep that.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Noise {
    /// Nothing: it is learned from the outcomes.
    #[default]
    Auto,
    /// There is none: the same point always has the same outcome.
    None,
    /// Its standard deviation, in the output's units.
    Sd(f64),
    /// Its variance, in the squared units of the output.
    Variance(f64),
}

impl Noise {
    /// Whether nothing is known of it.
    pub fn is_auto(&self) -> bool {
        *self == Noise::Auto
    }

    /// The variance, where a number is known.
    pub fn known_variance(self) -> Option<f64> {
        match self {
            Noise::Auto | Noise::None => None,
            Noise::Sd(sd) => Some(sd * sd),
            Noise::Variance(variance) => Some(variance),
        }
    }

    /// Refuses what no normal variable has as its deviation or variance.
    fn check(self, output: &str) -> Result<()> {
        let (key, number) = match self {
            Noise::Auto | Noise::None => return Ok(()),
            Noise::Sd(sd) => ("sd", sd),
            Noise::Variance(variance) => ("variance", variance),
        };
        let is_valid = |value: f64| value.is_finite() && value > 0.0;
        if is_valid(number) && self.known_variance().is_some_and(is_valid) {
            return Ok(());
        }
        Err(Error::unsupported(
            format!("the noise of '{output}' cannot have {key} = {number}"),
            "give a finite number above 0 (so must be the square of sd), or noise = \"none\" if there is no noise",
        ))
    }
}

impl fmt::Display for Noise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Noise::Auto => f.write_str("auto"),
            Noise::None => f.write_str("none"),
            Noise::Sd(sd) => write!(f, "sd {sd}"),
            Noise::Variance(variance) => write!(f, "variance {variance}"),
        }
    }
}

impl Config {
    /// Refuses noise of classes, and numbers that no noise has, by the name of the output.
    pub(super) fn check_noise(&self) -> Result<()> {
        for output in &self.outputs {
            if output.goal == Goal::Classify && !output.noise.is_auto() {
                return Err(Error::unsupported(
                    format!("'{}' is a class, which has no noise to be told", output.name),
                    "leave out its noise: the model of classes learns how often they differ",
                ));
            }
            output.noise.check(&output.name)?;
        }
        Ok(())
    }
}

/// The table of a known noise.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    sd: Option<f64>,
    variance: Option<f64>,
}

impl<'de> Deserialize<'de> for Noise {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_any(WordOrTable)
    }
}

/// A word, or a table with one number.
struct WordOrTable;

impl<'de> Visitor<'de> for WordOrTable {
    type Value = Noise;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"auto\", \"none\", { sd = … } or { variance = … }")
    }

    fn visit_str<E: de::Error>(self, word: &str) -> std::result::Result<Noise, E> {
        match word {
            "auto" => Ok(Noise::Auto),
            "none" => Ok(Noise::None),
            _ => Err(E::unknown_variant(word, &WORDS)),
        }
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> std::result::Result<Noise, E> {
        self.visit_f64(number as f64)
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> std::result::Result<Noise, E> {
        self.visit_f64(number as f64)
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> std::result::Result<Noise, E> {
        Err(match number {
            0.0 => E::custom("noise is a word or a table, not 0; write \"none\" if there is no noise"),
            _ => E::invalid_type(Unexpected::Float(number), &self),
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> std::result::Result<Noise, A::Error> {
        match Known::deserialize(MapAccessDeserializer::new(map))? {
            Known { sd: Some(sd), variance: None } => Ok(Noise::Sd(sd)),
            Known { sd: None, variance: Some(variance) } => Ok(Noise::Variance(variance)),
            Known { sd: Some(_), variance: Some(_) } => {
                Err(de::Error::custom("noise has both sd and variance; give one of them"))
            }
            Known { sd: None, variance: None } => {
                Err(de::Error::custom("noise without a number; give { sd = … } or { variance = … }"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::Output;
    use serde_json::{from_str, to_string};

    #[test]
    fn noise_is_written_as_it_was_read_and_left_out_where_nothing_is_known() {
        for text in [r#""none""#, r#"{"sd":0.05}"#, r#"{"variance":0.0025}"#] {
            let noise: Noise = from_str(text).unwrap();
            assert_eq!(to_string(&noise).unwrap(), text);
            let output = Output::new("y", Goal::Maximize).with_noise(noise);
            let written = to_string(&output).unwrap();
            assert_eq!(written, format!(r#"{{"name":"y","goal":"max","noise":{text}}}"#));
            assert_eq!(from_str::<Output>(&written).unwrap(), output);
        }
        let plain = Output::new("y", Goal::Maximize);
        assert_eq!(to_string(&plain).unwrap(), r#"{"name":"y","goal":"max"}"#);
        assert_eq!(from_str::<Output>(r#"{"name":"y","goal":"max","noise":"auto"}"#).unwrap(), plain);
        let [sd, variance] = [Noise::Sd(0.5), Noise::Variance(0.5)].map(Noise::known_variance);
        assert_eq!((sd, variance, Noise::None.known_variance()), (Some(0.25), Some(0.5), None));
    }

    #[test]
    fn what_is_no_noise_is_refused_with_the_way_to_say_it() {
        for (text, remedy) in [
            (r#""low""#, "auto"),
            ("0", "write \"none\""),
            ("0.1", "{ sd = … }"),
            ("{}", "{ variance = … }"),
            (r#"{"sd":1,"variance":1}"#, "one of them"),
            (r#"{"deviation":1}"#, "variance"),
        ] {
            let refused = from_str::<Noise>(text).unwrap_err().to_string();
            assert!(refused.contains(remedy), "{text}: {refused}");
        }
    }
}
