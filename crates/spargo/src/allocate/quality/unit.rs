//! The same quality everywhere, q = 1: conditional variance reduction.

use super::{Needs, QualityFunction};
use crate::data::AllocationContext;
use crate::error::Result;

#[derive(Debug)]
pub(super) struct Unit;

impl QualityFunction for Unit {
    fn name(&self) -> &str {
        "unit"
    }

    fn needs(&self) -> Needs {
        Needs::Nothing
    }

    fn evaluate(&self, context: &AllocationContext, _: usize) -> Result<Vec<f64>> {
        Ok(vec![1.0; context.rows()])
    }
}
