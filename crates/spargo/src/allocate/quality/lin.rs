//! The outcome above the worst one, q_i = y_i − min y: for outcomes without noise.

use super::{QualityFunction, lowest, single};
use crate::data::AllocationContext;
use crate::error::Result;

#[derive(Debug)]
pub(super) struct Linear;

impl QualityFunction for Linear {
    fn name(&self) -> &str {
        "lin"
    }

    fn evaluate(&self, context: &AllocationContext, _: usize) -> Result<Vec<f64>> {
        let y = single(self, context)?.y();
        let worst = lowest(y);
        Ok(y.iter().map(|y| (y - worst).max(0.0)).collect())
    }
}
