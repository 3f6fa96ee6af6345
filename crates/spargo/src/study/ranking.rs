//! Trials in the order in which they are recommended: one for the best trial, rankings, fronts, reports and replicates.
//!
//! ```text
//!     value of an output at a trial:   its outcome, if outcomes have no noise;   E f by model and replicates, if it is an objective;   else E f by the model
//!     order:   the recommended trial,   then by violation of the constraints, the least first,   then by the objective's value, the best first
//! ```
//!
//! What is not believed is no value: a trial with an extreme outcome of an objective, or one that violates a constraint by far more than
//! models see, comes after all others.

use super::model::Models;
use super::observed::{Extreme, Observed};
use super::{Output, Study};
use crate::error::Result;
use crate::linalg::sorted_by_value;

/// What is believed of the trials that may be recommended.
pub(super) struct Believed {
    /// Their places in the history, in order.
    pub records: Vec<usize>,
    /// The value of each output at each of them, in the user's units; an objective's are to be maximised.
    pub columns: Vec<Vec<f64>>,
    /// By how much each of them violates the constraints.
    pub violations: Vec<f64>,
}

impl Believed {
    /// All of them by an output, those that violate the constraints least first.
    pub fn order(&self, output: usize) -> Vec<usize> {
        least_infeasible(&self.columns[output], &self.violations)
    }
}

/// Rows by their violations of the constraints, the least first, then by their values, the largest first, then as they come.
pub(super) fn least_infeasible(values: &[f64], violations: &[f64]) -> Vec<usize> {
    let mut order = sorted_by_value(values);
    order.sort_by(|&i, &j| violations[i].total_cmp(&violations[j]));
    order
}

impl Study {
    /// What is believed of the trials that may be recommended, given the observations that the models have seen.
    pub(super) fn believed_values(&self, models: &Models, observed: &Observed) -> Result<Believed> {
        let records = self.without_screened(self.complete());
        let column = |k: usize| self.believed_column(k, models, observed, &records);
        let columns = (0..self.config.outputs.len()).map(column).collect::<Result<Vec<_>>>()?;
        let violations = self.violations(&columns);
        Ok(Believed { records, columns, violations })
    }

    /// What is believed of an output at some records, in the user's units; an objective's values are to be maximised.
    pub(super) fn believed_column(
        &self,
        output: usize,
        models: &Models,
        observed: &Observed,
        records: &[usize],
    ) -> Result<Vec<f64>> {
        let (model, Output { goal, noise, .. }) = (&models.outputs[output], &self.config.outputs[output]);
        let own = observed.outputs[output].as_ref();
        let is_exact = own.is_some_and(|own| own.is_exact(*noise));
        let told = |record: usize| self.history.records()[record].told[output].measurement.observed();
        let exact = |record: &usize| told(*record).filter(|_| is_exact).map(|value| goal.sign() * value);
        let outcomes: Vec<Option<f64>> = records.iter().map(exact).collect();
        if let Some(outcomes) = outcomes.iter().copied().collect() {
            return Ok(outcomes);
        }
        let mut means = model.posterior.mean(self.table.rows(records).as_ref())?;
        if let Some(own) = own.filter(|_| goal.is_objective()) {
            let recommender = self.config.recommender(own, output, &models.states[output].hyper.kernel);
            let rows: Vec<Option<usize>> = records.iter().map(|&record| observed.row_of(output, record)).collect();
            let nuggets = recommender.nuggets(model, &rows);
            means.iter_mut().zip(nuggets).for_each(|(mean, nugget)| *mean = nugget.map_or(*mean, |n| n.mean(*mean)));
        }
        let values = means.into_iter().map(|mean| model.units.from_model(mean));
        Ok(values.zip(outcomes).map(|(mean, outcome)| outcome.unwrap_or(mean)).collect())
    }

    /// Records without those whose outcome of an objective is not seen as it was told, and those that violate a constraint by far more
    /// than models see: a trial whose outcome is not believed is not recommended either. If there is no other, all.
    pub(super) fn without_screened(&self, records: Vec<usize>) -> Vec<usize> {
        let extremes: Vec<Vec<Extreme>> =
            (0..self.config.outputs.len()).map(|k| self.table.extremes(k, &self.history)).collect();
        let is_screened = |record: usize, k: usize| {
            let goal = self.config.outputs[k].goal;
            let value = self.history.records()[record].told[k].measurement.observed();
            let is_extreme = extremes[k].binary_search_by_key(&record, |&(record, _)| record).is_ok();
            is_extreme && (goal.is_objective() || value.is_some_and(|value| !goal.is_satisfied_by(value)))
        };
        let is_kept = |record: &usize| (0..extremes.len()).all(|k| !is_screened(*record, k));
        let kept: Vec<usize> = records.iter().copied().filter(is_kept).collect();
        if kept.is_empty() { records } else { kept }
    }

    /// Trials with an outcome by their numbers, the best first: the one that is recommended, if the output is the only objective, then
    /// all that may be recommended by what is believed of the output (an objective's feasible ones first), then the others.
    pub fn ranking(&mut self, output: usize) -> Result<Vec<u64>> {
        self.sign(output)?;
        let Some(models) = self.models_of_observed()? else { return Ok(Vec::new()) };
        let is_objective = self.config.outputs[output].goal.is_objective();
        let best = if is_objective { self.best()?.map(|best| best.believed.trial.id as usize - 1) } else { None };
        let observed = self.table.until(models.seen(), &self.history)?;
        let believed = self.believed_values(&models, &observed)?;
        let order = if is_objective { believed.order(output) } else { sorted_by_value(&believed.columns[output]) };
        let is_other = |record: &usize| believed.records.binary_search(record).is_err();
        let others: Vec<usize> = self.observed_records().iter().copied().filter(is_other).collect();
        let last = sorted_by_value(&self.believed_column(output, &models, &observed, &others)?);
        let ranked = order.into_iter().map(|row| believed.records[row]).chain(last.into_iter().map(|row| others[row]));
        let ranked = best.into_iter().chain(ranked.filter(|record| Some(*record) != best));
        Ok(ranked.map(|record| record as u64 + 1).collect())
    }
}
