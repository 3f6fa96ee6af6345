//! What a user may ask of a figure; what is not asked for is as in the paper.

use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use spargo_problems::prevalence::Map;

/// The part of a figure that is wanted.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Options {
    /// Repeats of each setting; the figure's own number if not given.
    pub repeats: Option<usize>,
    /// The seed of the first repeat.
    pub seed_from: u64,
    /// Batches of a run.
    pub steps: Option<usize>,
    /// Only these functions; all if empty.
    pub functions: Vec<String>,
    /// Only these methods; all if empty.
    pub methods: Vec<String>,
    /// Only these numbers of inducing points; all if empty.
    pub inducing: Vec<usize>,
    /// How sparse models are trained.
    pub training: Training,
    /// The map to be learned; the synthetic one if not given.
    pub map: Option<Map>,
    /// Settings of the jobs that are to differ from the paper's, by name.
    pub set: Vec<(String, Value)>,
}

/// How sparse models are trained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Training {
    /// By the collapsed bound, which has the optimal q(u) in closed form.
    #[default]
    Collapsed,
    /// As the paper did: q(u) and hyperparameters together by Adam.
    SvgpAdam,
}

/// What can be chosen of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Functions,
    Methods,
    Inducing,
    Steps,
    Training,
    Map,
}

impl Options {
    /// The seeds of all repeats.
    pub(crate) fn seeds(&self, repeats: usize) -> impl Iterator<Item = u64> + use<> {
        let first = self.seed_from;
        (0..self.repeats.unwrap_or(repeats) as u64).map(move |i| first + i)
    }

    /// Those of a figure's own words that are wanted; a wanted word that it has not is refused.
    pub(crate) fn chosen<'a>(&self, what: &str, wanted: &[String], own: &[&'a str]) -> Result<Vec<&'a str>> {
        if let Some(unknown) = wanted.iter().find(|word| !own.contains(&word.as_str())) {
            let remedy = format!("choose among {}", own.join(", "));
            return Err(Error::Unsupported { what: format!("this figure has no {what} '{unknown}'"), remedy });
        }
        Ok(own.iter().copied().filter(|word| wanted.is_empty() || wanted.iter().any(|w| w == word)).collect())
    }

    /// Refuses choices among parts that a figure does not have; repeats and settings every figure has.
    pub(crate) fn allow(&self, figure: &str, parts: &[Part]) -> Result<()> {
        let given = [
            (Part::Functions, "functions", !self.functions.is_empty()),
            (Part::Methods, "methods", !self.methods.is_empty()),
            (Part::Inducing, "numbers of inducing points", !self.inducing.is_empty()),
            (Part::Steps, "steps", self.steps.is_some()),
            (Part::Training, "ways of training", self.training != Training::default()),
            (Part::Map, "data", self.map.is_some()),
        ];
        match given.iter().find(|(part, _, given)| *given && !parts.contains(part)) {
            Some((_, what, _)) => Err(Error::Unsupported {
                what: format!("the figure '{figure}' has no {what} to choose"),
                remedy: "leave that option out".into(),
            }),
            None => Ok(()),
        }
    }

    /// A job's settings with those that were set otherwise; `own` have options of their own.
    pub(crate) fn apply(&self, settings: &impl Serialize, own: &[&str]) -> Result<Value> {
        let refuse = |what: String, remedy: String| Err(Error::Unsupported { what, remedy });
        let mut table = match serde_json::to_value(settings) {
            Ok(Value::Object(table)) => table,
            other => return refuse(format!("settings that are no table: {other:?}"), "this is a defect".into()),
        };
        for (name, value) in &self.set {
            match table.get_mut(name).filter(|_| !own.contains(&name.as_str())) {
                Some(slot) => *slot = value.clone(),
                None => {
                    let names: Vec<&str> =
                        table.keys().map(String::as_str).filter(|name| !own.contains(name)).collect();
                    let what = format!("there is no setting '{name}' here");
                    return refuse(what, format!("it is one of {}", names.join(", ")));
                }
            }
        }
        Ok(Value::Object(table))
    }
}
