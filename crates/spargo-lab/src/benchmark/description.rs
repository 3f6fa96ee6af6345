//! What a program says of the function that it evaluates.

use serde::{Deserialize, Serialize};
use spargo::space::{Dimension, Space, Value};

/// The first line that such a program prints.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    /// Name of the problem in tables and drawings.
    pub name: String,
    /// Number of inputs, each from 0 to 1; instead of `inputs`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dimension: Option<usize>,
    /// Lower and upper bound of each input; instead of `dimension`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inputs: Option<Vec<(f64, f64)>>,
    /// The space as studies hold it, with steps, conditions and input constraints; instead of `inputs`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub space: Option<Space>,
    /// The least value of f, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minimum: Option<f64>,
    /// Mean of f over its inputs.
    #[serde(default)]
    pub mean: f64,
    /// Standard deviation of f over its inputs.
    #[serde(default = "one")]
    pub std: f64,
    /// Variance of the noise that the laboratory adds, after scaling by `std`.
    #[serde(default)]
    pub noise: f64,
    /// Seconds that an answer may take.
    #[serde(default = "ten_minutes")]
    pub timeout: f64,
}

fn one() -> f64 {
    1.0
}

fn ten_minutes() -> f64 {
    600.0
}

impl Description {
    /// Its space; inputs without names are x1, x2, …
    pub(super) fn space(&self) -> spargo::Result<Space> {
        if let Some(space) = &self.space {
            return Ok(space.clone());
        }
        let bounds = self.bounds();
        let inputs = bounds.iter().enumerate();
        let inputs = inputs.map(|(k, (lower, upper))| Dimension::real(format!("x{}", k + 1), *lower, *upper));
        Space::new(inputs.collect())
    }

    /// Lower and upper bound of each input that has no name.
    fn bounds(&self) -> Vec<(f64, f64)> {
        self.inputs.clone().unwrap_or_else(|| vec![(0.0, 1.0); self.dimension.unwrap_or(0)])
    }

    /// g, to be maximised, for a value of f.
    pub(super) fn scale(&self, value: f64) -> f64 {
        (self.mean - value) / self.std
    }

    /// What is wrong with it, if anything.
    pub(super) fn fault(&self) -> Option<&'static str> {
        let given = [self.inputs.is_some(), self.dimension.is_some(), self.space.is_some()];
        let faults = [
            (self.name.trim().is_empty(), "has no name"),
            (
                given.into_iter().filter(|&is_given| is_given).count() != 1,
                "has none or several of 'inputs', 'dimension' and 'space'",
            ),
            (self.space.is_none() && self.bounds().is_empty(), "has no inputs"),
            (
                self.space.as_ref().is_some_and(|space| space.dimensions().iter().any(has_words)),
                "has an input whose values are words",
            ),
            (
                !self.bounds().iter().all(|(lower, upper)| lower < upper && (upper - lower).is_finite()),
                "has an input whose lower bound is not below its upper bound",
            ),
            (!(self.noise >= 0.0 && self.noise.is_finite()), "has a negative 'noise'"),
            (!(self.std > 0.0 && self.std.is_finite()), "has a 'std' that is not positive"),
            (!(self.timeout > 0.0 && self.timeout <= 1e9), "has a 'timeout' that is not positive"),
        ];
        faults.into_iter().find(|(wrong, _)| *wrong).map(|(_, fault)| fault)
    }
}

/// Whether an input has values that are no numbers: they could not be sent.
fn has_words(dimension: &Dimension) -> bool {
    dimension.domain.choices().iter().any(|label| !matches!(label, Value::Int(_) | Value::Real(_)))
}
