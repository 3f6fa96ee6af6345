//! What must hold between inputs: which points may be evaluated, by their values as they are printed.
//!
//! ```text
//!     sum:     b ≤ Σ cₖ xₖ ≤ c          ratio:    b ≤ x / y ≤ c, as b y ≤ x ≤ c y
//!     nonzero: b ≤ #{k : xₖ ≠ 0} ≤ c    exclude:  (xₖ)ₖ ≠ any of these values          when: xₖ has a value only where others have theirs
//! ```
//!
//! Points are made to satisfy them by [`Constraints::repair`] (`repair.rs`): the nearest point of the polytope that the sums cut
//! out of the ranges, rounded so that the sums hold for whole steps. Random points are drawn in that polytope (`sample.rs`).

mod axis;
mod cardinality;
mod compile;
mod condition;
mod conflict;
mod exclusion;
mod form;
mod relax;
mod repair;
mod round;
mod sample;

pub use condition::When;
pub(super) use conflict::LISTED;
pub use relax::Relaxation;

use super::dimension::Dimension;
use super::value::{Point, Value};
use crate::error::Result;
use crate::linalg::Mat;
use axis::Axis;
use cardinality::Cardinality;
use condition::Condition;
use exclusion::Exclusions;
use form::ConstraintForm;
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// By how much a sum of printed values may miss a limit, relative to the size of its terms: the rounding of a sum.
const TOLERANCE: f64 = 1e-12;

/// The limits of a quantity, both included; infinite where there is none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// The least value.
    pub lower: f64,
    /// The largest value.
    pub upper: f64,
}

/// A constraint among inputs, which are named.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "ConstraintForm", into = "ConstraintForm")]
pub enum InputConstraint {
    /// A sum of inputs times coefficients.
    Sum {
        /// Inputs with their coefficients.
        terms: Vec<(String, f64)>,
        /// The limits of the sum.
        limits: Limits,
    },
    /// One input over another, which cannot be negative.
    Ratio {
        /// The numerator.
        over: String,
        /// The denominator.
        under: String,
        /// The limits of the ratio.
        limits: Limits,
    },
    /// How many of some inputs are not 0.
    Nonzero {
        /// The inputs.
        inputs: Vec<String>,
        /// The limits of the number.
        limits: Limits,
    },
    /// Values of some inputs that do not go together.
    Exclude {
        /// The inputs.
        inputs: Vec<String>,
        /// One value for each of them per excluded combination.
        rows: Vec<Vec<Value>>,
    },
}

/// A linear constraint on the values of inputs.
#[derive(Debug, Clone, PartialEq)]
struct Linear {
    /// (input, coefficient), each input once.
    terms: Vec<(usize, f64)>,
    limits: Limits,
    /// Whether it says nothing where one of its inputs is inactive; else that counts as 0.
    needs_all: bool,
}

/// The constraints of a space, by the numbers of its inputs.
#[derive(Debug, Clone)]
pub(super) struct Constraints {
    given: Vec<InputConstraint>,
    /// Of inputs with numbers for values.
    axes: Vec<Option<Axis>>,
    linear: Vec<Linear>,
    cardinalities: Vec<Cardinality>,
    exclusions: Exclusions,
    conditions: Vec<Option<Condition>>,
    /// Inputs in an order in which each stands after those that its condition is about.
    order: Vec<usize>,
    /// Inputs that have one value only, for now.
    fixed: Vec<Option<f64>>,
    /// The values of continuous ones as they were given: their numbers are on a fine grid.
    fixed_values: Vec<Option<f64>>,
    /// A point that satisfies everything.
    anchor: Vec<f64>,
    /// One in the middle of what is around it, steps forgotten; once it was wanted.
    centre: OnceLock<Vec<f64>>,
    /// All points that do, once they were wanted.
    pub(super) listing: OnceLock<Mat>,
}

/// Two are equal if the same was given.
impl PartialEq for Constraints {
    fn eq(&self, other: &Self) -> bool {
        self.given == other.given && self.fixed == other.fixed
    }
}

impl Constraints {
    /// What the user has given.
    pub fn given(&self) -> &[InputConstraint] {
        &self.given
    }

    /// The number that stands for no value of an input.
    pub fn inactive_number(&self, k: usize) -> f64 {
        self.conditions[k].as_ref().map_or(0.0, |condition| condition.number)
    }

    /// Whether each input has a value at a point.
    pub fn active(&self, point: &[f64]) -> Vec<bool> {
        let mut active = vec![true; point.len()];
        for &k in &self.order {
            if let Some(condition) = &self.conditions[k] {
                active[k] = condition.holds(point, &active);
            }
        }
        active
    }

    /// Gives inputs without a value the number that stands for it.
    pub fn deactivate(&self, point: &mut [f64], active: &[bool]) {
        for (k, condition) in self.conditions.iter().enumerate() {
            if let (Some(condition), false) = (condition, active[k]) {
                point[k] = condition.number;
            }
        }
    }

    /// Whether a point satisfies all constraints, those that hold for now among them.
    pub fn is_satisfied(&self, dimensions: &[Dimension], point: &[f64]) -> bool {
        let active = self.active(point);
        let is_fixed = |k: usize| self.fixed[k].is_none_or(|fixed| fixed == point[k] && active[k]);
        (0..point.len()).all(is_fixed) && self.violated(dimensions, point).is_none()
    }

    /// The first of the given constraints that a point violates.
    pub fn violated(&self, dimensions: &[Dimension], point: &[f64]) -> Option<usize> {
        let active = self.active(point);
        (0..self.given.len()).find(|&number| !self.holds(number, dimensions, point, &active))
    }

    fn holds(&self, number: usize, dimensions: &[Dimension], point: &[f64], active: &[bool]) -> bool {
        let value = |k: usize| self.value(dimensions, k, point[k]);
        match self.place(number) {
            Place::Linear(i) => self.linear[i].holds(active, value),
            Place::Cardinality(i) => self.cardinalities[i].holds(active, value),
            Place::Exclusion(i) => !self.exclusions.groups[i].excludes(point, active),
        }
    }

    /// The value of an input with numbers for values; 0 for others.
    fn value(&self, dimensions: &[Dimension], k: usize, number: f64) -> f64 {
        self.axes[k].as_ref().map_or(0.0, |axis| axis.value(&dimensions[k].domain, number))
    }

    /// Where a given constraint stands among those of its kind.
    fn place(&self, number: usize) -> Place {
        let kind = |constraint: &InputConstraint| match constraint {
            InputConstraint::Sum { .. } | InputConstraint::Ratio { .. } => 0,
            InputConstraint::Nonzero { .. } => 1,
            InputConstraint::Exclude { .. } => 2,
        };
        let own = kind(&self.given[number]);
        let place = self.given[..number].iter().filter(|other| kind(other) == own).count();
        [Place::Linear, Place::Cardinality, Place::Exclusion][own](place)
    }

    /// These constraints with some inputs at one value each, for now.
    pub fn with_fixed(
        &self,
        dimensions: &[Dimension],
        fixed: &[(usize, f64)],
        values: &[(String, Value)],
    ) -> Result<Self> {
        let mut own = Constraints { listing: OnceLock::new(), centre: OnceLock::new(), ..self.clone() };
        for (&(k, number), (_, value)) in fixed.iter().zip(values) {
            own.fixed[k] = Some(number);
            own.fixed_values[k] = value.real().filter(|_| dimensions[k].domain.is_continuous());
        }
        own.find_anchor(dimensions)?;
        Ok(own)
    }

    /// A point with the values of fixed inputs as they were given, if it satisfies the sums with them.
    pub fn as_fixed(&self, numbers: &[f64], point: Point) -> Point {
        let is_fixed = |k: usize| self.fixed[k] == Some(numbers[k]) && point[k] != Value::Null;
        let given =
            |k: usize| self.fixed_values[k].filter(|_| is_fixed(k)).map_or_else(|| point[k].clone(), Value::Real);
        let own: Point = (0..point.len()).map(given).collect();
        let (active, value) = (self.active(numbers), |k: usize| own[k].real().unwrap_or(0.0));
        if self.linear.iter().all(|linear| linear.holds(&active, value)) { own } else { point }
    }
}

/// The kind of a constraint, and its number among those of that kind.
enum Place {
    Linear(usize),
    Cardinality(usize),
    Exclusion(usize),
}

impl Linear {
    /// Whether it holds for the values of the inputs that are active.
    fn holds(&self, active: &[bool], value: impl Fn(usize) -> f64) -> bool {
        if self.is_void(active) {
            return true;
        }
        let terms = self.terms.iter().filter(|(k, _)| active[*k]).map(|&(k, c)| c * value(k));
        let (sum, size) = terms.fold((0.0, 0.0), |(sum, size): (f64, f64), term| (sum + term, size + term.abs()));
        let is_within = |limit: f64, excess: f64| !limit.is_finite() || excess <= TOLERANCE * (size + limit.abs());
        is_within(self.limits.lower, self.limits.lower - sum) && is_within(self.limits.upper, sum - self.limits.upper)
    }

    /// Whether it says nothing, as an input that it needs is inactive.
    fn is_void(&self, active: &[bool]) -> bool {
        self.needs_all && self.terms.iter().any(|(k, _)| !active[*k])
    }
}
