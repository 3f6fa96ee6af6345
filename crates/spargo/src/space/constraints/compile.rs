//! From constraints on named inputs to constraints on their numbers; what cannot be meant is refused.

use super::axis::Axis;
use super::cardinality::Cardinality;
use super::condition::Condition;
use super::exclusion::{Exclusions, Group};
use super::{Constraints, InputConstraint, Limits, Linear};
use crate::error::{Error, Result};
use crate::space::dimension::Dimension;
use std::sync::OnceLock;

impl Constraints {
    /// `None` if there are neither constraints nor conditional inputs.
    pub fn new(dimensions: &[Dimension], given: Vec<InputConstraint>) -> Result<Option<Self>> {
        if given.is_empty() && dimensions.iter().all(|dimension| dimension.when.is_none()) {
            return Ok(None);
        }
        let (conditions, order) = conditions(dimensions)?;
        let mut own = Constraints { given, conditions, order, ..Constraints::none(dimensions) };
        for number in 0..own.given.len() {
            own.add(dimensions, number).map_err(|error| Error::InputConstraint { number, error: Box::new(error) })?;
        }
        own.find_anchor(dimensions)?;
        Ok(Some(own))
    }

    /// Nothing that has to be satisfied.
    pub fn none(dimensions: &[Dimension]) -> Self {
        Constraints {
            given: Vec::new(),
            axes: dimensions.iter().map(|dimension| Axis::of(&dimension.domain)).collect(),
            linear: Vec::new(),
            cardinalities: Vec::new(),
            exclusions: Exclusions::default(),
            conditions: dimensions.iter().map(|_| None).collect(),
            order: (0..dimensions.len()).collect(),
            fixed: vec![None; dimensions.len()],
            fixed_values: vec![None; dimensions.len()],
            anchor: Vec::new(),
            centre: OnceLock::new(),
            listing: OnceLock::new(),
        }
    }

    fn add(&mut self, dimensions: &[Dimension], number: usize) -> Result<()> {
        self.given[number].check()?;
        match &self.given[number] {
            InputConstraint::Sum { terms, limits } => {
                let names = terms.iter().map(|(name, _)| name);
                let inputs = self.numeric(dimensions, names)?;
                let terms: Vec<_> = inputs.into_iter().zip(terms.iter().map(|(_, coefficient)| *coefficient)).collect();
                if let Some((k, _)) =
                    terms.iter().find(|(_, coefficient)| !coefficient.is_finite() || *coefficient == 0.0)
                {
                    let name = &dimensions[*k].name;
                    return Err(Error::input(
                        name,
                        "its coefficient in a sum is 0 or not finite",
                        "leave it out, or correct it",
                    ));
                }
                self.linear.push(Linear { terms, limits: *limits, needs_all: false });
            }
            InputConstraint::Ratio { over, under, limits } => {
                let inputs = self.numeric(dimensions, [over, under].into_iter())?;
                let rows = ratio(dimensions, (inputs[0], inputs[1]), *limits)?;
                self.linear.push(rows);
            }
            InputConstraint::Nonzero { inputs, limits } => {
                let inputs = self.numeric(dimensions, inputs.iter())?;
                let has_zero = |&k: &usize| {
                    self.axes[k].as_ref().is_some_and(|axis| {
                        let zero = axis.position_of(0.0);
                        (0.0..=1.0).contains(&zero)
                            && (axis.is_continuous() || axis.value_at(axis.level(axis.nearest(zero))) == 0.0)
                    })
                };
                if let Some(&k) = inputs.iter().find(|k| !has_zero(k)) {
                    let remedy = "let its range contain 0, or leave it out of nonzero";
                    return Err(Error::input(&dimensions[k].name, "it can never be 0", remedy));
                }
                if limits.upper < 0.0
                    || limits.lower > inputs.len() as f64
                    || limits.lower.ceil() > limits.upper.floor()
                {
                    let problem = format!("no number of {} inputs is within the limits of nonzero", inputs.len());
                    return Err(Error::unsupported(problem, "correct at-least, at-most or equals"));
                }
                self.cardinalities.push(Cardinality { inputs, limits: *limits });
            }
            InputConstraint::Exclude { inputs, rows } => {
                let places = named(dimensions, inputs.iter())?;
                if let Some(&k) = places.iter().find(|&&k| dimensions[k].domain.is_continuous()) {
                    let remedy = "give it step, digits or values, or write a sum with at-least or at-most";
                    return Err(Error::input(
                        &dimensions[k].name,
                        "single values of a continuous input cannot be excluded",
                        remedy,
                    ));
                }
                let encode =
                    |row: &Vec<_>| places.iter().zip(row).map(|(&k, value)| dimensions[k].encode(value)).collect();
                let rows: Vec<Vec<f64>> = rows.iter().map(encode).collect::<Result<_>>()?;
                self.exclusions.groups.push(Group::new(places, &rows));
            }
        }
        Ok(())
    }

    /// The places of inputs whose values are numbers.
    fn numeric<'a>(&self, dimensions: &[Dimension], names: impl Iterator<Item = &'a String>) -> Result<Vec<usize>> {
        let places = named(dimensions, names)?;
        match places.iter().find(|&&k| self.axes[k].is_none()) {
            Some(&k) => {
                let remedy = "name inputs whose values are numbers (real, int or values)";
                Err(Error::input(
                    &dimensions[k].name,
                    "its values are no numbers that could be added or compared",
                    remedy,
                ))
            }
            None => Ok(places),
        }
    }
}

impl InputConstraint {
    /// Refuses limits that are none, and combinations of too few or too many values.
    fn check(&self) -> Result<()> {
        match self {
            InputConstraint::Sum { limits, .. }
            | InputConstraint::Ratio { limits, .. }
            | InputConstraint::Nonzero { limits, .. } => {
                let Limits { lower, upper } = *limits;
                let is_range = lower <= upper && lower < f64::INFINITY && upper > f64::NEG_INFINITY;
                if is_range && (lower.is_finite() || upper.is_finite()) {
                    return Ok(());
                }
                Err(Error::unsupported(
                    "its limits leave out nothing, or everything",
                    "give equals, at-least or at-most",
                ))
            }
            InputConstraint::Exclude { inputs, rows } => match rows.iter().find(|row| row.len() != inputs.len()) {
                Some(row) => {
                    let (what, found) = ("an excluded combination".into(), row.len());
                    Err(Error::Shape { what, found, expected: inputs.len() })
                }
                None => Ok(()),
            },
        }
    }
}

/// The places of inputs, each named once.
fn named<'a>(dimensions: &[Dimension], names: impl Iterator<Item = &'a String>) -> Result<Vec<usize>> {
    let mut places: Vec<usize> = Vec::new();
    for name in names {
        let place = place_of(dimensions, name)?;
        if places.contains(&place) {
            return Err(Error::input(name, "an input constraint names it twice", "name it once"));
        }
        places.push(place);
    }
    if places.is_empty() {
        return Err(Error::unsupported("an input constraint names no input", "name the inputs that it is about"));
    }
    Ok(places)
}

fn place_of(dimensions: &[Dimension], name: &str) -> Result<usize> {
    dimensions.iter().position(|dimension| dimension.name == name).ok_or_else(|| {
        let inputs: Vec<&str> = dimensions.iter().map(|dimension| dimension.name.as_str()).collect();
        Error::unsupported(format!("there is no input '{name}'"), format!("name one of {}", inputs.join(", ")))
    })
}

/// x / y between limits, as a sum; with two limits that differ one sum cannot say it.
fn ratio(dimensions: &[Dimension], (over, under): (usize, usize), limits: Limits) -> Result<Linear> {
    let name = &dimensions[under].name;
    if dimensions[under].domain.range().is_none_or(|(lower, ..)| lower < 0.0) {
        return Err(Error::input(
            name,
            "what a ratio is divided by can be negative",
            "raise its lower end to 0 or above",
        ));
    }
    let Limits { lower, upper } = limits;
    if lower.is_finite() && upper.is_finite() && lower < upper {
        let remedy = "write two input constraints, one with at-least and one with at-most";
        return Err(Error::unsupported("a ratio has two limits", remedy));
    }
    // With x / y ≥ b the sum x − b y is at least 0.
    let (bound, limits) = if lower.is_finite() && lower == upper {
        (lower, Limits { lower: 0.0, upper: 0.0 })
    } else if lower.is_finite() {
        (lower, Limits { lower: 0.0, upper: f64::INFINITY })
    } else {
        (upper, Limits { lower: f64::NEG_INFINITY, upper: 0.0 })
    };
    let mut terms = vec![(over, 1.0)];
    if bound != 0.0 {
        terms.push((under, -bound));
    }
    Ok(Linear { terms, limits, needs_all: true })
}

type Conditions = (Vec<Option<Condition>>, Vec<usize>);

/// What conditional inputs depend on, and an order in which each stands after that.
fn conditions(dimensions: &[Dimension]) -> Result<Conditions> {
    let of = |dimension: &Dimension| -> Result<Option<Condition>> {
        let Some(when) = &dimension.when else { return Ok(None) };
        let name = &dimension.name;
        if when.0.is_empty() || when.0.iter().any(|(_, values)| values.is_empty()) {
            return Err(Error::input(
                name,
                "its condition names no input or no value",
                "write when = { input = value }",
            ));
        }
        let mut parents = Vec::new();
        for (parent, values) in &when.0 {
            let place = place_of(dimensions, parent)?;
            let other = &dimensions[place];
            if other.domain.is_continuous() {
                let remedy = "let it depend on a choice, an int, or an input with step, digits or values";
                return Err(Error::input(
                    name,
                    format!("it depends on single values of '{parent}', which is continuous"),
                    remedy,
                ));
            }
            let encode = |value| {
                let problem = || format!("its condition has {parent} = {value}, which is none of its values");
                let remedy = || format!("give {}", other.domain.allowed());
                other.encode(value).map_err(|_| Error::input(name, problem(), remedy()))
            };
            parents.push((place, values.iter().map(encode).collect::<Result<_>>()?));
        }
        let number = if dimension.domain.is_categorical() { 0.0 } else { dimension.domain.snap(0.5) };
        Ok(Some(Condition { parents, number }))
    };
    let conditions: Vec<Option<Condition>> = dimensions.iter().map(of).collect::<Result<_>>()?;
    let mut order: Vec<usize> = Vec::new();
    while order.len() < dimensions.len() {
        let is_known = |k: &usize| order.contains(k);
        let is_ready =
            |k: usize| conditions[k].as_ref().is_none_or(|own| own.parents.iter().all(|(parent, _)| is_known(parent)));
        let next: Vec<usize> = (0..dimensions.len()).filter(|k| !is_known(k) && is_ready(*k)).collect();
        if next.is_empty() {
            let name = (0..dimensions.len()).find(|k| !is_known(k)).map_or("", |k| &dimensions[k].name);
            return Err(Error::input(
                name,
                "its condition depends on itself",
                "let conditions lead from input to input without a circle",
            ));
        }
        order.extend(next);
    }
    Ok((conditions, order))
}
