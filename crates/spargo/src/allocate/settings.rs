//! The methods by name: what settings files, the command line and Python call them.

use super::quality::{CustomQuality, Entropy, Improvement, Quality, QualityFunction};
use crate::error::{Error, Result};
use serde::de::value::{Error as SpellingError, MapDeserializer};
use serde::{Deserialize, Serialize};
use std::str::FromStr;
use std::sync::Arc;

/// How inducing points are chosen; in settings a table with the key `method` and, if not the default, the rest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "method", rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Allocation {
    /// A random subset of the data.
    Random,
    /// Evenly over the box.
    Uniform,
    /// Centroids of clusters of the data.
    Kmeans {
        /// The units in which distances are measured.
        #[serde(default)]
        inputs: Inputs,
    },
    /// Conditional variance reduction: the greedy determinant without quality (Burt et al. 2020).
    Cvr,
    /// An exact sample of a determinantal point process.
    Dpp {
        /// The quality by which it is weighted.
        #[serde(default)]
        quality: Quality,
    },
    /// The greedy determinant weighted by noise-free outcomes.
    LinDpp,
    /// The greedy determinant weighted by expected improvement: the paper's method.
    ImpDpp(Improvement),
    /// The greedy determinant weighted by information about the maximum.
    EntDpp(Entropy),
    /// The greedy determinant weighted by closeness to a level.
    AlDpp,
    /// The greedy determinant weighted by the product of several objectives' improvements.
    HvDpp,
    /// The greedy determinant weighted by closeness to the Pareto front.
    FrontDpp,
    /// The greedy determinant weighted by a quality that was registered.
    CustomDpp {
        /// Its name.
        quality: CustomQuality,
    },
}

/// The units in which clusters are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Inputs {
    /// As they are.
    #[default]
    Plain,
    /// Divided by the kernel's length scales.
    Scaled,
}

impl Allocation {
    /// The names of all methods that need no further setting.
    pub const NAMES: [&str; 11] =
        ["random", "uniform", "kmeans", "cvr", "dpp", "lin-dpp", "imp-dpp", "ent-dpp", "al-dpp", "hv-dpp", "front-dpp"];

    /// The quality it weighs points by; unit for methods that weigh none.
    pub fn quality(&self) -> Quality {
        match self {
            Allocation::Random | Allocation::Uniform | Allocation::Kmeans { .. } | Allocation::Cvr => Quality::Unit,
            Allocation::Dpp { quality } => quality.clone(),
            Allocation::LinDpp => Quality::Lin,
            Allocation::ImpDpp(settings) => Quality::Imp(*settings),
            Allocation::EntDpp(settings) => Quality::Ent(*settings),
            Allocation::AlDpp => Quality::Al,
            Allocation::HvDpp => Quality::Hv,
            Allocation::FrontDpp => Quality::Front,
            Allocation::CustomDpp { quality } => Quality::Custom(quality.clone()),
        }
    }

    /// Whether points are chosen one by one, so that the search knows what those before leave unexplained.
    pub fn is_greedy(&self) -> bool {
        use Allocation::{Dpp, Kmeans, Random, Uniform};
        !matches!(self, Random | Uniform | Kmeans { .. } | Dpp { .. })
    }

    /// The greedy determinant weighted by a quality of your own.
    pub fn custom(quality: impl QualityFunction + 'static) -> Self {
        Allocation::CustomDpp { quality: CustomQuality::new(quality) }
    }

    /// Takes its quality from those that are registered, if it needs one of them.
    pub fn register(&mut self, qualities: &[Arc<dyn QualityFunction>]) {
        if let Allocation::CustomDpp { quality } | Allocation::Dpp { quality: Quality::Custom(quality) } = self {
            quality.register(qualities);
        }
    }
}

impl Default for Allocation {
    fn default() -> Self {
        Allocation::ImpDpp(Improvement::default())
    }
}

impl FromStr for Allocation {
    type Err = Error;

    /// A method by its name, with default settings.
    fn from_str(name: &str) -> Result<Self> {
        let table = MapDeserializer::<_, SpellingError>::new([("method", name)].into_iter());
        Allocation::deserialize(table).map_err(|_| Error::Unsupported {
            what: format!("there is no allocation method '{name}'"),
            remedy: format!("use one of {}", Allocation::NAMES.join(", ")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::allocate::quality::{Baseline, Link};

    #[test]
    fn every_name_is_read_and_written() {
        for name in Allocation::NAMES {
            let allocation: Allocation = name.parse().unwrap();
            let written = serde_json::to_value(&allocation).unwrap();
            assert_eq!(written["method"], name);
            assert_eq!(serde_json::from_value::<Allocation>(written).unwrap(), allocation);
        }
        assert_eq!("imp-dpp".parse::<Allocation>().unwrap(), Allocation::default());
        let message = "imp".parse::<Allocation>().unwrap_err().to_string();
        assert!(message.contains("'imp'") && message.contains("front-dpp"), "{message}");
    }

    #[test]
    fn settings_that_are_left_out_take_their_defaults() {
        let read = |text: &str| serde_json::from_str::<Allocation>(text).unwrap();
        assert_eq!(
            read(r#"{"method": "imp-dpp", "baseline": "max"}"#),
            Allocation::ImpDpp(Improvement { baseline: Baseline::Max, link: Link::Relu })
        );
        assert_eq!(read(r#"{"method": "kmeans", "inputs": "scaled"}"#), Allocation::Kmeans { inputs: Inputs::Scaled });
        let weighted = Allocation::Dpp { quality: Quality::Imp(Improvement::default()) };
        assert_eq!(read(r#"{"method": "dpp", "quality": {"imp": {}}}"#), weighted);
    }
}
