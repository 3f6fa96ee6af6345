//! Points before there is a model: spread evenly over the space, or drawn from a table.

use super::config::Config;
use crate::acquire::optimizer::{AcquisitionOptimizer, AcquisitionOptions, CandidatePool, Excluded, space_filling};
use crate::error::{Error, Result};
use crate::linalg::{Mat, MatRef, row, select_rows};
use crate::rng::{Purpose, StepRng, distinct_indices, stream};
use crate::space::Space;

/// How many times as many points are looked at as are wanted.
const LONGEST: usize = 100;

/// How many times as many points a design is chosen from as it has, where input constraints leave no even sequence of points.
const CHOICES: usize = 4;

/// Points of a design that are chosen so, at most: every one is compared with all others.
const MOST_SPREAD: usize = 2000;

/// `count` new points, [count, inputs], going on where `asked` points were asked for before; all are taken afterwards.
pub(super) fn design(config: &Config, asked: usize, count: usize, excluded: &mut Excluded) -> Result<Mat> {
    let (space, seed) = (&config.space, config.seed);
    let none = Mat::zeros(0, space.dimensions().len());
    let settings = AcquisitionOptions { pool: 1, ..AcquisitionOptions::default() };
    let search = AcquisitionOptimizer::new(space, none.as_ref(), &settings, StepRng { seed, step: 0 })?;
    match search.pool() {
        CandidatePool::Starts(_) => scattered(space, asked, count, seed, excluded),
        listed => drawn(listed.points(), asked, count, seed, excluded),
    }
}

/// The next points of one space-filling sequence; where input constraints leave only some of it, those that lie farthest apart among
/// several times as many.
fn scattered(space: &Space, asked: usize, count: usize, seed: u64, excluded: &mut Excluded) -> Result<Mat> {
    let choices = if space.is_constrained() && (2..=MOST_SPREAD).contains(&count) { CHOICES } else { 1 };
    let (wanted, first) = (choices * count, choices * asked);
    let (mut found, mut next): (Vec<Vec<f64>>, _) = (Vec::new(), first);
    let mut seen = excluded.clone();
    while found.len() < wanted && next < first + LONGEST * count {
        // A stream of its own: the sequence does not depend on where it is entered.
        let some = space_filling(space, next, count, &mut stream(seed, Purpose::Design, 0, 0));
        next += count;
        for point in (0..count).map(|i| row(some.as_ref(), i)) {
            let is_feasible = !space.is_constrained() || space.contains_numbers(&point);
            if found.len() < wanted && is_feasible && !seen.contains(&point) {
                seen.insert(&point);
                found.push(point);
            }
        }
    }
    if found.len() < count {
        return Err(Error::Exhausted { wanted: count, left: found.len() });
    }
    let chosen = if found.len() > count { farthest(&found, count) } else { (0..count).collect() };
    chosen.iter().for_each(|&i| excluded.insert(&found[i]));
    Ok(Mat::from_fn(count, space.dimensions().len(), |i, k| found[chosen[i]][k]))
}

/// The first point and those that lie farthest from all before them, so many; distances are those of numbers, and of equal labels 0.
fn farthest(points: &[Vec<f64>], count: usize) -> Vec<usize> {
    let mut nearest = vec![f64::INFINITY; points.len()];
    let mut chosen = vec![0];
    while chosen.len() < count {
        let last = &points[chosen[chosen.len() - 1]];
        for (nearest, point) in nearest.iter_mut().zip(points) {
            let distance: f64 = point.iter().zip(last).map(|(a, b)| (a - b).abs().min(1.0).powi(2)).sum();
            *nearest = nearest.min(distance);
        }
        let next = (0..points.len()).max_by(|&i, &j| nearest[i].total_cmp(&nearest[j]).then(j.cmp(&i)));
        chosen.extend(next);
    }
    chosen
}

/// Random rows of a table.
fn drawn(table: MatRef<'_>, asked: usize, count: usize, seed: u64, excluded: &mut Excluded) -> Result<Mat> {
    let free = excluded.free_rows(table);
    if free.len() < count && !excluded.allows_replicates() {
        return Err(Error::Exhausted { wanted: count, left: free.len() });
    }
    let mut rng = stream(seed, Purpose::Design, 1, asked as u64);
    let mut rows: Vec<usize> = Vec::with_capacity(count);
    // Every row once before any again.
    while rows.len() < count {
        rows.extend(distinct_indices(free.len(), count - rows.len(), &mut rng).into_iter().map(|i| free[i]));
    }
    let points = select_rows(table, &rows);
    excluded.insert_rows(points.as_ref());
    Ok(points)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::{Dimension, InputConstraint, Limits};

    /// The least distance between two of some points.
    fn closest(points: MatRef<'_>) -> f64 {
        let distance =
            |i: usize, j: usize| (0..points.ncols()).map(|k| (points[(i, k)] - points[(j, k)]).powi(2)).sum::<f64>();
        let pairs = (0..points.nrows()).flat_map(|i| (0..i).map(move |j| (i, j)));
        pairs.map(|(i, j)| distance(i, j).sqrt()).fold(f64::INFINITY, f64::min)
    }

    /// Between planes that are close to each other, a design lies farther apart than random points do.
    #[test]
    fn designs_fill_thin_polytopes() {
        let names: Vec<String> = (0..6).map(|k| format!("x{k}")).collect();
        let space = Space::new(names.iter().map(|name| Dimension::real(name, 0.0, 1.0)).collect()).unwrap();
        let terms = names.iter().map(|name| (name.clone(), 1.0)).collect();
        let thin = InputConstraint::Sum { terms, limits: Limits { lower: 2.999, upper: 3.0 } };
        let space = space.with_input_constraints(vec![thin]).unwrap();
        let config = Config::new(space.clone());
        let random = space_filling(&space, 0, 40, &mut stream(1, Purpose::Design, 0, 0));
        let design = design(&config, 0, 40, &mut Excluded::default()).unwrap();
        assert!(closest(design.as_ref()) > 1.3 * closest(random.as_ref()));
        // Every input has values in all quarters of what is left of its range.
        for k in 0..6 {
            let quarters: std::collections::HashSet<usize> =
                (0..40).map(|i| (design[(i, k)] * 3.999) as usize).collect();
            assert_eq!(quarters.len(), 4, "input {k}");
        }
    }
}
