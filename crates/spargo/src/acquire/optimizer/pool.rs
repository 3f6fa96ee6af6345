//! The points that all elements are scored on.

use super::AcquisitionOptions;
use super::raasp::random_share;
use crate::linalg::{Mat, MatRef, row};
use crate::math::sobol::Sobol;
use crate::rng::{Purpose, normal, stream, uniform};
use crate::space::{Domain, Space};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// Discrete spaces with up to this many points are listed.
const LISTED: u64 = 1 << 20;

/// Standard deviations of perturbations, in units of the box: from polishing to looking around.
const NEAREST: f64 = 1e-3;
const FARTHEST: f64 = 0.2;

/// Points to score.
#[derive(Debug)]
pub enum CandidatePool<'a> {
    /// Some of infinitely (or too) many: the best are climbed from.
    Starts(Mat),
    /// Such points that are kept from step to step.
    Kept(MatRef<'a>),
    /// The user's table, or what input constraints leave of a small discrete space: there are no others.
    All(MatRef<'a>),
    /// Every point of a small discrete space.
    Listed(Mat),
}

impl<'a> CandidatePool<'a> {
    pub(super) fn new(
        space: &'a Space,
        incumbents: MatRef<'_>,
        settings: &AcquisitionOptions,
        rng: &mut ChaCha8Rng,
    ) -> Self {
        match (space.listing(), space.size()) {
            (Some(points), _) => CandidatePool::All(points),
            (None, Some(size)) if is_listed(space) => CandidatePool::Listed(list(space, size)),
            _ => {
                let near = if incumbents.nrows() == 0 { 0 } else { settings.near };
                let mut points = space_filling(space, 0, settings.pool + near, rng);
                for i in 0..near {
                    // Evenly over the incumbents: rank is no measure of where the next maximum is.
                    let mut point = row(incumbents, i % incumbents.nrows());
                    perturb(space, &mut point, rng);
                    point.iter().enumerate().for_each(|(k, &v)| points[(settings.pool + i, k)] = v);
                }
                CandidatePool::Starts(points)
            }
        }
    }

    /// The points, [points, inputs].
    pub fn points(&self) -> MatRef<'_> {
        match self {
            CandidatePool::Starts(points) | CandidatePool::Listed(points) => points.as_ref(),
            CandidatePool::All(points) | CandidatePool::Kept(points) => *points,
        }
    }

    /// Whether there are no points but these.
    pub fn is_complete(&self) -> bool {
        !matches!(self, CandidatePool::Starts(_) | CandidatePool::Kept(_))
    }
}

/// Whether every point of a space can be scored: those of a table, or of a small discrete space.
pub fn is_listed(space: &Space) -> bool {
    space.listing().is_some() || space.size().is_some_and(|size| size <= LISTED)
}

/// Points `first`, `first + 1`, … of a sequence that fills the space evenly, [count, inputs].
///
/// The same stream gives the same sequence, wherever it is entered.
pub fn space_filling(space: &Space, first: usize, count: usize, rng: &mut ChaCha8Rng) -> Mat {
    let inputs = space.dimensions().len();
    let sobol = Sobol::new(first + count, inputs, rng);
    // Where a point has to be moved to satisfy input constraints, by a stream of its own.
    let seed = if space.is_constrained() { rng.random() } else { 0 };
    let scattered = |i: usize| {
        let mut point: Vec<f64> = (0..inputs).map(|k| sobol.coordinate(first + i, k)).collect();
        space.scatter(&mut point, &mut stream(seed, Purpose::Repair, (first + i) as u64, 2));
        point
    };
    let points: Vec<Vec<f64>> = (0..count).into_par_iter().map(scattered).collect();
    Mat::from_fn(count, inputs, |i, k| points[i][k])
}

/// Every combination of values, the first input turning fastest.
fn list(space: &Space, size: u64) -> Mat {
    let domains: Vec<&Domain> = space.dimensions().iter().map(|d| &d.domain).collect();
    let counts: Vec<u64> = domains.iter().map(|domain| domain.count().unwrap_or(1)).collect();
    let strides: Vec<u64> = (0..counts.len()).map(|k| counts[..k].iter().product()).collect();
    Mat::from_fn(size as usize, domains.len(), |i, k| domains[k].nth(i as u64 / strides[k] % counts[k]))
}

/// Moves an incumbent to a random distance along a random number of inputs.
fn perturb(space: &Space, point: &mut [f64], rng: &mut ChaCha8Rng) {
    let dimensions = space.dimensions();
    let reach = NEAREST * (FARTHEST / NEAREST).powf(uniform(rng));
    let share = random_share(dimensions.len(), rng);
    let sure = (uniform(rng) * dimensions.len() as f64) as usize;
    for (k, d) in dimensions.iter().enumerate() {
        if k == sure || uniform(rng) < share {
            point[k] = moved(&d.domain, point[k], reach, rng);
        }
    }
    if space.is_constrained() {
        space.settle(point, &[]);
    }
}

/// Another value of one input.
fn moved(domain: &Domain, old: f64, reach: f64, rng: &mut ChaCha8Rng) -> f64 {
    if domain.is_categorical() {
        return domain.from_unit(uniform(rng));
    }
    match domain.snap(old + reach * normal(rng)) {
        // Less than one step of a whole number.
        same if same == old => one_of(&domain.neighbours(old), rng).unwrap_or(old),
        new => new,
    }
}

fn one_of(values: &[f64], rng: &mut ChaCha8Rng) -> Option<f64> {
    values.get((uniform(rng) * values.len() as f64) as usize).copied()
}
