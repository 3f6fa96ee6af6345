//! What a step did, how long it took, and what a study has found.

use super::model::ModelReport;
use super::trial::Trial;
use serde::{Deserialize, Serialize};

/// One ask: seconds and numbers of each stage.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct StepReport {
    /// Its number, counted from 1.
    pub step: u64,
    /// Points asked for.
    pub asked: usize,
    /// Of these, points that no model chose.
    pub design: usize,
    /// Of these, points of the user's own.
    #[serde(default)]
    pub queued: usize,
    /// Of these, points that were ready: models of earlier steps have chosen them.
    #[serde(default)]
    pub ready: usize,
    /// Points that were chosen for the next asks as well.
    #[serde(default)]
    pub ahead: usize,
    /// Of these, replicates of points that had an outcome.
    #[serde(default)]
    pub again: usize,
    /// Of these, replicates that tell noise from misfit, as `replicates = "auto"` has them.
    #[serde(default)]
    pub pairs: usize,
    /// The models that chose the others, one per output; none if no model did.
    pub models: Vec<ModelReport>,
    /// Seconds for models around the best trials, and for drawing and maximising paths.
    pub acquire_s: f64,
    /// Seconds of the whole step; those of models that an earlier call made, such as one for the best trial, are counted once, by the
    /// first ask that uses them.
    pub total_s: f64,
    /// Points that were replaced because others had asked for them meanwhile.
    pub replaced: usize,
    /// How often all points were drawn again because other processes had chosen some meanwhile.
    #[serde(default)]
    pub redraws: usize,
    /// Why no model chose points though there are data, if none did.
    pub without_model: Option<String>,
}

/// What a study has found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Best {
    /// The evaluated point that is best by mean less deviation of the models of `LocalModelOptions`, if there are such; else by the
    /// posterior mean in the model's units, which under a warp is the median in the user's.
    pub believed: Estimate,
    /// The best outcome as it was told, of the trials that satisfy all constraints by their outcomes; if none does, that of
    /// the trial that violates them least.
    pub observed: Observation,
    /// Whether the believed best satisfies all constraints by the models' means; if not, no trial does, and it is the one that
    /// violates them least.
    pub feasible: bool,
}

/// A trial and what the model believes of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The trial.
    pub trial: Trial,
    /// The posterior mean, in the user's units.
    pub mean: f64,
    /// The central 95 % of the posterior, without the noise.
    pub interval: (f64, f64),
}

/// A trial and its outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    /// The trial.
    pub trial: Trial,
    /// Its outcome.
    pub value: f64,
}
