//! Several objectives: the Pareto-optimal trials by their outcomes and by the model.

use super::axis::Inputs;
use super::sample::{MOST, evenly, observed};
use serde::Serialize;
use spargo::Result;
use spargo::space::Value;
use spargo::study::{ParetoPoint, Study, Trial};
use std::collections::HashSet;

/// Largest number of members of a front that are drawn and listed.
const MEMBERS: usize = 200;

#[derive(Serialize)]
pub struct Front {
    /// The outputs that are objectives.
    objectives: Vec<usize>,
    /// Trials with their outcomes: the observed front, and a sample of the others.
    trials: Vec<FrontTrial>,
    /// Number of trials with an outcome.
    of: usize,
    /// By posterior mean, the best of the first objective first.
    believed: Vec<Member>,
    /// By outcome.
    observed: Vec<Member>,
    /// Sizes of the believed and the observed front.
    counts: (usize, usize),
}

#[derive(Serialize, Clone)]
struct FrontTrial {
    trial: u64,
    values: Vec<f64>,
    /// Whether its outcomes satisfy all constraints.
    feasible: bool,
}

#[derive(Serialize)]
struct Member {
    trial: u64,
    /// One per output, as predicted or as observed.
    values: Vec<f64>,
    point: Vec<Value>,
}

impl Front {
    /// The fronts; none with fewer than two objectives or without outcomes. There must be a model.
    pub fn of(study: &mut Study, inputs: &Inputs) -> Result<Option<Self>> {
        let (objectives, _) = study.config().objectives_and_constraints();
        let told = |(trial, values): (&Trial, Vec<f64>)| FrontTrial {
            trial: trial.id,
            feasible: study.config().is_feasible(&values),
            values,
        };
        let all: Vec<FrontTrial> = observed(study).map(told).collect();
        if objectives.len() < 2 || all.is_empty() {
            return Ok(None);
        }
        let fronts = study.fronts()?;
        let member = |one: ParetoPoint| Member {
            trial: one.trial.id,
            values: one.values,
            point: inputs.of_point(&one.trial.point),
        };
        let counts = (fronts.believed.len(), fronts.observed.len());
        let incumbents: HashSet<u64> = fronts.observed.iter().map(|one| one.trial.id).collect();
        let (front, others): (Vec<FrontTrial>, Vec<FrontTrial>) =
            all.into_iter().partition(|one| incumbents.contains(&one.trial));
        let mut trials = evenly(&front, MEMBERS);
        trials.extend(evenly(&others, MOST));
        Ok(Some(Front {
            objectives,
            trials,
            of: front.len() + others.len(),
            believed: evenly(&fronts.believed, MEMBERS).into_iter().map(member).collect(),
            observed: evenly(&fronts.observed, MEMBERS).into_iter().map(member).collect(),
            counts,
        }))
    }
}
