//! From the best points of the pool to local maxima, all members together: continuous inputs by L-BFGS-B in lockstep,
//! whole numbers and categories by moves to neighbours, in turns until neither helps.

use super::{Maximizing, Region};
use crate::error::{Error, Result};
use crate::interrupt;
use crate::linalg::{Mat, MatRef, column};
use crate::optimize::{Batch, Bounds, Utility, minimize_many};
use crate::space::{Domain, Space};
use rayon::prelude::*;

/// Who climbs, and where.
pub(super) struct Climber<'a> {
    pub utility: &'a dyn Utility,
    pub space: &'a Space,
    pub settings: &'a Maximizing,
}

/// One climb.
#[derive(Debug, Clone)]
struct Climb {
    member: usize,
    point: Vec<f64>,
    value: f64,
}

impl Climber<'_> {
    /// The highest point that each member reaches from its best points of the pool, or within its region.
    pub(super) fn climb(
        &self,
        points: MatRef<'_, f64>,
        scores: MatRef<'_, f64>,
        regions: &[Option<Region>],
    ) -> Result<Vec<Vec<f64>>> {
        let mut climbs = begin(points, scores, regions, self.settings);
        let discrete: Vec<usize> = self.columns(|domain| !domain.is_continuous());
        let mut moving: Vec<usize> = (0..climbs.len()).collect();
        self.ascend(&mut climbs, &moving, regions)?;
        for _ in 0..ROUNDS {
            // Who has not moved has nowhere to go.
            moving = self.step_aside(&mut climbs, &moving, &discrete, regions)?;
            if moving.is_empty() {
                break;
            }
            self.ascend(&mut climbs, &moving, regions)?;
        }
        self.snap(&mut climbs);
        let mut best: Vec<Option<Climb>> = vec![None; scores.ncols()];
        for climb in climbs {
            let slot = &mut best[climb.member];
            if slot.as_ref().is_none_or(|best| climb.value > best.value) {
                *slot = Some(climb);
            }
        }
        Ok(best.into_iter().flatten().map(|climb| climb.point).collect())
    }

    fn columns(&self, wanted: impl Fn(&Domain) -> bool) -> Vec<usize> {
        let dimensions = self.space.dimensions();
        (0..dimensions.len()).filter(|&k| wanted(&dimensions[k].domain)).collect()
    }

    /// Maximises some climbs over the continuous inputs, the others held.
    fn ascend(&self, climbs: &mut [Climb], some: &[usize], regions: &[Option<Region>]) -> Result<()> {
        let free = self.columns(Domain::is_continuous);
        if free.is_empty() {
            return Ok(());
        }
        // Every climb has the unit cube for its box: lowest and widths of a region.
        let (lower, width): (Vec<Vec<f64>>, Vec<Vec<f64>>) =
            some.iter().map(|&i| edges(regions.get(climbs[i].member), &free)).unzip();
        let start = |(j, &i): (usize, &usize)| -> Vec<f64> {
            let relative = |(own, &k): (usize, &usize)| match width[j][own] > 0.0 {
                true => (climbs[i].point[k] - lower[j][own]) / width[j][own],
                false => 0.0,
            };
            free.iter().enumerate().map(relative).collect()
        };
        let starts: Vec<Vec<f64>> = some.iter().enumerate().map(start).collect();
        let bounds = Bounds::new(vec![0.0; free.len()], vec![1.0; free.len()]);
        let mut failure: Option<Error> = None;
        let summits = minimize_many(&starts, &bounds, &self.settings.optimizer, |batch: Batch<'_>| {
            let members: Vec<usize> = batch.members.iter().map(|&i| climbs[some[i]].member).collect();
            let count = free.len();
            let point = |i: usize, k: usize| match free.iter().position(|&column| column == k) {
                Some(own) => {
                    let j = batch.members[i];
                    lower[j][own] + width[j][own] * batch.points[i * count + own]
                }
                None => climbs[some[batch.members[i]]].point[k],
            };
            let x = Mat::from_fn(members.len(), self.space.dimensions().len(), point);
            match self.utility.value_gradient(&members, x.as_ref()) {
                Ok((values, gradient)) => {
                    batch.values.iter_mut().zip(values).for_each(|(out, value)| *out = -value);
                    for (i, slopes) in batch.gradients.chunks_exact_mut(count).enumerate() {
                        let width = &width[batch.members[i]];
                        let slopes = slopes.iter_mut().zip(&free).zip(width);
                        slopes.for_each(|((out, &k), width)| *out = -width * gradient[(i, k)]);
                    }
                }
                // The values stay NaN, with which every climb ends.
                Err(error) => failure = Some(error),
            }
        });
        if let Some(error) = failure {
            return Err(error);
        }
        interrupt::poll()?;
        for (j, (&i, summit)) in some.iter().zip(summits).enumerate() {
            let climb = &mut climbs[i];
            if summit.value.is_finite() {
                for (own, (&k, &t)) in free.iter().zip(&summit.point).enumerate() {
                    climb.point[k] = lower[j][own] + width[j][own] * t;
                }
                climb.value = -summit.value;
            }
        }
        Ok(())
    }

    /// Moves some climbs to the best of their neighbours, where that is higher; returns those that moved.
    fn step_aside(
        &self,
        climbs: &mut [Climb],
        some: &[usize],
        discrete: &[usize],
        regions: &[Option<Region>],
    ) -> Result<Vec<usize>> {
        let allowed = |climb: &Climb, point: &[f64]| match regions.get(climb.member) {
            Some(Some(region)) => discrete.iter().all(|&k| (region.lower[k]..=region.upper[k]).contains(&point[k])),
            _ => true,
        };
        let mut neighbours: Vec<(usize, Vec<f64>)> = Vec::new();
        for &i in some {
            let around = self.around(&climbs[i], discrete).filter(|point| allowed(&climbs[i], point));
            neighbours.extend(around.map(|point| (i, point)));
        }
        if neighbours.is_empty() {
            return Ok(Vec::new());
        }
        let members: Vec<usize> = neighbours.iter().map(|(i, _)| climbs[*i].member).collect();
        let x = Mat::from_fn(neighbours.len(), self.space.dimensions().len(), |i, k| neighbours[i].1[k]);
        let (values, _) = self.utility.value_gradient(&members, x.as_ref())?;
        let mut moved = Vec::new();
        for ((i, point), value) in neighbours.into_iter().zip(values) {
            if value > climbs[i].value + GAIN {
                climbs[i] = Climb { value, point, ..climbs[i] };
                moved.push(i);
            }
        }
        moved.dedup();
        Ok(moved)
    }

    /// Points that differ from this one in one discrete input.
    fn around(&self, climb: &Climb, discrete: &[usize]) -> impl Iterator<Item = Vec<f64>> {
        let moves = discrete.iter().flat_map(|&k| {
            let domain = &self.space.dimensions()[k].domain;
            moves(domain, climb.point[k]).into_iter().map(move |v| (k, v))
        });
        let points: Vec<Vec<f64>> = moves
            .map(|(k, v)| {
                let mut point = climb.point.clone();
                point[k] = v;
                point
            })
            .collect();
        points.into_iter()
    }

    /// Moves every climb to the numbers by which models will see its values.
    fn snap(&self, climbs: &mut [Climb]) {
        for climb in climbs {
            let domains = self.space.dimensions().iter().map(|d| &d.domain);
            climb.point.iter_mut().zip(domains).for_each(|(v, domain)| *v = domain.snap(*v));
        }
    }
}

/// Rounds of moves and climbs.
const ROUNDS: usize = 50;

/// A move must be worth more than the rounding of a climb, in the model's units.
const GAIN: f64 = 1e-9;

/// The values next to this one, and for whole numbers some farther away: a third of the range, a ninth, … one step.
fn moves(domain: &Domain, old: f64) -> Vec<f64> {
    let mut moves = domain.neighbours(old);
    if let (Domain::Int { .. }, Some(count)) = (domain, domain.count()) {
        let reaches = std::iter::successors(Some(1.0 / 3.0), |reach| Some(reach / 3.0));
        for reach in reaches.take_while(|reach| reach * count as f64 > 1.0) {
            moves.extend([old - reach, old + reach].map(|v| domain.snap(v)).into_iter().filter(|&v| v != old));
        }
    }
    moves
}

/// Each member's best points of the pool, and the best around the incumbents.
///
/// The two are ranked apart: a point beside an incumbent is near its summit already, one of the spread points seldom is, and
/// the higher summit may be over there.
fn begin(
    points: MatRef<'_, f64>,
    scores: MatRef<'_, f64>,
    regions: &[Option<Region>],
    settings: &Maximizing,
) -> Vec<Climb> {
    let of_member = |member: usize| {
        if let Some(Some(region)) = regions.get(member) {
            return vec![Climb { member, point: region.start.clone(), value: region.value }];
        }
        let scores = column(scores, member);
        let climb =
            move |row: usize| Climb { member, point: points.row(row).iter().copied().collect(), value: scores[row] };
        let (spread, near) = scores.split_at(settings.pool.min(scores.len()));
        let near = best(near, 1).into_iter().map(|row| spread.len() + row);
        let mut starts: Vec<usize> = best(spread, settings.starts).into_iter().chain(near).collect();
        if starts.is_empty() {
            starts.push(0);
        }
        starts.into_iter().map(climb).collect::<Vec<_>>()
    };
    (0..scores.ncols()).into_par_iter().flat_map_iter(of_member).collect()
}

/// The lower ends and the widths of a region along some inputs; of the whole box if there is none.
fn edges(region: Option<&Option<Region>>, inputs: &[usize]) -> (Vec<f64>, Vec<f64>) {
    match region {
        Some(Some(Region { lower, upper, .. })) => inputs.iter().map(|&k| (lower[k], upper[k] - lower[k])).unzip(),
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
