//! Whether any point satisfies all constraints, and which of them contradict each other if none does.

use super::{Constraints, InputConstraint, Limits};
use crate::error::{Error, Result};
use crate::linalg::MatRef;
use crate::rng::{Purpose, stream, uniform};
use crate::space::dimension::Dimension;
use std::fmt;
use std::sync::OnceLock;

/// Random points that are tried before all are looked at, or the search ends.
const TRIES: u64 = 500;

/// Spaces with up to this many points are looked at as a whole.
pub(in crate::space) const LISTED: u64 = 1 << 20;

/// Constraints that are named in a message.
const NAMED: usize = 4;

impl Constraints {
    /// Finds a point that satisfies everything, or refuses with the constraints that contradict each other.
    pub(super) fn find_anchor(&mut self, dimensions: &[Dimension]) -> Result<()> {
        match self.search(dimensions) {
            Some(point) => {
                (self.anchor, self.centre) = (point, OnceLock::new());
                Ok(())
            }
            None => Err(self.conflict(dimensions)),
        }
    }

    /// A point that satisfies everything, if one is found.
    fn search(&self, dimensions: &[Dimension]) -> Option<Vec<f64>> {
        let mut own = self.clone();
        (own.anchor, own.centre) = (Vec::new(), OnceLock::new());
        for attempt in 0..TRIES {
            let mut rng = stream(attempt, Purpose::Repair, 0, 1);
            let mut point: Vec<f64> = dimensions.iter().map(|d| d.domain.from_unit(uniform(&mut rng))).collect();
            // Half of the tries without what projection likes: all inputs of a sum alike.
            if attempt % 2 == 1 {
                own.draw_nonzero(dimensions, &mut point, &mut rng);
            }
            if own.attempt(dimensions, &mut point, &[], &mut rng) {
                return Some(point);
            }
        }
        let size = self.size(dimensions).filter(|&size| size <= LISTED)?;
        let mut points = (0..size).map(|i| self.combination(dimensions, i));
        points.find(|point| self.is_satisfied(dimensions, point))
    }

    /// The number of combinations of values, if it is finite and fits.
    pub(in crate::space) fn size(&self, dimensions: &[Dimension]) -> Option<u64> {
        let count = |k: usize| if self.fixed[k].is_some() { Some(1) } else { dimensions[k].domain.count() };
        (0..dimensions.len()).try_fold(1u64, |size, k| size.checked_mul(count(k)?))
    }

    /// A combination of values by its number, the first input turning fastest; inactive inputs have no value.
    pub(in crate::space) fn combination(&self, dimensions: &[Dimension], mut number: u64) -> Vec<f64> {
        let digit = |(dimension, fixed): (&Dimension, &Option<f64>)| {
            if let Some(fixed) = fixed {
                return *fixed;
            }
            let count = dimension.domain.count().unwrap_or(1).max(1);
            let digit = number % count;
            number /= count;
            dimension.domain.nth(digit)
        };
        let mut point: Vec<f64> = dimensions.iter().zip(&self.fixed).map(digit).collect();
        let active = self.active(&point);
        self.deactivate(&mut point, &active);
        point
    }

    /// The constraints without which a point is found, one after the other left out.
    fn conflict(&self, dimensions: &[Dimension]) -> Error {
        let mut members: Vec<usize> = (0..self.given.len()).collect();
        for number in 0..self.given.len() {
            let fewer: Vec<usize> = members.iter().copied().filter(|&other| other != number).collect();
            if self.only(&fewer).search(dimensions).is_none() {
                members = fewer;
            }
        }
        let named: Vec<String> =
            members.iter().take(NAMED).map(|&i| format!("number {} ({})", i + 1, self.given[i])).collect();
        let more = if members.len() > NAMED { " and others" } else { "" };
        let is_proven = self.size(dimensions).is_some_and(|size| size <= LISTED);
        let found = if is_proven { "no point satisfies" } else { "no point was found that satisfies" };
        let fixed = self.fixed.iter().flatten().count();
        let with = if fixed > 0 { " with the inputs that are fixed" } else { "" };
        let all = if named.is_empty() { "its conditions".into() } else { named.join(" and ") };
        Error::unsupported(
            format!("{found} {all}{more} of the input constraints{with}"),
            if members.len() == 1 {
                "it contradicts the ranges of the inputs: relax it, or widen a range"
            } else {
                "they contradict each other or the ranges of the inputs: relax one of them, or widen a range"
            },
        )
    }

    /// Some of the constraints.
    fn only(&self, numbers: &[usize]) -> Self {
        let kept = |number: &usize| numbers.contains(number);
        let of_kind = |is_kind: fn(&InputConstraint) -> bool| -> Vec<bool> {
            (0..self.given.len()).filter(|&i| is_kind(&self.given[i])).map(|i| kept(&i)).collect()
        };
        let linear = of_kind(|c| matches!(c, InputConstraint::Sum { .. } | InputConstraint::Ratio { .. }));
        let counts = of_kind(|c| matches!(c, InputConstraint::Nonzero { .. }));
        let exclusions = of_kind(|c| matches!(c, InputConstraint::Exclude { .. }));
        let mut own = self.clone();
        own.given = numbers.iter().map(|&i| self.given[i].clone()).collect();
        own.linear = filtered(&self.linear, &linear);
        own.cardinalities = filtered(&self.cardinalities, &counts);
        own.exclusions.groups = filtered(&self.exclusions.groups, &exclusions);
        own
    }

    /// The rows of a table whose points satisfy all constraints.
    pub fn satisfying(&self, dimensions: &[Dimension], points: MatRef<'_>) -> Vec<usize> {
        let is_satisfied = |i: &usize| self.is_satisfied(dimensions, &crate::linalg::row(points, *i));
        (0..points.nrows()).filter(is_satisfied).collect()
    }
}

fn filtered<T: Clone>(all: &[T], kept: &[bool]) -> Vec<T> {
    all.iter().zip(kept).filter(|(_, kept)| **kept).map(|(one, _)| one.clone()).collect()
}

impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.lower.is_finite(), self.upper.is_finite()) {
            _ if self.lower == self.upper => write!(f, "= {}", self.lower),
            (true, true) => write!(f, "from {} to {}", self.lower, self.upper),
            (true, false) => write!(f, "≥ {}", self.lower),
            _ => write!(f, "≤ {}", self.upper),
        }
    }
}

impl fmt::Display for InputConstraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InputConstraint::Sum { terms, limits } => {
                for (i, (name, coefficient)) in terms.iter().enumerate() {
                    let sign = match (i, *coefficient < 0.0) {
                        (0, true) => "−",
                        (0, false) => "",
                        (_, true) => " − ",
                        (_, false) => " + ",
                    };
                    let factor =
                        if coefficient.abs() == 1.0 { String::new() } else { format!("{} ", coefficient.abs()) };
                    write!(f, "{sign}{factor}{name}")?;
                }
                write!(f, " {limits}")
            }
            InputConstraint::Ratio { over, under, limits } => write!(f, "{over} / {under} {limits}"),
            InputConstraint::Nonzero { inputs, limits } => {
                write!(f, "inputs other than 0 {limits} of {}", inputs.join(", "))
            }
            InputConstraint::Exclude { inputs, rows } => match rows.as_slice() {
                [row] => {
                    let pairs: Vec<String> =
                        inputs.iter().zip(row).map(|(name, value)| format!("{name} {value}")).collect();
                    write!(f, "not {}", pairs.join(" with "))
                }
                rows => write!(f, "{} excluded combinations of {}", rows.len(), inputs.join(", ")),
            },
        }
    }
}
