//! The relaxation at a point: the polytope of its numeric inputs, whose steps are forgotten, with everything else held.
//!
//! ```text
//!     { z ∈ [0, 1]ⁿ :  b ≤ Σ cₖ (leastₖ + spanₖ zₖ) ≤ c }        zₖ = 0 stays where only so many inputs may be other than 0
//! ```

use super::{Constraints, Linear};
use crate::optim::{Bounds, Polytope, Row};
use crate::space::dimension::Dimension;

/// What an input that must not be 0 is at least, as a share of its range.
const LEAST: f64 = 1e-6;

/// Some inputs that may move, and the polytope that they move in.
#[derive(Debug, Clone)]
pub struct Relaxation<'a> {
    constraints: &'a Constraints,
    /// The inputs.
    pub inputs: Vec<usize>,
    /// Where they may be, one variable for each.
    pub polytope: Polytope,
}

impl Relaxation<'_> {
    /// With further variables, which are 0: so that several have equally many.
    pub fn padded(mut self, variables: usize) -> Self {
        let Bounds { lower, upper } = &mut self.polytope.bounds;
        lower.resize(variables, 0.0);
        upper.resize(variables, 0.0);
        self
    }

    /// The positions of the inputs at a point.
    pub fn positions(&self, point: &[f64]) -> Vec<f64> {
        self.inputs.iter().map(|&k| self.constraints.position(k, point[k])).collect()
    }

    /// A point with the inputs moved to these positions.
    pub fn moved(&self, point: &[f64], positions: &[f64]) -> Vec<f64> {
        let mut moved = point.to_vec();
        self.inputs.iter().zip(positions).for_each(|(&k, &z)| moved[k] = self.constraints.number(k, z));
        moved
    }

    /// How fast each input's number grows with its position.
    pub fn slopes(&self, positions: &[f64]) -> Vec<f64> {
        let slope = |(&k, &z): (&usize, &f64)| self.constraints.axes[k].as_ref().map_or(1.0, |axis| axis.slope(z));
        self.inputs.iter().zip(positions).map(slope).collect()
    }
}

impl Constraints {
    /// The position of a number; labels have their own.
    pub(super) fn position(&self, k: usize, number: f64) -> f64 {
        self.axes[k].as_ref().map_or(number, |axis| axis.position(number))
    }

    /// The number at a position.
    pub(super) fn number(&self, k: usize, z: f64) -> f64 {
        self.axes[k].as_ref().map_or(z, |axis| axis.number(z))
    }

    /// Whether an input is named by a sum, a ratio or a number of inputs other than 0.
    pub(super) fn is_summed(&self, k: usize) -> bool {
        let has = |linear: &Linear| linear.terms.iter().any(|(other, _)| *other == k);
        self.linear.iter().any(has) || self.is_counted(k)
    }

    /// Where inputs of a point may move to: those that are continuous, and with `steps` those that have sums and steps.
    pub fn relaxation(
        &self,
        dimensions: &[Dimension],
        point: &[f64],
        ends: impl Fn(usize) -> (f64, f64),
        steps: bool,
    ) -> Relaxation<'_> {
        let active = self.active(point);
        let is_free = |&k: &usize| {
            let Some(axis) = &self.axes[k] else { return false };
            let is_held =
                !active[k] || self.fixed[k].is_some() || axis.span() == 0.0 || self.is_held_at_zero(k, point, &active);
            !is_held && (axis.is_continuous() || (steps && self.is_summed(k)))
        };
        let inputs: Vec<usize> = (0..dimensions.len()).filter(is_free).collect();
        let (mut lower, mut upper) = (Vec::new(), Vec::new());
        for &k in &inputs {
            let (least, most) = ends(k);
            let least = self.position(k, least).max(self.least_position(k, point, &active));
            lower.push(least);
            upper.push(self.position(k, most).max(least));
        }
        let polytope =
            Polytope { bounds: Bounds::new(lower, upper), rows: self.rows(dimensions, point, &inputs, &active) };
        Relaxation { constraints: self, inputs, polytope }
    }

    /// Whether an input is 0 and must stay so, as no more inputs may be other than 0.
    fn is_held_at_zero(&self, k: usize, point: &[f64], active: &[bool]) -> bool {
        let is_zero = |k: usize| self.is_zero(k, point[k]);
        let is_full =
            |inputs: &[usize], most: usize| inputs.iter().filter(|&&k| active[k] && !is_zero(k)).count() >= most;
        is_zero(k) && self.cardinalities.iter().any(|own| own.inputs.contains(&k) && is_full(&own.inputs, own.most()))
    }

    /// The least position of an input: above 0 where it is one of the fewest that must be other than 0.
    fn least_position(&self, k: usize, point: &[f64], active: &[bool]) -> f64 {
        let Some(axis) = &self.axes[k] else { return 0.0 };
        let is_needed = self.cardinalities.iter().any(|own| {
            let count = own.inputs.iter().filter(|&&k| active[k] && !self.is_zero(k, point[k])).count();
            own.inputs.contains(&k) && count <= own.least()
        });
        if is_needed && axis.position_of(0.0) == 0.0 { self.next_to_zero(k) } else { 0.0 }
    }

    /// The least position of an input above that of 0.
    pub(super) fn next_to_zero(&self, k: usize) -> f64 {
        let Some(axis) = &self.axes[k] else { return 0.0 };
        let zero = axis.position_of(0.0);
        if axis.is_continuous() {
            (zero + LEAST).min(1.0)
        } else {
            axis.level((axis.nearest(zero) + 1.0).min(axis.last()))
        }
    }

    /// Whether a number is that of the value 0.
    pub(super) fn is_zero(&self, k: usize, number: f64) -> bool {
        self.axes[k].as_ref().is_some_and(|axis| number == axis.number(axis.position_of(0.0)))
    }

    /// The sums of some inputs of a point, the others held.
    pub(super) fn rows(&self, dimensions: &[Dimension], point: &[f64], free: &[usize], active: &[bool]) -> Vec<Row> {
        let row = |linear: &Linear| {
            let (mut held, mut terms) = (0.0, Vec::new());
            for &(k, coefficient) in linear.terms.iter().filter(|(k, _)| active[*k]) {
                let axis = self.axes[k].as_ref()?;
                if let Some(place) = free.iter().position(|&other| other == k) {
                    held += coefficient * axis.value_at(0.0);
                    terms.push((place, coefficient * axis.span()));
                } else {
                    held += coefficient * self.value(dimensions, k, point[k]);
                }
            }
            let is_there = !linear.is_void(active) && !terms.is_empty();
            is_there.then_some(Row { terms, lower: linear.limits.lower - held, upper: linear.limits.upper - held })
        };
        self.linear.iter().filter_map(row).collect()
    }
}
