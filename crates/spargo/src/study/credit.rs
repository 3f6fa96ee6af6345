//! Shares of a batch by credit: the global models, trust regions and local models get points by what each has found recently.
//!
//! ```text
//!     g_s = mean over the points x of source s of max(0, E f(x) − √Var f(x) − E f(x*)),      x* the best trial before them
//!     c_s ← (1 − λ) c_s + λ g_s / Σ g,      share_s = floor + (1 − 3 floor) c_s
//! ```
//!
//! A source that finds better points than are known gets more of the next batch, none gets less than the floor. Credit is learned from
//! half a batch of outcomes at a time, or from ten, if that is more. Without any gain it stays as it is; after several times in a row the search
//! counts as stalled, and shares move towards the global models. All moments are of the newest models, so that a lucky outcome is no
//! gain. Points that models choose after the first batch that they have chosen are not credited.

use super::config::Config;
use super::model::Models;
use super::observed::Observed;
use crate::acquire::optimizer::{Assignment, is_assigned};
use crate::error::Result;
use crate::linalg::{Mat, MatRef, row, select_rows};
use crate::model::Prediction;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use xxhash_rust::xxh3::xxh3_64;

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

/// Consecutive times without a gain after which the search counts as stalled.
const PATIENCE: u32 = 5;

/// Outcomes from which credit is learned, at least.
const FEWEST: usize = 10;

/// Points whose outcomes are awaited, at most: of more, evenly many of each source are forgotten.
const AWAITED: usize = 4_000;

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

/// What each source has found recently.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Credit {
    /// Of the sources, in the order of [`Source`]; the sum is 1.
    shares: [f64; SOURCES],
    /// Consecutive times without a gain.
    stalled: u32,
    /// The sum of gains of each source, and its number of points, since credit was last learned.
    gains: [(f64, usize); SOURCES],
    /// The best trial by the last models, as models see it; none, before there were any.
    best: Vec<f64>,
    /// Points that were chosen and whose outcomes are awaited, by a hash, and what has chosen them.
    awaited: Vec<(u64, Source)>,
    /// The last tell that the models have seen.
    pub seen: u64,
}

impl Default for Credit {
    fn default() -> Self {
        Credit { shares: START, stalled: 0, gains: Default::default(), best: Vec::new(), awaited: Vec::new(), seen: 0 }
    }
}

impl Credit {
    /// Refuses numbers that no step leaves.
    pub fn is_valid(&self, inputs: usize) -> bool {
        let is_share = |share: &f64| (0.0..=1.0).contains(share);
        let is_point = self.best.is_empty() || self.best.len() == inputs && self.best.iter().all(|v| v.is_finite());
        let has_gains = self.gains.iter().all(|(gain, _)| gain.is_finite() && *gain >= 0.0);
        let is_whole = (self.shares.iter().sum::<f64>() - 1.0).abs() < 1e-6;
        self.shares.iter().all(is_share) && is_whole && is_point && has_gains
    }

    /// With points that are to be evaluated.
    pub fn awaiting(&self, points: impl IntoIterator<Item = (u64, Source)>) -> Self {
        let mut credit = self.clone();
        credit.awaited.extend(points);
        let every = credit.awaited.len().div_ceil(AWAITED).max(1);
        credit.awaited = credit.awaited.into_iter().step_by(every).collect();
        credit
    }

    /// Without the best trial: an outcome that it was chosen by has changed.
    pub fn without_best(self) -> Self {
        Credit { best: Vec::new(), ..self }
    }

    /// After the outcomes that models of an objective have seen since the last step, those of `new` places among the observations. Only
    /// these and `old` places may be the best trial, all inside the space.
    pub fn updated(
        &self,
        (models, objective): (&Models, usize),
        (observed, new): (&Observed, &[usize]),
        old: impl Fn() -> Vec<usize>,
        batch: usize,
    ) -> Result<Self> {
        let mut credit = Credit { seen: models.seen(), ..self.clone() };
        let (x, posterior) = (observed.x(), &models.outputs[objective].posterior);
        let old = if credit.best.is_empty() { old() } else { Vec::new() };
        if !old.is_empty() {
            let means = posterior.mean(select_rows(x, &old).as_ref())?;
            credit.best = largest(&means).map_or_else(Vec::new, |i| row(x, old[i]));
        }
        if new.is_empty() {
            return Ok(credit);
        }
        let before = credit.best_mean(models, objective)?;
        let (own, others) = credit.take_awaited(x, new);
        // A variance takes as long as M means, and most of many new trials were not chosen here.
        let places: Vec<usize> = own.iter().map(|(place, _)| *place).collect();
        let Prediction { mean, variance } = posterior.predict(select_rows(x, &places).as_ref())?;
        for (i, (_, source)) in own.into_iter().enumerate().filter(|_| before.is_finite()) {
            let (gain, count) = &mut credit.gains[source as usize];
            *gain += (mean[i] - variance[i].max(0.0).sqrt() - before).max(0.0);
            *count += 1;
        }
        let means = [mean, posterior.mean(select_rows(x, &others).as_ref())?].concat();
        if let Some(i) = largest(&means).filter(|&i| means[i] > before) {
            credit.best = row(x, [places, others].concat()[i]);
        }
        if credit.gains.iter().map(|(_, count)| count).sum::<usize>() >= FEWEST.max(batch / 2) {
            let gains = std::mem::take(&mut credit.gains);
            credit.learn(gains.map(|(gain, count)| (count > 0).then(|| gain / count as f64)));
        }
        Ok(credit)
    }

    /// Of places among observations, those of points that are awaited, with what has chosen them, and the others; the former are awaited no
    /// longer.
    fn take_awaited(&mut self, x: MatRef<'_>, places: &[usize]) -> (Vec<(usize, Source)>, Vec<usize>) {
        let mut sources: HashMap<u64, Source> = self.awaited.iter().copied().collect();
        let (mut own, mut others) = (Vec::new(), Vec::new());
        for &place in places {
            match sources.remove(&hash(x, place)) {
                Some(source) => own.push((place, source)),
                None => others.push(place),
            }
        }
        self.awaited.retain(|(point, _)| sources.contains_key(point));
        (own, others)
    }

    /// The mean of the newest models at the best trial before; the least number if there was none.
    fn best_mean(&self, models: &Models, objective: usize) -> Result<f64> {
        if self.best.is_empty() {
            return Ok(f64::NEG_INFINITY);
        }
        let best = Mat::from_fn(1, self.best.len(), |_, k| self.best[k]);
        Ok(models.outputs[objective].posterior.mean(best.as_ref())?[0])
    }

    /// Moves shares towards those of the gains, or towards the global models if there have been none for long; a source without any
    /// point keeps its credit.
    fn learn(&mut self, gains: [Option<f64>; SOURCES]) {
        let all: f64 = gains.iter().flatten().sum();
        let untried: f64 =
            self.shares.iter().zip(gains).filter(|(_, gain)| gain.is_none()).map(|(share, _)| share).sum();
        let target = if all > 0.0 {
            self.stalled = 0;
            let of = |k: usize| gains[k].map_or(self.shares[k], |gain| (1.0 - untried) * gain / all);
            [of(0), of(1), of(2)]
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

/// The place of the largest of some values.
fn largest(values: &[f64]) -> Option<usize> {
    (0..values.len()).max_by(|&i, &j| values[i].total_cmp(&values[j]))
}

/// A hash of the point of a row, the same in every process that may go on with a study.
fn hash(x: MatRef<'_>, row: usize) -> u64 {
    let bytes: Vec<u8> = (0..x.ncols()).flat_map(|k| x[(row, k)].to_bits().to_le_bytes()).collect();
    xxh3_64(&bytes)
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

    /// Whether some share is by credit; a policy from outside the crate has its own idea of which points have a region.
    pub(super) fn has_credit(&self) -> bool {
        let is_auto = self.local_models.share.is_none() || self.trust_regions.share.is_none();
        let is_ours = self.trust_regions.policy.is_default() && self.rule().name == "thompson";
        is_auto && is_ours && self.is_one_objective()
    }
}

impl Config {
    /// Where the elements with these numbers of a step come from, by the hashes of their points, [points, inputs]; the last of these,
    /// `refined` of them, are of local models. Empty, if nothing is by credit.
    pub(super) fn sources(
        &self,
        shares: Shares,
        step: u64,
        numbers: Range<usize>,
        (points, refined): (MatRef<'_>, usize),
    ) -> Vec<(u64, Source)> {
        if !self.has_credit() {
            return Vec::new();
        }
        let local = numbers.end - refined;
        let source = |number: usize| match number {
            _ if number >= local => Source::LocalModel,
            _ if is_assigned(Assignment::TrustRegion, step, number, shares.trust_regions) => Source::TrustRegion,
            _ => Source::Global,
        };
        numbers.enumerate().map(|(i, number)| (hash(points, i), source(number))).collect()
    }
}

/// Takes away what is said of some points, [points, inputs].
pub(super) fn without(sources: &mut Vec<(u64, Source)>, points: MatRef<'_>) {
    let lost: HashSet<u64> = (0..points.nrows()).map(|i| hash(points, i)).collect();
    sources.retain(|(point, _)| !lost.contains(point));
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
        credit.learn([0.0, 2.0, 0.0].map(Some));
        let [global, regions, local] = shares(&credit);
        assert!(regions > 0.4 && global < 0.4 && local < 0.2);
        (0..30).for_each(|_| credit.learn([0.0, 0.0, 5.0].map(Some)));
        assert!(is_close(shares(&credit), [FLOOR, FLOOR, 0.8]));
        // One without points keeps what it has.
        (0..30).for_each(|_| credit.learn([Some(1.0), Some(0.0), None]));
        assert!(is_close(shares(&credit), [FLOOR, FLOOR, 0.8]));
        assert!(credit.is_valid(3));
    }

    #[test]
    fn a_search_that_stands_still_goes_global() {
        let mut credit = Credit::default();
        (1..PATIENCE).for_each(|_| credit.learn([Some(0.0); SOURCES]));
        assert!(is_close(shares(&credit), [0.4, 0.4, 0.2]));
        (0..30).for_each(|_| credit.learn([Some(0.0); SOURCES]));
        assert!(is_close(shares(&credit), [0.65, 0.2, 0.15]));
        // A gain ends that.
        credit.learn([0.0, 1.0, 0.0].map(Some));
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
        let config = Config { initial: 20.into(), batch: 20, ..Config::new(Space::new(inputs.to_vec()).unwrap()) };
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

        // A state of a step without credit: the best trial is looked for among all of them.
        let models = study.models().unwrap();
        let observed = study.table.until(models.seen(), &study.history).unwrap();
        let (old, new): (Vec<usize>, Vec<usize>) = (0..observed.records.len()).partition(|&i| observed.records[i] < 50);
        let updated = |old: &[usize], new: &[usize]| {
            Credit::default().updated((&models, 0), (&observed, new), || old.to_vec(), 20).unwrap()
        };
        let first = updated(&old, &new);
        let means = models.outputs[0].posterior.mean(observed.x()).unwrap();
        assert_eq!(Some(&first.best), largest(&means).map(|i| row(observed.x(), i)).as_ref());
        assert_eq!(first.seen, models.seen());
        // Outside the space no trial is the best.
        let others =
            |places: &[usize]| places.iter().copied().filter(|&i| Some(i) != largest(&means)).collect::<Vec<_>>();
        let inside = updated(&others(&old), &others(&new));
        assert_ne!(inside.best, first.best);
    }

    #[test]
    fn sources_are_those_of_the_assignment_and_go_with_their_points() {
        let space = Space::new(vec![Dimension::real("x", 0.0, 1.0)]).unwrap();
        let (mut config, shares) = (Config::new(space), Shares { local_models: 0.2, trust_regions: 0.3 });
        let points = Mat::from_fn(100, 1, |i, _| i as f64);
        let found = config.sources(shares, 7, 40..140, (points.as_ref(), 20));
        for (i, (_, source)) in found.iter().enumerate() {
            let is_region = is_assigned(Assignment::TrustRegion, 7, 40 + i, 0.3);
            let expected = match i {
                80.. => Source::LocalModel,
                _ if is_region => Source::TrustRegion,
                _ => Source::Global,
            };
            assert_eq!(*source, expected, "{i}");
        }
        let mut left = found.clone();
        without(&mut left, points.as_ref().subrows(10, 5));
        assert_eq!(left, [&found[..10], &found[15..]].concat());
        // Of many that are awaited, evenly many of each source are forgotten.
        let many = (0..10_000).map(|i| (i, if i < 8_000 { Source::Global } else { Source::LocalModel }));
        let awaited = Credit::default().awaiting(many).awaited;
        let local = awaited.iter().filter(|(_, source)| *source == Source::LocalModel).count();
        assert!(awaited.len() <= AWAITED && local * 5 >= awaited.len() - 5 && local * 5 <= awaited.len() + 5);
        // Shares that are set are no matter of credit.
        (config.local_models.share, config.trust_regions.share) = (Some(0.1), Some(0.6));
        assert!(config.sources(shares, 7, 40..140, (points.as_ref(), 20)).is_empty());
        assert_eq!(config.shares(&Credit::default()), Shares { local_models: 0.1, trust_regions: 0.6 });
    }
}
