//! The hypervolume of a set of points, exactly.
//!
//! ```text
//!     V_d(p) = ∫ V_{d−1}({ pᵢ without its last coordinate : the last is ≥ t }) dt
//! ```
//!
//! The integrand changes only where a point begins to count. In space it is the area under a staircase, which a sweep
//! keeps up to date in O(n log n) (Fonseca, Paquete & López-Ibáñez 2006); for four coordinates it is measured again for
//! each slice, O(n² log n). Only positive terms are added: nothing cancels.

use super::above;
use super::staircase::{Staircase, Strip};
use crate::error::{Error, Result};
use std::cmp::Ordering;

/// The volume of all that lies between the reference and a point; points that do not exceed it in every coordinate add
/// nothing.
pub fn hypervolume<P: AsRef<[f64]>>(points: &[P], reference: &[f64]) -> Result<f64> {
    let gain = |point: &[f64]| point.iter().zip(reference).map(|(p, r)| p - r).collect();
    let gains: Vec<Vec<f64>> = above(points, reference)?.into_iter().map(gain).collect();
    let volume = measure(gains.iter().map(Vec::as_slice).collect());
    match volume.is_finite() {
        true => Ok(volume),
        false => Err(Error::Unsupported {
            what: "the hypervolume is beyond floating point".into(),
            remedy: "give the objectives in larger units".into(),
        }),
    }
}

/// The volume between the origin and positive points.
fn measure(mut points: Vec<&[f64]>) -> f64 {
    // The last coordinate first: the order in which points begin to count, and one that does not depend on theirs.
    points.sort_by(|a, b| b.iter().rev().partial_cmp(a.iter().rev()).unwrap_or(Ordering::Equal));
    match points.first().map_or(0, |point| point.len()) {
        0 => 0.0,
        1 => points[0][0],
        2 => area(&points),
        3 => swept(&points),
        _ => sliced(&points),
    }
}

/// How far the points from each on reach in the last coordinate before the next begins to count.
fn thickness(points: &[&[f64]], i: usize) -> f64 {
    let last = points[i].len() - 1;
    points[i][last] - points.get(i + 1).map_or(0.0, |next| next[last])
}

fn area(points: &[&[f64]]) -> f64 {
    let mut width: f64 = 0.0;
    let mut slice = |i: usize| {
        width = width.max(points[i][0]);
        width * thickness(points, i)
    };
    (0..points.len()).map(&mut slice).sum()
}

fn swept(points: &[&[f64]]) -> f64 {
    let (mut stairs, mut area) = (Staircase::new(0.0, 0.0), 0.0);
    let mut slice = |i: usize| {
        let (x, y) = (points[i][0], points[i][1]);
        let gained = |strip: Strip| (x.min(strip.to) - strip.from) * (y - strip.height);
        area += stairs.raise(x, y, points[i][2]).into_iter().map(gained).sum::<f64>();
        area * thickness(points, i)
    };
    (0..points.len()).map(&mut slice).sum()
}

fn sliced(points: &[&[f64]]) -> f64 {
    let (mut front, mut content): (Vec<&[f64]>, _) = (Vec::new(), 0.0);
    let mut slice = |i: usize| {
        let shadow = &points[i][..points[i].len() - 1];
        if !front.iter().any(|other| reaches(other, shadow)) {
            front.retain(|other| !reaches(shadow, other));
            front.push(shadow);
            content = measure(front.clone());
        }
        content * thickness(points, i)
    };
    (0..points.len()).map(&mut slice).sum()
}

fn reaches(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| a >= b)
}
