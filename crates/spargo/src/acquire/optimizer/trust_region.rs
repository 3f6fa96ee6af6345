//! Trust regions: batch elements that are maximised around a good point, and nowhere else (Eriksson et al. 2019).
//!
//! ```text
//!     xⱼ = argmax_{x ∈ Rⱼ} uⱼ(x),      Rⱼ = { x : lower ≤ x ≤ upper }
//! ```
//!
//! The maximum of an acquisition function over the whole of a large space is where nothing is known; in a region it is an
//! improvement of what is known. A policy, [`TrustRegions`], says which elements have a region, and where.

use super::raasp::random_share;
use super::{AcquisitionOptimizer, Lineage, value_gradient};
use crate::acquire::ParetoState;
use crate::error::Result;
use crate::linalg::{MatRef, column};
use crate::optim::BatchedObjective;
use crate::rng::{Purpose, uniform};
use crate::space::{Domain, Space};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;
use std::fmt::Debug;
use std::ops::Range;

/// Random points of a region, of which the best is the start of the local search.
const STARTS: usize = 32;

/// A policy of trust regions, with the state that it carries from step to step.
pub trait TrustRegions: Debug + Send + Sync {
    /// Learns from what was observed; called once for every step whose models chose points, before they do.
    fn update(&mut self, news: &RegionNews<'_>);

    /// The region of one batch element; `None` if it searches the whole space.
    fn propose(&self, element: &Element<'_>, rng: &mut ChaCha8Rng) -> Option<TrustRegion>;

    /// Lineages whose batch elements are chosen by models of their own trials; `propose` is for the other elements. None, by default.
    fn lineages(&self) -> &[Lineage] {
        &[]
    }

    /// The place in [`lineages`](Self::lineages) of the one that a batch element belongs to; `None` if it belongs to none.
    fn lineage_of(&self, _step: u64, _number: usize) -> Option<usize> {
        None
    }

    /// What the policy must know at the next step, as JSON.
    fn state(&self) -> Value;
}

/// What a policy learns from at a step.
#[derive(Debug, Clone, Copy)]
pub struct RegionNews<'a> {
    /// The observed points, [n, inputs], in the order of their trials.
    pub observed: MatRef<'a>,
    /// The trial of every row. Its number is what to remember a row by: an earlier trial that is told later moves all rows after it.
    pub trials: &'a [u64],
    /// The observed points by the posterior means of the step's models.
    pub pareto: &'a ParetoState,
    /// For each observed point each objective, in the units of its model: the outcome as far as it is known to be free of noise, else
    /// the posterior mean.
    pub outcomes: &'a [Vec<f64>],
    /// The total constraint violation of each observed point, by outcomes in the same way.
    pub violations: &'a [f64],
    /// Points that have failed since the last update, [n, inputs].
    pub failed: MatRef<'a>,
    /// The rows that the models have learned from and no earlier update had: every row is new once, whatever is told or amended of
    /// it later. There may be none.
    pub new: &'a [usize],
    /// Whether each row was asked for; others are results of the user's own.
    pub asked: &'a [bool],
}

/// A batch element that may get a trust region.
#[derive(Debug, Clone, Copy)]
pub struct Element<'a> {
    /// The number of the step.
    pub step: u64,
    /// The number of the element in the batch.
    pub number: usize,
    /// Where points are.
    pub space: &'a Space,
    /// The incumbents, [n, inputs]; at least one.
    pub incumbents: MatRef<'a>,
    /// The element's acquisition function at the incumbents.
    pub scores: &'a [f64],
    /// The length scale of every input.
    pub scales: &'a [f64],
}

impl Element<'_> {
    /// Inputs along which regions extend: all but categories.
    pub fn ordered_inputs(&self) -> Vec<usize> {
        ordered_inputs(self.space)
    }
}

/// Inputs along which regions extend: all but categories.
pub(super) fn ordered_inputs(space: &Space) -> Vec<usize> {
    (0..space.dimensions().len()).filter(|&k| !space.dimensions()[k].domain.is_categorical()).collect()
}

/// A box within the unit cube, and where the local search starts in it.
#[derive(Debug, Clone, PartialEq)]
pub struct TrustRegion {
    /// The lower end of every input.
    pub lower: Vec<f64>,
    /// The upper end of every input.
    pub upper: Vec<f64>,
    /// A point of the region.
    pub start: Vec<f64>,
    /// The element's acquisition function at the start.
    pub value: f64,
}

impl TrustRegion {
    /// The box around a centre that reaches so far along some inputs, (input, reach), and nowhere along the others.
    pub fn around(centre: Vec<f64>, reaches: impl IntoIterator<Item = (usize, f64)>) -> Self {
        let (mut lower, mut upper) = (centre.clone(), centre.clone());
        for (k, reach) in reaches {
            (lower[k], upper[k]) = ((centre[k] - reach).clamp(0.0, 1.0), (centre[k] + reach).clamp(0.0, 1.0));
        }
        TrustRegion { lower, upper, start: centre, value: f64::NAN }
    }

    /// The part of a box that lies within a space; its nearest corner, edge or face if it lies outside.
    pub(super) fn clamped(mut self, space: &Space) -> Self {
        [&mut self.lower, &mut self.upper].into_iter().for_each(|numbers| space.clamp_to_domains(numbers));
        space.clamp(&mut self.start);
        self
    }

    /// The box, wide enough along every input with levels for those next to its centre: a smaller one has no other point there.
    pub(super) fn with_next_levels(mut self, space: &Space) -> Self {
        for k in ordered_inputs(space) {
            let domain = &space.dimensions()[k].domain;
            if !domain.is_continuous() {
                for level in domain.neighbours(self.start[k]) {
                    (self.lower[k], self.upper[k]) = (self.lower[k].min(level), self.upper[k].max(level));
                }
            }
        }
        self
    }
}

impl AcquisitionOptimizer<'_> {
    /// The trust regions of batch elements with these numbers, `None` for those that search the whole space; `scales` are the
    /// inputs' length scales. Nothing, if no element ever has a region.
    pub fn regions(
        &self,
        acquisition: &dyn BatchedObjective,
        numbers: Range<usize>,
        scales: &[f64],
    ) -> Result<Vec<Option<TrustRegion>>> {
        let has_room = !self.pool.is_complete() && !ordered_inputs(self.space).is_empty();
        if let Some(confined) = self.confined.as_ref().filter(|_| has_room) {
            return self.confined_regions(acquisition, numbers.start, confined);
        }
        let is_possible = has_room && self.incumbents.nrows() > 0;
        let Some(policy) = self.trust_regions.filter(|_| is_possible) else { return Ok(Vec::new()) };
        let (step, space, incumbents) = (self.rng.step, self.space, self.incumbents.as_ref());
        let scores = acquisition.score(incumbents)?;
        let region = |(j, number): (usize, usize)| {
            let mut rng = self.rng.stream(Purpose::TrustRegion, number as u64);
            let scores = column(scores.as_ref(), j);
            let region = policy.propose(&Element { step, number, space, incumbents, scores, scales }, &mut rng)?;
            let region = region.clamped(space);
            let mut starts = vec![region.start.clone()];
            starts.extend((0..STARTS).map(|_| self.point_of(&region, &mut rng)));
            Some((region, starts))
        };
        started_at_the_best(acquisition, numbers.enumerate().map(region).collect())
    }

    /// A random point of a region, which differs from its centre in some inputs or in all.
    fn point_of(&self, region: &TrustRegion, rng: &mut ChaCha8Rng) -> Vec<f64> {
        let TrustRegion { lower, upper, start: centre, .. } = region;
        let share = random_share(centre.len(), rng);
        let coordinate = |k: usize| {
            if uniform(rng) >= share {
                return centre[k];
            }
            let domain = &self.space.dimensions()[k].domain;
            within(domain, lower[k] + (upper[k] - lower[k]) * uniform(rng), (lower[k], upper[k]), centre[k])
        };
        let mut point: Vec<f64> = (0..centre.len()).map(coordinate).collect();
        if self.space.is_constrained() {
            self.space.settle(&mut point, &[]);
        }
        point
    }
}

/// Every region with the best of its starts, of which there are equally many.
fn started_at_the_best(
    acquisition: &dyn BatchedObjective,
    regions: Vec<Option<(TrustRegion, Vec<Vec<f64>>)>>,
) -> Result<Vec<Option<TrustRegion>>> {
    let mut points: Vec<(usize, &Vec<f64>)> = Vec::new();
    for (element, (_, starts)) in regions.iter().enumerate().filter_map(|(j, one)| Some((j, one.as_ref()?))) {
        points.extend(starts.iter().map(|point| (element, point)));
    }
    let (values, _) = value_gradient(acquisition, &points)?;
    let mut values = values.chunks_exact(1 + STARTS);
    let mut started = |(region, mut starts): (TrustRegion, Vec<Vec<f64>>)| {
        let own = values.next()?;
        let best = (0..own.len()).max_by(|&i, &j| own[i].total_cmp(&own[j]))?;
        Some(TrustRegion { start: starts.swap_remove(best), value: own[best], ..region })
    };
    Ok(regions.into_iter().map(|one| one.and_then(&mut started)).collect())
}

/// A value of the domain between two others, if there is one close by, else the one in between them that is known.
pub(super) fn within(domain: &Domain, value: f64, (lower, upper): (f64, f64), known: f64) -> f64 {
    let snapped = if domain.is_continuous() { value } else { domain.snap(value) };
    if (lower..=upper).contains(&snapped) { snapped } else { known }
}
