//! What a study recommends: the best trial by the models, and the best outcome.

use super::global::Global;
use super::insight::CrediblePrediction;
use super::local::LocalModel;
use super::model::Models;
use super::ranking::{Believed, least_infeasible};
use super::{Best, Estimate, Observation, Output, Study};
use crate::acquire::ParetoState;
use crate::error::{Error, Result};

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
        let order = least_infeasible(&outcomes[objective], &self.violations(&outcomes));
        let Some(&observed) = order.first() else { return Ok(None) };
        let sign = self.config.outputs[objective].goal.sign();
        let value = sign * outcomes[objective][observed];
        let observed = Observation { trial: self.trial_of(records[observed]), value };
        let (believed, feasible) = self.believed(objective, &models)?;
        Ok(Some(Best { believed, observed, feasible }))
    }

    /// The best trial by the models, and whether it satisfies all constraints by what is known of them.
    fn believed(&self, objective: usize, models: &Models) -> Result<(Estimate, bool)> {
        let data = self.table.until(models.seen(), &self.history)?;
        let believed = self.believed_values(models, &data)?;
        let Some(&row) = believed.order(objective).first() else {
            return Err(Error::Empty { what: "the list of complete trials".into() });
        };
        let Believed { records, columns, violations } = believed;
        let Output { goal, noise, .. } = &self.config.outputs[objective];
        let (feasible, sign) = (violations[row] == 0.0, goal.sign());
        if data.outputs[objective].as_ref().is_some_and(|own| own.is_exact(*noise)) {
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
                let rows = (0..records.len()).filter(|&i| i == row || feasible && violations[i] == 0.0);
                let (record, moments) = global.recommended_among(&rows.map(|i| records[i]).collect::<Vec<_>>())?;
                (record, &models.outputs[objective], moments)
            }
        };
        let CrediblePrediction { mean, interval } = CrediblePrediction::new(&model.units, sign, mean, variance);
        Ok((Estimate { trial: self.trial_of(record), mean, interval }, feasible))
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
        let mut global = global.among(self.shortlisted(models, &observed.records, observed.seen)?.as_deref());
        if models.seen() == self.history.tells() && *self.observed_records() == *observed.records {
            global.use_means(models.pareto.get());
        }
        let local = if objectives.len() == 1 {
            global.best()?
        } else {
            let (objectives, constraints) = self.config.acquired(&models.outputs);
            let pareto = ParetoState::new(&objectives, &constraints, global.shortlisted().as_ref())?;
            global.on_front(&pareto)?
        };
        Ok(models.local.get_or_init(|| local).as_ref())
    }
}
