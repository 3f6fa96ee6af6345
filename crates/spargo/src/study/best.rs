//! What a study recommends: the best trial by the models, and the best outcome.

use super::insight::CrediblePrediction;
use super::local::{Global, LocalModel};
use super::model::Models;
use super::{Best, Estimate, Study};
use crate::acquire::ParetoState;
use crate::error::Result;
use crate::linalg::sorted_by_value;
use crate::model::Prediction;

impl Study {
    /// The best trial by the models, and the best outcome, of those that satisfy all constraints; `None` if there are none yet, or
    /// if there is no single objective.
    pub fn best(&mut self) -> Result<Option<Best>> {
        let (objectives, _) = self.config.objectives_and_constraints();
        let &[objective] = objectives.as_slice() else { return Ok(None) };
        let Some(models) = self.models_of_observed()? else { return Ok(None) };
        let model = &models.outputs[objective];
        let records = self.complete();
        let x = self.table.rows(&records);
        let means = model.posterior.mean(x.as_ref())?;
        let believed = self.config.feasible_rows(&models.outputs, x.as_ref())?;
        let best = sorted_by_value(&means).into_iter().find(|&row| believed[row]);
        let Some(row) = best else { return Ok(None) };
        let sign = self.config.outputs[objective].goal.sign();
        // Local models know every trial that has the objective, whatever else of it is pending.
        let local = self.local(&models)?.filter(|local| records.binary_search(&local.record).is_ok());
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
        Ok(self.best_observation().map(|observed| Best { believed, observed }))
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
        let objective = objectives.first().copied().unwrap_or(0);
        let global = Global { config: &self.config, models, observed: &observed, objective };
        let local = if objectives.len() == 1 {
            global.best()?
        } else {
            let (objectives, constraints) = self.config.acquired(&models.outputs);
            global.on_front(&ParetoState::new(&objectives, &constraints, observed.outputs[objective].data.x())?)?
        };
        Ok(models.local.get_or_init(|| local).as_ref())
    }
}
