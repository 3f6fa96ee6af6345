//! Shares of a batch by credit: the global models, trust regions and local models get points by what each has lately found.
//!
//! ```text
//!     g_s = mean over the points x of source s of max(0, E f(x) − √Var f(x) − E f(x*)),      x* the best trial before them
//!     c_s ← (1 − λ) c_s + λ g_s / Σ g,      share_s = floor + (1 − 3 floor) c_s
//! ```
//!
//! A source that finds better points than are known gets more of the next batch, none gets less than the floor. Steps without any gain
//! leave credit as it is; after several of them in a row the search stands still, and shares move towards the global models, step by
//! step. All moments are of the newest models, so that a lucky outcome is no gain.

use super::config::Config;
use super::model::Models;
use super::observations::Observed;
use super::pure_error::hash;
use crate::acquire::optimizer::{Assignment, is_assigned};
use crate::error::Result;
use crate::linalg::{Mat, MatRef, row, select_rows};
use crate::model::Prediction;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::ops::Range;

/// Sources of points.
const SOURCES: usize = 3;

/// The least share of a source.
const FLOOR: f64 = 0.1;

/// Credit of the sources before anything was found, in the order of [`Source`]: shares of 0.4, 0.4 and 0.2.
const START: [f64; SOURCES] = [3.0 / 7.0, 3.0 / 7.0, 1.0 / 7.0];

/// Credit towards which it moves while the search stands still: shares of 0.65, 0.2 and 0.15.
const STALLED: [f64; SOURCES] = [11.0 / 14.0, 1.0 / 7.0, 1.0 / 14.0];

/// λ: how much of the credit the last step decides.
const MEMORY: f64 = 0.3;

/// Steps in a row without a gain, from which on the search stands still.
const PATIENCE: u32 = 5;

/// Points whose outcomes are awaited, at most: older ones, such as those that failed, are forgotten.
const AWAITED: usize = 2_000;

/// What has chosen a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Source {
    Global,
    TrustRegion,
    LocalModel,
}

/// Shares of a Thompson batch.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Shares {
    /// Of all elements, those of local models.
    pub local_models: f64,
    /// Of the other elements, those with a trust region.
    pub trust_regions: f64,
}

/// What each source has lately found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Credit {
    /// Of the sources, in the order of [`Source`]; the sum is 1.
    shares: [f64; SOURCES],
    /// Steps in a row without a gain.
    stalled: u32,
    /// The best trial by the last models, as models see it; none, before there were any.
    best: Vec<f64>,
    /// Points that were chosen and whose outcomes are awaited, by a hash, and what has chosen them.
    awaited: Vec<(u64, Source)>,
}

impl Default for Credit {
    fn default() -> Self {
        Credit { shares: START, stalled: 0, best: Vec::new(), awaited: Vec::new() }
    }
}

impl Credit {
    /// Refuses numbers that no step leaves.
    pub fn is_valid(&self, inputs: usize) -> bool {
        let is_share = |share: &f64| (0.0..=1.0).contains(share);
        let is_point = self.best.is_empty() || self.best.len() == inputs && self.best.iter().all(|v| v.is_finite());
        self.shares.iter().all(is_share) && (self.shares.iter().sum::<f64>() - 1.0).abs() < 1e-6 && is_point
    }

    /// With points that are to be evaluated.
    pub fn awaiting(&self, points: impl IntoIterator<Item = (u64, Source)>) -> Self {
        let mut credit = self.clone();
        credit.awaited.extend(points);
        let forgotten = credit.awaited.len().saturating_sub(AWAITED);
        credit.awaited.drain(..forgotten);
        credit
    }

    /// After the outcomes that models of an objective have seen since the last step, those of the records from `is_new` on.
    pub fn updated(
        &self,
        models: &Models,
        observed: &Observed,
        objective: usize,
        is_new: impl Fn(usize) -> bool,
    ) -> Result<Self> {
        let (x, posterior) = (observed.x.as_ref(), &models.outputs[objective].posterior);
        let new: Vec<usize> = (0..observed.records.len()).filter(|&i| is_new(observed.records[i])).collect();
        if new.is_empty() {
            return Ok(self.clone());
        }
        let Prediction { mean, variance } = posterior.predict(select_rows(x, &new).as_ref())?;
        let mut sources: HashMap<u64, Source> = self.awaited.iter().copied().collect();
        let mut credit = self.clone();
        let before = self.best_mean(models, objective)?;
        let mut gains = [(0.0, 0usize); SOURCES];
        for (i, &place) in new.iter().enumerate() {
            let Some(source) = sources.remove(&hash(x, place)) else { continue };
            let (gain, count) = &mut gains[source as usize];
            *gain += (mean[i] - variance[i].max(0.0).sqrt() - before).max(0.0);
            *count += 1;
        }
        credit.awaited.retain(|(point, _)| sources.contains_key(point));
        if let Some(i) = (0..new.len()).max_by(|&i, &j| mean[i].total_cmp(&mean[j])).filter(|&i| mean[i] > before) {
            credit.best = row(x, new[i]);
        }
        if before.is_finite() && gains.iter().any(|(_, count)| *count > 0) {
            credit.learn(gains.map(|(gain, count)| gain / count.max(1) as f64));
        }
        Ok(credit)
    }

    /// The mean of the newest models at the best trial before; the least number if there was none.
    fn best_mean(&self, models: &Models, objective: usize) -> Result<f64> {
        if self.best.is_empty() {
            return Ok(f64::NEG_INFINITY);
        }
        let best = Mat::from_fn(1, self.best.len(), |_, k| self.best[k]);
        Ok(models.outputs[objective].posterior.mean(best.as_ref())?[0])
    }

    /// Moves shares towards those of the gains, or towards the global models if there have been none for long.
    fn learn(&mut self, gains: [f64; SOURCES]) {
        let all: f64 = gains.iter().sum();
        let target = if all > 0.0 {
            self.stalled = 0;
            gains.map(|gain| gain / all)
        } else {
            self.stalled = self.stalled.saturating_add(1);
            if self.stalled < PATIENCE {
                return;
            }
            STALLED
        };
        self.shares.iter_mut().zip(target).for_each(|(share, target)| *share += MEMORY * (target - *share));
    }

    fn share(&self, source: Source) -> f64 {
        FLOOR + (1.0 - SOURCES as f64 * FLOOR) * self.shares[source as usize]
    }
}

impl Config {
    /// Shares of the next batch: those of the settings or, where these say "auto" for a single objective, by credit.
    pub(super) fn shares(&self, credit: &Credit) -> Shares {
        let [global, regions, local] =
            [Source::Global, Source::TrustRegion, Source::LocalModel].map(|s| credit.share(s));
        let has_credit = self.has_credit();
        let or_fixed = |share: f64, fixed: f64| if has_credit { share } else { fixed };
        Shares {
            local_models: self.local_models.share.unwrap_or_else(|| or_fixed(local, self.auto_local_models())),
            trust_regions: self
                .trust_regions
                .share
                .unwrap_or_else(|| or_fixed(regions / (regions + global), self.auto_trust_regions())),
        }
    }

    /// Whether some share is by credit.
    pub(super) fn has_credit(&self) -> bool {
        let is_auto = self.local_models.share.is_none() || self.trust_regions.share.is_none();
        is_auto && self.is_one_objective() && self.rule().name == "thompson"
    }
}

/// Where the elements with these numbers of a step come from; the last ones, `refined` of them, from local models.
pub(super) fn sources(shares: Shares, step: u64, numbers: Range<usize>, refined: usize) -> Vec<Source> {
    let global = numbers.end - refined;
    let source = |number: usize| match number {
        _ if number >= global => Source::LocalModel,
        _ if is_assigned(Assignment::TrustRegion, step, number, shares.trust_regions) => Source::TrustRegion,
        _ => Source::Global,
    };
    numbers.map(source).collect()
}

/// Points, [points, inputs], by their hashes, and what has chosen them.
pub(super) fn tagged(points: MatRef<'_>, sources: &[Source]) -> Vec<(u64, Source)> {
    sources.iter().enumerate().map(|(i, &source)| (hash(points, i), source)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Outcome, Study};
    use super::*;
    use crate::space::{Dimension, Point, Space, Value};

    fn shares(credit: &Credit) -> [f64; SOURCES] {
        [Source::Global, Source::TrustRegion, Source::LocalModel].map(|source| credit.share(source))
    }

    fn is_close(a: [f64; SOURCES], b: [f64; SOURCES]) -> bool {
        a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-3)
    }

    #[test]
    fn shares_go_to_the_source_that_gains_and_none_is_below_the_floor() {
        let mut credit = Credit::default();
        assert!(is_close(shares(&credit), [0.4, 0.4, 0.2]));
        credit.learn([0.0, 2.0, 0.0]);
        let [global, regions, local] = shares(&credit);
        assert!(regions > 0.4 && global < 0.4 && local < 0.2);
        (0..30).for_each(|_| credit.learn([0.0, 0.0, 5.0]));
        assert!(is_close(shares(&credit), [FLOOR, FLOOR, 0.8]));
        assert!(credit.is_valid(3));
    }

    #[test]
    fn a_search_that_stands_still_goes_global() {
        let mut credit = Credit::default();
        (1..PATIENCE).for_each(|_| credit.learn([0.0; SOURCES]));
        assert!(is_close(shares(&credit), [0.4, 0.4, 0.2]));
        (0..30).for_each(|_| credit.learn([0.0; SOURCES]));
        assert!(is_close(shares(&credit), [0.65, 0.2, 0.15]));
        // A gain ends that.
        credit.learn([0.0, 1.0, 0.0]);
        assert_eq!(credit.stalled, 0);
    }

    #[test]
    fn numbers_that_no_step_leaves_are_refused() {
        let with = |shares: [f64; SOURCES], best: Vec<f64>| Credit { shares, best, ..Credit::default() };
        assert!(with(START, vec![0.5, 0.5]).is_valid(2));
        assert!(!with([0.5, 0.6, 0.2], Vec::new()).is_valid(2) && !with([1.5, -0.5, 0.0], Vec::new()).is_valid(2));
        assert!(!with([f64::NAN; SOURCES], Vec::new()).is_valid(2) && !with(START, vec![0.5]).is_valid(2));
        assert!(!with(START, vec![0.5, f64::NAN]).is_valid(2));
    }

    /// Steps of a study: what was asked for is credited once its outcomes are there, and what is pending is awaited.
    #[test]
    fn a_study_credits_what_it_asked_for() {
        let inputs = ["x", "y"].map(|name| Dimension::real(name, 0.0, 1.0));
        let config = Config { initial: 20.into(), ..Config::new(Space::new(inputs.to_vec()).unwrap()) };
        let mut study = Study::in_memory(config).unwrap();
        let value = |point: &Point| {
            let [Value::Real(x), Value::Real(y)] = point[..] else { unreachable!() };
            -(x - 0.3).powi(2) - (y - 0.7).powi(2)
        };
        let mut told = study.ask(20).unwrap();
        for _ in 0..3 {
            let outcomes: Vec<_> = told.iter().map(|trial| (trial.id, Outcome::value(value(&trial.point)))).collect();
            study.tell(&outcomes).unwrap();
            told = study.ask(20).unwrap();
        }
        let credit = study.state().unwrap().unwrap().credit.clone();
        assert!(credit.is_valid(2) && credit.best.len() == 2);
        assert_ne!(credit.shares, START);
        // Replicates have no source.
        assert!((15..=20).contains(&credit.awaited.len()), "{}", credit.awaited.len());
    }
}
