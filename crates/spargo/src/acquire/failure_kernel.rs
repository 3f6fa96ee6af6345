//! The kernel of the failure model: how far the success of an evaluation reaches.
//!
//! ```text
//!     max_c  Σ_ok log (1 + Sᵢ)/(2 + Sᵢ + Fᵢ) + Σ_failed log (1 + Fᵢ)/(2 + Sᵢ + Fᵢ),      length scales min(ℓ, c)
//! ```
//!
//! S and F are the sums of a [`FailureModel`](super::FailureModel) without the point itself. Where failures lie has nothing to do with how
//! smooth f is: by the length scales of a nearly linear f every evaluation counts everywhere, and no region would ever be
//! left. So the model has the longest length scales, up to those of f, with the largest leave-one-out log predictive density.

use super::failure::row_sums;
use crate::kernel::{Kernel, Role};
use crate::linalg::{Mat, MatRef, select_rows};

/// Largest length scales that are tried besides those of f, in units of √d. Shorter ones may predict better, as points
/// are asked for in clusters, but a region would have to be filled with failures before it is left.
const REACHES: [f64; 5] = [1.0, 0.5, 0.25, 0.125, 0.0625];

/// Points of a group that are looked at.
const LOOKED_AT: usize = 256;

/// The kernel of a failure model: that of f with its long length scales cut.
pub(super) fn failure_kernel(kernel: &Kernel, successes: MatRef<'_>, failures: MatRef<'_>) -> Kernel {
    let (ok, failed) = (Group::of(successes), Group::of(failures));
    // Typical distances in the unit cube grow as √d.
    let unit = (failures.ncols() as f64).sqrt();
    let cut = REACHES.iter().map(|reach| cut(kernel, reach * unit));
    let uncut = (leave_one_out(kernel, &ok, &failed), kernel.clone());
    let (_, best) = cut.fold(uncut, |best, kernel| {
        let score = leave_one_out(&kernel, &ok, &failed);
        if score > best.0 { (score, kernel) } else { best }
    });
    best
}

/// Some points, and how many each represents.
struct Group {
    points: Mat,
    weight: f64,
}

impl Group {
    fn of(all: MatRef<'_>) -> Self {
        let kept = all.nrows().min(LOOKED_AT);
        let rows: Vec<usize> = (0..kept).map(|i| i * all.nrows() / kept).collect();
        Group { points: select_rows(all, &rows), weight: all.nrows() as f64 / kept.max(1) as f64 }
    }
}

fn cut(kernel: &Kernel, longest: f64) -> Kernel {
    let mut cut = kernel.clone();
    let shorter = |(value, role): (f64, Role)| if role == Role::Lengthscale { value.min(longest.ln()) } else { value };
    let parameters: Vec<f64> = kernel.parameters().into_iter().zip(kernel.roles()).map(shorter).collect();
    cut.set_parameters(&parameters);
    cut
}

/// The log predictive density of every evaluation given all others.
fn leave_one_out(kernel: &Kernel, ok: &Group, failed: &Group) -> f64 {
    let score = |own: &Group, others: &Group| {
        let probability = |(alike, unlike): (f64, f64)| {
            // A point does not predict itself.
            let alike = (alike - own.weight).max(0.0);
            (1.0 + alike) / (2.0 + alike + unlike)
        };
        let sums = sums(kernel, own, own).into_iter().zip(sums(kernel, own, others));
        own.weight * sums.map(|sums| probability(sums).ln()).sum::<f64>()
    };
    score(ok, failed) + score(failed, ok)
}

/// Σⱼ κ(xᵢ, xⱼ) over a group.
fn sums(kernel: &Kernel, at: &Group, others: &Group) -> Vec<f64> {
    let k = kernel.matrix(at.points.as_ref(), others.points.as_ref());
    let prior = kernel.diagonal(at.points.as_ref());
    row_sums(k.as_ref()).iter().zip(prior).map(|(sum, prior)| others.weight * sum / prior).collect()
}
