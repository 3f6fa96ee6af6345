//! What the user is after, for the methods of choice that ask.

use clap::{Args, ValueEnum};

/// What the user is after, for the methods that ask.
#[derive(Args, Debug, Clone, Copy)]
pub struct Wish {
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

impl From<Wish> for spargo::regression::Wish {
    fn from(wish: Wish) -> Self {
        let sign = if wish.goal == Goal::Max { 1.0 } else { -1.0 };
        spargo::regression::Wish { sign, level: wish.level }
    }
}
