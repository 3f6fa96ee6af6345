//! Labels in order, at equal distances.
//!
//! ```text
//!     u = index / (n − 1)
//! ```

use super::choice::Choices;
use super::domain::{Encoder, Kind, Scale};
use super::steps::Steps;
use super::value::Value;

/// Labels of which each lies between the one before it and the one after it: `slow`, `medium`, `fast`.
#[derive(Debug, Clone, PartialEq)]
pub struct OrdinalLabels(Choices);

impl OrdinalLabels {
    /// These labels, in their order.
    pub fn new(labels: Vec<Value>) -> Self {
        OrdinalLabels(Choices(labels))
    }

    fn steps(&self) -> Steps {
        Steps { first: 0.0, last: self.0.largest(), scale: Scale::Linear }
    }
}

impl Kind for OrdinalLabels {
    fn name(&self) -> &'static str {
        "ordinal"
    }

    fn allowed(&self) -> String {
        self.0.allowed()
    }

    fn fault(&self) -> Option<(String, &'static str)> {
        self.0.fault()
    }

    fn choices(&self) -> &[Value] {
        self.0.choices()
    }

    fn is_categorical(&self) -> bool {
        false
    }

    fn count(&self) -> Option<u64> {
        self.0.count()
    }

    fn from_unit(&self, t: f64) -> f64 {
        self.steps().spread(t)
    }

    fn snap(&self, number: f64) -> f64 {
        self.steps().snap(number)
    }

    fn neighbours(&self, number: f64) -> Vec<f64> {
        self.steps().neighbours(number)
    }

    fn nth(&self, index: u64) -> f64 {
        self.steps().nth(index)
    }

    fn encode(&self, value: &Value) -> Option<f64> {
        self.0.encode(value).map(|index| self.steps().number(index))
    }

    fn encode_outside(&self, _: &Value) -> Option<f64> {
        None
    }

    fn decode(&self, number: f64) -> Value {
        self.0.decode(self.steps().index(number))
    }

    fn encoder(&self) -> Encoder<'_> {
        let (index, steps) = (self.0.encoder(), self.steps());
        Box::new(move |value| index(value).map(|index| steps.number(index)))
    }
}
