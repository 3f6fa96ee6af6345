//! The room above a front, cut into disjoint boxes: what integrals of the hypervolume's improvement are summed over.
//!
//! ```text
//!     V(front ∪ {q}) − V(front) = Σ_cells Π_k max(min(q_k, upper_k) − lower_k, 0)
//! ```
//!
//! In the plane the room above each strip of the staircase is one box. In space the sweep along the third coordinate
//! ends a box wherever a strip ends: n points leave at most 2n + 1 (the count of Yang, Emmerich, Deutz & Bäck 2019, and
//! of Lacour, Klamroth & Fonseca 2017).

use super::above;
use super::staircase::{Staircase, Strip};
use crate::error::{Error, Result};

/// The box of all q with lower < q ≤ upper; where it has no end, `upper` is infinite.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// Its lower corner.
    pub lower: Vec<f64>,
    /// Its upper corner.
    pub upper: Vec<f64>,
}

/// Disjoint boxes that cover all that exceeds the reference and that no point of the front dominates or equals, for up
/// to three coordinates. Points that are dominated change nothing: n others leave at most n + 1 boxes in the plane and
/// 2n + 1 in space.
pub fn cells<P: AsRef<[f64]>>(front: &[P], reference: &[f64]) -> Result<Vec<Cell>> {
    let points = above(front, reference)?;
    let points: Vec<&[f64]> = super::front(&points).into_iter().map(|i| points[i]).collect();
    match *reference {
        [r] => Ok(vec![on_the_line(&points, r)]),
        [x, y] => Ok(in_the_plane(&points, x, y)),
        [x, y, z] => Ok(in_space(points, x, y, z)),
        _ => Err(Error::Unsupported {
            what: format!("the room above a front of {} objectives cannot be cut into cells", reference.len()),
            remedy: "use at most three".into(),
        }),
    }
}

fn on_the_line(points: &[&[f64]], reference: f64) -> Cell {
    let best = points.iter().map(|point| point[0]).fold(reference, f64::max);
    Cell { lower: vec![best], upper: vec![f64::INFINITY] }
}

fn in_the_plane(points: &[&[f64]], x: f64, y: f64) -> Vec<Cell> {
    let mut stairs = Staircase::new(x, y);
    points.iter().for_each(|point| drop(stairs.raise(point[0], point[1], 0.0)));
    let cell = |strip: Strip| Cell { lower: vec![strip.from, strip.height], upper: vec![strip.to, f64::INFINITY] };
    stairs.strips().map(cell).collect()
}

fn in_space(mut points: Vec<&[f64]>, x: f64, y: f64, z: f64) -> Vec<Cell> {
    points.sort_by(|a, b| b[2].total_cmp(&a[2]));
    let (mut stairs, mut cells) = (Staircase::new(x, y), Vec::new());
    let mut end = |strip: Strip, at: f64| {
        // Points at one height cut each other's strips before these have gained any room.
        if strip.since > at {
            let lower = vec![strip.from, strip.height, at];
            cells.push(Cell { lower, upper: vec![strip.to, f64::INFINITY, strip.since] });
        }
    };
    for point in points {
        stairs.raise(point[0], point[1], point[2]).into_iter().for_each(|strip| end(strip, point[2]));
    }
    stairs.strips().for_each(|strip| end(strip, z));
    cells
}
