//! What is worth maximising: several functions of one point, scored on a pool together and climbed together.

use crate::error::{Error, Result};
use crate::linalg::{Mat, MatRef};

/// A family of functions u_j(x), its members, each to be maximised over the model's inputs.
///
/// Thompson sampling has one member a path, expected improvement has one member. Points are rows.
pub trait Utility: Sync {
    /// The number of functions.
    fn members(&self) -> usize;

    /// Every member at every row of the pool, [points, members].
    fn score(&self, pool: MatRef<'_, f64>) -> Result<Mat<f64>>;

    /// Member `members[i]` at row i, and its gradient there, [points, inputs].
    fn value_gradient(&self, members: &[usize], points: MatRef<'_, f64>) -> Result<(Vec<f64>, Mat<f64>)>;
}

/// Refuses a list of members that is not one a point, or that names one beyond the `count` there are.
pub fn check_members(members: &[usize], points: usize, count: usize) -> Result<()> {
    if members.len() != points {
        return Err(Error::Shape { what: "the list of members".into(), found: members.len(), expected: points });
    }
    match members.iter().find(|&&member| member >= count) {
        Some(&member) => {
            let must = format!("below the number of members, {count}");
            Err(Error::Parameter { name: "a member".into(), value: member as f64, must })
        }
        None => Ok(()),
    }
}
