//! Trust regions of a study: their options, and policies with a memory of their own, which settings and files name.
//!
//! A policy learns once per step, from the rows that the step's models know and no earlier step has shown it. What it remembers is
//! committed with the step, apart from the models: these may be older than it, and steps without models leave it as it is.

use super::lineages::Denoised;
use super::model::Models;
use super::{Config, Study, auto};
use crate::acquire::ParetoState;
use crate::acquire::optimizer::{Memory, Memoryless, RegionNews, TrustRegions};
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt::Debug;
use std::sync::Arc;

/// The name of the policy without memory.
const MEMORYLESS: &str = "memoryless";

/// The name of the policy with memory.
const MEMORY: &str = "memory";

/// The share of a batch that "auto" stands for with a policy from outside the crate; with ours it goes by credit.
const AUTO: f64 = 0.5;

/// Trust regions around the incumbents.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct TrustRegionOptions {
    /// Which regions batch elements have, and what is learned from their outcomes.
    #[serde(skip_serializing_if = "PolicyChoice::is_default")]
    pub policy: PolicyChoice,
    /// Share of a Thompson batch that is maximised within trust regions; `"auto"`: by what they have
    /// found recently, for a single objective, else 0; with memory 1.
    #[serde(with = "auto")]
    #[cfg_attr(feature = "schema", schemars(schema_with = "auto::share"))]
    pub share: Option<f64>,
}

/// A policy of trust regions that settings can name, of your own.
pub trait TrustRegionPolicy: Debug + Send + Sync {
    /// The name by which settings and the store call it.
    fn name(&self) -> &str;

    /// The regions with the state that they left at the last step, `null` at the first; the share in `options` is a number.
    fn resume(&self, state: &Value, options: &TrustRegionOptions) -> Result<Box<dyn TrustRegions>>;
}

/// A policy of trust regions by its name: one of [`NAMES`](Self::NAMES), or one that is registered.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PolicyChoice {
    name: String,
    #[serde(skip)]
    policy: Option<Arc<dyn TrustRegionPolicy>>,
}

impl PolicyChoice {
    /// The names of this crate's policies.
    pub const NAMES: [&str; 2] = [MEMORYLESS, MEMORY];

    /// Lineages of regions with memory, each with models of its own.
    pub fn memory() -> Self {
        PolicyChoice { name: MEMORY.into(), policy: None }
    }

    /// A policy of your own.
    pub fn custom(policy: impl TrustRegionPolicy + 'static) -> Self {
        PolicyChoice { name: policy.name().into(), policy: Some(Arc::new(policy)) }
    }

    /// The name in settings.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it is one of this crate's.
    pub fn is_built_in(&self) -> bool {
        PolicyChoice::NAMES.contains(&self.name())
    }

    /// Whether it is the policy of settings that name none, which has no memory.
    pub(super) fn is_default(&self) -> bool {
        self.name == MEMORYLESS
    }

    /// Whether regions have models of their own.
    pub(super) fn has_lineages(&self) -> bool {
        self.name == MEMORY
    }

    /// Takes the policy of this name, if it is among these.
    pub fn register(&mut self, policies: &[Arc<dyn TrustRegionPolicy>]) {
        if let Some(found) = policies.iter().find(|policy| policy.name() == self.name) {
            self.policy = Some(found.clone());
        }
    }

    /// Refuses, by its name, a policy that is neither of this crate nor registered.
    pub fn check(&self) -> Result<()> {
        if self.is_built_in() || self.policy.is_some() {
            return Ok(());
        }
        Err(Error::unsupported(
            format!("the policy of trust regions '{}' is not registered", self.name),
            format!("open the study with extensions that have it, or use {}", PolicyChoice::NAMES.join(", ")),
        ))
    }
}

impl Default for PolicyChoice {
    fn default() -> Self {
        PolicyChoice { name: MEMORYLESS.into(), policy: None }
    }
}

impl PartialEq for PolicyChoice {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for PolicyChoice {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "PolicyChoice".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "enum": PolicyChoice::NAMES })
    }
}

/// What a policy remembers of all steps so far.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct RegionMemory {
    /// The last tell whose rows the policy has seen.
    pub seen: u64,
    /// The trials that it has seen, from the first to the last of each run of numbers: what is told or amended of them later is not new.
    #[serde(default)]
    pub trials: Vec<(u64, u64)>,
    /// In a form of the policy's own.
    pub state: Value,
}

impl RegionMemory {
    fn has_seen(&self, trial: u64) -> bool {
        let after = self.trials.partition_point(|&(first, _)| first <= trial);
        after > 0 && trial <= self.trials[after - 1].1
    }

    /// Adds trials that it has not seen.
    fn see(&mut self, trials: impl IntoIterator<Item = u64>) {
        self.trials.extend(trials.into_iter().map(|trial| (trial, trial)));
        self.trials.sort_unstable();
        self.trials.dedup_by(|next, run| {
            let follows = next.0 <= run.1 + 1;
            if follows {
                run.1 = run.1.max(next.1);
            }
            follows
        });
    }
}

/// The trust regions of a step, and what is committed with it.
pub(super) struct StepRegions {
    pub policy: Box<dyn TrustRegions>,
    /// `None` for a policy without memory.
    pub memory: Option<RegionMemory>,
}

impl Config {
    /// The share of a Thompson batch that is maximised within trust regions by default, where it is not by credit.
    pub(super) fn auto_trust_regions(&self) -> f64 {
        let policy = &self.trust_regions.policy;
        if policy.has_lineages() {
            1.0
        } else if self.is_one_objective() || !policy.is_default() {
            AUTO
        } else {
            0.0
        }
    }
}

impl Study {
    /// The trust regions of the next step, which have seen every row that its models know; `None` if its batch has none.
    pub(super) fn step_regions(&self, models: &Models) -> Result<Option<StepRegions>> {
        let (config, share) = (&self.config, models.shares.trust_regions);
        if share == 0.0 || config.rule().name != "thompson" {
            return Ok(None);
        }
        let choice = &config.trust_regions.policy;
        if choice.policy.is_none() && !choice.has_lineages() {
            return Ok(Some(StepRegions { policy: Box::new(Memoryless { share }), memory: None }));
        }
        let mut memory = self.state()?.and_then(|state| state.regions.clone()).unwrap_or_default();
        let options = TrustRegionOptions { share: Some(share), ..config.trust_regions.clone() };
        let mut policy: Box<dyn TrustRegions> = match &choice.policy {
            Some(policy) => policy.resume(&memory.state, &options)?,
            None => Box::new(Memory::resume(&memory.state, &config.space, share)),
        };
        // The last ask may have been another process's, whose models knew more.
        let before = memory.seen;
        memory.seen = before.max(models.seen());
        let (all, records) = (self.table.until(self.history.tells(), &self.history)?, self.observed_records());
        let observed = self.table.rows(&records);
        let observed = observed.as_ref();
        let (objectives, constraints) = config.acquired(&models.outputs);
        let pareto = &ParetoState::new(&objectives, &constraints, observed)?;
        let Denoised { objectives: outcomes, violations } = &Denoised::new(config, models, &all, (&records, observed))?;
        let trials: Vec<u64> = records.iter().map(|&record| record as u64 + 1).collect();
        let first_seq = |record: usize| self.history.records()[record].first_seq().unwrap_or(0);
        // Once seen, a trial is not new again, whatever is reported later; a memory of an earlier version has no trials.
        let is_new = |record: usize| {
            let is_told = (1..=memory.seen).contains(&first_seq(record));
            is_told && !memory.has_seen(record as u64 + 1) && (first_seq(record) > before || !memory.trials.is_empty())
        };
        let new: Vec<usize> = (0..records.len()).filter(|&row| is_new(records[row])).collect();
        let asked: Vec<bool> = records.iter().map(|&record| self.history.records()[record].ask.is_some()).collect();
        // A failed trial may be evaluated once more, and its outcome is new then.
        let has_failed = |record: usize| (before + 1..=memory.seen).contains(&first_seq(record));
        let failures: Vec<usize> = self.failed_records().iter().copied().filter(|&record| has_failed(record)).collect();
        let failed = self.table.rows(&failures);
        let (trials, failed) = (&trials[..], failed.as_ref());
        let (new, asked) = (&new[..], &asked[..]);
        policy.update(&RegionNews { observed, trials, pareto, outcomes, violations, failed, new, asked });
        memory.see(new.iter().map(|&row| trials[row]));
        memory.state = policy.state();
        Ok(Some(StepRegions { policy, memory: Some(memory) }))
    }
}
