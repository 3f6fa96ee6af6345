//! What a study recommends: the best trial by the models, and the best outcome.

use super::insight::CrediblePrediction;
use super::local::{Global, LocalModel};
use super::model::{Models, Surrogate};
use super::{Best, Estimate, Observation, Study};
use crate::acquire::ParetoState;
use crate::error::Result;
use crate::linalg::sorted_by_value;
use crate::model::Prediction;

impl Study {
    /// The best trial by the models, and the best outcome, of those that satisfy all constraints or, if none does, of those that
    /// violate them least; `None` if no trial has all of its outputs, or if there is no single objective.
    pub fn best(&mut self) -> Result<Option<Best>> {
        let (objectives, _) = self.config.objectives_and_constraints();
        let &[objective] = objectives.as_slice() else { return Ok(None) };
        let Some(models) = self.models_of_observed()? else { return Ok(None) };
        let model = &models.outputs[objective];
        let (records, outcomes) = self.outcomes();
        let x = self.table.rows(&records);
        let mean = |(k, model): (usize, &Surrogate)| {
            if k == objective { model.posterior.mean(x.as_ref()) } else { model.means(x.as_ref()) }
        };
        let mut means = models.outputs.iter().enumerate().map(mean).collect::<Result<Vec<_>>>()?;
        // A trial whose outcome is not believed is not recommended either.
        for (record, _) in self.table.extremes(objective, &self.history) {
            if let Ok(row) = records.binary_search(&record) {
                means[objective][row] = f64::NEG_INFINITY;
            }
        }
        let Some((row, violation)) = self.least_infeasible(objective, &means) else { return Ok(None) };
        let Some((observed, _)) = self.least_infeasible(objective, &outcomes) else { return Ok(None) };
        let sign = self.config.outputs[objective].goal.sign();
        // Local models know every trial that has the objective, whatever else of it is pending.
        let local = if violation == 0.0 { self.local(&models)? } else { None };
        let local = local.filter(|local| records.binary_search(&local.record).is_ok());
        let (record, CrediblePrediction { mean, interval }) = match local {
            Some(local) => {
                let (mean, variance) = local.moments;
                (local.record, CrediblePrediction::new(&local.surrogate.units, sign, mean, variance))
            }
            None => {
                let Prediction { mean, variance } = model.posterior.predict(x.as_ref().subrows(row, 1))?;
                (records[row], CrediblePrediction::new(&model.units, sign, mean[0], variance[0]))
            }
        };
        let believed = Estimate { trial: self.trial_of(record), mean, interval };
        let value = sign * outcomes[objective][observed];
        let observed = Observation { trial: self.trial_of(records[observed]), value };
        Ok(Some(Best { believed, observed, feasible: violation == 0.0 }))
    }

    /// The row that violates the constraints least, the best of equals by the objective and the first of these, with its
    /// violation; `columns` has the values of each output, an objective's to be maximised.
    fn least_infeasible(&self, objective: usize, columns: &[Vec<f64>]) -> Option<(usize, f64)> {
        let scales = self.scales();
        let violation = |row: usize| {
            let values: Vec<f64> = columns.iter().map(|column| column[row]).collect();
            self.violation(&values, &scales)
        };
        let violations: Vec<f64> = (0..columns[objective].len()).map(violation).collect();
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
