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
use super::observed::{Observed, ObservedOutput};
use super::recommend::{Nugget, Recommended, Recommender};
use crate::acquire::ParetoState;
use crate::data::Dataset;
use crate::error::Result;
use crate::kernel::Kernel;
use crate::linalg::{Mat, MatRef, largest_by_value, select_rows, sorted_by_value};
use rand_chacha::ChaCha8Rng;
use std::collections::HashSet;
use std::sync::Arc;

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
    /// Those of its rows whose means are looked at; `None` for all.
    pub few: Option<Vec<usize>>,
    /// The global model's means there, if they are known.
    means: Option<Vec<f64>>,
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
        Some(Global { config, models, observed, objective, own, few: None, means: None, recommender })
    }

    /// Looks at the means of some records only.
    pub fn among(self, records: Option<&[usize]>) -> Self {
        let row = |record: &usize| self.observed.row_of(self.objective, *record);
        let few = records.map(|records| records.iter().filter_map(row).collect());
        Global { few, ..self }
    }

    /// Uses the means of all trials that are looked at, which are observed, if they are known.
    pub fn use_means(&mut self, pareto: Option<&Arc<ParetoState>>) {
        let is_single = self.config.is_one_objective() && self.own.rows.len() == self.observed.records.len();
        let count = self.few.as_ref().map_or(self.own.rows.len(), Vec::len);
        let known = pareto.filter(|pareto| is_single && pareto.scales.len() == 1 && pareto.means.len() == count);
        self.means = known.map(|pareto| pareto.means.iter().map(|means| means[0]).collect());
    }

    /// The points whose means are looked at, [points, inputs].
    pub fn shortlisted(&self) -> Mat {
        self.few.as_ref().map_or_else(|| self.x().to_owned(), |few| select_rows(self.x(), few))
    }

    /// The row of the objective of one of these points.
    pub fn row(&self, place: usize) -> usize {
        self.few.as_ref().map_or(place, |few| few[place])
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
    pub fn worth_replicating(
        &self,
        records: impl Fn() -> Result<Vec<usize>>,
        count: usize,
        rng: &mut ChaCha8Rng,
    ) -> Result<Vec<usize>> {
        let is_exact = self.recommender.error.as_ref().is_some_and(|error| error.is_exact());
        let Some(compared) = self.recommender.compare(self.model()).filter(|_| !is_exact) else {
            return Ok(Vec::new());
        };
        let rows = if compared.shows_misfit() {
            let plain = self.rows_of(&records()?).into_iter().filter(|&row| !self.own.is_screened(row)).collect();
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
        let best = |values: &[f64]| largest_by_value(values, SHORTLIST);
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

    /// Some records, in order, with those of the largest outcomes.
    pub fn with_best_outcomes(&self, records: Vec<usize>) -> Vec<usize> {
        let best = largest_by_value(self.data().y(), SHORTLIST);
        let mut all: Vec<usize> = records.into_iter().chain(best.into_iter().map(|row| self.record(row))).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The objective's rows of some records, all at different points.
    fn rows_of(&self, records: &[usize]) -> Vec<usize> {
        let row = |record: &usize| self.observed.row_of(self.objective, *record);
        self.own.replicated().distinct(records.iter().filter_map(row), &mut HashSet::new()).collect()
    }

    /// The rows with the largest means, and with the largest outcomes, in turns; feasible ones as long as there are any.
    pub fn recommended(&self) -> Result<Vec<usize>> {
        let means = match &self.means {
            Some(means) => means.clone(),
            None => self.model().posterior.mean(self.shortlisted().as_ref())?,
        };
        let by_mean = self.best_points(&means, |place| self.row(place));
        let by_outcome = self.best_points(self.data().y(), |row| row);
        let rows = by_mean.into_iter().zip(by_outcome).flat_map(|(mean, outcome)| [mean, outcome]).collect::<Vec<_>>();
        if self.is_unconstrained() {
            return Ok(rows);
        }
        let all: Vec<usize> = sorted_by_value(&means).into_iter().map(|place| self.row(place)).collect();
        let feasible = self.feasible(&self.models.outputs, &all)?;
        Ok(if feasible.is_empty() { rows } else { feasible.into_iter().take(2 * RECOMMENDED).collect() })
    }

    /// The rows of the largest values, best first, all at different points.
    fn best_points(&self, values: &[f64], row: impl Fn(usize) -> usize) -> Vec<usize> {
        let mut count = 4 * RECOMMENDED;
        loop {
            let (best, mut seen) = (largest_by_value(values, count).into_iter().map(&row), HashSet::new());
            let found: Vec<usize> = self.own.replicated().distinct(best, &mut seen).take(RECOMMENDED).collect();
            if found.len() == RECOMMENDED || count >= values.len() {
                return found;
            }
            count *= 8;
        }
    }

    /// Those of the rows at which the surrogates' means satisfy all constraints.
    pub fn feasible(&self, surrogates: &[Surrogate], rows: &[usize]) -> Result<Vec<usize>> {
        let feasible = self.config.feasible_rows(surrogates, select_rows(self.x(), rows).as_ref())?;
        Ok(rows.iter().zip(feasible).filter(|(_, feasible)| *feasible).map(|(&row, _)| row).collect())
    }
}
