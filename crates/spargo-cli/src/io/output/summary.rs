//! Where a study stands: counts, the best point, and where it is kept.

use crate::io::csv::points::{Named, line, short};
use crate::io::place::Place;
use serde::Serialize;
use serde_json::{Value, json};
use spargo::study::{Best, Config, Estimate, Fronts, Goal, Observation, Outcome, ParetoPoint, Study};
use std::fmt::{self, Write};

/// A study at one instant.
pub struct Summary {
    config: Config,
    database: String,
    pub counts: Counts,
    /// By the model.
    believed: Option<Estimate>,
    /// By its outcome.
    observed: Option<Observation>,
    /// Of several objectives.
    fronts: Option<Fronts>,
    /// Where there are limits: observed trials that keep to all of them.
    feasible: Option<usize>,
    /// Why there is no model, if there should be one.
    without_model: Option<String>,
}

/// Trials by what is known of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Counts {
    pub trials: usize,
    pub observed: usize,
    pub failed: usize,
    pub pending: usize,
}

impl Counts {
    pub fn of(place: &Place) -> Self {
        let mut counts = Counts { trials: 0, observed: 0, failed: 0, pending: 0 };
        for record in place.study.history().records() {
            counts.trials += 1;
            match record.told.as_ref().map(|told| &told.outcome) {
                None => counts.pending += 1,
                Some(Outcome::Failed { .. }) => counts.failed += 1,
                Some(Outcome::Observed { .. }) => counts.observed += 1,
            }
        }
        counts
    }
}

/// The best outcome so far of the only objective, among those that keep to all limits; the first of equals.
pub fn best_observation(study: &Study) -> Option<Observation> {
    let (objectives, _) = study.config().objectives_and_constraints();
    let &[objective] = objectives.as_slice() else { return None };
    let observed = study.history().records().iter().filter_map(|record| match &record.told.as_ref()?.outcome {
        Outcome::Observed { values, .. } => study.config().is_feasible(values).then(|| (record, values[objective])),
        Outcome::Failed { .. } => None,
    });
    let sign = if study.config().outputs[objective].goal == Goal::Minimize { 1.0 } else { -1.0 };
    let (record, value) = observed.min_by(|(_, a), (_, b)| (sign * a).total_cmp(&(sign * b)))?;
    Some(Observation { trial: record.trial.clone(), value })
}

fn feasible(study: &Study) -> Option<usize> {
    let config = study.config();
    if !config.outputs.iter().any(|output| matches!(output.goal, Goal::Constraint { .. })) {
        return None;
    }
    let keeps = |record: &&spargo::study::Record| match record.told.as_ref().map(|told| &told.outcome) {
        Some(Outcome::Observed { values, .. }) => config.is_feasible(values),
        _ => false,
    };
    Some(study.history().records().iter().filter(keeps).count())
}

/// Its value.
pub fn best_observed(study: &Study) -> Option<f64> {
    best_observation(study).map(|observation| observation.value)
}

impl Summary {
    /// Everything; it may take a model.
    pub fn of(place: &mut Place) -> Self {
        let mut summary = Summary::in_short(place);
        let (objectives, _) = place.study.config().objectives_and_constraints();
        let found = match objectives.len() {
            2.. => place.study.fronts().map(|fronts| summary.fronts = Some(fronts)),
            _ => place.study.best().map(|best| {
                if let Some(Best { believed, observed }) = best {
                    (summary.believed, summary.observed) = (Some(believed), Some(observed));
                }
            }),
        };
        summary.without_model = found.err().map(|error| error.to_string());
        summary
    }

    /// Without what takes a model.
    pub fn in_short(place: &Place) -> Self {
        Summary {
            config: place.study.config().clone(),
            database: place.database.display().to_string(),
            counts: Counts::of(place),
            believed: None,
            observed: best_observation(&place.study),
            fronts: None,
            feasible: feasible(&place.study),
            without_model: None,
        }
    }

    /// `{"study", "name", "trials", "observed", "failed", "pending", "best": {"believed", "observed"} or null,
    /// "feasible": a number or null, "front": {"believed", "observed"} or null}`: what is feasible keeps to all limits, if there
    /// are any, and a front is of several objectives.
    pub fn json(&self) -> Value {
        let Counts { trials, observed, failed, pending } = self.counts;
        json!({
            "study": self.database, "name": self.config.name,
            "trials": trials, "observed": observed, "failed": failed, "pending": pending, "feasible": self.feasible,
            "best": self.observed.as_ref().map(|observed| self.best_json(observed)),
            "front": self.fronts.as_ref().map(|Fronts { believed, observed }| {
                json!({ "believed": self.front_json(believed), "observed": self.front_json(observed) })
            }),
        })
    }

    fn best_json(&self, observed: &Observation) -> Value {
        let point = |point| Named { space: &self.config.space, point, trial: None };
        json!({
            "believed": self.believed.as_ref().map(|believed| json!({
                "trial": believed.trial.id, "point": point(&believed.trial.point),
                "mean": believed.mean, "low": believed.interval.0, "high": believed.interval.1,
            })),
            "observed": {
                "trial": observed.trial.id, "point": point(&observed.trial.point), "value": observed.value,
            },
        })
    }
}

impl Summary {
    fn front_json(&self, front: &[ParetoPoint]) -> Value {
        let outputs = |values: &[f64]| {
            let named =
                self.config.outputs.iter().zip(values).map(|(output, value)| (output.name.clone(), json!(value)));
            Value::Object(named.collect())
        };
        let one = |ParetoPoint { trial, values }: &ParetoPoint| {
            let point = Named { space: &self.config.space, point: &trial.point, trial: None };
            json!({ "trial": trial.id, "point": point, "outputs": outputs(values) })
        };
        front.iter().map(one).collect()
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts { trials, observed, failed, pending } = self.counts;
        writeln!(f, "{}: {trials} trials, {observed} observed, {failed} failed, {pending} pending", self.config.name)?;
        if let Some(feasible) = self.feasible {
            writeln!(f, "within all limits: {feasible} of {observed} observed")?;
        }
        if let (Some(believed), Some(observed)) = (&self.believed, &self.observed) {
            f.write_str(&self.best_words(believed, observed)?)?;
        }
        if let Some(Fronts { believed, observed }) = &self.fronts {
            writeln!(f, "on the front: {} trials by the model, {} by their outcomes", believed.len(), observed.len())?;
        }
        if let Some(reason) = &self.without_model {
            writeln!(f, "the best point is not known for lack of a model: {reason}")?;
        }
        writeln!(f, "kept in {}", self.database)
    }
}

impl Summary {
    fn best_words(&self, believed: &Estimate, observed: &Observation) -> Result<String, fmt::Error> {
        let objective = self.config.outputs.iter().find(|output| output.goal.is_objective());
        let output = objective.map_or("", |output| &output.name);
        let point = |point| line(&self.config.space, point);
        let [mean, low, high] = [believed.mean, believed.interval.0, believed.interval.1].map(short);
        let mut words = String::new();
        writeln!(words, "best by the model: {output} {mean} (95 %: {low} to {high}), trial {}", believed.trial.id)?;
        writeln!(words, "  {}", point(&believed.trial.point))?;
        writeln!(words, "best observed: {output} {}, trial {}", short(observed.value), observed.trial.id)?;
        writeln!(words, "  {}", point(&observed.trial.point))?;
        Ok(words)
    }
}
