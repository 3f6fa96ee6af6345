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
    /// The last models will do while they have missed fewer outcomes than this.
    Every(u64),
    /// The last models will do, whatever they have missed: a [`BackgroundFitter`](super::BackgroundFitter) makes others.
    Never,
}

impl Refit {
    /// Whether models that have missed so many outcomes will do.
    pub(super) fn allows(self, missed: u64) -> bool {
        match self {
            Refit::Always => missed == 0,
            Refit::Every(most) => missed < most.max(1),
            Refit::Never => true,
        }
    }
}
