//! What a study recommends: the best trial by the models, and the best outcome.

use super::global::Global;
use super::insight::CrediblePrediction;
use super::local::LocalModel;
use super::model::Models;
use super::observations::Extreme;
use super::{Best, Estimate, Observation, Study};
use crate::acquire::ParetoState;
use crate::error::{Error, Result};
use crate::linalg::sorted_by_value;

impl Study {
    /// The best trial by the models, and the best outcome, of those that satisfy all constraints or, if none does, of those that
    /// violate them least; `None` if no trial has all of its outputs, or if there is no single objective.
    ///
    /// Outcomes without noise are what they are: the best trial is the best outcome then.
    pub fn best(&mut self) -> Result<Option<Best>> {
        let (objectives, _) = self.config.objectives_and_constraints();
        let &[objective] = objectives.as_slice() else { return Ok(None) };
        let Some(models) = self.models_of_observed()? else { return Ok(None) };
        let (records, outcomes) = self.outcomes();
        let Some((observed, _)) = self.least_infeasible(objective, &outcomes) else { return Ok(None) };
        let sign = self.config.outputs[objective].goal.sign();
        let value = sign * outcomes[objective][observed];
        let observed = Observation { trial: self.trial_of(records[observed]), value };
        let (believed, feasible) = self.believed(objective, &models, (&records, outcomes))?;
        Ok(Some(Best { believed, observed, feasible }))
    }

    /// The best trial by the models, and whether it satisfies all constraints by what is known of them; `outcomes` are of these
    /// records, output by output.
    fn believed(
        &self,
        objective: usize,
        models: &Models,
        (records, outcomes): (&[usize], Vec<Vec<f64>>),
    ) -> Result<(Estimate, bool)> {
        let data = self.table.until(models.seen(), &self.history)?;
        let (records, outcomes) = &self.without_screened(objective, records, outcomes);
        let x = self.table.rows(records);
        let is_exact =
            |k: usize| data.outputs[k].as_ref().is_some_and(|own| own.is_exact(self.config.outputs[k].noise));
        // What an output is at every record: its outcomes, if these have no noise, or the model's means.
        let column = |(k, outcomes): (usize, &Vec<f64>)| match &models.outputs[k] {
            _ if is_exact(k) => Ok(outcomes.clone()),
            model if k == objective => model.posterior.mean(x.as_ref()),
            model => model.means(x.as_ref()),
        };
        let columns = outcomes.iter().enumerate().map(column).collect::<Result<Vec<_>>>()?;
        let Some((row, violation)) = self.least_infeasible(objective, &columns) else {
            return Err(Error::Empty { what: "the list of complete trials".into() });
        };
        let (feasible, sign) = (violation == 0.0, self.config.outputs[objective].goal.sign());
        if is_exact(objective) {
            let value = sign * columns[objective][row];
            return Ok((
                Estimate { trial: self.trial_of(records[row]), mean: value, interval: (value, value) },
                feasible,
            ));
        }
        // Local models know every trial that has the objective, whatever else of it is pending.
        let local = if feasible { self.local(models)? } else { None };
        let (record, model, (mean, variance)) = match local.filter(|local| records.binary_search(&local.record).is_ok())
        {
            Some(local) => (local.record, &local.surrogate, local.moments),
            None => {
                let Some(global) = Global::new(&self.config, models, &data, objective) else {
                    return Err(Error::Empty { what: "the outcomes of the objective".into() });
                };
                let violations = self.violations(&columns);
                let rows = (0..records.len()).filter(|&i| i == row || feasible && violations[i] == 0.0);
                let (record, moments) = global.recommended_among(&rows.map(|i| records[i]).collect::<Vec<_>>())?;
                (record, &models.outputs[objective], moments)
            }
        };
        let CrediblePrediction { mean, interval } = CrediblePrediction::new(&model.units, sign, mean, variance);
        Ok((Estimate { trial: self.trial_of(record), mean, interval }, feasible))
    }

    /// Records and their outcomes, output by output, without those whose objective is not seen as it was told, and those that violate a
    /// constraint by far more than models see: a trial whose outcome is not believed is not recommended either. If there is no other, all.
    fn without_screened(
        &self,
        objective: usize,
        records: &[usize],
        outcomes: Vec<Vec<f64>>,
    ) -> (Vec<usize>, Vec<Vec<f64>>) {
        let extremes: Vec<Vec<Extreme>> = (0..outcomes.len()).map(|k| self.table.extremes(k, &self.history)).collect();
        let is_screened = |row: usize, k: usize| {
            let is_extreme = extremes[k].binary_search_by_key(&records[row], |&(record, _)| record).is_ok();
            is_extreme && (k == objective || !self.config.outputs[k].goal.is_satisfied_by(outcomes[k][row]))
        };
        let is_kept = |row: &usize| (0..outcomes.len()).all(|k| !is_screened(*row, k));
        let kept: Vec<usize> = (0..records.len()).filter(is_kept).collect();
        if kept.is_empty() || kept.len() == records.len() {
            return (records.to_vec(), outcomes);
        }
        let columns = outcomes.iter().map(|column| kept.iter().map(|&row| column[row]).collect()).collect();
        (kept.iter().map(|&row| records[row]).collect(), columns)
    }

    /// The row that violates the constraints least, the best of equals by the objective and the first of these, with its
    /// violation; `columns` has the values of each output, an objective's to be maximised.
    fn least_infeasible(&self, objective: usize, columns: &[Vec<f64>]) -> Option<(usize, f64)> {
        let violations = self.violations(columns);
        let best =
            sorted_by_value(&columns[objective]).into_iter().min_by(|&i, &j| violations[i].total_cmp(&violations[j]));
        best.map(|row| (row, violations[row]))
    }

    /// The local models around the best trial, or around one on the front of several objectives, if the study has such models.
    pub(super) fn local<'a>(&self, models: &'a Models) -> Result<Option<&'a LocalModel>> {
        if !self.config.has_local_models() {
            return Ok(None);
        }
        if let Some(local) = models.local.get() {
            return Ok(local.as_ref());
        }
        let observed = self.table.until(models.seen(), &self.history)?;
        let (objectives, _) = self.config.objectives_and_constraints();
        let mut of_objectives = objectives.iter().filter_map(|&k| Global::new(&self.config, models, &observed, k));
        let Some(global) = of_objectives.next() else { return Ok(None) };
        let local = if objectives.len() == 1 {
            global.best()?
        } else {
            let (objectives, constraints) = self.config.acquired(&models.outputs);
            global.on_front(&ParetoState::new(&objectives, &constraints, global.x())?)?
        };
        Ok(models.local.get_or_init(|| local).as_ref())
    }
}
