//! What a new point could gain: the region above the reference that the front does not dominate, cut into boxes.
//!
//! ```text
//!     {y > reference : no p in front has p ≥ y} = ∪ (lower, upper],     the boxes disjoint
//! ```
//!
//! Two objectives make a staircase, a strip for each step. With three, points come by falling third coordinate: what a point
//! is the first to dominate in the plane of the other two is free above it, and what none dominates is free everywhere.
//! A point takes a rectangle for each step of the staircase that it buries, so n points make at most 3n + 1 boxes (the
//! idea of the sweep in Yang et al. 2019).

use crate::error::{Error, Result};

/// A box (lower, upper]; its upper corner may be infinite.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cell {
    pub lower: Vec<f64>,
    pub upper: Vec<f64>,
}

/// The boxes of the region that no row of the front dominates, for one, two or three objectives to be maximised.
///
/// Rows that others dominate, that come twice or that are not above the reference change nothing.
pub(super) fn cells(front: &[Vec<f64>], reference: &[f64]) -> Result<Vec<Cell>> {
    if let Some(row) = front.iter().find(|row| row.len() != reference.len()) {
        let what = "a row of the front".into();
        return Err(Error::Shape { what, found: row.len(), expected: reference.len() });
    }
    let front: Vec<&[f64]> = front.iter().map(Vec::as_slice).filter(|row| above(row, reference)).collect();
    match *reference {
        [low] => {
            let best = front.iter().map(|row| row[0]).fold(low, f64::max);
            Ok(vec![Cell { lower: vec![best], upper: vec![f64::INFINITY] }])
        }
        [x, y] => {
            let mut stairs = Stairs::new(x, y);
            front.iter().for_each(|row| drop(stairs.bury(row[0], row[1])));
            Ok(stairs.free().map(|free| free.cell(&[])).collect())
        }
        [x, y, z] => Ok(sweep(front, Stairs::new(x, y), z)),
        _ => Err(Error::Unsupported {
            what: format!("the expected hypervolume improvement of {} objectives", reference.len()),
            remedy: "use it for up to three, and Chebyshev scalarisation for more".into(),
        }),
    }
}

fn above(row: &[f64], reference: &[f64]) -> bool {
    row.iter().zip(reference).all(|(row, reference)| row > reference)
}

fn sweep(mut front: Vec<&[f64]>, mut stairs: Stairs, reference: f64) -> Vec<Cell> {
    front.sort_by(|a, b| b[2].total_cmp(&a[2]));
    let mut cells = Vec::with_capacity(3 * front.len() + 1);
    for row in front {
        cells.extend(stairs.bury(row[0], row[1]).iter().map(|buried| buried.cell(&[(row[2], f64::INFINITY)])));
    }
    cells.extend(stairs.free().map(|free| free.cell(&[(reference, f64::INFINITY)])));
    cells
}

/// A staircase in the plane: its corners by growing x, and so by falling y.
struct Stairs {
    x: f64,
    y: f64,
    corners: Vec<[f64; 2]>,
}

/// A rectangle of the plane.
struct Rectangle {
    x: (f64, f64),
    y: (f64, f64),
}

impl Rectangle {
    fn cell(&self, more: &[(f64, f64)]) -> Cell {
        let (lower, upper) = [self.x, self.y].iter().chain(more).copied().unzip();
        Cell { lower, upper }
    }
}

impl Stairs {
    fn new(x: f64, y: f64) -> Self {
        Stairs { x, y, corners: Vec::new() }
    }

    /// Adds a corner, and returns what it is the first to dominate.
    fn bury(&mut self, x: f64, y: f64) -> Vec<Rectangle> {
        // Steps to the right of x are lower than those to its left.
        let right = self.corners.partition_point(|corner| corner[0] < x);
        let floor = self.corners.get(right).map_or(self.y, |corner| corner[1]);
        if floor >= y {
            return Vec::new();
        }
        let left = self.corners.partition_point(|corner| corner[0] < x && corner[1] > y);
        // A corner straight above or below takes part only by its height.
        let buried_end = right + usize::from(self.corners.get(right).is_some_and(|corner| corner[0] == x));
        let mut rectangles = Vec::with_capacity(right - left + 1);
        let mut from = left.checked_sub(1).map_or(self.x, |i| self.corners[i][0]);
        for corner in &self.corners[left..right] {
            // A step as high as the new one has nothing between them.
            if corner[1] < y {
                rectangles.push(Rectangle { x: (from, corner[0]), y: (corner[1], y) });
            }
            from = corner[0];
        }
        rectangles.push(Rectangle { x: (from, x), y: (floor, y) });
        self.corners.splice(left..buried_end, [[x, y]]);
        rectangles
    }

    /// The strips above the steps, and the one beyond the last.
    fn free(&self) -> impl Iterator<Item = Rectangle> {
        let starts = std::iter::once(self.x).chain(self.corners.iter().map(|corner| corner[0]));
        let ends = self.corners.iter().copied().chain([[f64::INFINITY, self.y]]);
        starts.zip(ends).map(|(from, [to, floor])| Rectangle { x: (from, to), y: (floor, f64::INFINITY) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, stream, uniform};

    fn holds(cell: &Cell, y: &[f64]) -> bool {
        (0..y.len()).all(|k| cell.lower[k] < y[k] && y[k] <= cell.upper[k])
    }

    /// Fronts with ties, with equal, dominated and useless rows: every free place is in exactly one box.
    #[test]
    fn boxes_tile_what_is_free() {
        let mut rng = stream(1, Purpose::Data, 0, 0);
        for (case, objectives) in (0..120).flat_map(|case| [1, 2, 3].map(|k| (case, k))) {
            let steps = if case % 2 == 0 { 6.0 } else { 1e6 };
            let mut place = |low: f64| -> Vec<f64> {
                (0..objectives).map(|_| low + (uniform(&mut rng) * steps).floor() / steps).collect()
            };
            let front: Vec<Vec<f64>> = (0..case % 30).map(|_| place(0.0)).collect();
            let reference = vec![0.0; objectives];
            let cells = cells(&front, &reference).unwrap();
            assert!(cells.len() <= 3 * front.len() + 1, "{}", cells.len());
            for _ in 0..200 {
                let y: Vec<f64> = place(0.0).iter().map(|v| 1.2 * v + 1e-9).collect();
                let free = !front.iter().any(|p| p.iter().zip(&y).all(|(p, y)| p >= y));
                let boxes = cells.iter().filter(|cell| holds(cell, &y)).count();
                assert_eq!(boxes, usize::from(free), "{front:?} {y:?}");
            }
            assert!(cells.iter().all(|cell| cell.lower.iter().zip(&cell.upper).all(|(l, u)| l < u)));
        }
    }

    #[test]
    fn what_cannot_be_cut_is_refused() {
        assert!(cells(&[vec![1.0, 2.0]], &[0.0]).is_err());
        assert!(cells(&[], &[0.0; 4]).is_err() && cells(&[], &[]).is_err());
    }
}
