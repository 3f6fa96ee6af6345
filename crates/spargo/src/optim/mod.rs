//! Minimisation of smooth functions inside a box or a polytope, many problems in lockstep.
//!
//! ```text
//! minimise f(x)  subject to  l ≤ x ≤ u   (L-BFGS-B),      and to  b ≤ A x ≤ c   (spectral projected gradients)
//! ```
//!
//! [`minimize_many`] runs independent L-BFGS-B problems side by side (Byrd, Lu, Nocedal & Zhu
//! 1995; see the `lbfgsb` module): one call of the user's function evaluates every problem that is
//! still running, so a batched model pays for one pass instead of one per restart. A problem never
//! sees its neighbours: its trajectory is, bit for bit, the one it would take alone.

mod bounds;
mod cauchy;
mod dense;
mod interpolate;
mod lbfgsb;
mod line_search;
mod memory;
#[cfg(test)]
mod model_tests;
mod objective;
mod polytope;
mod search;
mod spectral;
#[cfg(test)]
mod spectral_tests;
mod stop;
mod subspace;

pub use bounds::Bounds;
pub use lbfgsb::Lbfgsb;
pub use objective::{BatchedObjective, check_elements};
pub use polytope::{Polytope, Row};
pub use stop::Stop;

use crate::interrupt;

/// One round of evaluations: where every running problem wants its value and gradient.
#[derive(Debug)]
pub struct Batch<'a> {
    /// Indices, into the list of starts, of the problems still running; ascending.
    pub elements: &'a [usize],
    /// Their points, row-major `[elements, d]`.
    pub points: &'a [f64],
    /// To be filled with the values, one per element. NaN until written; a non-finite value or
    /// gradient says "not here", and the problem shortens its step.
    pub values: &'a mut [f64],
    /// To be filled with the gradients, row-major `[elements, d]`.
    pub gradients: &'a mut [f64],
}

/// The best point an optimizer saw, and why it stopped looking.
#[derive(Clone, Debug, PartialEq)]
pub struct Minimum {
    /// The point of lowest value.
    pub point: Vec<f64>,
    /// The value there.
    pub value: f64,
    /// The gradient there.
    pub gradient: Vec<f64>,
    /// Accepted steps.
    pub iterations: usize,
    /// Evaluations of value and gradient.
    pub evaluations: usize,
    /// Why the optimizer ended.
    pub stop: Stop,
}

/// Minimises from every start at once by L-BFGS-B, one batched evaluation per round.
///
/// Starts outside the box are projected onto it, and no point outside is ever evaluated. Every
/// start must have the dimension of `bounds`. The result keeps the order of `starts`.
pub fn minimize_many(
    starts: &[Vec<f64>],
    bounds: &Bounds,
    options: &Lbfgsb,
    evaluate: impl FnMut(Batch<'_>),
) -> Vec<Minimum> {
    let problems = starts.iter().map(|start| lbfgsb::Problem::new(start, bounds, options)).collect();
    in_lockstep(problems, bounds.dimension(), evaluate)
}

/// Minimises from every start at once within polytopes, one for each start, by spectral projected gradients.
///
/// Starts outside are projected, and no point outside is ever evaluated; one whose polytope is empty ends with a value that is NaN.
pub fn minimize_within(
    starts: &[Vec<f64>],
    sets: &[Polytope],
    options: &Lbfgsb,
    evaluate: impl FnMut(Batch<'_>),
) -> Vec<Minimum> {
    let problems = starts.iter().zip(sets).map(|(start, set)| spectral::Problem::new(start, set, options)).collect();
    in_lockstep(problems, starts.first().map_or(0, Vec::len), evaluate)
}

/// A minimisation that names the point that it wants to know next.
trait Stepwise {
    fn is_running(&self) -> bool;
    fn next_point(&self) -> &[f64];
    fn accept(&mut self, value: f64, gradient: &[f64]);
    fn into_minimum(self) -> Minimum;
}

fn in_lockstep<P: Stepwise>(
    mut problems: Vec<P>,
    dimension: usize,
    mut evaluate: impl FnMut(Batch<'_>),
) -> Vec<Minimum> {
    let mut elements: Vec<usize> = (0..problems.len()).filter(|&element| problems[element].is_running()).collect();
    let mut points = Vec::new();
    while !elements.is_empty() {
        points.clear();
        for &element in &elements {
            points.extend_from_slice(problems[element].next_point());
        }
        let mut values = vec![f64::NAN; elements.len()];
        let mut gradients = vec![f64::NAN; points.len()];
        evaluate(Batch { elements: &elements, points: &points, values: &mut values, gradients: &mut gradients });
        for (row, &element) in elements.iter().enumerate() {
            let gradient = &gradients[row * dimension..(row + 1) * dimension];
            problems[element].accept(values[row], gradient);
        }
        elements.retain(|&element| problems[element].is_running() && interrupt::poll().is_ok());
    }
    problems.into_iter().map(P::into_minimum).collect()
}

/// Minimises from one start by L-BFGS-B; `f` returns the value and writes the gradient.
pub fn minimize(
    start: &[f64],
    bounds: &Bounds,
    options: &Lbfgsb,
    mut f: impl FnMut(&[f64], &mut [f64]) -> f64,
) -> Minimum {
    let evaluate = |batch: Batch<'_>| batch.values[0] = f(batch.points, batch.gradients);
    minimize_many(&[start.to_vec()], bounds, options, evaluate).swap_remove(0)
}
