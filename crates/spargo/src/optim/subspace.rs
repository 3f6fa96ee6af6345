//! Minimisation of the model over the variables that are free at the Cauchy point.
//!
//! The direct primal method of Byrd, Lu, Nocedal & Zhu (1995, section 5.1) gives the unconstrained
//! minimiser of the model over the free variables,
//!
//! ```text
//! x̂ = x_c − B_FF⁻¹ r,   r = g + B(x_c − x)   (restricted to F),
//! ```
//!
//! and Morales & Nocedal (2011) bring it back into the box: by projection where that still gives a
//! descent direction, otherwise by the older rule, a shorter step along the same line.

use super::bounds::Bounds;
use super::cauchy::Cauchy;
use super::dense::{axpy, difference, dot};
use super::memory::Memory;

/// The point the next line search aims at; `None` if the small system is singular.
pub(super) fn subspace_point(
    x: &[f64],
    g: &[f64],
    bounds: &Bounds,
    memory: &Memory,
    cauchy: Cauchy,
) -> Option<Vec<f64>> {
    let free: Vec<bool> = (0..x.len()).map(|i| bounds.is_inside(i, cauchy.point[i])).collect();
    // Without pairs B = θI, and the Cauchy point already minimises it over the free variables.
    if memory.is_empty() || !free.contains(&true) {
        return Some(cauchy.point);
    }
    let residual = reduced_gradient(x, g, memory, &cauchy, &free);
    let step = memory.newton_step(&residual, &free)?;
    let mut target = cauchy.point.clone();
    axpy(1.0, &step, &mut target);
    let projected = bounds.project(&target);
    if projected == target || dot(g, &difference(&projected, x)) <= 0.0 {
        return Some(projected);
    }
    Some(truncated(cauchy.point, &step, bounds))
}

/// `r = g + θ(x_c − x) − W K⁻¹ c` on the free variables, zero elsewhere.
fn reduced_gradient(x: &[f64], g: &[f64], memory: &Memory, cauchy: &Cauchy, free: &[bool]) -> Vec<f64> {
    let solved = memory.middle(&cauchy.gathered);
    let component = |i: usize| {
        if !free[i] {
            return 0.0;
        }
        let low_rank: f64 = memory.row(i).zip(&solved).map(|(w, m)| w * m).sum();
        g[i] + memory.theta() * (cauchy.point[i] - x[i]) - low_rank
    };
    (0..x.len()).map(component).collect()
}

/// The last feasible point from `point` along `step`.
fn truncated(mut point: Vec<f64>, step: &[f64], bounds: &Bounds) -> Vec<f64> {
    let room = (0..point.len()).map(|i| bounds.time_to_limit(i, point[i], step[i])).fold(1.0, f64::min);
    axpy(room, step, &mut point);
    bounds.project(&point)
}
