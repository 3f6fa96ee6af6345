//! The outcomes that matter, for the allocations that depend on it.

use clap::{Args, ValueEnum};
use spargo::data::Direction;

/// The outcomes that matter, for the methods that depend on it.
#[derive(Args, Debug, Clone, Copy)]
pub struct Target {
    /// Whether large outcomes are good or small ones
    #[arg(long, value_enum, default_value = "max")]
    goal: Goal,
    /// The level that al-dpp stays close to, in the units of the target
    #[arg(long, default_value_t = 0.0, allow_negative_numbers = true)]
    level: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Goal {
    Max,
    Min,
}

impl From<Target> for spargo::regression::Target {
    fn from(Target { goal, level }: Target) -> Self {
        let direction = if goal == Goal::Max { Direction::Maximize } else { Direction::Minimize };
        spargo::regression::Target { direction, level }
    }
}
