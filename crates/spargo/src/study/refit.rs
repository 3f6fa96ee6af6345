//! How recent the models of an ask must be.
//!
//! When outcomes come one by one, a model each would cost more than it gains: between two fits the last one's posterior is
//! good for many paths, each of them new (Kandasamy et al., AISTATS 2018, sample asynchronously in the same way).

/// How recent the models of an ask must be; pending points are always known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Refit {
    /// The models have seen everything that was told.
    #[default]
    Always,
    /// The last ask's models will do while they have missed fewer outcomes than this.
    Every(u64),
}
