//! Steps between refits: θ, Z and the transform stand, and rows that have come since enter the sums of the sparse posterior.
//!
//! ```text
//!     rows seen at the last refit ─▶ one pass ─▶ sums            rows since, in the order of trials ─▶ blocks of 64 ─▶ + sums ─▶ posterior
//! ```
//!
//! The cost of such a step does not grow with N. θ and Z are chosen again as soon as the data have grown by a share, or predictions are
//! bad. A correction, an outcome that is seen otherwise than before, or the first outcome of an output makes a refit: nothing is ever
//! subtracted. Which rows are in which block follows from the history alone, so a process that was killed comes to the same sums.

use super::config::Config;
use super::model::{Inducing, LastStep, ModelState, Models};
use super::observed::{Observed, ObservedOutput};
use crate::data::Dataset;
use crate::error::Result;
use crate::model::sgpr::{Collapsed, Sgpr};
use crate::model::{Inference, Posterior, Prediction};
use std::sync::Arc;
use std::time::Instant;

/// Up to so many observations, every step is a refit.
const ALWAYS_REFIT: usize = 5000;

/// The growth of the data that makes a refit.
const GROWTH: f64 = 0.1;

/// The mean squared standardised residual of new outcomes that makes a refit: four times what a true model has.
const MISFIT: f64 = 4.0;

/// Fewer new outcomes are judged as if they were so many: one that is unlikely by chance must not make a refit.
const FEWEST_JUDGED: usize = 8;

/// Outcomes by which it is judged whether the units still fit, about: a spread that is a hundred times another shows in these as in all.
const JUDGED: usize = 10_000;

/// Rows that enter together.
const BLOCK: usize = 64;

/// The sums of an output's sparse posterior.
#[derive(Debug, Clone)]
pub(super) struct EnteredSums {
    /// Over the rows that were seen at the last refit.
    base: Arc<Collapsed>,
    /// Over these and whole blocks of the rows since.
    grown: Arc<Collapsed>,
    /// The records of those blocks.
    entered: Vec<usize>,
}

impl EnteredSums {
    /// Of a refit.
    pub fn new(sums: Collapsed) -> Self {
        let base = Arc::new(sums);
        EnteredSums { grown: base.clone(), base, entered: Vec::new() }
    }

    /// Of a state, by a pass over the rows that were seen at its last refit; `None` if its posterior is not sparse.
    pub fn restored(state: &ModelState, own: &ObservedOutput) -> Result<Option<Self>> {
        let Some(Inducing(z)) = state.inducing.as_ref().filter(|_| state.inference == Inference::Sparse) else {
            return Ok(None);
        };
        let rows: Vec<usize> = (0..own.data.len()).filter(|&row| own.seq[row] <= state.fitted()).collect();
        let sums = |data: &Dataset| {
            let data = state.units.apply(data);
            Collapsed::new(&Sgpr::new(&state.hyper, &data, z.as_ref())?).map(EnteredSums::new)
        };
        Ok(Some(if rows.len() == own.data.len() { sums(&own.data)? } else { sums(&own.data.subset(&rows))? }))
    }

    /// The posterior of the rows that were seen at the last refit.
    pub fn at_refit(&self) -> Result<Posterior> {
        Ok(self.base.infer()?.posterior)
    }

    /// The posterior of all rows of an output, and the sums of whole blocks for the next step.
    pub fn enter(&self, state: &ModelState, own: &ObservedOutput, records: &[usize]) -> Result<(Posterior, Self)> {
        let since: Vec<usize> = (0..own.data.len()).filter(|&row| own.seq[row] > state.fitted()).collect();
        if since.is_empty() {
            return Ok((self.at_refit()?, self.clone()));
        }
        let record = |row: usize| records[own.rows[row]];
        let goes_on = self.entered.len() <= since.len()
            && self.entered.iter().zip(&since).all(|(entered, &row)| *entered == record(row));
        // A trial that was told late stands before others: then all rows since the refit enter again.
        let (mut grown, mut entered) =
            if goes_on { (self.grown.clone(), self.entered.clone()) } else { (self.base.clone(), Vec::new()) };
        let data = |rows: &[usize]| state.units.apply(&own.data.subset(rows));
        let (whole, rest) = since.split_at(since.len() / BLOCK * BLOCK);
        for block in whole[entered.len()..].chunks(BLOCK) {
            Arc::make_mut(&mut grown).enter(&data(block))?;
            entered.extend(block.iter().map(|&row| record(row)));
        }
        let mut all = grown.clone();
        if !rest.is_empty() {
            Arc::make_mut(&mut all).enter(&data(rest))?;
        }
        Ok((all.infer()?.posterior, EnteredSums { base: self.base.clone(), grown, entered }))
    }
}

impl LastStep<'_> {
    /// The posterior of an output that it left.
    pub fn posterior(&self, k: usize) -> Result<Arc<Posterior>> {
        if let Some(models) = self.left(k) {
            return Ok(models.outputs[k].posterior.clone());
        }
        let before = (self.before)()?;
        let Some(own) = &before.outputs[k] else {
            let prior = Posterior::prior(&self.states[k].hyper, before.x().ncols());
            return Ok(Arc::new(prior));
        };
        match self.sums(k, Some(own))? {
            Some(sums) => Ok(Arc::new(sums.enter(&self.states[k], own, &before.records)?.0)),
            None => self.states[k].posterior(&own.data).map(Arc::new),
        }
    }

    /// The sums of an output's posterior: this process may have them still, else they are made from what was seen of the output.
    fn sums(&self, k: usize, before: Option<&ObservedOutput>) -> Result<Option<EnteredSums>> {
        let Some((models, sums)) = self.kept(k).and_then(|models| Some((models, models.sums[k].clone()?))) else {
            return before.map_or(Ok(None), |before| EnteredSums::restored(&self.states[k], before));
        };
        // Models that left no state may have seen rows since otherwise than they are seen now.
        let is_state = models.states[k].seen == self.states[k].seen;
        Ok(Some(if is_state { sums } else { EnteredSums { grown: sums.base.clone(), entered: Vec::new(), ..sums } }))
    }

    /// The models that this process has, if θ and Z of an output are still those of the state, and what they saw was not corrected.
    fn kept(&self, k: usize) -> Option<&Models> {
        let is_same = |models: &&Models| {
            let kept = models.states.get(k);
            kept.is_some_and(|kept| kept.searched > 0 && kept.is_same_fit(&self.states[k]))
        };
        self.kept.filter(is_same).filter(|_| !self.is_revised)
    }

    /// The models that this process has, if they are those that left the state of an output.
    fn left(&self, k: usize) -> Option<&Models> {
        self.kept(k).filter(|models| models.states[k].seen == self.states[k].seen)
    }

    /// Whether this process has all that a step between refits needs, and what the last step saw is seen as it was.
    fn goes_on(&self, observed: &Observed) -> bool {
        let is_there =
            |k: usize| self.states[k].searched == 0 || self.left(k).is_some_and(|left| left.sums[k].is_some());
        let seen = self.states.first().map_or(0, |state| state.seen);
        observed.unchanged_from <= seen && (0..self.states.len()).all(is_there)
    }
}

impl Models {
    /// The models of a step between refits; `None` if this is to be a refit.
    pub fn entered(config: &Config, last: &LastStep<'_>, observed: &Observed, seen: u64) -> Result<Option<Self>> {
        if last.is_revised {
            return Ok(None);
        }
        let before = if last.goes_on(observed) { None } else { Some((last.before)()?) };
        let own_before = |k: usize| before.as_ref().and_then(|before| before.outputs[k].as_ref());
        let stands = |(k, state): (usize, &ModelState)| {
            let had_outcomes = if before.is_some() { own_before(k).is_some() } else { state.searched > 0 };
            let Some(now) = observed.outputs[k].as_ref().filter(|_| had_outcomes) else {
                return !had_outcomes && observed.outputs[k].is_none();
            };
            let is_kept = |before: &Observed| match &before.outputs[k] {
                Some(own) => is_kept((before, own), (observed, now), state.seen),
                None => false,
            };
            state.inference == Inference::Sparse
                && config.inference(now.data.len()) == Inference::Sparse
                && state.is_recent(now)
                && before.as_deref().is_none_or(is_kept)
                && state.units.fits(&some(now.data.y()))
        };
        if !last.states.iter().enumerate().all(stands) {
            return Ok(None);
        }
        let mut models = Models::default();
        for (k, state) in last.states.iter().enumerate() {
            let state = ModelState { seen, fitted: Some(state.fitted()), ..state.clone() };
            let Some(now) = &observed.outputs[k] else {
                models.push_prior(state, observed.x().ncols());
                continue;
            };
            let started = Instant::now();
            let Some(sums) = last.sums(k, own_before(k))? else { return Ok(None) };
            let left = match (last.left(k), &before) {
                (Some(left), _) => left.outputs[k].posterior.clone(),
                (None, Some(before)) => match own_before(k) {
                    Some(own) => Arc::new(sums.enter(&last.states[k], own, &before.records)?.0),
                    None => return Ok(None),
                },
                (None, None) => return Ok(None),
            };
            if is_misfit(&left, &state, now, last.states[k].seen)? {
                return Ok(None);
            }
            let (posterior, sums) = sums.enter(&state, now, &observed.records)?;
            let report = models.push(posterior, state, now.data.len());
            report.fit_s = started.elapsed().as_secs_f64();
            models.sums[k] = Some(sums);
        }
        Ok(Some(models))
    }
}

impl ModelState {
    /// The last tell that was seen when θ and Z were chosen.
    pub fn fitted(&self) -> u64 {
        self.fitted.unwrap_or(self.seen)
    }

    /// Whether θ, Z and units are those of another state: two processes may have fitted to the same outcomes.
    pub fn is_same_fit(&self, other: &ModelState) -> bool {
        let is_same_z = match (&self.inducing, &other.inducing) {
            (Some(Inducing(a)), Some(Inducing(b))) => a == b,
            (a, b) => a.is_none() && b.is_none(),
        };
        self.fitted() == other.fitted() && self.units == other.units && self.hyper == other.hyper && is_same_z
    }

    /// Whether the data are many, and have hardly grown since θ and Z were chosen.
    fn is_recent(&self, now: &ObservedOutput) -> bool {
        let fitted = now.seq.iter().filter(|&&seq| seq <= self.fitted()).count();
        fitted > ALWAYS_REFIT && (now.data.len() as f64) < (1.0 + GROWTH) * fitted as f64
    }
}

/// Evenly many of some outcomes.
fn some(outcomes: &[f64]) -> Vec<f64> {
    outcomes.iter().step_by(outcomes.len().div_ceil(JUDGED).max(1)).copied().collect()
}

/// Whether everything that was told up to a tell is seen as it was, and nothing of it that was not seen then.
fn is_kept(
    (before, old): (&Observed, &ObservedOutput),
    (observed, new): (&Observed, &ObservedOutput),
    seen: u64,
) -> bool {
    let mut i = 0;
    let is_seen_so = |row: usize| {
        if i == old.data.len() || before.records[old.rows[i]] != observed.records[new.rows[row]] {
            return new.seq[row] > seen;
        }
        let is_same = old.data.y()[i].to_bits() == new.data.y()[row].to_bits()
            && old.data.noise_of(i, -1.0) == new.data.noise_of(row, -1.0);
        i += 1;
        is_same
    };
    (0..new.data.len()).all(is_seen_so) && i == old.data.len()
}

/// Whether the last posterior has predicted badly what has come since a tell.
fn is_misfit(last: &Posterior, state: &ModelState, now: &ObservedOutput, seen: u64) -> Result<bool> {
    let new: Vec<usize> = (0..now.data.len()).filter(|&row| now.seq[row] > seen).collect();
    if new.is_empty() {
        return Ok(false);
    }
    let data = state.units.apply(&now.data.subset(&new));
    let Prediction { mean, variance } = last.predict(data.x())?;
    let squared = |i: usize| (data.y()[i] - mean[i]).powi(2) / (variance[i] + data.noise_of(i, state.hyper.noise));
    let allowed = MISFIT * new.len().max(FEWEST_JUDGED) as f64;
    let sum: f64 = (0..new.len()).map(squared).sum();
    Ok(sum.is_nan() || sum > allowed)
}
