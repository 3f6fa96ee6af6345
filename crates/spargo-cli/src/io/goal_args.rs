//! Which outcomes are good, for the allocation methods that depend on it.

use crate::io::parse::by_name;
use clap::Args;
use spargo::data::Direction;
use spargo::regression::Target;

/// Which outcomes are good, for the allocation methods that depend on it.
#[derive(Args, Debug, Clone, Copy)]
pub struct GoalArgs {
    /// Whether large or small outcomes are good: max or min
    #[arg(long, default_value = "max", value_parser = by_name::<Direction>)]
    goal: Direction,
    /// The level around which al-dpp concentrates, in units of the target
    #[arg(long, default_value_t = 0.0, allow_hyphen_values = true)]
    level: f64,
}

impl From<GoalArgs> for Target {
    fn from(GoalArgs { goal, level }: GoalArgs) -> Self {
        Target { direction: goal, level }
    }
}
