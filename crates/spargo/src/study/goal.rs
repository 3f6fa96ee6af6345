//! What the outputs of a study are for, and what follows from that.

use super::config::{Config, OutcomeTransformChoice};
use super::model::Surrogate;
use super::noise::Noise;
use super::{Measurement, Outcome};
use crate::acquire::{ConstraintBounds, Rule, Task};
use crate::allocate::{Allocation, Needs, Quality};
use crate::data::{AllocationContext, OutcomeTransform, PosteriorAtData};
use crate::error::{Error, Result, check_length};
use crate::linalg::MatRef;
use serde::{Deserialize, Serialize};
use std::fmt;

/// As far out as nothing else, yet with a square.
const FARTHEST: f64 = 1e100;

/// One number that an evaluation returns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// What the user calls it.
    pub name: String,
    /// What it is for.
    pub goal: Goal,
    /// What is known of its noise.
    #[serde(default, skip_serializing_if = "Noise::is_auto")]
    pub noise: Noise,
}

impl Output {
    /// An output of whose noise nothing is known.
    pub fn new(name: impl Into<String>, goal: Goal) -> Self {
        Output { name: name.into(), goal, noise: Noise::Auto }
    }

    /// This output with another noise.
    pub fn with_noise(self, noise: Noise) -> Self {
        Output { noise, ..self }
    }
}

/// What an output is for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Goal {
    /// The larger the better.
    #[serde(rename = "max")]
    Maximize,
    /// The smaller the better.
    #[serde(rename = "min")]
    Minimize,
    /// To be kept within limits, of which there is at least one.
    #[serde(rename_all = "kebab-case")]
    Constraint {
        /// The least value that will do.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at_least: Option<f64>,
        /// The largest value that will do.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at_most: Option<f64>,
    },
    /// Yes or no, 1 or 0: where the one ends and the other begins is to be known.
    Classify,
    /// Where the output crosses this level is to be known.
    Level(f64),
}

impl Goal {
    /// The factor that makes larger values better.
    pub(super) fn sign(self) -> f64 {
        if self == Goal::Minimize { -1.0 } else { 1.0 }
    }

    /// Whether it is optimised.
    pub fn is_objective(self) -> bool {
        matches!(self, Goal::Maximize | Goal::Minimize)
    }

    /// Whether a value satisfies the goal's bounds, if it has any.
    pub fn is_satisfied_by(self, value: f64) -> bool {
        match self {
            Goal::Constraint { at_least, at_most } => {
                at_least.is_none_or(|low| value >= low) && at_most.is_none_or(|high| value <= high)
            }
            _ => true,
        }
    }

    /// How far a value lies beyond the goal's bounds; 0 within them.
    pub(super) fn violation(self, value: f64) -> f64 {
        let Goal::Constraint { at_least, at_most } = self else { return 0.0 };
        (value - value.clamp(at_least.unwrap_or(f64::NEG_INFINITY), at_most.unwrap_or(f64::INFINITY))).abs()
    }

    /// The value around which the output must be known well, if there is one; of two limits, the one that more outcomes
    /// violate.
    pub(super) fn level(self, outcomes: &[f64]) -> Option<f64> {
        match self {
            Goal::Maximize | Goal::Minimize => None,
            Goal::Classify => Some(0.0),
            Goal::Level(level) => Some(level),
            Goal::Constraint { at_least: Some(low), at_most: Some(high) } => {
                let count = |violates: &dyn Fn(f64) -> bool| outcomes.iter().filter(|&&y| violates(y)).count();
                Some(if count(&|y| y < low) > count(&|y| y > high) { low } else { high })
            }
            Goal::Constraint { at_least, at_most } => at_least.or(at_most),
        }
    }

    /// Its limits in a model's units, whose map is increasing.
    pub(super) fn bounds(self, units: &OutcomeTransform) -> ConstraintBounds {
        let (at_least, at_most) = match self {
            Goal::Constraint { at_least, at_most } => (at_least, at_most),
            _ => (None, None),
        };
        let or = |limit: Option<f64>, none: f64| limit.map_or(none, |limit| in_units(units, limit));
        ConstraintBounds { at_least: or(at_least, f64::NEG_INFINITY), at_most: or(at_most, f64::INFINITY) }
    }
}

/// A limit or a level in a model's units; it may lie farther beyond the outcomes than numbers reach.
pub(super) fn in_units(units: &OutcomeTransform, value: f64) -> f64 {
    units.to_model(value).clamp(-FARTHEST, FARTHEST)
}

impl Config {
    /// The numbers of the outputs that are optimised, and of those that have limits.
    pub fn objectives_and_constraints(&self) -> (Vec<usize>, Vec<usize>) {
        (0..self.outputs.len()).partition(|&k| self.outputs[k].goal.is_objective())
    }

    /// Whether there is one objective and nothing else.
    pub fn is_one_objective(&self) -> bool {
        matches!(self.outputs.as_slice(), [output] if output.goal.is_objective())
    }

    /// Whether these values, one per output, satisfy all constraints.
    pub fn is_feasible(&self, values: &[f64]) -> bool {
        self.outputs.iter().zip(values).all(|(output, &value)| output.goal.is_satisfied_by(value))
    }

    /// What is to be found out about the outputs.
    pub fn task(&self) -> Task {
        match self.outputs.first().map(|output| output.goal) {
            Some(Goal::Classify) => Task::Classify,
            Some(Goal::Level(_)) => Task::Level,
            _ => {
                let (objectives, constraints) = self.objectives_and_constraints();
                Task::Optimize { objectives: objectives.len(), constraints: constraints.len() }
            }
        }
    }

    /// The rule by which batches are chosen.
    pub fn rule(&self) -> &'static Rule {
        self.rule.unwrap_or_else(|| Rule::default_for(self.task()))
    }

    /// How the inducing points of an output are chosen: unless quality plays no part, those of a constraint or a boundary lie
    /// around it, and those of several objectives where they improve together. A registered quality chooses those of every
    /// objective and of an output that is classified or known around a level, but not those of constraints.
    pub fn allocation_of(&self, output: usize) -> Allocation {
        let several = self.outputs.iter().filter(|output| output.goal.is_objective()).count() > 1;
        match (&self.allocation, self.outputs[output].goal.is_objective()) {
            (Allocation::CustomDpp { .. }, false) if self.outputs.len() == 1 => self.allocation.clone(),
            (allocation, false) if allocation.quality().needs() != Needs::Nothing => Allocation::AlDpp,
            (Allocation::ImpDpp(_), true) if several => Allocation::FrontDpp,
            (allocation, _) => allocation.clone(),
        }
    }

    /// How the outcomes of an output are mapped: volumes between several objectives have a meaning in their own units only.
    pub(super) fn warping(&self, output: usize) -> OutcomeTransformChoice {
        let (objectives, _) = self.objectives_and_constraints();
        if objectives.len() > 1 && objectives.contains(&output) {
            OutcomeTransformChoice::Off
        } else {
            self.model.outcome_transform
        }
    }

    /// What a quality of an output's inducing points may look at, given the units of every output and its posterior at the
    /// rows, if there is one.
    pub(super) fn allocation_context(
        &self,
        quality: &Quality,
        output: usize,
        outputs: &[(OutcomeTransform, Option<PosteriorAtData>)],
        rows: usize,
    ) -> Result<AllocationContext> {
        let (objectives, constrained) = self.objectives_and_constraints();
        let seen = match quality.needs() {
            // What several objectives promise together; each has its own points, as its kernel is its own.
            Needs::Objectives => objectives,
            Needs::Output | Needs::Nothing => vec![output],
        };
        let posteriors = seen.into_iter().filter_map(|k| outputs[k].1.clone()).collect();
        let bounded = |k: usize| Some((self.outputs[k].goal.bounds(&outputs[k].0), outputs[k].1.as_ref()?.mean()));
        let bounded: Vec<(ConstraintBounds, &[f64])> = constrained.into_iter().filter_map(bounded).collect();
        let is_feasible = |i: usize| bounded.iter().all(|(bounds, means)| bounds.violation(means[i]) == 0.0);
        let context = AllocationContext::of_rows(rows).with_outputs(posteriors)?;
        context.with_feasible((0..rows).map(is_feasible).collect())
    }

    /// Which of these rows satisfy all constraints by the models' means.
    pub(super) fn feasible_rows(&self, models: &[Surrogate], x: MatRef<'_>) -> Result<Vec<bool>> {
        let mut feasible = vec![true; x.nrows()];
        // A constraint without any outcome excludes nothing.
        let counts = |(model, output): &(&Surrogate, &Output)| !output.goal.is_objective() && !model.is_prior();
        for (model, output) in models.iter().zip(&self.outputs).filter(counts) {
            let means = model.means(x)?.into_iter();
            feasible.iter_mut().zip(means).for_each(|(feasible, mean)| *feasible &= output.goal.is_satisfied_by(mean));
        }
        Ok(feasible)
    }

    /// The outcome as a study with these settings records it, if it can have it; `of` tells the user which trial's.
    pub fn settled(&self, of: impl fmt::Display, outcome: &Outcome) -> Result<Outcome> {
        let Outcome::Measured(measurements) = outcome else { return Ok(outcome.clone()) };
        if self.is_settled(outcome) {
            return Ok(outcome.clone());
        }
        let of = &of.to_string();
        check_length(format!("the list of values of {of}"), measurements.len(), self.outputs.len())?;
        for (k, (Output { name, goal, .. }, measurement)) in self.outputs.iter().zip(measurements).enumerate() {
            let Some(value) = measurement.observed() else { continue };
            if *goal == Goal::Classify && value.is_finite() && ![0.0, 1.0].contains(&value) {
                return Err(Error::parameter(format!("the class of {of}"), value, "0 or 1"));
            }
            if value.is_finite() && value <= 0.0 && self.log_warp(k).is_some() {
                return Err(Error::NoLogarithm { of: of.into(), output: name.clone(), value });
            }
        }
        outcome.settled(of, &self.outputs)
    }

    /// Whether an outcome is recorded as it is.
    pub(super) fn is_settled(&self, outcome: &Outcome) -> bool {
        let Outcome::Measured(measurements) = outcome else { return true };
        let is_settled = |(k, measurement): (usize, &Measurement)| {
            let Measurement::Observed { value, variance } = *measurement else { return true };
            let is_class = self.outputs[k].goal != Goal::Classify || [0.0, 1.0].contains(&value);
            let has_logarithm = value > 0.0 || self.log_warp(k).is_none();
            let is_variance = variance.is_none_or(|variance| variance.is_finite() && variance > 0.0);
            value.is_finite() && is_class && has_logarithm && is_variance
        };
        measurements.len() == self.outputs.len() && measurements.iter().enumerate().all(is_settled)
    }

    /// The outcome as a run records it, which must go on: one without a logarithm, in a study that needs it, is a failure.
    pub fn settled_or_failed(&self, of: &str, outcome: &Outcome) -> Result<Outcome> {
        match self.settled(of, outcome) {
            Err(Error::NoLogarithm { output, value, .. }) => {
                Ok(Outcome::failed(format!("'{output}' = {value} has no logarithm")))
            }
            settled => settled,
        }
    }

    pub(super) fn check_goals(&self) -> Result<()> {
        let (objectives, others) = self.objectives_and_constraints();
        let limits = others.iter().filter(|&&k| matches!(self.outputs[k].goal, Goal::Constraint { .. })).count();
        for (k, Output { name, goal, .. }) in self.outputs.iter().enumerate() {
            let fault =
                |must: &str, value: f64| Err(Error::parameter(format!("a limit or level of '{name}'"), value, must));
            let limits: Vec<f64> = match *goal {
                Goal::Level(level) => vec![level],
                Goal::Constraint { at_least, at_most } => at_least.into_iter().chain(at_most).collect(),
                _ => continue,
            };
            if let Some(&limit) = limits.iter().find(|limit| !limit.is_finite()) {
                return fault("finite", limit);
            }
            if let Some(&limit) = limits.iter().find(|&&limit| limit <= 0.0 && self.log_warp(k).is_some()) {
                return fault("above 0, as every outcome is with outcome-transform = \"log\"", limit);
            }
            match limits.as_slice() {
                [] => {
                    let remedy = "give at-least, at-most or both";
                    return Err(Error::unsupported(format!("'{name}' has no limit"), remedy));
                }
                // No model gives a single value any probability.
                &[low, high] if low >= high => return fault("above the lower one", high),
                _ => {}
            }
        }
        match (objectives.len(), limits, others.len() - limits) {
            (0, 0, 0) => Err(Error::Empty { what: "the list of outputs".into() }),
            (1.., _, 0) | (0, 0, 1) => Ok(()),
            (0, _, 0) => {
                Err(Error::unsupported("there are limits but no objective", "add an output to maximize or minimize"))
            }
            _ => {
                let alone = |output: &&Output| matches!(output.goal, Goal::Classify | Goal::Level(_));
                let name = self.outputs.iter().find(alone).map_or("", |output| &output.name);
                Err(Error::unsupported(
                    format!("'{name}' cannot be classified, or known around a level, beside other outputs"),
                    "give it a study of its own",
                ))
            }
        }
    }
}
