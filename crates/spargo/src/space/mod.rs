//! The user's inputs, and the numbers by which models see them: one column an input.
//!
//! ```text
//!     Real, linear:  (x − lower) / (upper − lower)           Real, log:  ln(x / lower) / ln(upper / lower)
//!     Int:           the same, at whole numbers only         Categorical:  the index of the choice
//! ```

mod domain;

pub use domain::{Domain, Scale, Value};

use crate::error::Result;
use crate::linalg::{Mat, MatRef};
use serde::{Deserialize, Serialize};

/// One named input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Dimension {
    /// What the user calls it.
    pub name: String,
    /// The values it may take.
    pub domain: Domain,
}

/// A value for each input, in the space's order.
pub type Point = Vec<Value>;

/// Everything that may be evaluated.
#[derive(Debug, Clone)]
pub struct Space {
    dimensions: Vec<Dimension>,
    /// As models see them, [candidates, inputs]; `None` if every point may be evaluated.
    candidates: Option<Mat<f64>>,
}

impl Space {
    /// All points whose inputs lie in their domains.
    pub fn new(dimensions: Vec<Dimension>) -> Result<Self> {
        Ok(Space { dimensions, candidates: None })
    }

    /// Its inputs.
    pub fn dimensions(&self) -> &[Dimension] {
        &self.dimensions
    }

    /// The finite table of points that may be evaluated, as models see them; `None` if every point may be.
    pub fn candidates(&self) -> Option<MatRef<'_, f64>> {
        self.candidates.as_ref().map(Mat::as_ref)
    }

    /// The number of different points, if it is finite (and fits).
    pub fn size(&self) -> Option<u64> {
        match &self.candidates {
            Some(candidates) => Some(candidates.nrows() as u64),
            None => self.dimensions.iter().try_fold(1u64, |size, d| size.checked_mul(d.domain.count()?)),
        }
    }
}
