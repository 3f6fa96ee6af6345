//! Between the user's units and a model's.
//!
//! ```text
//!     x ↦ z(x),   y = ± units⁻¹(u):     ∂y/∂x_k = ± (∂y/∂u) (∂u/∂z_k) (∂z_k/∂x_k)
//! ```

use crate::heavy::unsupported;
use crate::values::Points;
use spargo::data::{OutcomeTransform, Standardizer};
use spargo::linalg::{Mat, MatRef};
use spargo::space::{Point, Scale, Space, Value};
use spargo::{Error, Result};

/// Transforms of inputs and outcomes.
pub enum Frame {
    /// Transforms of a study's output.
    Study { space: Space, units: OutcomeTransform, sign: f64 },
    /// Transforms of a model of plain arrays.
    Plain(Standardizer),
}

/// Points in the model's units, and in the user's if these are no plain numbers.
pub struct Placed {
    pub z: Mat<f64>,
    points: Option<Vec<Point>>,
}

impl Frame {
    /// Number of inputs.
    pub fn dimension(&self) -> usize {
        match self {
            Frame::Study { space, .. } => space.dimensions().len(),
            Frame::Plain(units) => units.inputs.lower.len(),
        }
    }

    /// Rows of numbers in the model's units.
    pub fn inputs(&self, x: Mat<f64>) -> Result<Mat<f64>> {
        let (found, expected) = (x.ncols(), self.dimension());
        match self {
            _ if found != expected => Err(Error::Shape { what: "each point".into(), found, expected }),
            Frame::Plain(units) => Ok(units.inputs.to_model(x.as_ref())),
            Frame::Study { .. } => Ok(self.place(Points::Numbers(x))?.z),
        }
    }

    /// Points in the model's units.
    pub fn place(&self, points: Points) -> Result<Placed> {
        match (self, points) {
            (Frame::Study { space, .. }, points) => {
                let points = points.into_values();
                let rows = points.iter().map(|point| space.encode(point)).collect::<Result<Vec<_>>>()?;
                let z = Mat::from_fn(rows.len(), self.dimension(), |i, k| rows[i][k]);
                Ok(Placed { z, points: Some(points) })
            }
            (Frame::Plain(_), Points::Numbers(x)) => Ok(Placed { z: self.inputs(x)?, points: None }),
            (Frame::Plain(_), Points::Values(_)) => {
                Err(unsupported("points that are not numbers", "give a two-dimensional array"))
            }
        }
    }

    /// A value of f in the user's units.
    pub fn outcome(&self, u: f64) -> f64 {
        match self {
            Frame::Study { units, sign, .. } => sign * units.from_model(u),
            Frame::Plain(units) => units.outcomes.from_model(u),
        }
    }

    /// Mean and variance of f in the user's units.
    pub fn moments(&self, mean: f64, variance: f64) -> (f64, f64) {
        match self {
            Frame::Study { units, sign, .. } => {
                let (mean, variance) = units.moments(mean, variance);
                (sign * mean, variance)
            }
            Frame::Plain(units) => units.outcomes.moments(mean, variance),
        }
    }

    /// Turns ∂u/∂z at u into ∂y/∂x, row by row.
    pub fn gradient(&self, placed: &Placed, u: &[f64], gradient: MatRef<'_, f64>) -> Result<Mat<f64>> {
        let mut slopes = Mat::zeros(u.len(), self.dimension());
        for k in 0..self.dimension() {
            for (i, &u) in u.iter().enumerate() {
                slopes[(i, k)] = self.outcome_slope(u) * gradient[(i, k)] * self.input_slope(placed, i, k)?;
            }
        }
        Ok(slopes)
    }

    fn outcome_slope(&self, u: f64) -> f64 {
        match self {
            Frame::Study { units, sign, .. } => sign * (-units.log_slope(units.from_model(u))).exp(),
            Frame::Plain(units) => units.outcomes.scale(),
        }
    }

    fn input_slope(&self, placed: &Placed, row: usize, k: usize) -> Result<f64> {
        let space = match self {
            Frame::Plain(units) => return Ok(1.0 / units.inputs.range[k]),
            Frame::Study { space, .. } => space,
        };
        let dimension = &space.dimensions()[k];
        let x = match placed.points.as_ref().and_then(|points| points.get(row)).map(|point| &point[k]) {
            Some(Value::Real(x)) => *x,
            Some(Value::Int(i)) => *i as f64,
            _ => f64::NAN,
        };
        let Some((lower, upper, scale)) = dimension.domain.range() else {
            return Err(unsupported(
                format!("a gradient where '{}' is a choice", dimension.name),
                "compare the values of its choices",
            ));
        };
        Ok(match scale {
            _ if lower == upper => 0.0,
            Scale::Linear => 1.0 / (upper - lower),
            Scale::Log => 1.0 / (x * (upper / lower).ln()),
        })
    }
}
