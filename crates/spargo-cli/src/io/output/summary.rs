//! The state of a study: counts, the best point, and where it is stored.

use crate::io::csv::points::{Named, by_output, line, short};
use crate::io::output::count::counted;
use crate::io::study_handle::StudyHandle;
use serde_json::{Value, json};
use spargo::study::{
    Anywhere, Config, Counts, Estimate, FrontLandmarks, Goal, Observation, ParetoPoint, Record, Status, Trial,
};
use std::collections::BTreeMap;
use std::fmt;

/// Most reasons of failures that are shown to people.
const MOST_REASONS: usize = 3;

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
    /// The model's optimum, evaluated or not, if it was asked for.
    anywhere: Option<Anywhere>,
    /// The Pareto front of several objectives by the model.
    believed_front: Option<Vec<ParetoPoint>>,
    /// The Pareto front of several objectives by outcomes.
    observed_front: Option<Vec<ParetoPoint>>,
    /// Observed trials that satisfy all constraints, if there are constraints.
    feasible: Option<usize>,
    /// Reasons of failures, the most frequent first.
    failures: Vec<(String, usize)>,
    /// The leave-one-out accuracy of a class.
    accuracy: Option<f64>,
    /// Observed trials outside the ranges.
    outside: usize,
    /// What is to be known about extreme outcomes.
    warnings: Vec<String>,
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
        let found = found.and_then(|()| {
            let class = summary.config.outputs.iter().position(|output| output.goal == Goal::Classify);
            summary.accuracy = class.map(|class| handle.study.accuracy(class)).transpose()?.flatten();
            Ok(())
        });
        summary.without_model = found.err().map(|error| error.to_string());
        summary
    }

    /// This state with the model's optimum, evaluated or not.
    pub fn with_anywhere(mut self, handle: &mut StudyHandle) -> Self {
        match handle.study.best_anywhere() {
            Ok(anywhere) => self.anywhere = anywhere,
            Err(error) => self.without_model = self.without_model.or(Some(error.to_string())),
        }
        self
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
            anywhere: None,
            believed_front: None,
            observed_front: (objectives.len() > 1).then(|| handle.study.observed_front()),
            feasible: handle.study.feasible_count(),
            failures: failures(handle.study.history().records()),
            accuracy: None,
            outside: handle.study.outside(),
            warnings: handle.study.warnings().iter().map(ToString::to_string).collect(),
            without_model: None,
        }
    }

    /// `{"study", "name", "trials", "observed", "failed", "pending", "partial", "discarded", "best": {"believed", "observed",
    /// "feasible"} or null, "feasible": a number or null, "front": {"believed", "observed", "ends", "knee"} or null, "failures":
    /// a list of {"reason", "trials"}, "warnings": a list of texts, "accuracy": a share or null}`, where what is believed is null without a
    /// model: feasible trials satisfy all constraints, if there are any, "best" has "anywhere" if that was asked for, fronts are those of
    /// several objectives, their ends and knee are trials,
    /// and the accuracy is that of a class.
    pub fn json(&self) -> Value {
        let Counts { trials, observed, failed, pending, partial, discarded } = self.counts;
        json!({
            "study": self.database, "name": self.config.name,
            "trials": trials, "observed": observed, "failed": failed, "pending": pending, "partial": partial,
            "discarded": discarded, "feasible": self.feasible,
            "failures": self.failures.iter().map(|(reason, trials)| json!({ "reason": reason, "trials": trials })).collect::<Value>(),
            "warnings": self.warnings,
            "accuracy": self.accuracy,
            "best": self.observed.as_ref().map(|observed| self.best_json(observed)),
            "front": self.observed_front.as_ref().map(|observed| self.fronts_json(observed)),
        })
    }

    fn fronts_json(&self, observed: &[ParetoPoint]) -> Value {
        let front = self.believed_front.as_deref().unwrap_or(observed);
        let FrontLandmarks { ends, knee } = self.config.landmarks(front);
        let end = |(k, place): &(usize, usize)| (self.config.outputs[*k].name.clone(), json!(front[*place].trial.id));
        json!({
            "believed": self.believed_front.as_ref().map(|believed| self.front_json(believed)),
            "observed": self.front_json(observed),
            "ends": ends.iter().map(end).collect::<Value>(), "knee": knee.map(|place| front[place].trial.id),
        })
    }

    /// The ends and the knee of a front, a line for the outputs and one for the inputs each.
    fn write_landmarks(&self, f: &mut fmt::Formatter<'_>, front: &[ParetoPoint]) -> fmt::Result {
        let outputs = &self.config.outputs;
        let FrontLandmarks { ends, knee } = self.config.landmarks(front);
        let word = |k: usize| if outputs[k].goal == Goal::Minimize { "smallest" } else { "largest" };
        let ends = ends.into_iter().map(|(k, place)| (format!("{} {}", word(k), outputs[k].name), place));
        for (what, place) in ends.chain(knee.map(|place| ("knee".into(), place))) {
            let ParetoPoint { trial, values } = &front[place];
            let values = outputs.iter().zip(values).map(|(output, value)| format!("{} {}", output.name, short(*value)));
            writeln!(f, "  {what}: {} (trial {})", values.collect::<Vec<_>>().join(", "), trial.id)?;
            writeln!(f, "    {}", line(&self.config.space, trial))?;
        }
        Ok(())
    }

    fn best_json(&self, observed: &Observation) -> Value {
        let point = |trial| Named { space: &self.config.space, trial, numbered: false };
        let mut best = json!({
            "believed": self.believed.as_ref().map(|believed| json!({
                "trial": believed.trial.id, "point": point(&believed.trial),
                "mean": believed.mean, "low": believed.interval.0, "high": believed.interval.1,
            })),
            "observed": {
                "trial": observed.trial.id, "point": point(&observed.trial), "value": observed.value,
            },
            "feasible": self.is_feasible,
        });
        if let Some(anywhere) = &self.anywhere {
            best["anywhere"] = json!({
                "trial": anywhere.trial, "point": point(&there(anywhere)),
                "mean": anywhere.mean, "low": anywhere.interval.0, "high": anywhere.interval.1,
                "feasible": anywhere.feasible,
            });
        }
        best
    }

    fn front_json(&self, front: &[ParetoPoint]) -> Value {
        let one = |ParetoPoint { trial, values }: &ParetoPoint| {
            let point = Named { space: &self.config.space, trial, numbered: false };
            json!({ "trial": trial.id, "point": point, "outputs": by_output(&self.config.outputs, values) })
        };
        front.iter().map(one).collect()
    }
}

impl fmt::Display for StudySummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts { trials, observed, failed, pending, partial, discarded } = self.counts;
        let trials = counted(trials, "trial");
        write!(f, "{}: {trials}, {observed} observed, {failed} failed, {pending} pending", self.config.name)?;
        if partial > 0 {
            write!(f, " ({partial} of them partly observed)")?;
        }
        writeln!(f, "{}", if discarded > 0 { format!(", {discarded} discarded") } else { String::new() })?;
        if !self.failures.is_empty() {
            writeln!(f, "failed: {}", reasons(&self.failures))?;
        }
        for warning in &self.warnings {
            writeln!(f, "warning: {warning}")?;
        }
        if let Some(feasible) = self.feasible {
            writeln!(f, "within all constraints: {feasible} of {observed} observed")?;
        }
        let objective = self.config.outputs.iter().find(|output| output.goal.is_objective());
        let output = objective.map_or("", |output| &output.name);
        let point = |trial: &Trial| line(&self.config.space, trial);
        if let Some(believed) = &self.believed {
            let [mean, low, high] = [believed.mean, believed.interval.0, believed.interval.1].map(short);
            let what = if self.is_feasible { "best" } else { "no trial satisfies all constraints; closest to them" };
            writeln!(f, "{what} by the model: {output} {mean} (95 %: {low} to {high}), trial {}", believed.trial.id)?;
            writeln!(f, "  {}", point(&believed.trial))?;
        }
        if let Some(anywhere) = &self.anywhere {
            let [mean, low, high] = [anywhere.mean, anywhere.interval.0, anywhere.interval.1].map(short);
            let what = if anywhere.feasible { "best anywhere" } else { "closest to all constraints anywhere" };
            let trial = anywhere.trial.map_or("not evaluated".into(), |trial| format!("trial {trial}"));
            writeln!(f, "{what}: {output} {mean} (95 %: {low} to {high}) ({trial})")?;
            writeln!(f, "  {}", point(&there(anywhere)))?;
        }
        if let Some(observed) = &self.observed {
            writeln!(f, "best observed: {output} {}, trial {}", short(observed.value), observed.trial.id)?;
            writeln!(f, "  {}", point(&observed.trial))?;
        }
        if let Some(observed) = &self.observed_front {
            let believed =
                self.believed_front.as_ref().map(|front| format!("{} by the model, ", counted(front.len(), "trial")));
            writeln!(f, "on the front: {}{} by their outcomes", believed.unwrap_or_default(), observed.len())?;
            self.write_landmarks(f, self.believed_front.as_deref().unwrap_or(observed))?;
        }
        if let Some(accuracy) = self.accuracy {
            writeln!(f, "classes predicted right, each left out in turn: {} %", short(100.0 * accuracy))?;
        }
        if self.outside > 0 {
            writeln!(f, "outside the ranges: {}, used but not recommended", counted(self.outside, "observed trial"))?;
        }
        if let Some(reason) = &self.without_model {
            writeln!(f, "there is no model: {reason}")?;
        }
        writeln!(f, "stored in {}", self.database)
    }
}

/// The model's optimum as a trial, whose number means nothing.
fn there(anywhere: &Anywhere) -> Trial {
    Trial { id: 0, point: anywhere.point.clone(), row: anywhere.row }
}

/// The reasons of failures without what programs printed, the most frequent first.
fn failures(records: &[Record]) -> Vec<(String, usize)> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let failed = records.iter().filter(|record| record.status() == Status::Failed);
    for reason in failed.filter_map(Record::failure) {
        *counts.entry(reason.split("; stderr: ").next().unwrap_or_default()).or_default() += 1;
    }
    let mut counts: Vec<(String, usize)> = counts.into_iter().map(|(reason, count)| (reason.into(), count)).collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts
}

/// Reasons for people: "10 timeout after 60 s, 2 exit code 3".
fn reasons(failures: &[(String, usize)]) -> String {
    let (shown, others) = failures.split_at(failures.len().min(MOST_REASONS));
    let mut words: Vec<String> = shown.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
    let others: usize = others.iter().map(|(_, count)| count).sum();
    if others > 0 {
        words.push(format!("{others} for other reasons"));
    }
    words.join(", ")
}
