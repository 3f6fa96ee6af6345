//! Several outputs of one trial: which trials satisfy all constraints, and which of those no other one beats.

use super::{Output, Study, Trial};
use crate::error::Result;
use crate::math::pareto;
use serde::{Deserialize, Serialize};

/// The trials that no other one beats in every objective, among those that satisfy all constraints.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Fronts {
    /// By what is believed of each trial: its outcomes, where they have no noise, or posterior means. Trials whose outcomes are not
    /// believed are not among them.
    pub believed: Vec<ParetoPoint>,
    /// By the outcomes as they were told.
    pub observed: Vec<ParetoPoint>,
}

/// A trial with its outputs, in the user's units.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ParetoPoint {
    /// The trial.
    pub trial: Trial,
    /// One value per output of the study.
    pub values: Vec<f64>,
}

impl Study {
    /// The evaluated points that no other one beats in every objective, by their outcomes and by what is believed of them, among
    /// those that satisfy all constraints.
    pub fn fronts(&mut self) -> Result<Fronts> {
        let Some(models) = self.models_of_observed()? else { return Ok(Fronts::default()) };
        let observed = self.table.until(models.seen(), &self.history)?;
        let believed = self.believed_values(&models, &observed)?;
        Ok(Fronts { believed: self.front(&believed.records, &believed.columns), observed: self.observed_front() })
    }

    /// The trials whose outcomes no other one beats in every objective, among those that satisfy all constraints; without a
    /// model.
    pub fn observed_front(&self) -> Vec<ParetoPoint> {
        let (complete, columns) = self.outcomes();
        self.front(&complete, &columns)
    }

    /// Trials of which every output was observed, by their places in the history, and the outcomes of each output, an
    /// objective's to be maximised.
    pub(super) fn outcomes(&self) -> (Vec<usize>, Vec<Vec<f64>>) {
        let complete = self.complete();
        let outcomes = |(k, output): (usize, &Output)| {
            let value = |&record: &usize| self.history().records()[record].told[k].measurement.observed();
            complete.iter().filter_map(value).map(|value| output.goal.sign() * value).collect()
        };
        let columns = self.config.outputs.iter().enumerate().map(outcomes).collect();
        (complete, columns)
    }

    /// The front among these records, the first objective's best first; one column of values per output.
    fn front(&self, records: &[usize], columns: &[Vec<f64>]) -> Vec<ParetoPoint> {
        let (objectives, _) = self.config.objectives_and_constraints();
        let value = |row: usize, k: usize| columns[k][row];
        let values = |row: usize| (0..columns.len()).map(|k| value(row, k)).collect::<Vec<_>>();
        let all = 0..records.len();
        let rows: Vec<usize> = all.filter(|&row| self.config.is_feasible(&values(row))).collect();
        let points: Vec<Vec<f64>> =
            rows.iter().map(|&row| objectives.iter().map(|&k| value(row, k)).collect()).collect();
        let mut front: Vec<usize> = pareto::front(&points).into_iter().map(|i| rows[i]).collect();
        if let Some(&first) = objectives.first() {
            front.sort_by(|&i, &j| value(j, first).total_cmp(&value(i, first)));
        }
        let signs: Vec<f64> = self.config.outputs.iter().map(|output| output.goal.sign()).collect();
        let point = |row: usize| ParetoPoint {
            trial: self.trial_of(records[row]),
            values: signs.iter().enumerate().map(|(k, sign)| sign * value(row, k)).collect(),
        };
        front.into_iter().map(point).collect()
    }
}
