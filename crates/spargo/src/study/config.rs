//! Everything a study is determined by, in one table: what the command line reads as TOML, Python as a dictionary, and the
//! store keeps.

use crate::acquire::Rule;
use crate::allocate::Allocation;
use crate::error::{Error, Result};
use crate::kernel::Family;
use crate::maximize::Maximizing;
use crate::model::{Learning, Priors};
use crate::sample::Sampling;
use crate::space::Space;
use serde::{Deserialize, Serialize};

/// The settings of a study; only the space has no default.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Config {
    /// What the user calls it.
    #[serde(default = "default_name")]
    pub name: String,
    /// What may be evaluated.
    pub space: Space,
    /// What is measured at each point.
    #[serde(default = "default_outputs")]
    pub outputs: Vec<Output>,
    /// Of every random choice.
    #[serde(default)]
    pub seed: u64,
    /// Points spread over the space before a model is asked.
    #[serde(default = "default_initial")]
    pub initial: usize,
    /// Points asked for at a time, unless the asker says otherwise.
    #[serde(default = "default_batch")]
    pub batch: usize,
    /// M, the inducing points of a sparse model.
    #[serde(default = "default_inducing")]
    pub inducing: usize,
    /// How inducing points are chosen.
    #[serde(default)]
    pub allocation: Allocation,
    /// How batches are chosen.
    #[serde(default)]
    pub rule: Rule,
    /// How the model is learned.
    #[serde(default)]
    pub model: Modelling,
    /// How paths are drawn.
    #[serde(default)]
    pub sampling: Sampling,
    /// How utilities are maximised.
    #[serde(default)]
    pub maximizing: Maximizing,
    /// Whether points may be asked for again.
    #[serde(default)]
    pub replicates: Replicates,
}

fn default_name() -> String {
    "study".into()
}

fn default_outputs() -> Vec<Output> {
    vec![Output { name: "objective".into(), goal: Goal::Maximize }]
}

fn default_initial() -> usize {
    100
}

fn default_batch() -> usize {
    100
}

fn default_inducing() -> usize {
    500
}

/// One number that an evaluation returns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// What the user calls it.
    pub name: String,
    /// What it is for.
    pub goal: Goal,
}

/// What an output is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Goal {
    /// The larger the better.
    Maximize,
    /// The smaller the better.
    Minimize,
    /// To be kept within limits.
    Limit,
    /// Yes or no.
    Classify,
    /// To be known where it crosses a level.
    Level,
}

impl Goal {
    /// The factor that makes larger values better, for goals that are built.
    pub(super) fn sign(self) -> Option<f64> {
        match self {
            Goal::Maximize => Some(1.0),
            Goal::Minimize => Some(-1.0),
            Goal::Limit | Goal::Classify | Goal::Level => None,
        }
    }
}

/// How the model of an output is learned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Modelling {
    /// The kernel over ordered inputs.
    pub kernel: Family,
    /// Which hyperparameters.
    pub learning: Learning,
    /// The exact posterior is used up to this many observations (and up to as many as inducing points), then the sparse
    /// one.
    pub exact_until: usize,
    /// Whether priors join the objective.
    pub priors: Priors,
    /// How outcomes are mapped before the model sees them.
    pub warp: Warping,
}

/// How outcomes are mapped before a model sees them.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Warping {
    /// By the map under which they are most likely.
    #[default]
    Learned,
    /// Not at all.
    Off,
}

impl Default for Modelling {
    fn default() -> Self {
        Modelling {
            kernel: Family::Matern52,
            learning: Learning::Subset(1000),
            exact_until: 2000,
            priors: Priors::On,
            warp: Warping::Learned,
        }
    }
}

/// Whether points may be asked for again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Replicates {
    /// Every point is asked for once.
    #[default]
    Never,
    /// Points that are evaluated or under way may be asked for again.
    Allowed,
}

impl Config {
    /// The default settings for a space: its one output is maximised.
    pub fn new(space: Space) -> Self {
        Config {
            name: default_name(),
            space,
            outputs: default_outputs(),
            seed: 0,
            initial: default_initial(),
            batch: default_batch(),
            inducing: default_inducing(),
            allocation: Allocation::default(),
            rule: Rule::default(),
            model: Modelling::default(),
            sampling: Sampling::default(),
            maximizing: Maximizing::default(),
            replicates: Replicates::default(),
        }
    }

    /// Refuses what cannot be run, by name.
    pub fn check(&self) -> Result<()> {
        let unsupported = |what: String, remedy: &str| Err(Error::Unsupported { what, remedy: remedy.into() });
        for output in &self.outputs {
            if output.goal.sign().is_none() {
                let goal = format!("{:?}", output.goal).to_lowercase();
                let what = format!("the goal '{goal}' of output '{}' is not built yet", output.name);
                return unsupported(what, "use maximize or minimize");
            }
        }
        match self.outputs.len() {
            0 => return Err(Error::Empty { what: "the list of outputs".into() }),
            1 => {}
            _ => return unsupported("several outputs are not built yet".into(), "keep one of them"),
        }
        let counts = [("initial", self.initial), ("batch", self.batch), ("inducing", self.inducing)];
        for (name, value) in counts {
            if value == 0 {
                return Err(Error::Parameter { name: name.into(), value: 0.0, must: "at least 1".into() });
            }
        }
        match self.model.learning {
            Learning::Subset(0) => {
                return unsupported("learning from a subset of no rows".into(), "give it at least one");
            }
            Learning::Elbo | Learning::Given => {
                return unsupported(format!("learning by {:?} in a study", self.model.learning), "use subset or bound");
            }
            _ => {}
        }
        self.sampling.check()?;
        self.maximizing.check()
    }

    /// The factor that makes larger outcomes better.
    pub(super) fn sign(&self) -> f64 {
        self.outputs.first().and_then(|output| output.goal.sign()).unwrap_or(1.0)
    }
}
