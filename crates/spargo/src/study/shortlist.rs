//! The trials that are looked at between refits: those that may be the best, some that are spread over all, and those that are new.
//!
//! ```text
//!     all rows at a refit ─▶ means ─▶ the best, the best that lie apart, the front, the worst, every n-th   ∪   rows since
//! ```
//!
//! A mean of each of a million trials takes longer than all the rest of a step. What a trial promises hardly changes while θ and Z stand, so
//! the trials that matter are chosen once per refit, by its posterior: a function of the state and the history, as all of a step is.

use super::Study;
use super::choose::apart;
use super::config::Config;
use super::goal::in_units;
use super::model::{ModelState, Models, Surrogate};
use super::observed::MANY;
use super::ranking::least_infeasible;
use crate::acquire::ParetoState;
use crate::error::Result;
use crate::linalg::{MatRef, largest_by_value};
use std::sync::Arc;

/// Trials of each kind that are looked at.
const OF_EACH: usize = 1000;

/// Trials that lie apart.
const APART: usize = 20;

/// The worst trials, from which scales begin.
const WORST: usize = 10;

/// Trials that may matter until the next refit, by their places in the history, in order.
#[derive(Debug, PartialEq)]
pub(super) struct Shortlist {
    records: Vec<usize>,
}

impl Shortlist {
    /// Of the trials with these points, by what is believed of them.
    fn new(pareto: &ParetoState, level: Option<f64>, x: MatRef<'_>, records: &[usize]) -> Self {
        let mut rows: Vec<usize> = (0..records.len()).step_by(records.len().div_ceil(OF_EACH).max(1)).collect();
        rows.extend(pareto.thinned(pareto.incumbents.clone(), OF_EACH));
        for k in 0..pareto.scales.len() {
            let means: Vec<f64> = pareto.means.iter().map(|means| means[k]).collect();
            let order = least_infeasible(&means, &pareto.violations);
            rows.extend(order.iter().take(OF_EACH));
            rows.extend(apart(order, x, APART));
            rows.extend(largest_by_value(&means, OF_EACH));
            rows.extend(largest_by_value(&means.iter().map(|mean| -mean).collect::<Vec<_>>(), WORST));
            let at_level = level.map(|level| means.iter().map(|mean| -(mean - level).abs()).collect::<Vec<_>>());
            rows.extend(at_level.iter().flat_map(|close| largest_by_value(close, OF_EACH)));
        }
        rows.sort_unstable();
        rows.dedup();
        Shortlist { records: rows.into_iter().map(|row| records[row]).collect() }
    }
}

impl Config {
    /// The level that is sought, in the units of the models, if there is one.
    pub(super) fn level(&self, models: &[Surrogate]) -> Option<f64> {
        let goal = self.outputs[0].goal;
        let level = goal.level(&[]).filter(|_| !goal.is_objective());
        level.map(|level| in_units(&models[0].units, level))
    }
}

impl Models {
    /// The last tell that was seen at the last refit, if others have come since.
    pub fn refitted(&self) -> Option<u64> {
        self.states.iter().find_map(|state| state.fitted)
    }

    /// The trials that may matter until the next refit, if these models are those of the same refit as others.
    pub fn shortlist_for(&self, others: &Models) -> Option<Arc<Shortlist>> {
        let is_same = |(own, other): (&ModelState, &ModelState)| own.is_same_fit(other);
        let shortlist = self.shortlist.get().filter(|_| self.states.len() == others.states.len())?;
        self.states.iter().zip(&others.states).all(is_same).then(|| shortlist.clone())
    }
}

impl Study {
    /// Keeps the trials that may matter after a refit to many, if the means of all of them are there.
    pub(super) fn note_shortlist(&self, models: &Models) -> Result<()> {
        let is_refit = models.refitted().is_none() && models.sums.iter().any(Option::is_some);
        let Some(pareto) = models.pareto.get().filter(|_| is_refit) else { return Ok(()) };
        let observed = self.table.until(models.seen(), &self.history)?;
        // Rows of trials that have failed since, or of which another output has, are in no other order.
        let is_all = pareto.means.len() == observed.records.len() && *self.observed_records() == *observed.records;
        if observed.records.len() > MANY && is_all {
            let level = self.config.level(&models.outputs);
            let new = || Arc::new(Shortlist::new(pareto, level, observed.x(), &observed.records));
            models.shortlist.get_or_init(new);
        }
        Ok(())
    }

    /// Those of the records observed up to a tell, in their order, that are looked at: between refits some of them, else all.
    pub(super) fn shortlisted(&self, models: &Models, records: &[usize], seen: u64) -> Result<Option<Vec<usize>>> {
        let Some(fitted) = models.refitted() else { return Ok(None) };
        let shortlist = match models.shortlist.get() {
            Some(shortlist) => shortlist.clone(),
            None => {
                let shortlist = Arc::new(self.shortlist_of(models, fitted)?);
                models.shortlist.get_or_init(|| shortlist).clone()
            }
        };
        // An output that has come later, of a trial that was seen before, must not make it one that is looked at.
        let since = self.history.told()[fitted as usize..seen as usize].iter().map(|&trial| trial as usize - 1);
        let mut few: Vec<usize> = shortlist.records.iter().copied().chain(since).collect();
        few.sort_unstable();
        few.dedup();
        few.retain(|record| records.binary_search(record).is_ok());
        Ok(Some(few))
    }

    /// The trials that may matter by the posteriors of the last refit.
    fn shortlist_of(&self, models: &Models, fitted: u64) -> Result<Shortlist> {
        let observed = self.table.until(fitted, &self.history)?;
        let refit = models.at_refit()?;
        let (objectives, constraints) = self.config.acquired(&refit);
        let pareto = ParetoState::new(&objectives, &constraints, observed.x())?;
        Ok(Shortlist::new(&pareto, self.config.level(&refit), observed.x(), &observed.records))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acquire::Scale;
    use crate::linalg::{Mat, select_rows};

    #[test]
    fn the_best_the_worst_and_the_spread_are_on_it() {
        let n = 20_000;
        let x = Mat::from_fn(n, 1, |i, _| i as f64 / n as f64);
        // Two optima, of which the lesser has no trial among the best.
        let value = |i: usize| (-(x[(i, 0)] - 0.2).powi(2)).max(-0.5 - (x[(i, 0)] - 0.9).powi(2));
        let means: Vec<Vec<f64>> = (0..n).map(|i| vec![value(i)]).collect();
        let scales = vec![Scale { reference: -1.0, range: 1.0 }];
        let best = sorted(&means)[0];
        let pareto = ParetoState {
            means: means.clone(),
            violations: vec![0.0; n],
            incumbents: vec![best],
            scales,
            deviations: Vec::new(),
        };
        let records: Vec<usize> = (0..n).map(|i| 3 * i).collect();
        let Shortlist { records: found } = Shortlist::new(&pareto, None, x.as_ref(), &records);
        let has = |row: usize| found.binary_search(&(3 * row)).is_ok();
        let order = sorted(&means);
        assert!(order[..OF_EACH].iter().chain(&order[n - WORST..]).all(|&row| has(row)));
        assert!(apart(order, x.as_ref(), 10).into_iter().all(has));
        assert!(found.len() < 3 * OF_EACH && found.is_sorted());
        let few = select_rows(x.as_ref(), &[0, 5]);
        let pareto =
            ParetoState { means: means[..2].to_vec(), violations: vec![0.0; 2], incumbents: vec![0], ..pareto };
        assert_eq!(Shortlist::new(&pareto, Some(0.0), few.as_ref(), &[4, 9]).records, [4, 9]);
    }

    fn sorted(means: &[Vec<f64>]) -> Vec<usize> {
        crate::linalg::sorted_by_value(&means.iter().map(|means| means[0]).collect::<Vec<_>>())
    }
}
