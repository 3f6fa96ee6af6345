//! Why an optimizer ended.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why an optimizer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Stop {
    /// The projected gradient fell below its tolerance.
    Gradient,
    /// The relative decrease of the value fell below its tolerance.
    Value,
    /// The iteration limit was reached.
    Iterations,
    /// The evaluation budget was spent.
    Evaluations,
    /// No direction, not even steepest descent, decreased the value any further.
    LineSearch,
    /// The start has a non-finite value or gradient.
    NonFinite,
}

impl fmt::Display for Stop {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Gradient => "the projected gradient is below its tolerance",
            Self::Value => "the relative decrease of the value is below its tolerance",
            Self::Iterations => "the iteration limit was reached",
            Self::Evaluations => "the evaluation budget was spent",
            Self::LineSearch => "no direction decreases the value any further",
            Self::NonFinite => "the value or the gradient is not finite",
        })
    }
}
