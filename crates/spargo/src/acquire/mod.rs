//! What to evaluate next: rules that turn a posterior into points.
//!
//! A rule is a [`Utility`](crate::optimize::Utility) that a maximiser climbs. [`one_by_one`] chooses a batch point by point:
//! those asked before and not told yet, and those just chosen, are *believed* at their posterior mean ([`Believer`]), so that
//! the mean stays and the variance falls around them. What a point is then worth is its [`Merit`]: the logarithm of the
//! expected improvement, or the information about the maximum. Where evaluations keep failing, a [`Vote`] takes worth away.

mod believer;
mod gibbon;
mod log_ei;
mod merit;
mod one_by_one;
mod pool;
mod success;

pub use believer::{Believed, Believer};
pub use merit::{Merit, Moments, Slopes};
pub use one_by_one::{OneByOne, one_by_one};
pub use pool::Pool;
pub use success::{Vote, Weighed, Weighing};
