//! From the best points of the pool to local maxima, all elements together: continuous inputs by L-BFGS-B in lockstep,
//! whole numbers and categories by moves to neighbours, in turns until neither helps.

use super::{AcquisitionOptions, TrustRegion};
use crate::error::{Error, Result};
use crate::interrupt;
use crate::linalg::{Mat, MatRef, column};
use crate::optim::{Batch, BatchedObjective, Bounds, minimize_many};
use crate::space::{Domain, Space};
use rayon::prelude::*;

/// Who restarts, and where.
pub(super) struct MultiStart<'a> {
    pub acquisition: &'a dyn BatchedObjective,
    pub space: &'a Space,
    pub options: &'a AcquisitionOptions,
}

/// One run of the local search.
#[derive(Debug, Clone)]
struct Restart {
    element: usize,
    point: Vec<f64>,
    value: f64,
}

impl MultiStart<'_> {
    /// The highest point that each element reaches from its best points of the pool, or within its region.
    pub(super) fn run(
        &self,
        points: MatRef<'_, f64>,
        scores: MatRef<'_, f64>,
        regions: &[Option<TrustRegion>],
    ) -> Result<Vec<Vec<f64>>> {
        let mut restarts = begin(points, scores, regions, self.options);
        let discrete: Vec<usize> = self.columns(|domain| !domain.is_continuous());
        let mut moving: Vec<usize> = (0..restarts.len()).collect();
        self.ascend(&mut restarts, &moving, regions)?;
        for _ in 0..ROUNDS {
            // Who has not moved has nowhere to go.
            moving = self.move_to_neighbours(&mut restarts, &moving, &discrete, regions)?;
            if moving.is_empty() {
                break;
            }
            self.ascend(&mut restarts, &moving, regions)?;
        }
        self.snap(&mut restarts);
        let mut best: Vec<Option<Restart>> = vec![None; scores.ncols()];
        for restart in restarts {
            let slot = &mut best[restart.element];
            if slot.as_ref().is_none_or(|best| restart.value > best.value) {
                *slot = Some(restart);
            }
        }
        Ok(best.into_iter().flatten().map(|restart| restart.point).collect())
    }

    fn columns(&self, wanted: impl Fn(&Domain) -> bool) -> Vec<usize> {
        let dimensions = self.space.dimensions();
        (0..dimensions.len()).filter(|&k| wanted(&dimensions[k].domain)).collect()
    }

    /// Maximises some restarts over the continuous inputs, the others held.
    fn ascend(&self, restarts: &mut [Restart], some: &[usize], regions: &[Option<TrustRegion>]) -> Result<()> {
        let free = self.columns(|domain| domain.is_continuous());
        if free.is_empty() {
            return Ok(());
        }
        // Every restart has the unit cube for its box: lowest and widths of a region.
        let (lower, width): (Vec<Vec<f64>>, Vec<Vec<f64>>) =
            some.iter().map(|&i| edges(regions.get(restarts[i].element), &free)).unzip();
        let start = |(j, &i): (usize, &usize)| -> Vec<f64> {
            let relative = |(own, &k): (usize, &usize)| match width[j][own] > 0.0 {
                true => (restarts[i].point[k] - lower[j][own]) / width[j][own],
                false => 0.0,
            };
            free.iter().enumerate().map(relative).collect()
        };
        let starts: Vec<Vec<f64>> = some.iter().enumerate().map(start).collect();
        let bounds = Bounds::new(vec![0.0; free.len()], vec![1.0; free.len()]);
        let mut failure: Option<Error> = None;
        let optima = minimize_many(&starts, &bounds, &self.options.optimizer, |batch: Batch<'_>| {
            let elements: Vec<usize> = batch.elements.iter().map(|&i| restarts[some[i]].element).collect();
            let count = free.len();
            let point = |i: usize, k: usize| match free.iter().position(|&column| column == k) {
                Some(own) => {
                    let j = batch.elements[i];
                    lower[j][own] + width[j][own] * batch.points[i * count + own]
                }
                None => restarts[some[batch.elements[i]]].point[k],
            };
            let x = Mat::from_fn(elements.len(), self.space.dimensions().len(), point);
            match self.acquisition.value_gradient(&elements, x.as_ref()) {
                Ok((values, gradient)) => {
                    batch.values.iter_mut().zip(values).for_each(|(out, value)| *out = -value);
                    for (i, slopes) in batch.gradients.chunks_exact_mut(count).enumerate() {
                        let width = &width[batch.elements[i]];
                        let slopes = slopes.iter_mut().zip(&free).zip(width);
                        slopes.for_each(|((out, &k), width)| *out = -width * gradient[(i, k)]);
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
        for (j, (&i, optimum)) in some.iter().zip(optima).enumerate() {
            let restart = &mut restarts[i];
            if optimum.value.is_finite() {
                for (own, (&k, &t)) in free.iter().zip(&optimum.point).enumerate() {
                    restart.point[k] = lower[j][own] + width[j][own] * t;
                }
                restart.value = -optimum.value;
            }
        }
        Ok(())
    }

    /// Moves some restarts to the best of their neighbours, where that is higher; returns those that moved.
    fn move_to_neighbours(
        &self,
        restarts: &mut [Restart],
        some: &[usize],
        discrete: &[usize],
        regions: &[Option<TrustRegion>],
    ) -> Result<Vec<usize>> {
        let allowed = |restart: &Restart, point: &[f64]| match regions.get(restart.element) {
            Some(Some(region)) => discrete.iter().all(|&k| (region.lower[k]..=region.upper[k]).contains(&point[k])),
            _ => true,
        };
        let mut neighbours: Vec<(usize, Vec<f64>)> = Vec::new();
        for &i in some {
            let around = self.around(&restarts[i], discrete).filter(|point| allowed(&restarts[i], point));
            neighbours.extend(around.map(|point| (i, point)));
        }
        if neighbours.is_empty() {
            return Ok(Vec::new());
        }
        let elements: Vec<usize> = neighbours.iter().map(|(i, _)| restarts[*i].element).collect();
        let x = Mat::from_fn(neighbours.len(), self.space.dimensions().len(), |i, k| neighbours[i].1[k]);
        let (values, _) = self.acquisition.value_gradient(&elements, x.as_ref())?;
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

    /// Points that differ from this one in one discrete input.
    fn around(&self, restart: &Restart, discrete: &[usize]) -> impl Iterator<Item = Vec<f64>> {
        let moves = discrete.iter().flat_map(|&k| {
            let domain = &self.space.dimensions()[k].domain;
            moves(domain, restart.point[k]).into_iter().map(move |v| (k, v))
        });
        let points: Vec<Vec<f64>> = moves
            .map(|(k, v)| {
                let mut point = restart.point.clone();
                point[k] = v;
                point
            })
            .collect();
        points.into_iter()
    }

    /// Moves every restart to the numbers by which models will see its values.
    fn snap(&self, restarts: &mut [Restart]) {
        for restart in restarts {
            let domains = self.space.dimensions().iter().map(|d| &d.domain);
            restart.point.iter_mut().zip(domains).for_each(|(v, domain)| *v = domain.snap(*v));
        }
    }
}

/// Rounds of moves and restarts.
const ROUNDS: usize = 50;

/// A move must be worth more than the rounding of a search, in the model's units.
const GAIN: f64 = 1e-9;

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

/// Each element's best points of the pool, and the best around the incumbents.
///
/// The two are ranked apart: a point beside an incumbent is near its optimum already, one of the spread points seldom is, and
/// the higher optimum may be over there.
fn begin(
    points: MatRef<'_, f64>,
    scores: MatRef<'_, f64>,
    regions: &[Option<TrustRegion>],
    settings: &AcquisitionOptions,
) -> Vec<Restart> {
    let of_member = |element: usize| {
        if let Some(Some(region)) = regions.get(element) {
            return vec![Restart { element, point: region.start.clone(), value: region.value }];
        }
        let scores = column(scores, element);
        let restart =
            move |row: usize| Restart { element, point: points.row(row).iter().copied().collect(), value: scores[row] };
        let (spread, near) = scores.split_at(settings.pool.min(scores.len()));
        let near = best(near, 1).into_iter().map(|row| spread.len() + row);
        let mut starts: Vec<usize> = best(spread, settings.starts).into_iter().chain(near).collect();
        if starts.is_empty() {
            starts.push(0);
        }
        starts.into_iter().map(restart).collect::<Vec<_>>()
    };
    (0..scores.ncols()).into_par_iter().flat_map_iter(of_member).collect()
}

/// The lower ends and the widths of a region along some inputs; of the whole box if there is none.
fn edges(region: Option<&Option<TrustRegion>>, inputs: &[usize]) -> (Vec<f64>, Vec<f64>) {
    match region {
        Some(Some(TrustRegion { lower, upper, .. })) => inputs.iter().map(|&k| (lower[k], upper[k] - lower[k])).unzip(),
        _ => inputs.iter().map(|_| (0.0, 1.0)).unzip(),
    }
}

/// The rows with the largest scores, best first.
fn best(scores: &[f64], count: usize) -> Vec<usize> {
    let mut best: Vec<usize> = Vec::with_capacity(count + 1);
    for (row, &score) in scores.iter().enumerate().filter(|(_, score)| !score.is_nan()) {
        if best.len() < count || score > scores[best[count - 1]] {
            let place = best.partition_point(|&other| scores[other] >= score);
            best.insert(place, row);
            best.truncate(count);
        }
    }
    best
}
