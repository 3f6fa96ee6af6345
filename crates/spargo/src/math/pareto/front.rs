//! Which points no other dominates (Kung, Luccio & Preparata 1975): sorted, a point can only be dominated by an earlier
//! one, and for two and three coordinates the earlier ones are a number and a staircase.

use super::staircase::Staircase;
use std::cmp::Ordering;

/// The rows that no other row dominates, in increasing order; of equal rows the first.
///
/// Rows with a NaN, and rows that are not as long as the first, are compared with none and never among them. O(n log n)
/// for up to three coordinates, n times the size of the front for more.
pub fn front<P: AsRef<[f64]>>(rows: &[P]) -> Vec<usize> {
    let objectives = rows.first().map_or(0, |row| row.as_ref().len());
    let comparable = |row: &[f64]| row.len() == objectives && !row.iter().any(|v| v.is_nan());
    let mut sorted: Vec<(usize, &[f64])> =
        rows.iter().map(P::as_ref).enumerate().filter(|(_, row)| comparable(row)).collect();
    // Stable, so that of equal rows the first comes first.
    sorted.sort_by(|(_, a), (_, b)| b.partial_cmp(a).unwrap_or(Ordering::Equal));
    let finite = sorted.iter().all(|(_, row)| row.iter().all(|v| v.is_finite()));
    let mut kept = match objectives {
        2 => in_the_plane(&sorted),
        3 if finite => in_space(&sorted),
        _ => one_by_one(&sorted),
    };
    kept.sort_unstable();
    kept
}

fn in_the_plane(sorted: &[(usize, &[f64])]) -> Vec<usize> {
    let mut best = None;
    let rises = |&&(_, row): &&(usize, &[f64])| match best {
        Some(y) if row[1] <= y => false,
        _ => {
            best = Some(row[1]);
            true
        }
    };
    sorted.iter().filter(rises).map(|&(i, _)| i).collect()
}

fn in_space(sorted: &[(usize, &[f64])]) -> Vec<usize> {
    let mut stairs = Staircase::new(f64::NEG_INFINITY, f64::NEG_INFINITY);
    sorted.iter().filter(|(_, row)| !stairs.raise(row[1], row[2], row[0]).is_empty()).map(|&(i, _)| i).collect()
}

fn one_by_one(sorted: &[(usize, &[f64])]) -> Vec<usize> {
    let mut kept: Vec<(usize, &[f64])> = Vec::new();
    for &(i, row) in sorted {
        if !kept.iter().any(|(_, other)| other.iter().zip(row).all(|(a, b)| a >= b)) {
            kept.push((i, row));
        }
    }
    kept.into_iter().map(|(i, _)| i).collect()
}
