//! Which outcomes are good, for the allocation methods that depend on it.

use crate::io::parse::by_name;
use clap::Args;
use spargo::data::Direction;
use spargo::study::Goal;

/// Which outcomes are good, for the allocation methods that depend on it.
#[derive(Args, Debug, Clone, Copy)]
pub struct GoalArgs {
    /// Whether large or small outcomes are good: max or min
    #[arg(long, default_value = "max", value_parser = direction)]
    goal: Goal,
    /// The level around which al-dpp concentrates, in units of the target
    #[arg(long, default_value_t = 0.0, allow_negative_numbers = true)]
    level: f64,
}

fn direction(word: &str) -> Result<Goal, String> {
    by_name(word).ok().filter(|goal: &Goal| goal.is_objective()).ok_or_else(|| "it is max or min".into())
}

impl From<GoalArgs> for spargo::regression::Target {
    fn from(GoalArgs { goal, level }: GoalArgs) -> Self {
        let direction = if goal == Goal::Minimize { Direction::Minimize } else { Direction::Maximize };
        spargo::regression::Target { direction, level }
    }
}
