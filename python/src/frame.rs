//! Between the user's units and a model's.
//!
//! ```text
//!     x ↦ z(x),   y = ± units⁻¹(u):     ∂y/∂x_k = ± (∂y/∂u) (∂u/∂z_k) (∂z_k/∂x_k)
//! ```

use crate::arrays::Vector;
use crate::heavy::unsupported;
use crate::values::Points;
use spargo::data::{InputTransform, OutcomeTransform, Standardizer};
use spargo::linalg::{Mat, MatRef};
use spargo::model::Prediction;
use spargo::space::{Point, Scale, Space, Value};
use spargo::{Error, Result};

/// Transforms of inputs and outcomes.
pub struct Frame {
    inputs: Inputs,
    outcomes: OutcomeTransform,
    /// −1 if the model's outcomes are the negated ones.
    sign: f64,
}

enum Inputs {
    /// Inputs of a study.
    Space(Space),
    /// Columns of an array.
    Columns(InputTransform),
}

/// Points in the model's units, and as they are in a study's space.
pub struct Placed {
    pub z: Mat,
    points: Vec<Point>,
}

impl Frame {
    /// Transforms of a study's output.
    pub fn of_study(space: Space, outcomes: OutcomeTransform, sign: f64) -> Self {
        Frame { inputs: Inputs::Space(space), outcomes, sign }
    }

    /// Transforms of a model of plain arrays.
    pub fn of_arrays(units: &Standardizer) -> Self {
        Frame { inputs: Inputs::Columns(units.inputs.clone()), outcomes: units.outcomes, sign: 1.0 }
    }

    /// Points in the model's units.
    pub fn place(&self, points: Points) -> Result<Placed> {
        match (&self.inputs, points) {
            (Inputs::Space(space), points) => {
                let points = points.into_values();
                let rows = points.iter().map(|point| space.encode_observed(point)).collect::<Result<Vec<_>>>()?;
                let z = Mat::from_fn(rows.len(), space.dimensions().len(), |i, k| rows[i][k]);
                Ok(Placed { z, points })
            }
            (Inputs::Columns(columns), Points::Numbers(x)) => {
                let (found, expected) = (x.ncols(), columns.lower.len());
                if found != expected {
                    return Err(Error::Shape { what: "each point".into(), found, expected });
                }
                Ok(Placed { z: columns.to_model(x.as_ref()), points: Vec::new() })
            }
            (Inputs::Columns(_), Points::Values(_)) => {
                Err(unsupported("points that are not numbers", "give a two-dimensional array"))
            }
        }
    }

    /// A value of f in the user's units.
    pub fn outcome(&self, u: f64) -> f64 {
        self.sign * self.outcomes.from_model(u)
    }

    /// Means and variances in the user's units.
    pub fn moments(&self, prediction: Prediction) -> (Vector, Vector) {
        let moments = prediction.mean.into_iter().zip(prediction.variance).map(|(mean, variance)| {
            let (mean, variance) = self.outcomes.moments(mean, variance);
            (self.sign * mean, variance)
        });
        let (mean, variance) = moments.unzip();
        (Vector(mean), Vector(variance))
    }

    /// Turns ∂u/∂z at u into ∂y/∂x, row by row.
    pub fn gradient(&self, placed: &Placed, u: &[f64], gradient: MatRef<'_>) -> Result<Mat> {
        let mut slopes = Mat::zeros(gradient.nrows(), gradient.ncols());
        for k in 0..gradient.ncols() {
            for (i, &u) in u.iter().enumerate() {
                slopes[(i, k)] = match &self.inputs {
                    Inputs::Columns(columns) => self.outcomes.scale() * gradient[(i, k)] * (1.0 / columns.range[k]),
                    Inputs::Space(space) => {
                        let slope = self.sign * (-self.outcomes.log_slope(self.outcomes.from_model(u))).exp();
                        slope * gradient[(i, k)] * input_slope(space, k, &placed.points[i][k])?
                    }
                };
            }
        }
        Ok(slopes)
    }
}

/// ∂z_k/∂x_k where an input of a space has a value.
fn input_slope(space: &Space, k: usize, value: &Value) -> Result<f64> {
    let dimension = &space.dimensions()[k];
    let Some((lower, upper, scale)) = dimension.domain.range() else {
        let what = format!("a gradient where '{}' has labels", dimension.name);
        return Err(unsupported(what, "compare the values of its labels"));
    };
    let x = match value {
        Value::Real(x) => *x,
        Value::Int(i) => *i as f64,
        // Where it is inactive, nothing depends on it.
        Value::Null => return Ok(0.0),
        _ => f64::NAN,
    };
    Ok(match scale {
        _ if lower == upper => 0.0,
        Scale::Linear => 1.0 / (upper - lower),
        Scale::Log => 1.0 / (x * (upper / lower).ln()),
    })
}
