//! Random axis-aligned subspace perturbations (RAASP: Rashidi et al. 2024): candidates that differ from a point in few inputs.
//!
//! ```text
//!     xₖ = a random value of the region with probability min(20/d, 1), else cₖ
//! ```
//!
//! In a box of many inputs a random point is far from its centre and no better than it; one that differs in some twenty inputs may be.

use super::trust_region::{ordered_inputs, within};
use super::{AcquisitionOptimizer, TrustRegion};
use crate::error::Result;
use crate::linalg::{Mat, column, sorted_by_value};
use crate::optim::BatchedObjective;
use crate::rng::{Purpose, uniform};
use crate::space::Space;
use rand_chacha::ChaCha8Rng;

/// Inputs that a perturbation changes, on average, and beyond which candidates are such perturbations.
const PERTURBED: usize = 20;

/// Candidates of a region.
const CANDIDATES: usize = 5000;

/// Numbers of random streams from here on belong to the regions of lineages.
const STREAMS: u64 = 1 << 40;

/// The probability that a perturbation of a point with so many inputs changes one of them.
pub(super) fn share(inputs: usize) -> f64 {
    (PERTURBED as f64 / inputs.max(1) as f64).min(1.0)
}

/// The probability that a perturbation changes one of so many inputs: between that of one input and of all; with many inputs, for
/// half of the perturbations, that of twenty.
pub(super) fn random_share(inputs: usize, rng: &mut ChaCha8Rng) -> f64 {
    let spread = (inputs as f64).powf(-uniform(rng));
    if inputs > PERTURBED && uniform(rng) < 0.5 { share(inputs) } else { spread }
}

/// A region in which all elements of a batch are, and the number of its lineage.
#[derive(Debug)]
pub(super) struct Confined {
    region: TrustRegion,
    lineage: u64,
}

impl AcquisitionOptimizer<'_> {
    /// Confines all batch elements to the region of a lineage: each starts at its best of many perturbations of the region's centre.
    pub fn within(self, region: TrustRegion, lineage: u64) -> Self {
        let region = region.clamped(self.space).with_next_levels(self.space);
        AcquisitionOptimizer { confined: Some(Confined { region, lineage }), ..self }
    }

    /// The region of each element from the first number on, with its best perturbation as start, none of them the same; with many inputs
    /// the search ends there. Elements that are chosen together share candidates, others have their own.
    pub(super) fn confined_regions(
        &self,
        acquisition: &dyn BatchedObjective,
        first: usize,
        Confined { region, lineage }: &Confined,
    ) -> Result<Vec<Option<TrustRegion>>> {
        let mut rng = self.rng.stream(Purpose::TrustRegion, STREAMS + (lineage << 24) + first as u64);
        let inputs = region.start.len();
        let candidates: Vec<Vec<f64>> =
            (0..CANDIDATES).map(|_| perturbed(self.space, region, share(inputs), &mut rng)).collect();
        let points = Mat::from_fn(CANDIDATES, inputs, |i, k| candidates[i][k]);
        let scores = acquisition.score(points.as_ref())?;
        let (mut taken, ordered) = (vec![false; CANDIDATES], ordered_inputs(self.space));
        let mut started = |element: usize| {
            let scores = column(scores.as_ref(), element);
            let order = sorted_by_value(scores);
            let best = order.iter().copied().find(|&i| !taken[i] && !scores[i].is_nan()).unwrap_or(0);
            taken[best] = true;
            let start = candidates[best].clone();
            let (mut lower, mut upper) = (start.clone(), start.clone());
            if inputs <= PERTURBED {
                ordered.iter().for_each(|&k| (lower[k], upper[k]) = (region.lower[k], region.upper[k]));
            }
            Some(TrustRegion { lower, upper, start, value: scores[best] })
        };
        Ok((0..scores.ncols()).map(&mut started).collect())
    }
}

/// A point of a region that differs from its centre in at least one input.
fn perturbed(space: &Space, region: &TrustRegion, share: f64, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let TrustRegion { lower, upper, start: centre, .. } = region;
    let sure = (uniform(rng) * centre.len() as f64) as usize;
    let coordinate = |k: usize| {
        let (moves, position) = (k == sure || uniform(rng) < share, uniform(rng));
        let domain = &space.dimensions()[k].domain;
        match domain {
            _ if !moves => centre[k],
            domain if domain.is_categorical() => domain.from_unit(position),
            domain => within(domain, lower[k] + position * (upper[k] - lower[k]), (lower[k], upper[k]), centre[k]),
        }
    };
    let mut point: Vec<f64> = (0..centre.len()).map(coordinate).collect();
    if space.is_constrained() {
        space.settle(&mut point, &[]);
    }
    point
}
