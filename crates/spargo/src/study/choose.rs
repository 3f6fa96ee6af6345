//! The rule of a study's settings, applied to its models.

use super::best_rows;
use super::config::Config;
use super::goal::in_units;
use super::model::{Model, Models};
use crate::acquire::{
    Constraint, Merit, Output, Outputs, Rule, Several, Situation, Standing, acquire, acquire_several, sequential,
};
use crate::error::Result;
use crate::linalg::{Mat, MatRef, select_rows};
use crate::maximize::{Search, Taken};
use std::ops::Range;

/// The trials of a study as models see them, [trials, inputs] each.
pub(super) struct Trials<'a> {
    pub observed: MatRef<'a, f64>,
    pub failed: MatRef<'a, f64>,
    pub pending: MatRef<'a, f64>,
}

/// Points number `numbers` of a batch, by the only output there is.
pub(super) fn choose_by_one(
    config: &Config,
    model: &Model,
    trials: &Trials<'_>,
    step: u64,
    numbers: Range<usize>,
    taken: &mut Taken,
) -> Result<Mat<f64>> {
    let &Trials { observed, failed, pending } = trials;
    let level = config.outputs[0].goal.level(&[]).map(|level| in_units(&model.units, level));
    let mean = model.posterior.mean(observed)?;
    let interest: Vec<f64> = match level {
        Some(level) => mean.iter().map(|mean| -(mean - level).abs()).collect(),
        None => mean,
    };
    let incumbents = select_rows(observed, &best_rows(&interest, INCUMBENTS));
    let situation = Situation {
        posterior: &model.posterior,
        // The determinantal process of BALD knows no noise.
        noise: if config.rule() == Rule::Bald { 0.0 } else { model.state.hyper.noise },
        search: &Search::new(&config.space, incumbents.as_ref(), &config.maximizing, config.seed, step)?,
        sampling: &config.sampling,
        observed,
        failed,
        pending,
        seed: config.seed,
        step,
    };
    match (config.rule(), level) {
        (Rule::Straddle, Some(level)) => sequential(&situation, &Merit::LevelSet { level }, numbers.len(), taken),
        (rule, _) => acquire(rule, &situation, numbers, taken),
    }
}

/// Points number `numbers` of a batch, by objectives and limits.
pub(super) fn choose_by_several(
    config: &Config,
    models: &Models,
    trials: &Trials<'_>,
    step: u64,
    numbers: Range<usize>,
    taken: &mut Taken,
) -> Result<Mat<f64>> {
    let &Trials { observed, failed, pending } = trials;
    let output = |k: usize| {
        let model = &models.outputs[k];
        Output { posterior: &model.posterior, noise: model.state.hyper.noise }
    };
    let (objectives, limited) = config.objectives_and_limits();
    let objectives: Vec<Output<'_>> = objectives.into_iter().map(output).collect();
    let constrained =
        |k: usize| Constraint { output: output(k), limits: config.outputs[k].goal.limits(&models.outputs[k].units) };
    let constraints: Vec<Constraint<'_>> = limited.into_iter().map(constrained).collect();
    let outputs = Outputs { objectives: &objectives, constraints: &constraints };
    let standing = Standing::new(&outputs, observed)?;
    let incumbents = select_rows(observed, &evenly(&standing.leaders, INCUMBENTS));
    let several = Several {
        outputs: &outputs,
        standing: &standing,
        reference: None,
        search: &Search::new(&config.space, incumbents.as_ref(), &config.maximizing, config.seed, step)?,
        sampling: &config.sampling,
        observed,
        failed,
        pending,
        seed: config.seed,
        step,
    };
    acquire_several(config.rule(), &several, numbers, taken)
}

/// Points around which the pool is dense.
const INCUMBENTS: usize = 20;

/// At most `count` of the rows, from one end of the list to the other.
fn evenly(rows: &[usize], count: usize) -> Vec<usize> {
    match rows.len() <= count {
        true => rows.to_vec(),
        false => (0..count).map(|i| rows[i * (rows.len() - 1) / (count - 1)]).collect(),
    }
}
