//! Pareto fronts, the volume below them and the room above them, for points to be maximised in every coordinate.
//!
//! ```text
//!     a dominates b  ⇔  a ≥ b in every coordinate and a ≠ b
//!     hypervolume    =  volume of { q : r ≤ q ≤ p for a point p },   r the reference
//!     knee           =  the point whose largest shortfall from the front's best values, in shares of its ranges, is smallest
//!     cells          =  { q > r : q ≤ p for no point p }, cut into boxes
//! ```

mod cells;
mod front;
mod knee;
mod staircase;
mod volume;

pub use cells::{Cell, cells};
pub use front::front;
pub use knee::knee;
pub use volume::hypervolume;

use crate::error::{Error, Result};

/// The points that exceed the reference in every coordinate: no other bounds any volume above it.
fn above<'a, P: AsRef<[f64]>>(points: &'a [P], reference: &[f64]) -> Result<Vec<&'a [f64]>> {
    check_reference(reference)?;
    for (row, point) in points.iter().enumerate() {
        check_point(row, point.as_ref(), reference.len())?;
    }
    let exceeds = |point: &&[f64]| point.iter().zip(reference).all(|(p, r)| p > r);
    Ok(points.iter().map(P::as_ref).filter(exceeds).collect())
}

fn check_reference(reference: &[f64]) -> Result<()> {
    if reference.is_empty() {
        return Err(Error::Empty { what: "the reference point".into() });
    }
    match reference.iter().enumerate().find(|(_, value)| !value.is_finite()) {
        None => Ok(()),
        Some((k, &value)) => Err(Error::Parameter {
            name: format!("objective {k} of the reference point"),
            value,
            must: "finite".into(),
        }),
    }
}

fn check_point(row: usize, point: &[f64], objectives: usize) -> Result<()> {
    if point.len() != objectives {
        let what = format!("row {row} of the points");
        return Err(Error::Shape { what, found: point.len(), expected: objectives });
    }
    match point.iter().enumerate().find(|(_, value)| !value.is_finite()) {
        None => Ok(()),
        Some((k, &value)) => Err(Error::NonFinite { what: format!("objective {k} of the points"), row, value }),
    }
}
