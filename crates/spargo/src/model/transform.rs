//! Which warp of the outcomes: the one under which the data are most likely, with its Jacobian; none, if it gains little.
//!
//! ```text
//!     ŵ = argmax_w  max_θ [ log p(u_w | θ) + log p(θ) ] + Σᵢ log ∂u_w/∂y(yᵢ)
//! ```
//!
//! Over a short list and on a few rows: the likelihood of a warp changes slowly with its parameter, so a finer search buys
//! nothing that the kernel's variance could not.
//!
//! Outcomes are compared with some noise added, as much as the noise of any model is at least. Without it a warp could gain
//! by stretching outcomes that are all but alike, such as those of many trials close to the optimum, until that floor is
//! below what tells them apart: many nats, for a map in which nothing but these trials can be told apart.

use super::params::LEAST_NOISE;
use super::{FitOptions, HyperparameterObjective, Hyperparameters, Inference, Start, fit};
use crate::data::{Dataset, OutcomeTransform, Warp};
use crate::linalg::MatRef;
use crate::optim::Lbfgsb;
use crate::rng::{Purpose, distinct_indices, normal, stream};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// Rows among which a space-filling subset is looked for, at most.
const SCANNED: usize = 20_000;

/// Rows that the choice is made on.
const ROWS: usize = 200;

/// Steps of the search for hyperparameters under each warp.
const ITERATIONS: usize = 10;

/// The gain over no warp that a warp must have, in nats per row: noise that was the same everywhere no longer is, and where
/// it is stretched, the model is less sure than it could be.
const MARGIN: f64 = 0.09;

/// The warps from which an asinh is chosen.
pub const ASINH_WARPS: [Warp; 5] = [
    Warp::Asinh { strength: 0.03 },
    Warp::Asinh { strength: 0.1 },
    Warp::Asinh { strength: 0.3 },
    Warp::Asinh { strength: 1.0 },
    Warp::Asinh { strength: 3.0 },
];

/// All warps that are chosen from, none of them first.
pub const CANDIDATE_WARPS: [Warp; 11] = [
    Warp::Identity,
    ASINH_WARPS[0],
    ASINH_WARPS[1],
    ASINH_WARPS[2],
    ASINH_WARPS[3],
    ASINH_WARPS[4],
    Warp::YeoJohnson { power: 0.75 },
    Warp::YeoJohnson { power: 0.5 },
    Warp::YeoJohnson { power: 0.25 },
    Warp::YeoJohnson { power: 0.1 },
    Warp::YeoJohnson { power: 0.01 },
];

/// The transform with the most likely of some warps; the search for hyperparameters begins at `start`, in units of mean 0
/// and variance 1.
pub fn learn_outcome_transform(
    start: &Hyperparameters,
    data: &Dataset,
    settings: &FitOptions,
    warps: &[Warp],
) -> OutcomeTransform {
    let first = warps.first().copied().unwrap_or_default();
    let mut rng = stream(settings.seed, Purpose::Subset, 1, 0);
    let some = data.subset(&space_filling(data.x(), ROWS, &mut rng));
    // Rows that are all alike say nothing of the few that are not.
    if !OutcomeTransform::of(some.y(), Warp::Identity).fits(data.y()) {
        return OutcomeTransform::of(data.y(), first);
    }
    let optimizer = Lbfgsb { max_iterations: ITERATIONS, ..settings.optimizer };
    let settings = FitOptions {
        hyperparameters: HyperparameterObjective::Subset(ROWS),
        inference: Inference::Exact,
        start: Start::Warm,
        optimizer,
        ..settings.clone()
    };
    let blurred = blurred(&some, &mut rng);
    let likelihood = |warp: Warp| {
        let units = OutcomeTransform::of(blurred.y(), warp);
        let standard = units.apply(&blurred);
        let jacobian: f64 = blurred.y().iter().map(|&y| units.log_slope(y)).sum();
        let fitted = fit(start, &standard, standard.x(), &settings);
        fitted.map_or(f64::NEG_INFINITY, |fitted| fitted.report.objective + jacobian)
    };
    let margin = |warp: Warp| if warp == Warp::Identity { MARGIN * some.len() as f64 } else { 0.0 };
    let likelihoods: Vec<f64> = warps.par_iter().map(|&warp| likelihood(warp) + margin(warp)).collect();
    let mut best = (first, f64::NEG_INFINITY);
    for (&warp, &value) in warps.iter().zip(&likelihoods) {
        if value > best.1 {
            best = (warp, value);
        }
    }
    OutcomeTransform::of(some.y(), best.0)
}

/// Outcomes with the least noise of any model added.
fn blurred(data: &Dataset, rng: &mut ChaCha8Rng) -> Dataset {
    let noise = LEAST_NOISE.sqrt() / OutcomeTransform::of(data.y(), Warp::Identity).log_slope(0.0).exp();
    let y = data.y().iter().map(|y| (y + noise * normal(rng)).clamp(f64::MIN, f64::MAX)).collect();
    data.with_outcomes(y)
}

/// Rows that fill the space of inputs: each is the farthest from those before.
fn space_filling(x: MatRef<'_>, count: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
    let rows = distinct_indices(x.nrows(), SCANNED, rng);
    let mut distances = vec![f64::INFINITY; rows.len()];
    let (mut chosen, mut next) = (Vec::with_capacity(count), 0);
    while chosen.len() < count.min(rows.len()) {
        chosen.push(rows[next]);
        for (distance, &i) in distances.iter_mut().zip(&rows) {
            let squares = (0..x.ncols()).map(|k| (x[(i, k)] - x[(rows[next], k)]).powi(2));
            *distance = distance.min(squares.sum());
        }
        // Of points that are there several times all rows count, none twice.
        distances[next] = f64::NEG_INFINITY;
        next = (0..rows.len()).max_by(|&i, &j| distances[i].total_cmp(&distances[j])).unwrap_or(0);
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Mat;
    use std::collections::HashSet;

    #[test]
    fn space_filling_rows_are_far_apart_and_distinct() {
        let mut rng = stream(1, Purpose::Subset, 1, 0);
        // Thirty points, ten times each.
        let x = Mat::from_fn(300, 2, |i, k| ((i % 30) as f64 * [0.618, 0.414][k]).fract());
        let rows = space_filling(x.as_ref(), 200, &mut rng);
        assert_eq!(rows.iter().collect::<HashSet<_>>().len(), 200);
        let first: HashSet<usize> = rows[..30].iter().map(|i| i % 30).collect();
        assert_eq!(first.len(), 30);
        assert_eq!(space_filling(x.as_ref().subrows(0, 5), 200, &mut rng).len(), 5);
    }
}
