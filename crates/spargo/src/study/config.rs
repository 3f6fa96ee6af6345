//! Everything a study is determined by, in one table: what the command line reads as TOML, Python as a dictionary, and the
//! store keeps.

use super::count::CountOrAuto;
use super::goal::{Goal, Output};
use super::hyperparameters::HyperparameterChoice;
use super::inducing::{MOST_AUTO, is_most_auto};
use super::local::LocalModelOptions;
use super::plate::PlateOptions;
use super::trust_regions::TrustRegionOptions;
use super::words::{OUTPUT_COLUMNS, RESERVED_NAMES};
use crate::acquire::Rule;
use crate::acquire::optimizer::AcquisitionOptions;
use crate::allocate::Allocation;
use crate::error::{Error, Result};
use crate::kernel::KernelChoice;
use crate::model::Priors;
use crate::sample::SamplingOptions;
use crate::space::Space;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fmt;

/// The share of a batch for local models that "auto" stands for where there is a single objective and no credit: with a policy of trust
/// regions from outside the crate.
const AUTO_LOCAL_MODELS: f64 = 0.2;

/// The settings of a study; only the space has no default.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Config {
    /// What the user calls it.
    pub name: String,
    /// What may be evaluated.
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub space: Space,
    /// What is measured at each point.
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub outputs: Vec<Output>,
    /// Random seed.
    pub seed: u64,
    /// Points spread over the space before a model is used; "auto": as many as suit the number of inputs and the batch.
    pub initial: CountOrAuto,
    /// Points asked for at a time, unless a caller wants another number.
    pub batch: usize,
    /// M, the inducing points of a sparse model; "auto": as many as the bound on the approximation's error asks for.
    pub inducing: CountOrAuto,
    /// The most inducing points that "auto" chooses.
    #[serde(skip_serializing_if = "is_most_auto")]
    pub inducing_max: usize,
    /// How inducing points are chosen: a method's name, or a table with its settings.
    #[serde(deserialize_with = "word_or_table")]
    pub allocation: Allocation,
    /// How batches are chosen; unless it is set, by what suits the outputs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<&'static Rule>,
    /// How the model is learned.
    pub model: ModelOptions,
    /// How paths are drawn.
    pub sampling: SamplingOptions,
    /// How acquisition functions are maximised.
    pub acquisition: AcquisitionOptions,
    /// Trust regions around the incumbents.
    pub trust_regions: TrustRegionOptions,
    /// Local models around the incumbents.
    pub local_models: LocalModelOptions,
    /// Whether points may be asked for again.
    pub replicates: Replicates,
    /// The plate that a batch is put on.
    #[serde(skip_serializing_if = "PlateOptions::is_unset")]
    pub plate: PlateOptions,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            name: "study".into(),
            space: Space::default(),
            outputs: vec![Output::new("objective", Goal::Maximize)],
            seed: 0,
            initial: CountOrAuto::Auto,
            batch: 100,
            inducing: 500.into(),
            inducing_max: MOST_AUTO,
            allocation: Allocation::default(),
            rule: None,
            model: ModelOptions::default(),
            sampling: SamplingOptions::default(),
            acquisition: AcquisitionOptions::default(),
            trust_regions: TrustRegionOptions::default(),
            local_models: LocalModelOptions::default(),
            replicates: Replicates::default(),
            plate: PlateOptions::default(),
        }
    }
}

/// A word where a table with that word as its method would do.
fn word_or_table<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Allocation, D::Error> {
    struct Either;
    impl<'de> Visitor<'de> for Either {
        type Value = Allocation;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("the name of a method, or a table with the key `method`")
        }

        fn visit_str<E: de::Error>(self, word: &str) -> std::result::Result<Allocation, E> {
            word.parse().map_err(E::custom)
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> std::result::Result<Allocation, A::Error> {
            Allocation::deserialize(MapAccessDeserializer::new(map))
        }
    }
    deserializer.deserialize_any(Either)
}

/// How the model of an output is learned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ModelOptions {
    /// The kernel over ordered inputs, by its name.
    pub kernel: KernelChoice,
    /// Where the hyperparameters come from.
    pub hyperparameters: HyperparameterChoice,
    /// The exact posterior is used up to this many observations (and up to as many as inducing points), then the sparse
    /// one.
    pub exact_until: usize,
    /// Whether priors join the objective.
    pub priors: Priors,
    /// How outcomes are mapped before the model sees them.
    pub outcome_transform: OutcomeTransformChoice,
    /// The upper bound on the noise variance, where it is learned.
    pub noise_bound: NoiseBound,
    /// What is done about extreme outcomes.
    #[serde(skip_serializing_if = "Penalties::is_default")]
    pub penalties: Penalties,
}

/// The upper bound on a learned noise variance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum NoiseBound {
    /// What outcomes of close pairs of points differ by.
    #[default]
    ClosePairs,
    /// None: the noise variance of maximum likelihood.
    Off,
}

/// What is done about extreme outcomes, such as the penalties that simulators return for points that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Penalties {
    /// Models do not see them as they are, and there is a warning.
    #[default]
    Warn,
    /// As `Warn`, and a value that outcomes repeat exactly is a failure.
    Failures,
    /// They are outcomes like any others.
    Keep,
}

impl Penalties {
    fn is_default(&self) -> bool {
        *self == Penalties::default()
    }
}

/// How outcomes are mapped before a model sees them.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum OutcomeTransformChoice {
    /// By the map under which a space-filling subset of them is most likely, if it gains enough over none.
    #[default]
    Auto,
    /// By the asinh under which a space-filling subset of them is most likely.
    Asinh,
    /// By the logarithm: outcomes must be positive.
    Log,
    /// Not at all.
    Off,
}

impl Default for ModelOptions {
    fn default() -> Self {
        ModelOptions {
            kernel: KernelChoice::default(),
            hyperparameters: HyperparameterChoice::Subset(1000),
            exact_until: 2000,
            priors: Priors::On,
            outcome_transform: OutcomeTransformChoice::default(),
            noise_bound: NoiseBound::default(),
            penalties: Penalties::default(),
        }
    }
}

/// Whether points may be asked for again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Replicates {
    /// The few replicates that tell noise from misfit; else points are asked for once.
    #[default]
    Auto,
    /// Every point is asked for once, but for final replicates.
    Never,
    /// Points that are evaluated or pending may be asked for again.
    Allowed,
}

impl Config {
    /// The share of a Thompson batch that local models have by default, where it is not by credit.
    pub(super) fn auto_local_models(&self) -> f64 {
        let has_own = self.is_one_objective() && !self.trust_regions.policy.has_lineages();
        if has_own { AUTO_LOCAL_MODELS } else { 0.0 }
    }

    /// The default settings for a space: its one output is maximised.
    pub fn new(space: Space) -> Self {
        Config { space, ..Config::default() }
    }

    /// Refuses what cannot be run, by name.
    pub fn check(&self) -> Result<()> {
        self.check_names()?;
        self.check_wells()?;
        self.check_goals()?;
        self.check_noise()?;
        self.rule().check(self.task())?;
        self.check_outcome_transform()?;
        self.check_limits()?;
        self.check_hyperparameters()?;
        self.check_inducing()?;
        self.check_paths()
    }

    /// Refuses settings about the paths of Thompson sampling with a rule that draws none.
    fn check_paths(&self) -> Result<()> {
        let is_positive = |share: Option<f64>| share.is_some_and(|share| share > 0.0);
        let set = [
            ("trust-regions.share", is_positive(self.trust_regions.share)),
            ("local-models.share", is_positive(self.local_models.share)),
            ("trust-regions.policy", !self.trust_regions.policy.is_default()),
        ];
        match set.into_iter().find(|(_, is_set)| *is_set && self.rule().name != "thompson") {
            Some((name, _)) => Err(Error::unsupported(
                format!("'{name}' is ignored by the rule '{}'", self.rule().name),
                "leave it out, or use the rule thompson where it supports the outputs",
            )),
            None => Ok(()),
        }
    }

    /// Refuses a transform of several objectives.
    fn check_outcome_transform(&self) -> Result<()> {
        match self.model.outcome_transform {
            OutcomeTransformChoice::Asinh | OutcomeTransformChoice::Log
                if self.objectives_and_constraints().0.len() > 1 =>
            {
                Err(Error::unsupported(
                    "'outcome-transform' cannot transform several objectives, between which volumes are measured",
                    "use \"off\", or \"auto\", which transforms other outputs alone",
                ))
            }
            OutcomeTransformChoice::Asinh | OutcomeTransformChoice::Log => Ok(()),
            OutcomeTransformChoice::Auto | OutcomeTransformChoice::Off => Ok(()),
        }
    }

    /// Refuses names that another column of a table of trials has. Files that were written before this was refused are read.
    pub(super) fn check_columns(&self) -> Result<()> {
        let inputs = self.space.dimensions().iter().map(|dimension| ("input", &dimension.name));
        let names = inputs.chain(self.outputs.iter().map(|output| ("output", &output.name)));
        let further = |name: &str| {
            let mut columns = self.outputs.iter().flat_map(|output| OUTPUT_COLUMNS.map(|column| (output, column)));
            columns.find(|(output, (kind, _))| name == format!("{} {kind}", output.name))
        };
        for (kind, name) in names {
            let column = match further(name) {
                Some((output, (_, what))) => format!("the column of the {what} of '{}'", output.name),
                None if RESERVED_NAMES.contains(&name.as_str()) => "a column of every table of trials".into(),
                None => continue,
            };
            return Err(Error::unsupported(
                format!("an {kind} with the name '{name}', which is {column}"),
                format!("give the {kind} another name"),
            ));
        }
        Ok(())
    }

    /// Inputs and outputs are the columns of one table.
    fn check_names(&self) -> Result<()> {
        if self.space.dimensions().is_empty() {
            return Err(Error::unsupported("the space has no inputs", "list at least one"));
        }
        let mut names: HashSet<&String> = self.space.dimensions().iter().map(|dimension| &dimension.name).collect();
        match self.outputs.iter().find(|output| output.name.trim().is_empty() || !names.insert(&output.name)) {
            Some(output) => Err(Error::unsupported(
                format!("'{}' cannot be the name of an output", output.name),
                "give every input and every output a name of its own",
            )),
            None => Ok(()),
        }
    }
}
