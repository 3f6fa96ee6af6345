//! One named input: what it may be, said so that a refusal names it.

use super::choice::Choices;
use super::constraints::When;
use super::described::DescribedChoices;
use super::domain::{Domain, Scale};
use super::form::InputForm;
use super::grid::{GridRange, Spacing};
use super::int::IntRange;
use super::listed::ListedValues;
use super::ordinal::OrdinalLabels;
use super::real::RealRange;
use super::value::Value;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// Largest difference that is taken for a spreadsheet's rounding, as a share of an input's range.
const ROUNDING: f64 = 0.01;

/// One named input, written as `{ name = "temperature", real = [20.0, 80.0], log = true }` (with `step = 0.5` or `digits = 2` on a grid), `{ name = "layers", int =
/// [1, 8] }`, `{ name = "buffer", values = [5.5, 6, 7, 8] }`, `{ name = "stirring", ordinal = ["slow", "fast"] }` or `{ name = "metal", choice =
/// ["Pd", "Ni"] }`; labels may be numbers, true and false, too.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "InputForm", into = "InputForm")]
pub struct Dimension {
    /// What the user calls it.
    pub name: String,
    /// The values it may take.
    pub domain: Domain,
    /// What its values are measured in, as the headers of tables say it: `°C`.
    pub unit: Option<String>,
    /// The value that trials had before the study had this input.
    pub past: Option<Value>,
    /// Where it has a value, if not everywhere.
    pub when: Option<When>,
}

impl Dimension {
    /// An input with these values, without a unit.
    pub fn new(name: impl Into<String>, domain: Domain) -> Self {
        Dimension { name: name.into(), domain, unit: None, past: None, when: None }
    }

    /// A real number between two ends.
    pub fn real(name: impl Into<String>, lower: f64, upper: f64) -> Self {
        Dimension::new(name, Domain::Real(RealRange { lower, upper, scale: Scale::Linear }))
    }

    /// A whole number between two ends.
    pub fn int(name: impl Into<String>, lower: i64, upper: i64) -> Self {
        Dimension::new(name, Domain::Int(IntRange { lower, upper, scale: Scale::Linear }))
    }

    /// One of several numbers, listed in any order.
    pub fn values<T: Clone + Into<Value>>(name: impl Into<String>, values: &[T]) -> Self {
        let values = values.iter().cloned().map(Into::into).collect();
        Dimension::new(name, Domain::Listed(ListedValues::new(values, Scale::Linear)))
    }

    /// One of several labels in order, each as far from the next as any other: texts, numbers, true, false or null.
    pub fn ordinal<T: Clone + Into<Value>>(name: impl Into<String>, labels: &[T]) -> Self {
        let labels = labels.iter().cloned().map(Into::into).collect();
        Dimension::new(name, Domain::Ordinal(OrdinalLabels::new(labels)))
    }

    /// One of several labels without order: texts, numbers, true, false or null.
    pub fn choice<T: Clone + Into<Value>>(name: impl Into<String>, choices: &[T]) -> Self {
        let choices = choices.iter().cloned().map(Into::into).collect();
        Dimension::new(name, Domain::Categorical(Choices(choices)))
    }

    /// This input with its range divided evenly in the logarithm; nothing changes for labels.
    pub fn log(mut self) -> Self {
        match &mut self.domain {
            Domain::Real(RealRange { scale, .. }) | Domain::Int(IntRange { scale, .. }) => *scale = Scale::Log,
            Domain::Grid(range) => {
                let (lower, upper) = range.ends();
                *range = GridRange::new(lower, upper, Scale::Log, range.spacing());
            }
            Domain::Listed(values) => *values = ListedValues::new(values.given().to_vec(), Scale::Log),
            Domain::Ordinal(_) | Domain::Categorical(_) | Domain::Described(_) => {}
        }
        self
    }

    /// This real input at its lower end and on from there in steps of this length only; nothing changes for others.
    pub fn step(self, step: f64) -> Self {
        self.spaced(Spacing::Step(step))
    }

    /// This real input at numbers with so many decimal places only; nothing changes for others.
    pub fn digits(self, digits: u32) -> Self {
        self.spaced(Spacing::Digits(digits))
    }

    fn spaced(mut self, spacing: Spacing) -> Self {
        let (lower, upper, scale) = match &self.domain {
            Domain::Real(RealRange { lower, upper, scale }) => (*lower, *upper, *scale),
            Domain::Grid(range) => (range.ends().0, range.ends().1, range.scale()),
            _ => return self,
        };
        self.domain = Domain::Grid(GridRange::new(lower, upper, scale, spacing));
        self
    }

    /// This choice with descriptors: a row of numbers for each label, in the order of these, and the names of the numbers; nothing
    /// changes for others.
    pub fn descriptors(mut self, columns: Vec<String>, rows: Vec<Vec<f64>>) -> Self {
        if self.domain.is_categorical() {
            let labels = self.domain.choices().to_vec();
            self.domain = Domain::Described(DescribedChoices::new(labels, columns, rows));
        }
        self
    }

    /// This input with a unit.
    pub fn unit(self, unit: impl Into<String>) -> Self {
        Dimension { unit: Some(unit.into()), ..self }
    }

    /// This input with the value that trials had before the study had it.
    pub fn past(self, value: impl Into<Value>) -> Self {
        Dimension { past: Some(value.into()), ..self }
    }

    /// This input with a value only where another one has one of these; where that is so for several, all must.
    pub fn when<T: Clone + Into<Value>>(mut self, input: impl Into<String>, values: &[T]) -> Self {
        let values = values.iter().cloned().map(Into::into).collect();
        self.when.get_or_insert_default().0.push((input.into(), values));
        self
    }

    /// Its name, followed by its unit if it has one: `temperature (°C)`.
    pub fn label(&self) -> String {
        match &self.unit {
            Some(unit) => format!("{} ({unit})", self.name),
            None => self.name.clone(),
        }
    }

    /// The number by which models see a value.
    pub fn encode(&self, value: &Value) -> Result<f64> {
        self.domain.encode(value).ok_or_else(|| self.refuse(value))
    }

    /// The number by which models see a value that was observed, inside the domain or outside.
    pub fn encode_observed(&self, value: &Value) -> Result<f64> {
        let number = self.domain.encode(value).or_else(|| self.domain.encode_outside(value));
        number.ok_or_else(|| Error::Value {
            input: self.name.clone(),
            value: value.to_string(),
            allowed: self.domain.observable(),
        })
    }

    /// Whether two values that were observed are the same: real ones but for a spreadsheet's rounding, a hundredth of the range.
    pub fn is_same(&self, a: &Value, b: &Value) -> bool {
        let is_close = |a: f64, b: f64| match self.domain {
            Domain::Real(_) | Domain::Grid(_) => (a - b).abs() <= ROUNDING,
            // Two listed values may be closer than that.
            Domain::Listed(_) => (a - b).abs() <= ROUNDING && self.domain.snap(a) == self.domain.snap(b),
            _ => a == b,
        };
        match (self.encode_observed(a), self.encode_observed(b)) {
            (Ok(a), Ok(b)) => is_close(a, b),
            // What has no place in the domain any more may be the same all the same.
            _ => a == b,
        }
    }

    /// The value with the nearest number.
    pub fn decode(&self, number: f64) -> Result<Value> {
        if number.is_nan() { Err(self.refuse(&Value::Real(number))) } else { Ok(self.domain.decode(number)) }
    }

    pub(super) fn refuse(&self, value: &Value) -> Error {
        Error::Value { input: self.name.clone(), value: value.to_string(), allowed: self.domain.allowed() }
    }

    /// Refuses what is no domain. Inputs that can take only one value pass: a table may have such columns.
    pub(super) fn check(&self) -> Result<()> {
        let blank = self.unit.as_ref().is_some_and(|unit| unit.trim().is_empty() || unit.contains(char::is_control));
        let unit = blank.then(|| ("its unit is blank or has control characters".into(), "leave it out"));
        let past = self.past.as_ref().filter(|past| self.encode_observed(past).is_err());
        let past = past.map(|past| (format!("the value of the past {past} is none of its values"), "give one that is"));
        self.domain
            .fault()
            .or(unit)
            .or(past)
            .map_or(Ok(()), |(problem, remedy)| Err(Error::input(&self.name, problem, remedy)))
    }

    /// Refuses an input that can take only one value: nothing can be learned about it.
    pub(super) fn check_varies(&self) -> Result<()> {
        if !self.domain.is_constant() {
            return Ok(());
        }
        Err(Error::input(&self.name, "it can take only one value", "leave it out, or give it more room"))
    }
}
