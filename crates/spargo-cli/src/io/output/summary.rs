//! The state of a study: counts, the best point, and where it is stored.

use crate::io::csv::points::{Named, by_output, line, short};
use crate::io::study_handle::StudyHandle;
use serde_json::{Value, json};
use spargo::study::{Config, Counts, Estimate, Observation, ParetoPoint, Trial};
use std::fmt;

/// The state of a study at one instant.
pub struct StudySummary {
    config: Config,
    database: String,
    counts: Counts,
    /// The best point by the model.
    believed: Option<Estimate>,
    /// Whether that point satisfies all constraints; if not, none does.
    is_feasible: bool,
    /// The best point by its outcome.
    observed: Option<Observation>,
    /// The Pareto front of several objectives by the model.
    believed_front: Option<Vec<ParetoPoint>>,
    /// The Pareto front of several objectives by outcomes.
    observed_front: Option<Vec<ParetoPoint>>,
    /// Observed trials that satisfy all constraints, if there are constraints.
    feasible: Option<usize>,
    /// Why there is no model, if there should be one.
    without_model: Option<String>,
}

impl StudySummary {
    /// The full state; it may take a model.
    pub fn new(handle: &mut StudyHandle) -> Self {
        let mut summary = StudySummary::without_model(handle);
        let (objectives, _) = handle.study.config().objectives_and_constraints();
        let found = match objectives.len() {
            2.. => handle.study.fronts().map(|fronts| summary.believed_front = Some(fronts.believed)),
            _ => handle.study.best().map(|best| {
                let Some(best) = best else { return };
                summary.is_feasible = best.feasible;
                (summary.believed, summary.observed) = (Some(best.believed), Some(best.observed));
            }),
        };
        summary.without_model = found.err().map(|error| error.to_string());
        summary
    }

    /// The state without what takes a model.
    pub fn without_model(handle: &StudyHandle) -> Self {
        let (objectives, _) = handle.study.config().objectives_and_constraints();
        StudySummary {
            config: handle.study.config().clone(),
            database: handle.database.display().to_string(),
            counts: handle.study.counts(),
            believed: None,
            is_feasible: true,
            observed: handle.study.best_observation(),
            believed_front: None,
            observed_front: (objectives.len() > 1).then(|| handle.study.observed_front()),
            feasible: handle.study.feasible_count(),
            without_model: None,
        }
    }

    /// `{"study", "name", "trials", "observed", "failed", "pending", "partial", "discarded", "best": {"believed", "observed"} or null,
    /// "feasible": a number or null, "front": {"believed", "observed"} or null}`, where what is believed is null without a model: feasible trials satisfy all
    /// constraints, if there are any, and fronts are those of several objectives.
    pub fn json(&self) -> Value {
        let Counts { trials, observed, failed, pending, partial, discarded } = self.counts;
        json!({
            "study": self.database, "name": self.config.name,
            "trials": trials, "observed": observed, "failed": failed, "pending": pending, "partial": partial,
            "discarded": discarded, "feasible": self.feasible,
            "best": self.observed.as_ref().map(|observed| self.best_json(observed)),
            "front": self.observed_front.as_ref().map(|observed| json!({
                "believed": self.believed_front.as_ref().map(|believed| self.front_json(believed)),
                "observed": self.front_json(observed),
            })),
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
            "feasible": self.is_feasible,
        })
    }

    fn front_json(&self, front: &[ParetoPoint]) -> Value {
        let one = |ParetoPoint { trial, values }: &ParetoPoint| {
            let point = Named { space: &self.config.space, point: &trial.point, trial: None };
            json!({ "trial": trial.id, "point": point, "outputs": by_output(&self.config.outputs, values) })
        };
        front.iter().map(one).collect()
    }
}

impl fmt::Display for StudySummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts { trials, observed, failed, pending, partial, discarded } = self.counts;
        write!(f, "{}: {trials} trials, {observed} observed, {failed} failed, {pending} pending", self.config.name)?;
        if partial > 0 {
            write!(f, " ({partial} of them partly observed)")?;
        }
        writeln!(f, "{}", if discarded > 0 { format!(", {discarded} discarded") } else { String::new() })?;
        if let Some(feasible) = self.feasible {
            writeln!(f, "within all constraints: {feasible} of {observed} observed")?;
        }
        let objective = self.config.outputs.iter().find(|output| output.goal.is_objective());
        let output = objective.map_or("", |output| &output.name);
        let point = |trial: &Trial| line(&self.config.space, &trial.point);
        if let Some(believed) = &self.believed {
            let [mean, low, high] = [believed.mean, believed.interval.0, believed.interval.1].map(short);
            let what = if self.is_feasible { "best" } else { "no trial satisfies all constraints; closest to them" };
            writeln!(f, "{what} by the model: {output} {mean} (95 %: {low} to {high}), trial {}", believed.trial.id)?;
            writeln!(f, "  {}", point(&believed.trial))?;
        }
        if let Some(observed) = &self.observed {
            writeln!(f, "best observed: {output} {}, trial {}", short(observed.value), observed.trial.id)?;
            writeln!(f, "  {}", point(&observed.trial))?;
        }
        if let Some(observed) = &self.observed_front {
            let believed = self.believed_front.as_ref().map(|front| format!("{} trials by the model, ", front.len()));
            writeln!(f, "on the front: {}{} by their outcomes", believed.unwrap_or_default(), observed.len())?;
        }
        if let Some(reason) = &self.without_model {
            writeln!(f, "there is no model: {reason}")?;
        }
        writeln!(f, "stored in {}", self.database)
    }
}
