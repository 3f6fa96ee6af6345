//! What a step leaves for the next one.

use super::model::ModelState;
use super::trust_regions::RegionMemory;
use serde::{Deserialize, Serialize};

/// What the next step needs of the last one, besides settings and history.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct StepState {
    /// One per output.
    pub models: Vec<ModelState>,
    /// What trust regions remember; `None` if that is nothing.
    pub regions: Option<RegionMemory>,
}

impl StepState {
    /// The last tell that the models have seen.
    pub fn seen(&self) -> Option<u64> {
        self.models.first().map(|model| model.seen)
    }
}
