//! Labels without order that have descriptors: models see the index of each, and know which are alike.

use super::choice::Choices;
use super::descriptors::{DescriptorForm, Descriptors};
use super::domain::{Encoder, Kind};
use super::value::Value;
use std::sync::Arc;

/// One of these labels, of which some are more alike than others.
#[derive(Debug, Clone)]
pub struct DescribedChoices {
    choices: Choices,
    given: Arc<DescriptorForm>,
    descriptors: Result<Descriptors, (String, &'static str)>,
}

impl DescribedChoices {
    /// These labels with a row of numbers for each, and the names of the numbers.
    pub fn new(labels: Vec<Value>, columns: Vec<String>, rows: Vec<Vec<f64>>) -> Self {
        DescribedChoices::of(labels, DescriptorForm { columns, rows })
    }

    pub(super) fn of(labels: Vec<Value>, given: DescriptorForm) -> Self {
        let given = Arc::new(given);
        DescribedChoices { choices: Choices(labels), descriptors: Descriptors::of(given.clone()), given }
    }

    pub(super) fn given(&self) -> &DescriptorForm {
        &self.given
    }

    /// The descriptors; `None` if they are not what a space may have.
    pub fn descriptors(&self) -> Option<&Descriptors> {
        self.descriptors.as_ref().ok()
    }
}

/// Descriptors are what was given, and all else follows from it.
impl PartialEq for DescribedChoices {
    fn eq(&self, other: &Self) -> bool {
        self.choices == other.choices && self.given == other.given
    }
}

impl Kind for DescribedChoices {
    fn name(&self) -> &'static str {
        self.choices.name()
    }

    fn allowed(&self) -> String {
        self.choices.allowed()
    }

    fn fault(&self) -> Option<(String, &'static str)> {
        let labels = self.choices.0.len();
        self.choices.fault().or_else(|| match &self.descriptors {
            Err(fault) => Some(fault.clone()),
            Ok(descriptors) if descriptors.rows().len() != labels => {
                let problem =
                    format!("{} rows of descriptors are given for {labels} choices", descriptors.rows().len());
                Some((problem, "give one for each choice, in the order of these"))
            }
            Ok(_) => None,
        })
    }

    fn choices(&self) -> &[Value] {
        self.choices.choices()
    }

    fn count(&self) -> Option<u64> {
        self.choices.count()
    }

    fn largest(&self) -> f64 {
        self.choices.largest()
    }

    fn from_unit(&self, t: f64) -> f64 {
        self.choices.from_unit(t)
    }

    fn snap(&self, number: f64) -> f64 {
        self.choices.snap(number)
    }

    fn neighbours(&self, number: f64) -> Vec<f64> {
        self.choices.neighbours(number)
    }

    fn encode(&self, value: &Value) -> Option<f64> {
        self.choices.encode(value)
    }

    fn encode_outside(&self, value: &Value) -> Option<f64> {
        self.choices.encode_outside(value)
    }

    fn decode(&self, number: f64) -> Value {
        self.choices.decode(number)
    }

    fn encoder(&self) -> Encoder<'_> {
        self.choices.encoder()
    }
}
