//! The points that all elements are scored on.

use super::AcquisitionOptions;
use super::raasp::random_share;
use crate::linalg::{Mat, MatRef};
use crate::math::sobol::Sobol;
use crate::rng::{normal, uniform};
use crate::space::{Domain, Space};
use rand_chacha::ChaCha8Rng;

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
    /// The user's table: there are no others.
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
        match (space.candidates(), space.size()) {
            (Some(table), _) => CandidatePool::All(table),
            (None, Some(size)) if is_listed(space) => CandidatePool::Listed(list(space, size)),
            _ => {
                let near = if incumbents.nrows() == 0 { 0 } else { settings.near };
                let mut points = space_filling(space, 0, settings.pool + near, rng);
                for i in 0..near {
                    // Evenly over the incumbents: rank is no measure of where the next maximum is.
                    perturb(space, incumbents, i % incumbents.nrows(), points.as_mut().row_mut(settings.pool + i), rng);
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
    space.candidates().is_some() || space.size().is_some_and(|size| size <= LISTED)
}

/// Points `first`, `first + 1`, … of a sequence that fills the space evenly, [count, inputs].
///
/// The same stream gives the same sequence, wherever it is entered.
pub fn space_filling(space: &Space, first: usize, count: usize, rng: &mut ChaCha8Rng) -> Mat {
    let dimensions = space.dimensions();
    let sobol = Sobol::new(first + count, dimensions.len(), rng);
    Mat::from_fn(count, dimensions.len(), |i, k| {
        let domain = &dimensions[k].domain;
        domain.snap(domain.from_unit(sobol.coordinate(first + i, k)))
    })
}

/// Every combination of values, the first input turning fastest.
fn list(space: &Space, size: u64) -> Mat {
    let domains: Vec<&Domain> = space.dimensions().iter().map(|d| &d.domain).collect();
    let counts: Vec<u64> = domains.iter().map(|domain| domain.count().unwrap_or(1)).collect();
    let strides: Vec<u64> = (0..counts.len()).map(|k| counts[..k].iter().product()).collect();
    Mat::from_fn(size as usize, domains.len(), |i, k| domains[k].nth(i as u64 / strides[k] % counts[k]))
}

/// A point around an incumbent, at a random distance and along a random number of inputs.
fn perturb(
    space: &Space,
    incumbents: MatRef<'_>,
    incumbent: usize,
    mut point: crate::linalg::RowMut<'_, f64>,
    rng: &mut ChaCha8Rng,
) {
    let dimensions = space.dimensions();
    let reach = NEAREST * (FARTHEST / NEAREST).powf(uniform(rng));
    let share = random_share(dimensions.len(), rng);
    let sure = (uniform(rng) * dimensions.len() as f64) as usize;
    for (k, d) in dimensions.iter().enumerate() {
        let old = incumbents[(incumbent, k)];
        let moves = k == sure || uniform(rng) < share;
        point[k] = if moves { moved(&d.domain, old, reach, rng) } else { old };
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
