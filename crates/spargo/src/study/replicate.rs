//! Replicates: trials that may be the best are evaluated again (best-arm identification by Thompson sampling).
//!
//! ```text
//!     f(C) ~ p(f(C) | D),     replicate = argmax_{c ∈ C} f(c),     C = the candidates of every model
//! ```
//!
//! At the end of a budget the question is which of the trials to report, not where else to look. Draws of one model are joint:
//! candidates that rise and fall together are told apart by what differs between them. Different models are independent. Draws
//! that violate constraints come last, those that violate them most at the very end; several objectives are scalarised with
//! weights of their own for each draw.

use super::ask::{Batch, ChosenBy};
use super::global::Global;
use super::limits::{MOST_POINTS, check_count};
use super::local::LocalModel;
use super::model::{Models, Surrogate};
use super::observed::ObservedOutput;
use super::pure_error::Replicated;
use super::ranking::least_infeasible;
use super::recommend::Nugget;
use super::{StepReport, Study, Trial};
use crate::acquire::{ParetoState, Scale, simplex};
use crate::data::OutcomeTransform;
use crate::error::{Error, Result};
use crate::linalg::{Mat, MatRef, cholesky, sorted_by_value};
use crate::model::Prediction;
use crate::rng::{Purpose, StepRng, normal};
use crate::space::Point;
use rand_chacha::ChaCha8Rng;
use std::cmp::Ordering;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Instant;

/// Candidates per model.
const CANDIDATES: usize = 50;

/// Candidates if nothing is known but their outcomes.
const FEW: usize = 10;

impl Study {
    /// `count` trials to evaluate again, each at a point that has an outcome: in proportion to their probability of being best.
    ///
    /// They are trials of their own, whatever [`Replicates`](super::Replicates) says.
    pub fn replicate(&mut self, count: usize) -> Result<Vec<Trial>> {
        if count == 0 {
            return Ok(Vec::new());
        }
        check_count("the number of replicates", count, MOST_POINTS)?;
        if self.config.objectives_and_constraints().0.is_empty() {
            let remedy = "add points to be evaluated again yourself";
            return Err(Error::unsupported("there is no best trial to replicate without an objective", remedy));
        }
        let started = Instant::now();
        self.refresh()?;
        self.check_asked()?;
        if self.complete().is_empty() {
            return Err(Error::unsupported(
                "there is nothing to replicate before a trial has an outcome, with all of its outputs",
                "tell outcomes first",
            ));
        }
        let seen = self.history().tells();
        let mut step = self.history().steps() + 1;
        let mut report =
            StepReport { step: self.history().asks() + 1, asked: count, again: count, ..StepReport::default() };
        let (candidates, models) = self.candidates(&mut report)?;
        loop {
            let (points, rows) = self.draw_replicates(&candidates, step, count);
            let batch = Batch { points, rows, ..Batch::default() };
            let by = ChosenBy { models: models.as_ref(), ..ChosenBy::default() };
            report.total_s = started.elapsed().as_secs_f64();
            if let Some(trials) = self.commit(batch, by, &report, seen)? {
                return Ok(trials);
            }
            let settings = self.history().settings().len();
            self.refresh()?;
            if self.history().settings().len() > settings {
                return self.replicate(count);
            }
            // Other processes may have drawn the same.
            (step, report.step) = (self.history().steps() + 1, self.history().asks() + 1);
        }
    }

    /// The candidates of every model, and the global models.
    fn candidates(&mut self, report: &mut StepReport) -> Result<(Vec<Candidates>, Option<Arc<Models>>)> {
        match self.models() {
            Ok(models) => {
                report.models = self.reports_of(&models)?;
                let started = Instant::now();
                let candidates = self.candidates_of(&models)?;
                report.acquire_s = started.elapsed().as_secs_f64();
                Ok((candidates, Some(models)))
            }
            Err(Error::Interrupted) => Err(Error::Interrupted),
            // A model that cannot be fitted must not end the run.
            Err(error) => {
                report.without_model = Some(error.to_string());
                report.design = report.asked;
                Ok((vec![self.best_observed()], None))
            }
        }
    }

    fn candidates_of(&self, models: &Models) -> Result<Vec<Candidates>> {
        let observed = self.table.until(models.seen(), &self.history)?;
        let global = |k: usize| {
            Global::new(&self.config, models, &observed, k).filter(|_| self.config.outputs[k].goal.is_objective())
        };
        let globals: Vec<Option<Global<'_>>> = (0..models.outputs.len()).map(global).collect();
        let [Some(global)] = &globals[..] else {
            let records = self.without_screened(self.complete());
            let x = self.table.rows(&records);
            let (objectives, constraints) = self.config.acquired(&models.outputs);
            let pareto = ParetoState::new(&objectives, &constraints, x.as_ref())?;
            let records: Vec<usize> = likely(&pareto, x.as_ref()).into_iter().map(|row| records[row]).collect();
            return Ok(vec![self.candidates_among(&models.outputs, &globals, &records)?]);
        };
        let mut locals = Vec::new();
        global.each(|local| locals.push(local))?;
        let is_candidate = |row: usize| self.table.inside[global.record(row)] && !global.own.is_screened(row);
        let mut candidates = Vec::new();
        for (surrogate, rows) in by_surrogate(&models.outputs[0], &locals, global.own) {
            let records: Vec<usize> =
                rows.into_iter().filter(|&row| is_candidate(row)).map(|row| global.record(row)).collect();
            if !records.is_empty() {
                candidates.push(self.candidates_among(&[surrogate], &globals, &records)?);
            }
        }
        Ok(if candidates.is_empty() { vec![self.best_observed()] } else { candidates })
    }

    /// The candidates among some records, by models of all outputs: the largest upper confidence bounds of the first objective. What
    /// is believed of an objective is what it is recommended by.
    fn candidates_among(
        &self,
        surrogates: &[Surrogate],
        globals: &[Option<Global<'_>>],
        records: &[usize],
    ) -> Result<Candidates> {
        let objective = self.config.objectives_and_constraints().0[0];
        let nuggets = |k: usize, records: &[usize]| match &globals[k] {
            Some(global) => global.nuggets(&surrogates[k], records),
            None => vec![None; records.len()],
        };
        let Prediction { mean, variance } =
            surrogates[objective].posterior.predict(self.table.rows(records).as_ref())?;
        let bound = |(i, nugget): (usize, Option<Nugget>)| match nugget {
            Some(nugget) => nugget.mean(mean[i]) + nugget.variance(variance[i]).sqrt(),
            None => mean[i] + variance[i].sqrt(),
        };
        let ucb: Vec<f64> = nuggets(objective, records).into_iter().enumerate().map(bound).collect();
        let records: Vec<usize> = sorted_by_value(&ucb).into_iter().take(CANDIDATES).map(|i| records[i]).collect();
        let points = self.table.rows(&records);
        let joint = |(k, surrogate): (usize, &Surrogate)| {
            let mut mean = surrogate.posterior.mean(points.as_ref())?;
            let mut covariance = surrogate.posterior.covariance(points.as_ref())?;
            for (i, nugget) in nuggets(k, &records).into_iter().enumerate() {
                let Some(nugget) = nugget else { continue };
                mean[i] = nugget.mean(mean[i]);
                (0..records.len()).for_each(|j| covariance[(i, j)] *= nugget.share);
                (0..records.len()).for_each(|j| covariance[(j, i)] *= nugget.share);
                covariance[(i, i)] += nugget.own_variance();
            }
            let root = match cholesky(covariance, 0.0) {
                Ok(factor) => factor.l,
                Err(Error::Interrupted) => return Err(Error::Interrupted),
                // Outcomes without noise: nothing is left to be learned, and means decide.
                Err(_) => Mat::zeros(records.len(), records.len()),
            };
            Ok(Joint { mean, root, units: surrogate.units })
        };
        let outputs = surrogates.iter().enumerate().map(joint).collect::<Result<_>>()?;
        Ok(Candidates { records, outputs })
    }

    /// Without any model: the best outcomes of the first objective, as if they were equal. They are feasible or, if none is,
    /// the least infeasible.
    fn best_observed(&self) -> Candidates {
        let (complete, columns) = self.outcomes();
        let (outputs, violations) = (columns.len(), self.violations(&columns));
        let best = least_infeasible(&columns[self.config.objectives_and_constraints().0[0]], &violations);
        let has_feasible = violations.contains(&0.0);
        let best = best.into_iter().filter(|&row| !has_feasible || violations[row] == 0.0);
        let records: Vec<usize> = best.take(FEW).map(|row| complete[row]).collect();
        let (mean, root) = (vec![0.0; records.len()], Mat::identity(records.len(), records.len()));
        let joint = Joint { mean, root, units: OutcomeTransform::identity() };
        Candidates { records, outputs: vec![joint; outputs] }
    }

    /// The range of each output's outcomes.
    pub(super) fn scales(&self) -> Vec<Scale> {
        self.outcomes().1.iter().map(|outcomes| Scale::of(outcomes)).collect()
    }

    /// By how much these values, one per output, violate all constraints, in units of the outputs' ranges.
    fn violation(&self, values: &[f64], scales: &[Scale]) -> f64 {
        let outputs = self.config.outputs.iter().zip(values).zip(scales);
        outputs.map(|((output, &value), scale)| output.goal.violation(value) / scale.range).sum()
    }

    /// By how much each row violates all constraints, in units of the outputs' ranges; `columns` has the values of each output.
    pub(super) fn violations(&self, columns: &[Vec<f64>]) -> Vec<f64> {
        let mut violations = vec![0.0; columns.first().map_or(0, Vec::len)];
        for ((output, column), scale) in self.config.outputs.iter().zip(columns).zip(self.scales()) {
            let parts = column.iter().map(|&value| output.goal.violation(value) / scale.range);
            violations.iter_mut().zip(parts).for_each(|(violation, part)| *violation += part);
        }
        violations
    }

    fn draw_replicates(&self, candidates: &[Candidates], step: u64, count: usize) -> (Vec<Point>, Vec<Option<u64>>) {
        let rng = StepRng { seed: self.config.seed, step };
        let (objectives, _) = self.config.objectives_and_constraints();
        let scales = self.scales();
        let draw = |number: usize| {
            let mut rng = rng.stream(Purpose::Replicate, number as u64);
            let weights = if objectives.len() > 1 { simplex(objectives.len(), &mut rng) } else { Vec::new() };
            // The less a draw violates constraints, the better; then the scalarised objectives decide.
            let value = |values: &[f64]| {
                let scaled =
                    |(j, &k): (usize, &usize)| weights[j] * (values[k] - scales[k].reference) / scales[k].range;
                let score = match objectives.as_slice() {
                    &[only] => values[only],
                    _ => objectives.iter().enumerate().map(scaled).fold(f64::INFINITY, f64::min),
                };
                Drawn { violation: self.violation(values, &scales), score }
            };
            let best = candidates.iter().map(|some| some.draw(&value, &mut rng));
            let best = best.max_by(|(_, a), (_, b)| a.compare(b));
            let trial = |(record, _)| self.trial_of(record);
            best.map(trial).map(|trial| (trial.point, trial.row))
        };
        (0..count).filter_map(draw).unzip()
    }
}

/// Rows that may be on the front, all at different points: the front itself, evenly if it has many, then those by the first
/// objective.
fn likely(pareto: &ParetoState, x: MatRef<'_>) -> Vec<usize> {
    let first: Vec<f64> = pareto.means.iter().map(|means| means[0]).collect();
    let feasible = sorted_by_value(&first).into_iter().filter(|&row| pareto.violations[row] == 0.0);
    let (replicated, mut seen) = (Replicated::of(x), HashSet::new());
    let front: Vec<usize> = replicated.distinct(pareto.incumbents.iter().copied(), &mut seen).collect();
    let front = pareto.thinned(front, CANDIDATES);
    front.into_iter().chain(replicated.distinct(feasible, &mut seen)).take(CANDIDATES).collect()
}

/// Every model that is used somewhere, with the different points where it is used: of all trials, if there are no local models.
fn by_surrogate(global: &Surrogate, locals: &[LocalModel], own: &ObservedOutput) -> Vec<(Surrogate, Vec<usize>)> {
    let all: Vec<usize> = (0..own.data.len()).collect();
    let used = if locals.is_empty() {
        vec![(global, &all)]
    } else {
        locals.iter().map(|local| (&local.surrogate, &local.known)).collect()
    };
    let mut groups: Vec<(Surrogate, Vec<usize>)> = Vec::new();
    let mut seen = HashSet::new();
    for (surrogate, rows) in used {
        // The first model that knows a point is used for it.
        let new: Vec<usize> = own.replicated().distinct(rows.iter().copied(), &mut seen).collect();
        match groups.iter_mut().find(|(other, _)| Arc::ptr_eq(&other.posterior, &surrogate.posterior)) {
            Some((_, rows)) => rows.extend(new),
            None if new.is_empty() => {}
            None => groups.push((surrogate.clone(), new)),
        }
    }
    groups
}

/// Trials at different points that may be the best, and the joint posterior of every output there.
struct Candidates {
    /// Their places in the history.
    records: Vec<usize>,
    outputs: Vec<Joint>,
}

/// The joint posterior of one output at the candidates.
#[derive(Clone)]
struct Joint {
    mean: Vec<f64>,
    /// L with L Lᵀ = cov f(candidates).
    root: Mat,
    /// The transform of the output's outcomes.
    units: OutcomeTransform,
}

/// What a draw at a candidate is worth.
#[derive(Clone, Copy)]
struct Drawn {
    violation: f64,
    score: f64,
}

impl Drawn {
    fn compare(&self, other: &Self) -> Ordering {
        other.violation.total_cmp(&self.violation).then(self.score.total_cmp(&other.score))
    }
}

impl Candidates {
    /// The best record of one joint draw, by a value of its outputs in the user's units.
    fn draw(&self, value: &dyn Fn(&[f64]) -> Drawn, rng: &mut ChaCha8Rng) -> (usize, Drawn) {
        let columns: Vec<Vec<f64>> = self.outputs.iter().map(|output| output.draw(rng)).collect();
        let values: Vec<Drawn> = (0..self.records.len())
            .map(|i| value(&columns.iter().map(|column| column[i]).collect::<Vec<_>>()))
            .collect();
        // The first of equals.
        let best = (0..values.len()).rev().max_by(|&i, &j| values[i].compare(&values[j])).unwrap_or(0);
        (self.records[best], values[best])
    }
}

impl Joint {
    fn draw(&self, rng: &mut ChaCha8Rng) -> Vec<f64> {
        let noise: Vec<f64> = self.mean.iter().map(|_| normal(rng)).collect();
        let value = |i: usize| self.mean[i] + (0..=i).map(|j| self.root[(i, j)] * noise[j]).sum::<f64>();
        (0..self.mean.len()).map(|i| self.units.from_model(value(i))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Config, Measurement, Outcome};
    use super::*;
    use crate::space::{Dimension, Space, Value};

    #[test]
    fn candidates_have_the_largest_upper_confidence_bounds() {
        let mut config = Config::new(Space::new(vec![Dimension::real("x", 0.0, 1.0)]).unwrap());
        config.local_models.neighbours = 0;
        let mut study = Study::in_memory(config).unwrap();
        // On the right the outcomes hardly say anything.
        let one = |i: u32| {
            let x = f64::from(i) / 79.0;
            let variance = Some(if i < 40 { 1e-4 } else { 4.0 });
            (vec![Value::Real(x)], Some(vec![Measurement::Observed { value: (20.0 * x).sin(), variance }]))
        };
        let points: Vec<_> = (0..80).map(one).map(|(point, told)| (point, told.map(Outcome::Measured))).collect();
        study.add(&points).unwrap();
        let models = study.models().unwrap();
        let all: Vec<usize> = (0..80).collect();
        let at = models.outputs[0].posterior.predict(study.table.rows(&all).as_ref()).unwrap();
        let largest = |sign: f64| {
            let bound = |(mean, variance): (&f64, &f64)| mean + sign * variance.sqrt();
            let bounds: Vec<f64> = at.mean.iter().zip(&at.variance).map(bound).collect();
            sorted_by_value(&bounds).into_iter().take(CANDIDATES).collect::<HashSet<usize>>()
        };
        assert_ne!(largest(1.0), largest(-1.0));
        let found = study.candidates_of(&models).unwrap().remove(0);
        assert_eq!(found.records.into_iter().collect::<HashSet<usize>>(), largest(1.0));
    }
}
