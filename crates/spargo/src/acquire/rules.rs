//! The rules by which batches are chosen: one record each, from which names, help, checks, schema and docs come.

use super::optimizer::Excluded;
use super::{
    Bald, Context, FeasibilityWeighted, Gibbon, Hippo, LogEhvi, LogEi, OutputModel, Straddle, greedy, thompson,
};
use crate::error::{Error, Result};
use crate::linalg::Mat;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;
use std::ops::{Range, RangeInclusive};
use std::sync::LazyLock;

/// What is to be found out about the outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// The best points.
    Optimize {
        /// The number of objectives.
        objectives: usize,
        /// The number of constrained outputs.
        constraints: usize,
    },
    /// Where a yes-or-no output changes.
    Classify,
    /// Where an output crosses a level.
    Level,
}

/// How a batch is chosen.
pub struct Rule {
    /// Its name in settings.
    pub name: &'static str,
    /// One sentence for help texts and docs.
    pub about: &'static str,
    /// Why the rule does not support a task; `None` if it does.
    refuses: fn(Task) -> Option<&'static str>,
    /// Points with these numbers of a batch, [points, inputs].
    batch: fn(&Context<'_>, Range<usize>, &mut Excluded) -> Result<Mat>,
}

/// Every rule; the first that supports a task is its default.
pub static RULES: [Rule; 7] = [
    Rule {
        name: "thompson",
        about: "Each point maximises paths drawn from the posteriors, several objectives scalarised: for large batches.",
        refuses: |task| optimizes(task, 1..=usize::MAX, "thompson maximises objectives"),
        batch: thompson,
    },
    Rule {
        name: "log-ei",
        about: "The logarithm of the expected improvement of one objective, point by point (Ament et al. 2023).",
        refuses: |task| optimizes(task, 1..=1, "log-ei improves one objective; ehvi and hippo improve several"),
        batch: |context, numbers, excluded| {
            if !context.constraints.is_empty() {
                return log_ehvi(context, numbers, excluded);
            }
            let best = context.pareto.means.iter().map(|means| means[0]).fold(f64::NEG_INFINITY, f64::max);
            greedy(context, &mut LogEi::new(best)?, numbers.len(), excluded)
        },
    },
    Rule {
        name: "gibbon",
        about: "Information about the maximum of one objective, point by point (Moss et al. 2021).",
        refuses: |task| match task {
            Task::Optimize { constraints: 1.., .. } => Some("the information about a maximum ignores constraints"),
            _ => optimizes(task, 1..=1, "gibbon is about the maximum of one objective"),
        },
        batch: |context, numbers, excluded| greedy(context, &mut Gibbon::of(context)?, numbers.len(), excluded),
    },
    Rule {
        name: "ehvi",
        about: "The expected hypervolume improvement of two or three objectives, point by point.",
        refuses: |task| optimizes(task, 2..=3, "the dominated hypervolume is that of two or three objectives"),
        batch: log_ehvi,
    },
    Rule {
        name: "hippo",
        about: "The expected hypervolume improvement away from the outcomes of pending points (Paleyes et al. 2022).",
        refuses: |task| optimizes(task, 2..=3, "the dominated hypervolume is that of two or three objectives"),
        batch: |context, numbers, excluded| {
            greedy(context, &mut FeasibilityWeighted::new(Hippo::of(context)?, context), numbers.len(), excluded)
        },
    },
    Rule {
        name: "bald",
        about: "Information about a yes-or-no output, in diverse batches (Houlsby et al. 2011).",
        refuses: |task| (task != Task::Classify).then_some("bald learns a yes-or-no output"),
        batch: |context, numbers, excluded| {
            // The determinantal process knows no noise.
            let objectives = [OutputModel { noise: 0.0, ..context.objectives[0] }];
            greedy(&Context { objectives: &objectives, ..*context }, &mut Bald, numbers.len(), excluded)
        },
    },
    Rule {
        name: "straddle",
        about: "Uncertain and close to a level, point by point (Bryan et al. 2005).",
        refuses: |task| (task != Task::Level).then_some("straddle learns where an output crosses a level"),
        batch: |context, numbers, excluded| {
            greedy(context, &mut Straddle::new(context.level.unwrap_or(0.0))?, numbers.len(), excluded)
        },
    },
];

impl Rule {
    /// The rule of a name.
    pub fn by_name(name: &str) -> Result<&'static Rule> {
        RULES.iter().find(|rule| rule.name == name).ok_or_else(|| Error::Unsupported {
            what: format!("there is no rule '{name}'"),
            remedy: format!("use one of {}", names(|_| true)),
        })
    }

    /// The rule that a task has unless another is set.
    pub fn default_for(task: Task) -> &'static Rule {
        RULES.iter().find(|rule| rule.supports(task)).unwrap_or(&RULES[0])
    }

    /// Whether the rule supports a task.
    pub fn supports(&self, task: Task) -> bool {
        (self.refuses)(task).is_none()
    }

    /// Refuses a task that the rule does not support, with the reason.
    pub fn check(&self, task: Task) -> Result<()> {
        (self.refuses)(task).map_or(Ok(()), |reason| {
            Err(Error::Unsupported {
                what: format!("'rule' cannot be \"{}\" for these outputs, as {reason}", self.name),
                remedy: format!("use {}", names(|rule| rule.supports(task))),
            })
        })
    }

    /// Points with these numbers of a batch, [points, inputs]; none is excluded before, all are afterwards.
    ///
    /// As long as no observed point is feasible, every rule chooses the points of least violation on sampled paths: the
    /// likeliest to be feasible are far from all data, where anything is possible.
    pub fn batch(&self, context: &Context<'_>, numbers: Range<usize>, excluded: &mut Excluded) -> Result<Mat> {
        if context.pareto.is_feasible() {
            (self.batch)(context, numbers, excluded)
        } else {
            thompson(context, numbers, excluded)
        }
    }
}

/// With one objective, the expected improvement on the best point that is, or is fantasised to be, feasible.
fn log_ehvi(context: &Context<'_>, numbers: Range<usize>, excluded: &mut Excluded) -> Result<Mat> {
    greedy(context, &mut FeasibilityWeighted::new(LogEhvi::of(context)?, context), numbers.len(), excluded)
}

/// Why a task is not the optimisation of so many objectives.
fn optimizes(task: Task, count: RangeInclusive<usize>, reason: &'static str) -> Option<&'static str> {
    match task {
        Task::Optimize { objectives, .. } if count.contains(&objectives) => None,
        _ => Some(reason),
    }
}

fn names(wanted: impl Fn(&Rule) -> bool) -> String {
    RULES.iter().filter(|rule| wanted(rule)).map(|rule| rule.name).collect::<Vec<_>>().join(", ")
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Serialize for Rule {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}

impl<'de> Deserialize<'de> for &'static Rule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        static NAMES: LazyLock<Vec<&str>> = LazyLock::new(|| RULES.iter().map(|rule| rule.name).collect());
        let name = String::deserialize(deserializer)?;
        Rule::by_name(&name).map_err(|_| de::Error::unknown_variant(&name, &NAMES))
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Rule {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Rule".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let rule = |rule: &Rule| serde_json::json!({ "const": rule.name, "description": rule.about });
        schemars::json_schema!({ "oneOf": RULES.iter().map(rule).collect::<Vec<_>>() })
    }
}
