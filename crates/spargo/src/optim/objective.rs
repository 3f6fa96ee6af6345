//! What is worth maximising: several functions of one point, scored on a pool together and climbed together.

use crate::error::{Error, Result, check_length};
use crate::linalg::{Mat, MatRef};

/// A family of functions u_j(x), its elements, each to be maximised over the model's inputs.
///
/// Thompson sampling has one element per path, expected improvement has one element. Points are rows.
pub trait BatchedObjective: Sync {
    /// The number of functions.
    fn elements(&self) -> usize;

    /// Every element at every row of the pool, [points, elements].
    fn score(&self, pool: MatRef<'_>) -> Result<Mat>;

    /// Element `elements[i]` at row i, and its gradient there, [points, inputs].
    fn value_gradient(&self, elements: &[usize], points: MatRef<'_>) -> Result<(Vec<f64>, Mat)>;

    /// Element `elements[i]` at row i: the same numbers as with the gradient, which may cost as much again.
    fn value(&self, elements: &[usize], points: MatRef<'_>) -> Result<Vec<f64>> {
        Ok(self.value_gradient(elements, points)?.0)
    }
}

/// Refuses a list of elements that is not one per point, or that names one beyond the `count` there are.
pub fn check_elements(elements: &[usize], points: usize, count: usize) -> Result<()> {
    check_length("the list of elements", elements.len(), points)?;
    match elements.iter().find(|&&element| element >= count) {
        Some(&element) => {
            let must = format!("below the number of elements, {count}");
            Err(Error::Parameter { name: "an element".into(), value: element as f64, must })
        }
        None => Ok(()),
    }
}
