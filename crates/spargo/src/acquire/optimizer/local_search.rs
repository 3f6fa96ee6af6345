//! From the best points of the pool to local maxima, all elements together: continuous inputs by L-BFGS-B in lockstep,
//! whole numbers and categories by moves to neighbours, in turns until neither helps.

use super::candidates::BestRows;
use super::{AcquisitionOptions, TrustRegion, value_gradient};
use crate::error::{Error, Result};
use crate::interrupt;
use crate::linalg::{MatRef, column, row};
use crate::optim::{Batch, BatchedObjective, Bounds, minimize_many};
use crate::space::{Domain, Space};
use rayon::prelude::*;

/// Rounds of moves and restarts.
const ROUNDS: usize = 50;

/// A move must be worth more than the rounding of a search, in the model's units.
const GAIN: f64 = 1e-9;

/// What is maximised, and where.
pub(super) struct MultiStart<'a> {
    pub acquisition: &'a dyn BatchedObjective,
    pub space: &'a Space,
    pub options: &'a AcquisitionOptions,
}

/// One run of the local search.
#[derive(Debug, Clone)]
pub(super) struct Restart<'a> {
    pub element: usize,
    pub point: Vec<f64>,
    pub value: f64,
    region: Option<&'a TrustRegion>,
}

impl Restart<'_> {
    /// The lower end and the width of its region along an input; of the whole box if it has none.
    fn edge(&self, input: usize) -> (f64, f64) {
        let edge = |region: &TrustRegion| (region.lower[input], region.upper[input] - region.lower[input]);
        self.region.map_or((0.0, 1.0), edge)
    }

    /// The least and the largest number of an input in its region; of the whole range if it has none.
    pub fn ends(&self, input: usize) -> (f64, f64) {
        self.region.map_or((0.0, 1.0), |region| (region.lower[input], region.upper[input]))
    }

    /// Some inputs of its point, relative to its region.
    fn relative(&self, inputs: &[usize]) -> Vec<f64> {
        let relative = |&k: &usize| {
            let (lower, width) = self.edge(k);
            if width > 0.0 { (self.point[k] - lower) / width } else { 0.0 }
        };
        inputs.iter().map(relative).collect()
    }

    /// Its point with some inputs replaced, which are relative to its region.
    fn moved(&self, inputs: &[usize], relative: &[f64]) -> Vec<f64> {
        let mut point = self.point.clone();
        for (&k, t) in inputs.iter().zip(relative) {
            let (lower, width) = self.edge(k);
            point[k] = lower + width * t;
        }
        point
    }
}

impl MultiStart<'_> {
    /// The highest point that each element reaches from its best points of the pool, or within its region.
    pub(super) fn run(
        &self,
        points: MatRef<'_>,
        scores: MatRef<'_>,
        regions: &[Option<TrustRegion>],
    ) -> Result<Vec<Vec<f64>>> {
        let starts = |element| self.starts(points, column(scores, element), element, regions);
        let mut restarts: Vec<Restart<'_>> = (0..scores.ncols()).into_par_iter().flat_map_iter(starts).collect();
        let mut moving: Vec<usize> = (0..restarts.len()).collect();
        if self.space.is_constrained() {
            self.relax(&mut restarts)?;
        } else {
            self.ascend(&mut restarts, &moving)?;
        }
        for _ in 0..ROUNDS {
            // A restart that has not moved has nowhere to go.
            moving = self.move_to_neighbours(&mut restarts, &moving)?;
            if moving.is_empty() {
                break;
            }
            self.ascend(&mut restarts, &moving)?;
        }
        let of_element = restarts.chunk_by(|a, b| a.element == b.element);
        let best = of_element
            .filter_map(|own| own.iter().reduce(|best, other| if other.value > best.value { other } else { best }));
        // The numbers by which models will see the values.
        let settled = |restart: &Restart<'_>| {
            let mut point = restart.point.clone();
            self.space.settle(&mut point, &[]);
            point
        };
        Ok(best.map(settled).collect())
    }

    /// An element's best points of the pool, and its best around the incumbents; if it has a region, where that starts.
    ///
    /// The two are ranked apart: a point next to an incumbent is near its optimum already, a space-filling one seldom is, and
    /// the higher optimum may be over there.
    fn starts<'r>(
        &self,
        points: MatRef<'_>,
        scores: &[f64],
        element: usize,
        regions: &'r [Option<TrustRegion>],
    ) -> Vec<Restart<'r>> {
        if let Some(Some(region)) = regions.get(element) {
            return vec![Restart { element, point: region.start.clone(), value: region.value, region: Some(region) }];
        }
        let (spread, near) = scores.split_at(self.options.pool.min(scores.len()));
        let near = best(near, 1).into_iter().map(|row| spread.len() + row);
        let mut rows: Vec<usize> = best(spread, self.options.starts).into_iter().chain(near).collect();
        if rows.is_empty() {
            rows.push(0);
        }
        let restart = |i: usize| Restart { element, point: row(points, i), value: scores[i], region: None };
        rows.into_iter().map(restart).collect()
    }

    fn columns(&self, wanted: impl Fn(&Domain) -> bool) -> Vec<usize> {
        let dimensions = self.space.dimensions();
        (0..dimensions.len()).filter(|&k| wanted(&dimensions[k].domain)).collect()
    }

    /// Maximises some restarts over the continuous inputs, the others held.
    fn ascend(&self, restarts: &mut [Restart<'_>], some: &[usize]) -> Result<()> {
        if self.space.is_constrained() {
            return self.ascend_within(restarts, some, false);
        }
        let free = self.columns(|domain| domain.is_continuous());
        if free.is_empty() {
            return Ok(());
        }
        // Relative to its region every restart has the unit cube for its box.
        let starts: Vec<Vec<f64>> = some.iter().map(|&i| restarts[i].relative(&free)).collect();
        let bounds = Bounds::new(vec![0.0; free.len()], vec![1.0; free.len()]);
        let mut failure: Option<Error> = None;
        let optima = minimize_many(&starts, &bounds, &self.options.optimizer, |batch: Batch<'_>| {
            let running: Vec<&Restart<'_>> = batch.elements.iter().map(|&i| &restarts[some[i]]).collect();
            let points = running.iter().zip(batch.points.chunks_exact(free.len()));
            let points: Vec<_> = points.map(|(restart, t)| (restart.element, restart.moved(&free, t))).collect();
            match value_gradient(self.acquisition, &points) {
                Ok((values, gradient)) => {
                    batch.values.iter_mut().zip(values).for_each(|(out, value)| *out = -value);
                    for (i, slopes) in batch.gradients.chunks_exact_mut(free.len()).enumerate() {
                        let slopes = slopes.iter_mut().zip(&free);
                        slopes.for_each(|(out, &k)| *out = -running[i].edge(k).1 * gradient[(i, k)]);
                    }
                }
                // The values stay NaN, with which every restart ends.
                Err(error) => failure = Some(error),
            }
        });
        if let Some(error) = failure {
            return Err(error);
        }
        interrupt::poll()?;
        for (&i, optimum) in some.iter().zip(optima).filter(|(_, optimum)| optimum.value.is_finite()) {
            restarts[i].point = restarts[i].moved(&free, &optimum.point);
            restarts[i].value = -optimum.value;
        }
        Ok(())
    }

    /// Moves some restarts to the best of their neighbours, where that is higher; returns those that moved.
    fn move_to_neighbours(&self, restarts: &mut [Restart<'_>], some: &[usize]) -> Result<Vec<usize>> {
        let discrete = self.columns(|domain| !domain.is_continuous());
        let mut neighbours: Vec<(usize, Vec<f64>)> = Vec::new();
        for &i in some {
            neighbours.extend(self.around(&restarts[i], &discrete).into_iter().map(|point| (i, point)));
        }
        let points: Vec<_> = neighbours.iter().map(|(i, point)| (restarts[*i].element, point)).collect();
        let values = super::value(self.acquisition, &points)?;
        let mut moved = Vec::new();
        for ((i, point), value) in neighbours.into_iter().zip(values) {
            if value > restarts[i].value + GAIN {
                restarts[i] = Restart { value, point, ..restarts[i] };
                moved.push(i);
            }
        }
        moved.dedup();
        Ok(moved)
    }

    /// Points of its region that differ from a restart's in one discrete input, and in others as far as input constraints ask for it.
    fn around(&self, restart: &Restart<'_>, discrete: &[usize]) -> Vec<Vec<f64>> {
        let moves = |&k: &usize| {
            let domain = &self.space.dimensions()[k].domain;
            // Where steps have been forgotten before, what is left to do is close by.
            let is_relaxed = self.space.is_constrained();
            let moves = if is_relaxed { domain.neighbours(restart.point[k]) } else { moves(domain, restart.point[k]) };
            moves
                .into_iter()
                .filter(move |v| restart.region.is_none_or(|r| (r.lower[k]..=r.upper[k]).contains(v)))
                .map(move |v| (k, v))
        };
        let moved = |(k, v): (usize, f64)| {
            let mut point = restart.point.clone();
            point[k] = v;
            (!self.space.is_constrained() || self.space.settle(&mut point, &[k])).then_some(point)
        };
        discrete.iter().flat_map(moves).filter_map(moved).collect()
    }
}

/// The values next to this one, and for whole numbers some farther away: a third of the range, a ninth, … one step.
fn moves(domain: &Domain, old: f64) -> Vec<f64> {
    let mut moves = domain.neighbours(old);
    if let Some(count) = domain.count().filter(|_| !domain.is_categorical()) {
        let reaches = std::iter::successors(Some(1.0 / 3.0), |reach| Some(reach / 3.0));
        for reach in reaches.take_while(|reach| reach * count as f64 > 1.0) {
            moves.extend([old - reach, old + reach].map(|v| domain.snap(v)).into_iter().filter(|&v| v != old));
        }
    }
    moves
}

/// The rows with the largest scores, best first.
fn best(scores: &[f64], count: usize) -> Vec<usize> {
    let mut best = BestRows::default();
    let numbers = scores.iter().enumerate().filter(|(_, score)| !score.is_nan());
    numbers.for_each(|(row, &score)| best.offer(row, score, count));
    best.into_rows()
}
