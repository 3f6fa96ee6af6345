//! The rule of a study's settings, applied to its models.

use super::best_rows;
use super::config::Config;
use super::goal::in_units;
use super::local::Local;
use super::model::{Model, Models};
use crate::acquire::optimizer::{
    AcquisitionOptimizer, AcquisitionOptions, Assignment, Excluded, is_assigned, is_listed,
};
use crate::acquire::{
    Constraint, Merit, Output, Outputs, ParetoState, Rule, Several, Situation, acquire, acquire_several, sequential,
};
use crate::error::Result;
use crate::linalg::{Mat, MatRef, select_rows};
use crate::model::Posterior;
use std::ops::Range;

/// The trials of a study as models see them, [trials, inputs] each.
pub(super) struct Trials<'a> {
    pub observed: MatRef<'a, f64>,
    pub failed: MatRef<'a, f64>,
    pub pending: MatRef<'a, f64>,
}

/// How many points number `numbers` of a batch are for the model around the best trial; they come last.
pub(super) fn polished(config: &Config, step: u64, numbers: Range<usize>) -> usize {
    // Where all points are listed there are no regions, and far from its trials that model knows nothing.
    let moves = config.space.dimensions().iter().any(|dimension| !dimension.domain.is_categorical());
    let able = config.is_one_objective() && config.rule() == Rule::Thompson && config.local_models.neighbours > 0;
    let able = able && moves && !is_listed(&config.space);
    let mine = |number: &usize| able && is_assigned(Assignment::LocalModel, step, *number, config.local_model_share());
    numbers.filter(mine).count()
}

/// Points number `numbers` of a batch, by the only output there is; the last ones by the model around its best trial.
pub(super) fn choose_by_one(
    config: &Config,
    (model, local): (&Model, Option<&Local>),
    trials: &Trials<'_>,
    step: u64,
    numbers: Range<usize>,
    excluded: &mut Excluded,
) -> Result<Mat<f64>> {
    let last = local.map_or(0, |_| polished(config, step, numbers.clone()));
    let (searching, polishing) = (numbers.start..numbers.end - last, numbers.end - last..numbers.end);
    let mut batch = Mat::zeros(numbers.len(), trials.observed.ncols());
    if !searching.is_empty() {
        let points = search(config, model, trials, step, searching.clone(), excluded)?;
        batch.as_mut().subrows_mut(0, searching.len()).copy_from(points);
    }
    if let (Some(local), false) = (local, polishing.is_empty()) {
        let points = polish(config, local, trials, step, polishing.clone(), excluded)?;
        batch.as_mut().subrows_mut(searching.len(), polishing.len()).copy_from(points);
    }
    Ok(batch)
}

/// By the study's model, everywhere.
fn search(
    config: &Config,
    model: &Model,
    trials: &Trials<'_>,
    step: u64,
    numbers: Range<usize>,
    excluded: &mut Excluded,
) -> Result<Mat<f64>> {
    let observed = trials.observed;
    let level = config.outputs[0].goal.level(&[]).map(|level| in_units(&model.units, level));
    let mean = model.posterior.mean(observed)?;
    let interest: Vec<f64> = match level {
        Some(level) => mean.iter().map(|mean| -(mean - level).abs()).collect(),
        None => mean,
    };
    // Regions are around summits that lie apart; without them, perturbations are around the best, wherever these are.
    let has_regions = config.trust_region_share() > 0.0 && config.rule() == Rule::Thompson;
    let rows = match has_regions {
        true => apart(&interest, observed, SUMMITS),
        false => best_rows(&interest, INCUMBENTS),
    };
    let incumbents = select_rows(observed, &rows);
    let search = AcquisitionOptimizer::new(&config.space, incumbents.as_ref(), &config.acquisition, config.seed, step)?;
    let search = search.with_trust_regions(config.trust_region_share());
    let search = if has_regions { search.with_exclusion_zones(observed) } else { search };
    // The determinantal process of BALD knows no noise.
    let noise = if config.rule() == Rule::Bald { 0.0 } else { model.state.hyper.noise };
    let situation = trials.situation(&model.posterior, noise, &search, config, step);
    match (config.rule(), level) {
        (Rule::Straddle, Some(level)) => sequential(&situation, &Merit::LevelSet { level }, numbers.len(), excluded),
        (rule, _) => acquire(rule, &situation, numbers, excluded),
    }
}

/// By the model around the best trial, in regions around that.
fn polish(
    config: &Config,
    local: &Local,
    trials: &Trials<'_>,
    step: u64,
    numbers: Range<usize>,
    excluded: &mut Excluded,
) -> Result<Mat<f64>> {
    let settings = AcquisitionOptions { pool: 1, near: 0, ..config.acquisition.clone() };
    let (near, point) = &local.near;
    let search = AcquisitionOptimizer::new(&config.space, point.as_ref(), &settings, config.seed, step)?;
    let situation = trials.situation(&near.posterior, near.noise, &search, config, step);
    acquire(Rule::Thompson, &situation, numbers, excluded)
}

impl Trials<'_> {
    /// What a rule of one output knows, if these are its model and where it searches.
    fn situation<'b>(
        &'b self,
        posterior: &'b Posterior,
        noise: f64,
        search: &'b AcquisitionOptimizer<'b>,
        config: &'b Config,
        step: u64,
    ) -> Situation<'b> {
        let &Trials { observed, failed, pending } = self;
        let (sampling, seed) = (&config.sampling, config.seed);
        Situation { posterior, noise, search, sampling, observed, failed, pending, seed, step }
    }
}

/// Points number `numbers` of a batch, by objectives and limits.
pub(super) fn choose_by_several(
    config: &Config,
    models: &Models,
    trials: &Trials<'_>,
    step: u64,
    numbers: Range<usize>,
    excluded: &mut Excluded,
) -> Result<Mat<f64>> {
    let &Trials { observed, failed, pending } = trials;
    let output = |k: usize| {
        let model = &models.outputs[k];
        Output { posterior: &model.posterior, noise: model.state.hyper.noise }
    };
    let (objectives, limited) = config.objectives_and_constraints();
    let objectives: Vec<Output<'_>> = objectives.into_iter().map(output).collect();
    let constrained =
        |k: usize| Constraint { output: output(k), limits: config.outputs[k].goal.limits(&models.outputs[k].units) };
    let constraints: Vec<Constraint<'_>> = limited.into_iter().map(constrained).collect();
    let outputs = Outputs { objectives: &objectives, constraints: &constraints };
    let standing = ParetoState::new(&outputs, observed)?;
    let incumbents = select_rows(observed, &evenly(&standing.incumbents, INCUMBENTS));
    let several = Several {
        outputs: &outputs,
        standing: &standing,
        reference: None,
        search: &AcquisitionOptimizer::new(&config.space, incumbents.as_ref(), &config.acquisition, config.seed, step)?,
        sampling: &config.sampling,
        observed,
        failed,
        pending,
        seed: config.seed,
        step,
    };
    acquire_several(config.rule(), &several, numbers, excluded)
}

/// Rows with the largest values, best first, each farther than [`APART`] from those before along some input.
fn apart(values: &[f64], x: MatRef<'_, f64>, count: usize) -> Vec<usize> {
    let mut chosen: Vec<usize> = Vec::new();
    for row in best_rows(values, values.len()) {
        let far = |&other: &usize| (0..x.ncols()).any(|k| (x[(row, k)] - x[(other, k)]).abs() > APART);
        if chosen.len() < count && chosen.iter().all(far) {
            chosen.push(row);
        }
    }
    chosen
}

/// In units of the box; categories that differ are farther apart.
const APART: f64 = 0.15;

/// Points around which regions lie.
const SUMMITS: usize = 10;

/// Points around which the pool is dense.
const INCUMBENTS: usize = 20;

/// At most `count` of the rows, from one end of the list to the other.
fn evenly(rows: &[usize], count: usize) -> Vec<usize> {
    match rows.len() <= count {
        true => rows.to_vec(),
        false => (0..count).map(|i| rows[i * (rows.len() - 1) / (count - 1)]).collect(),
    }
}
