//! A batch: the rule of a study, applied to its models.

use super::Study;
use super::config::Config;
use super::credit::Shares;
use super::local::LocalModel;
use super::model::{Models, Surrogate};
use super::observed::Observed;
use super::scaffold::Scaffold;
use crate::acquire::optimizer::{
    AcquisitionOptimizer, AcquisitionOptions, Assignment, Excluded, Memoryless, TrustRegions, is_assigned, is_listed,
};
use crate::acquire::{Constraint, Context, OutputModel, ParetoState, thompson};
use crate::error::Result;
use crate::linalg::{Mat, MatRef, select_rows, sorted_by_value};
use crate::rng::StepRng;
use std::ops::Range;
use std::sync::Arc;

/// Incumbents with trust regions differ by more than this along some input, in units of the box; so do different categories.
const APART: f64 = 0.15;

/// Incumbents with trust regions.
const SUMMITS: usize = 10;

/// Incumbents around which the candidate pool is dense, without trust regions.
const INCUMBENTS: usize = 20;

/// What a batch is chosen by.
pub(super) struct Chooser<'a> {
    pub config: &'a Config,
    pub models: &'a Models,
    /// The local models that refine a share of the batch.
    pub local: Option<&'a LocalModel>,
    /// What the draws before have left; `None` for the first.
    pub kept: Option<&'a Scaffold>,
    /// What was observed of every output, if lineages have models of their own.
    pub all: Option<&'a Observed>,
    /// Trials with an outcome as models see them, [trials, inputs].
    pub observed: MatRef<'a>,
    /// Those of them whose means are looked at, [trials, inputs].
    pub shortlisted: MatRef<'a>,
    /// Whether these are the trials that the models have seen, and no others.
    pub is_all_seen: bool,
    /// Failed trials, [trials, inputs].
    pub failed: MatRef<'a>,
    /// Trials without an outcome, [trials, inputs].
    pub pending: MatRef<'a>,
    pub rng: StepRng,
}

impl Config {
    /// The numbers of the outputs on which a choice depends: objectives, and constraints.
    ///
    /// An output without any outcome is the same everywhere by its prior, in units that are not known, and must not steer: it is
    /// left out. Only if no objective has an outcome, their priors stand for them.
    pub(super) fn deciding(&self, models: &[Surrogate]) -> (Vec<usize>, Vec<usize>) {
        let (mut objectives, mut constrained) = self.objectives_and_constraints();
        if objectives.is_empty() {
            return (vec![0], Vec::new());
        }
        let has_outcomes = |k: &usize| !models[*k].is_prior();
        if objectives.iter().any(has_outcomes) {
            objectives.retain(has_outcomes);
        }
        constrained.retain(has_outcomes);
        (objectives, constrained)
    }

    /// The outputs of an acquisition: objectives, and constraints with bounds in the units of their models.
    pub(super) fn acquired<'a>(&self, models: &'a [Surrogate]) -> (Vec<OutputModel<'a>>, Vec<Constraint<'a>>) {
        let of = |k: usize| OutputModel { posterior: &models[k].posterior, noise: models[k].noise };
        let (objectives, constrained) = self.deciding(models);
        let bounds = |k: usize| self.outputs[k].goal.bounds(&models[k].units);
        let constraint = |k: usize| Constraint { output: of(k), bounds: bounds(k) };
        (objectives.into_iter().map(of).collect(), constrained.into_iter().map(constraint).collect())
    }

    /// How many of the points with these numbers of a batch are drawn from local models; they come last.
    pub(super) fn refined(&self, shares: Shares, step: u64, numbers: Range<usize>) -> usize {
        // Where all points are listed there are no trust regions, and far from its trials a local model knows nothing.
        let moves = self.space.dimensions().iter().any(|dimension| !dimension.domain.is_categorical());
        let able = self.rule().name == "thompson" && self.local_models.neighbours > 0;
        if !(able && moves && !is_listed(&self.space)) {
            return 0;
        }
        numbers.filter(|&number| is_assigned(Assignment::LocalModel, step, number, shares.local_models)).count()
    }
}

impl Study {
    /// The trials, by their places in the history, of which something is still to come that the choice depends on.
    pub(super) fn awaited(&self, models: &Models) -> Vec<usize> {
        let (objectives, constrained) = self.config.deciding(&models.outputs);
        let is_awaited = |&record: &usize| {
            let told = &self.history.records()[record].told;
            objectives.iter().chain(&constrained).any(|&k| told[k].measurement.is_pending())
        };
        self.table.pending.iter().copied().filter(is_awaited).collect()
    }
}

impl Chooser<'_> {
    /// Points with these numbers of a batch, [points, inputs]; the last ones are drawn from local models.
    pub fn choose(
        &self,
        policy: Option<&dyn TrustRegions>,
        numbers: Range<usize>,
        excluded: &mut Excluded,
    ) -> Result<Mat> {
        let refined = self.local.map_or(0, |_| self.config.refined(self.models.shares, self.rng.step, numbers.clone()));
        let (global, local) = (numbers.start..numbers.end - refined, numbers.end - refined..numbers.end);
        let mut batch = Mat::zeros(numbers.len(), self.observed.ncols());
        let (others, of_lineages) = self.dealt(policy, global.clone());
        if others > 0 {
            let points = self.global(policy, global.start..global.start + others, excluded)?;
            batch.as_mut().subrows_mut(0, others).copy_from(points);
        }
        let mut first = others;
        for (place, count) in of_lineages {
            let Some(lineage) = policy.and_then(|policy| policy.lineages().get(place)) else { continue };
            let own = global.start + first..global.start + first + count;
            batch.as_mut().subrows_mut(first, count).copy_from(self.by_lineage(lineage, own, excluded)?);
            first += count;
        }
        if let (Some(model), false) = (self.local, local.is_empty()) {
            let points = self.refine(model, local.clone(), excluded)?;
            batch.as_mut().subrows_mut(global.len(), local.len()).copy_from(points);
        }
        Ok(batch)
    }

    /// By the models of all trials, everywhere.
    fn global(&self, policy: Option<&dyn TrustRegions>, numbers: Range<usize>, excluded: &mut Excluded) -> Result<Mat> {
        let (config, rule) = (self.config, self.config.rule());
        let (objectives, constraints) = config.acquired(&self.models.outputs);
        if let Some(Scaffold { pareto, search, .. }) = self.kept {
            let optimizer = search.optimizer(&config.space, policy, self.rng);
            return rule.batch(&self.context(&objectives, &constraints, pareto, &optimizer), numbers, excluded);
        }
        let pareto = self.pareto(&objectives, &constraints)?;
        let level = config.level(&self.models.outputs);
        let optimizer = self.optimizer(&pareto, level, policy)?;
        let context = self.context(&objectives, &constraints, &pareto, &optimizer);
        rule.batch(&Context { level, ..context }, numbers, excluded)
    }

    /// The observed trials by the means of the models, which are kept if the models have seen all of these.
    pub(super) fn pareto(
        &self,
        objectives: &[OutputModel<'_>],
        constraints: &[Constraint<'_>],
    ) -> Result<Arc<ParetoState>> {
        if let Some(pareto) = self.models.pareto.get().filter(|_| self.is_all_seen) {
            return Ok(pareto.clone());
        }
        let pareto = Arc::new(ParetoState::new(objectives, constraints, self.shortlisted)?);
        if self.is_all_seen {
            self.models.pareto.get_or_init(|| pareto.clone());
        }
        Ok(pareto)
    }

    /// A search of the whole space, with a candidate pool of the step's own.
    pub(super) fn optimizer<'b>(
        &'b self,
        pareto: &ParetoState,
        level: Option<f64>,
        policy: Option<&'b dyn TrustRegions>,
    ) -> Result<AcquisitionOptimizer<'b>> {
        let (config, observed) = (self.config, self.observed);
        let incumbents = select_rows(self.shortlisted, &self.incumbents(pareto, level, policy.is_some()));
        let optimizer = AcquisitionOptimizer::new(&config.space, incumbents.as_ref(), &config.acquisition, self.rng)?;
        Ok(match policy {
            Some(policy) => optimizer.with_trust_regions(policy).with_exclusion_zones(observed),
            None => optimizer,
        })
    }

    /// By local models, in trust regions around their centre.
    fn refine(&self, local: &LocalModel, numbers: Range<usize>, excluded: &mut Excluded) -> Result<Mat> {
        let (objectives, constraints) = self.config.acquired(&local.outputs);
        let pareto = self.local_pareto(&objectives, &constraints)?;
        let options = AcquisitionOptions { pool: 1, near: 0, ..self.config.acquisition.clone() };
        let everywhere = Memoryless { share: 1.0 };
        let optimizer = AcquisitionOptimizer::new(&self.config.space, local.centre.as_ref(), &options, self.rng)?
            .with_trust_regions(&everywhere);
        thompson(&self.context(&objectives, &constraints, &pareto, &optimizer), numbers, excluded)
    }

    /// The observed trials by the means of models of some of them; nothing for a single path that nothing fails, which is compared with
    /// no trial.
    pub(super) fn local_pareto(
        &self,
        objectives: &[OutputModel<'_>],
        constraints: &[Constraint<'_>],
    ) -> Result<ParetoState> {
        let is_alone = objectives.len() == 1 && constraints.is_empty() && self.failed.nrows() == 0;
        if is_alone { Ok(ParetoState::default()) } else { ParetoState::new(objectives, constraints, self.shortlisted) }
    }

    pub(super) fn context<'b>(
        &'b self,
        objectives: &'b [OutputModel<'b>],
        constraints: &'b [Constraint<'b>],
        pareto: &'b ParetoState,
        optimizer: &'b AcquisitionOptimizer<'b>,
    ) -> Context<'b> {
        let &Chooser { observed, failed, pending, rng, .. } = self;
        let sampling = &self.config.sampling;
        Context { objectives, constraints, level: None, pareto, observed, failed, pending, optimizer, sampling, rng }
    }

    /// Rows around which to search.
    pub(super) fn incumbents(&self, pareto: &ParetoState, level: Option<f64>, has_regions: bool) -> Vec<usize> {
        if pareto.scales.len() > 1 {
            return pareto.thinned(pareto.incumbents.clone(), if has_regions { SUMMITS } else { INCUMBENTS });
        }
        let means = pareto.means.iter().map(|means| means[0]);
        let interest: Vec<f64> = match level {
            Some(level) => means.map(|mean| -(mean - level).abs()).collect(),
            None => means.collect(),
        };
        // Trust regions are around optima that lie apart; without them, perturbations are around the best, wherever these are.
        let mut best = sorted_by_value(&interest);
        // Feasible ones first.
        best.sort_by(|&i, &j| pareto.violations[i].total_cmp(&pareto.violations[j]));
        if has_regions { apart(best, self.shortlisted, SUMMITS) } else { best.into_iter().take(INCUMBENTS).collect() }
    }
}

/// The first of these rows, so many, that differ by more than [`APART`] from each other along some input.
pub(super) fn apart(rows: Vec<usize>, x: MatRef<'_>, count: usize) -> Vec<usize> {
    let mut chosen: Vec<usize> = Vec::new();
    for row in rows {
        let far = |&other: &usize| (0..x.ncols()).any(|k| (x[(row, k)] - x[(other, k)]).abs() > APART);
        if chosen.iter().all(far) {
            chosen.push(row);
        }
        if chosen.len() == count {
            break;
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acquire::Scale;
    use crate::space::{Dimension, Space};

    #[test]
    fn a_level_is_sought_around_the_means_that_are_close_to_it() {
        let config = Config::new(Space::new(vec![Dimension::real("x", 0.0, 1.0)]).unwrap());
        let (models, x, none) = (Models::default(), Mat::from_fn(50, 1, |i, _| i as f64 / 49.0), Mat::zeros(0, 1));
        let (observed, shortlisted, none) = (x.as_ref(), x.as_ref(), none.as_ref());
        let rng = StepRng { seed: 0, step: 1 };
        let (config, models, local, kept, is_all_seen) = (&config, &models, None, None, false);
        let (all, failed, pending) = (None, none, none);
        let chooser =
            Chooser { config, models, local, kept, all, observed, shortlisted, is_all_seen, failed, pending, rng };
        let pareto = ParetoState {
            means: (0..50).map(|i| vec![f64::from(i)]).collect(),
            violations: vec![0.0; 50],
            incumbents: vec![49],
            scales: vec![Scale { reference: 0.0, range: 49.0 }],
            deviations: Vec::new(),
        };
        let incumbents = |level: Option<f64>| chooser.incumbents(&pareto, level, false);
        assert_eq!(incumbents(None)[..3], [49, 48, 47]);
        assert_eq!(incumbents(Some(20.2))[..4], [20, 21, 19, 22]);
        assert_eq!(chooser.incumbents(&pareto, Some(20.2), true)[..2], [20, 28]);
    }
}
