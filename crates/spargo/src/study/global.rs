//! The global models with their data, from which trials are recommended.
//!
//! ```text
//!     rows of the objective ⊂ records observed        shortlist = the largest means ∪ the largest outcomes, where they are feasible
//! ```
//!
//! A trial is recommended by what its model and its outcomes say together; local models are made around those that either of them
//! puts first.

use super::config::Config;
use super::model::{Models, Surrogate};
use super::observations::{Observed, ObservedOutput};
use super::recommend::{Nugget, Recommended, Recommender};
use crate::data::Dataset;
use crate::error::Result;
use crate::kernel::Kernel;
use crate::linalg::{MatRef, select_rows, sorted_by_value};
use rand_chacha::ChaCha8Rng;
use std::collections::HashSet;

/// Trials that the global model recommends, and as many that their outcomes recommend.
const RECOMMENDED: usize = 10;

/// Trials by mean, and as many by outcome, among which the best is looked for without local models.
const SHORTLIST: usize = 1000;

/// The global models of all outputs with their data, around which local ones are made.
pub(super) struct Global<'a> {
    pub config: &'a Config,
    pub models: &'a Models,
    /// The observations that the models have seen.
    pub observed: &'a Observed,
    /// The output by which trials are compared.
    pub objective: usize,
    /// The outcomes of the objective.
    pub own: &'a ObservedOutput,
    pub recommender: Recommender<'a>,
}

impl Config {
    /// What trials of an objective are recommended by, given its outcomes and a kernel.
    pub(super) fn recommender<'a>(
        &self,
        own: &'a ObservedOutput,
        objective: usize,
        kernel: &Kernel,
    ) -> Recommender<'a> {
        let is_ordered = self.space.dimensions().iter().all(|dimension| !dimension.domain.is_categorical());
        let scales = if is_ordered { kernel.scales(own.data.dimension()) } else { Vec::new() };
        Recommender { own, error: own.pure_error(self.outputs[objective].noise), scales }
    }
}

impl<'a> Global<'a> {
    /// The models with the observations that they have seen; `None` if the objective has no outcome.
    pub fn new(config: &'a Config, models: &'a Models, observed: &'a Observed, objective: usize) -> Option<Self> {
        let own = observed.outputs[objective].as_ref()?;
        let recommender = config.recommender(own, objective, &models.states[objective].hyper.kernel);
        Some(Global { config, models, observed, objective, own, recommender })
    }

    pub fn model(&self) -> &Surrogate {
        &self.models.outputs[self.objective]
    }

    pub fn kernel(&self, output: usize) -> &Kernel {
        &self.models.states[output].hyper.kernel
    }

    pub fn data(&self) -> &Dataset {
        &self.own.data
    }

    /// The points that have the objective, [points, inputs].
    pub fn x(&self) -> MatRef<'_> {
        self.data().x()
    }

    /// The place in the history of one of the objective's rows.
    pub fn record(&self, row: usize) -> usize {
        self.observed.records[self.own.rows[row]]
    }

    /// Those of the objective's rows that an output has as well, as rows of that output.
    pub fn shared(&self, output: &ObservedOutput, rows: &[usize]) -> Vec<usize> {
        rows.iter().filter_map(|&row| output.rows.binary_search(&self.own.rows[row]).ok()).collect()
    }

    /// Whether every trial is feasible as far as anything is known.
    pub fn is_unconstrained(&self) -> bool {
        let (_, constrained) = self.config.objectives_and_constraints();
        constrained.iter().all(|&k| self.observed.outputs[k].is_none())
    }

    /// The best of some records by the global model, and its moments in the model's units.
    pub fn recommended_among(&self, records: &[usize]) -> Result<(usize, (f64, f64))> {
        let rows = self.shortlist(self.rows_of(records))?;
        let Recommended { row, moments, .. } = self.recommender.best(self.model(), &rows)?;
        Ok((self.record(row), moments))
    }

    /// Those of some records that have the objective, seen as it was told, all at different points, and the global model's means there.
    pub fn means_among(&self, records: &[usize]) -> Result<(Vec<usize>, Vec<f64>)> {
        let mut rows = self.rows_of(records);
        rows.retain(|&row| !self.own.is_screened(row));
        let means = self.model().posterior.mean(select_rows(self.x(), &rows).as_ref())?;
        Ok((rows.into_iter().map(|row| self.record(row)).collect(), means))
    }

    /// Of some records, those that may be the best by their outcomes where the global model takes signal for noise, or those that may
    /// show that it does: points to be evaluated again, `count` at most, and none where there is nothing to be learned.
    pub fn worth_replicating(&self, records: &[usize], count: usize, rng: &mut ChaCha8Rng) -> Result<Vec<usize>> {
        let is_exact = self.recommender.error.as_ref().is_some_and(|error| error.is_exact());
        let Some(compared) = self.recommender.compare(self.model()).filter(|_| !is_exact) else {
            return Ok(Vec::new());
        };
        let rows = if compared.shows_misfit() {
            let plain = self.rows_of(records).into_iter().filter(|&row| !self.own.is_screened(row)).collect();
            let mut rows = self.shortlist(plain)?;
            if !self.is_unconstrained() {
                rows =
                    Some(self.feasible(&self.models.outputs, &rows)?).filter(|rows| !rows.is_empty()).unwrap_or(rows);
            }
            self.recommender.draw_winners(self.model(), &rows, count, rng)?
        } else if compared.suggests_misfit() {
            self.recommender.pairs().into_iter().take(count).collect()
        } else {
            Vec::new()
        };
        Ok(rows.into_iter().map(|row| self.record(row)).collect())
    }

    /// Those of many rows that may be the best, by the global model or by their outcomes: a variance each costs more than a mean.
    fn shortlist(&self, rows: Vec<usize>) -> Result<Vec<usize>> {
        if rows.len() <= 2 * SHORTLIST {
            return Ok(rows);
        }
        let means = self.model().posterior.mean(select_rows(self.x(), &rows).as_ref())?;
        let outcomes: Vec<f64> = rows.iter().map(|&row| self.data().y()[row]).collect();
        let best = |values: &[f64]| sorted_by_value(values).into_iter().take(SHORTLIST).collect::<Vec<_>>();
        let mut places = [best(&means), best(&outcomes)].concat();
        places.sort_unstable();
        places.dedup();
        Ok(places.into_iter().map(|place| rows[place]).collect())
    }

    /// What the outcomes of some records say of the objective beyond what a model does.
    pub fn nuggets(&self, model: &Surrogate, records: &[usize]) -> Vec<Option<Nugget>> {
        let rows: Vec<Option<usize>> =
            records.iter().map(|&record| self.observed.row_of(self.objective, record)).collect();
        self.recommender.nuggets(model, &rows)
    }

    /// The objective's rows of some records, all at different points.
    fn rows_of(&self, records: &[usize]) -> Vec<usize> {
        let row = |record: &usize| self.observed.row_of(self.objective, *record);
        self.own.replicated().distinct(records.iter().filter_map(row), &mut HashSet::new()).collect()
    }

    /// The rows with the largest means, and with the largest outcomes, in turns; feasible ones as long as there are any.
    pub fn recommended(&self) -> Result<Vec<usize>> {
        let means = self.model().posterior.mean(self.x())?;
        let (by_mean, by_outcome) = (self.best_points(&means), self.best_points(self.data().y()));
        let rows = by_mean.into_iter().zip(by_outcome).flat_map(|(mean, outcome)| [mean, outcome]).collect::<Vec<_>>();
        if self.is_unconstrained() {
            return Ok(rows);
        }
        let all: Vec<usize> = sorted_by_value(&means);
        let feasible = self.feasible(&self.models.outputs, &all)?;
        Ok(if feasible.is_empty() { rows } else { feasible.into_iter().take(2 * RECOMMENDED).collect() })
    }

    /// The rows of the largest values, best first, all at different points.
    fn best_points(&self, values: &[f64]) -> Vec<usize> {
        let (best, mut seen) = (sorted_by_value(values).into_iter(), HashSet::new());
        self.own.replicated().distinct(best, &mut seen).take(RECOMMENDED).collect()
    }

    /// Those of the rows at which the surrogates' means satisfy all constraints.
    pub fn feasible(&self, surrogates: &[Surrogate], rows: &[usize]) -> Result<Vec<usize>> {
        let feasible = self.config.feasible_rows(surrogates, select_rows(self.x(), rows).as_ref())?;
        Ok(rows.iter().zip(feasible).filter(|(_, feasible)| *feasible).map(|(&row, _)| row).collect())
    }
}
