//! A space and what must hold between its inputs: which points may be evaluated, and where the nearest of them is.
//!
//! ```text
//!     feasible = in the domains, and all input constraints satisfied by the values as they are printed
//! ```

use super::constraints::{Constraints, InputConstraint, LISTED, Relaxation};
use super::{Dimension, Point, Space, Value};
use crate::error::{Error, Result};
use crate::linalg::{Mat, MatRef, select_rows};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

impl Space {
    /// This space with constraints among its inputs. Refuses those that no point satisfies, naming which contradict each other.
    pub fn with_input_constraints(self, constraints: Vec<InputConstraint>) -> Result<Self> {
        if constraints.is_empty() {
            return Ok(self);
        }
        let all = [self.input_constraints(), &constraints].concat();
        let constraints = Constraints::new(&self.dimensions, all)?.map(Arc::new);
        Space { constraints, ..self }.with_some_candidate()
    }

    /// This space with some inputs, by name, at one value each.
    pub fn with_fixed(&self, values: &[(String, Value)]) -> Result<Self> {
        let number = |(name, value): &(String, Value)| {
            let k = self.dimensions.iter().position(|dimension| dimension.name == *name).ok_or_else(|| {
                let names: Vec<&str> = self.dimensions.iter().map(|dimension| dimension.name.as_str()).collect();
                Error::unsupported(
                    format!("there is no input '{name}' to be fixed"),
                    format!("name one of {}", names.join(", ")),
                )
            })?;
            Ok((k, self.dimensions[k].encode(value)?))
        };
        let numbers = values.iter().map(number).collect::<Result<Vec<_>>>()?;
        if numbers.is_empty() {
            return Ok(self.clone());
        }
        let is_twice = |i: &usize| numbers[..*i].iter().any(|(k, _)| *k == numbers[*i].0);
        if let Some(i) = (0..numbers.len()).find(is_twice) {
            return Err(Error::input(&values[i].0, "it is fixed twice", "give it one value"));
        }
        let free = Constraints::none(&self.dimensions);
        let constraints =
            self.constraints.as_deref().unwrap_or(&free).with_fixed(&self.dimensions, &numbers, values)?;
        Space { constraints: Some(Arc::new(constraints)), ..self.clone() }.with_some_candidate()
    }

    fn with_some_candidate(self) -> Result<Self> {
        // Other spaces are listed only once that is wanted.
        match self.table.as_ref().and_then(|_| self.listing()) {
            Some(points) if points.nrows() == 0 => Err(Error::unsupported(
                "no candidate satisfies the input constraints",
                "relax one of them, or add candidates",
            )),
            _ => Ok(self),
        }
    }

    /// The constraints among its inputs, as they were given.
    pub fn input_constraints(&self) -> &[InputConstraint] {
        self.constraints.as_ref().map_or(&[], |constraints| constraints.given())
    }

    /// The first of the input constraints that a point violates.
    pub fn violated(&self, numbers: &[f64]) -> Option<&InputConstraint> {
        let constraints = self.constraints.as_ref()?;
        constraints.violated(&self.dimensions, numbers).map(|number| &constraints.given()[number])
    }

    /// Whether an input has a value at a point.
    pub fn active(&self, numbers: &[f64]) -> Vec<bool> {
        self.constraints.as_ref().map_or_else(|| vec![true; numbers.len()], |constraints| constraints.active(numbers))
    }

    /// Whether inputs depend on each other: by constraints, by conditions, or because one is fixed.
    pub fn is_constrained(&self) -> bool {
        self.constraints.is_some()
    }

    pub(super) fn is_satisfied(&self, numbers: &[f64]) -> bool {
        self.constraints.as_ref().is_none_or(|constraints| constraints.is_satisfied(&self.dimensions, numbers))
    }

    /// Moves numbers outside the domains to the nearest ones inside, and a point that violates input constraints to one nearby that
    /// satisfies them; others stay as they are.
    pub fn clamp(&self, numbers: &mut [f64]) {
        self.clamp_to_domains(numbers);
        if !self.is_satisfied(numbers) {
            self.settle(numbers, &[]);
        }
    }

    /// Moves numbers outside the domains to the nearest ones inside; others stay as they are.
    pub fn clamp_to_domains(&self, numbers: &mut [f64]) {
        self.dimensions.iter().zip(numbers).for_each(|(dimension, number)| *number = dimension.domain.clamp(*number));
    }

    /// Moves every input to the nearest number that a value has, and then the point to one nearby that satisfies the input constraints,
    /// some inputs held. False if none was found.
    pub fn settle(&self, numbers: &mut [f64], held: &[usize]) -> bool {
        self.snap(numbers);
        let Some(constraints) = &self.constraints else { return true };
        constraints.is_satisfied(&self.dimensions, numbers) || constraints.repair(&self.dimensions, numbers, held)
    }

    /// Moves a point of evenly spread ones, one coordinate in [0, 1] per input, to one that may be evaluated. False if none was found.
    pub fn scatter(&self, point: &mut [f64], rng: &mut ChaCha8Rng) -> bool {
        self.dimensions
            .iter()
            .zip(&mut *point)
            .for_each(|(dimension, t)| *t = dimension.domain.snap(dimension.domain.from_unit(*t)));
        self.constraints.as_ref().is_none_or(|constraints| constraints.sample(&self.dimensions, point, rng))
    }

    /// Where inputs of a point may move to, the others held, if there are sums to be satisfied: those that are continuous, and with
    /// `steps` those whose sums and steps would hold them where they are. `ends` has the least and the largest number of an input.
    pub fn relaxation(&self, point: &[f64], ends: impl Fn(usize) -> (f64, f64), steps: bool) -> Option<Relaxation<'_>> {
        let constraints = self.constraints.as_ref()?;
        Some(constraints.relaxation(&self.dimensions, point, ends, steps))
    }

    /// The number of different points, if it is finite and known.
    pub fn size(&self) -> Option<u64> {
        match self.listing() {
            Some(points) => Some(points.nrows() as u64),
            None if self.is_constrained() => None,
            None => self.dimensions.iter().try_fold(1u64, |size, d| size.checked_mul(d.domain.count()?)),
        }
    }

    /// Every point that may be evaluated, where that has to be looked up: the candidates that satisfy the input constraints, or the
    /// combinations of values that do.
    pub fn listing(&self) -> Option<MatRef<'_>> {
        let table = self.candidates();
        let Some(constraints) = &self.constraints else { return table };
        let combinations = constraints.size(&self.dimensions).filter(|&size| size <= LISTED);
        if table.is_none() && combinations.is_none() {
            return None;
        }
        let list = || match table {
            Some(points) => select_rows(points, &constraints.satisfying(&self.dimensions, points)),
            None => constraints.combinations(&self.dimensions, combinations.unwrap_or(0)),
        };
        Some(constraints.listing.get_or_init(list).as_ref())
    }

    /// Encodes values, of which those of inactive inputs must be missing.
    pub(super) fn encode_by(
        &self,
        point: &[Value],
        encode: impl Fn(&Dimension, &Value) -> Result<f64>,
    ) -> Result<Vec<f64>> {
        self.check_length("the list of values", point.len())?;
        let Some(constraints) = &self.constraints else {
            return self.dimensions.iter().zip(point).map(|(dimension, value)| encode(dimension, value)).collect();
        };
        let is_missing = |k: usize| point[k] == Value::Null && self.dimensions[k].when.is_some();
        let number = |k: usize| {
            if is_missing(k) { Ok(constraints.inactive_number(k)) } else { encode(&self.dimensions[k], &point[k]) }
        };
        let numbers = (0..point.len()).map(number).collect::<Result<Vec<f64>>>()?;
        let active = constraints.active(&numbers);
        for (k, dimension) in self.dimensions.iter().enumerate().filter(|(_, dimension)| dimension.when.is_some()) {
            if active[k] && is_missing(k) {
                return Err(dimension.refuse(&point[k]));
            }
            if !active[k] && !is_missing(k) {
                let condition = dimension.when.as_ref().map(|when| when.to_string()).unwrap_or_default();
                let problem = format!("it has the value {}, but only has one where {condition}", point[k]);
                return Err(Error::input(&dimension.name, problem, "leave the cell empty"));
            }
        }
        Ok(numbers)
    }

    /// A point with some of its values changed by hand, as it would be asked for: inactive inputs have no value, and those that have
    /// become active the middle of their range.
    pub fn completed(&self, point: &[Value]) -> Result<Point> {
        let Some(constraints) = &self.constraints else { return Ok(point.to_vec()) };
        let is_missing = |k: usize| point[k] == Value::Null && self.dimensions[k].when.is_some();
        let number = |k: usize| {
            if is_missing(k) {
                Ok(constraints.inactive_number(k))
            } else {
                self.dimensions[k].encode_observed(&point[k])
            }
        };
        let numbers = (0..point.len()).map(number).collect::<Result<Vec<f64>>>()?;
        let active = constraints.active(&numbers);
        let value = |k: usize| match (active[k], is_missing(k)) {
            (false, _) => Ok(Value::Null),
            (true, true) => self.dimensions[k].decode(numbers[k]),
            (true, false) => Ok(point[k].clone()),
        };
        (0..point.len()).map(value).collect()
    }

    /// A point with one of its values changed by hand, and the others moved as little as the input constraints ask for; as it is, with
    /// values where inputs have some, if no point close by satisfies them.
    pub fn nearest_with(&self, point: &[Value], changed: usize) -> Result<Point> {
        let point = self.completed(point)?;
        let mut numbers = self.encode_observed(&point)?;
        let is_moved = !self.is_satisfied(&numbers) && self.settle(&mut numbers, &[changed]);
        if is_moved { self.decode(&numbers) } else { Ok(point) }
    }

    /// A point with the values of fixed inputs as they were given.
    pub(super) fn as_fixed(&self, numbers: &[f64], point: Point) -> Point {
        match &self.constraints {
            Some(constraints) => constraints.as_fixed(numbers, point),
            None => point,
        }
    }

    /// A point without the values of inactive inputs.
    pub(super) fn without_inactive(&self, numbers: &[f64], mut point: Point) -> Point {
        if let Some(constraints) = &self.constraints {
            let active = constraints.active(numbers);
            (0..point.len()).filter(|&k| !active[k]).for_each(|k| point[k] = Value::Null);
        }
        point
    }
}

impl Constraints {
    /// All different combinations of values that satisfy everything, the first input turning fastest.
    fn combinations(&self, dimensions: &[Dimension], size: u64) -> Mat {
        let mut seen = std::collections::HashSet::new();
        let mut points: Vec<Vec<f64>> = Vec::new();
        for number in 0..size {
            let point = self.combination(dimensions, number);
            // Where an input is inactive its values are one.
            let is_new = dimensions.iter().all(|dimension| dimension.when.is_none())
                || seen.insert(point.iter().map(|v| v.to_bits()).collect::<Vec<u64>>());
            if is_new && self.is_satisfied(dimensions, &point) {
                points.push(point);
            }
        }
        Mat::from_fn(points.len(), dimensions.len(), |i, k| points[i][k])
    }
}
