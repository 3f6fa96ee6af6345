//! From a point of the relaxation to values that can be printed, for which the sums hold: whole steps, moved one by one until no
//! sum is missed, then the continuous inputs, the last of them by what is left.
//!
//! ```text
//!     miss(i) = Σ_rows |how far the sum is outside| / Σ |cₖ spanₖ|          argmin over moves of one input (or two) of (miss, distance)
//! ```

use super::Constraints;
use super::relax::Relaxation;
use crate::optim::Row;
use crate::space::dimension::Dimension;

/// Moves per input with steps, at most.
const MOVES: usize = 8;

/// What counts as no miss at all, relative to the size of a sum: less than any step.
const NIL: f64 = 1e-12;

/// Rounds in which a continuous input takes what is left of a sum.
const CORRECTIONS: usize = 4;

/// Inputs with steps, and the sums in which they stand alone.
struct Rounding<'a> {
    constraints: &'a Constraints,
    /// The variables of the relaxation with steps, by input.
    stepped: Vec<(usize, usize)>,
    rows: Vec<&'a Row>,
    /// Where each variable should be.
    target: &'a [f64],
    bounds: (&'a [f64], &'a [f64]),
}

impl Constraints {
    /// Writes the point with values that is nearest to some positions, if one is found.
    pub(super) fn round(
        &self,
        dimensions: &[Dimension],
        relaxation: &Relaxation<'_>,
        z: &[f64],
        point: &mut [f64],
    ) -> bool {
        let Relaxation { inputs, polytope, .. } = relaxation;
        let is_stepped = |k: usize| self.axes[k].as_ref().is_some_and(|axis| !axis.is_continuous());
        let stepped: Vec<(usize, usize)> = inputs.iter().copied().enumerate().filter(|(_, k)| is_stepped(*k)).collect();
        // A sum with a continuous input is met by that one.
        let stands_alone = |row: &&Row| row.terms.iter().all(|(place, _)| is_stepped(inputs[*place]));
        let rows = polytope.rows.iter().filter(stands_alone).collect();
        let bounds = (&polytope.bounds.lower[..], &polytope.bounds.upper[..]);
        let rounding = Rounding { constraints: self, stepped, rows, target: z, bounds };
        let mut rounded = z.to_vec();
        if !rounding.run(&mut rounded) {
            return false;
        }
        for &(place, k) in &rounding.stepped {
            if let Some(axis) = &self.axes[k] {
                point[k] = axis.number_of_level(&dimensions[k].domain, axis.nearest(rounded[place]));
            }
        }
        self.settle_continuous(dimensions, relaxation, z, point)
    }

    /// Moves the continuous inputs to where the sums hold with the others as they are.
    fn settle_continuous(
        &self,
        dimensions: &[Dimension],
        relaxation: &Relaxation<'_>,
        z: &[f64],
        point: &mut [f64],
    ) -> bool {
        let ends = |k: usize| {
            let place = relaxation.inputs.iter().position(|&other| other == k);
            let bounds = &relaxation.polytope.bounds;
            place.map_or((0.0, 1.0), |place| (self.number(k, bounds.lower[place]), self.number(k, bounds.upper[place])))
        };
        let wanted = |k: usize| relaxation.inputs.iter().position(|&other| other == k).map(|place| z[place]);
        let free = self.relaxation(dimensions, point, ends, false);
        let mut positions: Vec<f64> =
            free.inputs.iter().map(|&k| wanted(k).unwrap_or_else(|| self.position(k, point[k]))).collect();
        if !free.polytope.project(&mut positions) {
            return false;
        }
        let snapped = |k: usize, z: f64| dimensions[k].domain.snap(self.number(k, z));
        free.inputs.iter().zip(&positions).for_each(|(&k, &z)| point[k] = snapped(k, z));
        for row in &free.polytope.rows {
            for _ in 0..CORRECTIONS {
                let values: Vec<f64> = free.inputs.iter().map(|&k| self.position(k, point[k])).collect();
                let sum = row.sum(&values);
                let left = if sum > row.upper { row.upper - sum } else { (row.lower - sum).max(0.0) };
                if left == 0.0 {
                    break;
                }
                // The smallest coefficient has the finest steps.
                let has_room = |&&(place, c): &&(usize, f64)| {
                    let bounds = &free.polytope.bounds;
                    (bounds.lower[place]..=bounds.upper[place]).contains(&(values[place] + left / c))
                };
                let finest = row.terms.iter().filter(has_room).min_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
                let Some(&(place, c)) = finest else { break };
                let k = free.inputs[place];
                point[k] = snapped(k, values[place] + left / c);
            }
        }
        true
    }
}

impl Rounding<'_> {
    /// Rounds every variable with steps, and moves them until no sum is missed.
    fn run(&self, z: &mut [f64]) -> bool {
        for &(place, k) in &self.stepped {
            if let Some(axis) = &self.constraints.axes[k] {
                z[place] = axis.level(axis.nearest(z[place]));
            }
        }
        for _ in 0..MOVES * self.stepped.len() + 1 {
            let miss = self.miss(z);
            if miss <= NIL {
                return true;
            }
            let Some(moves) = self.best_move(z, miss).or_else(|| self.best_pair(z, miss)) else { return false };
            moves.into_iter().for_each(|(place, to)| z[place] = to);
        }
        self.miss(z) <= NIL
    }

    /// How far the sums are outside, relative to their sizes.
    fn miss(&self, z: &[f64]) -> f64 {
        self.rows.iter().map(|row| self.miss_of(row, row.sum(z))).sum()
    }

    fn miss_of(&self, row: &Row, sum: f64) -> f64 {
        let size: f64 = row.terms.iter().map(|(_, c)| c.abs()).sum();
        let outside = (row.lower - sum).max(sum - row.upper).max(0.0);
        let bound = if sum > row.upper { row.upper } else { row.lower };
        // Limits may be far larger than what moves.
        let rounding = if bound.is_finite() { f64::EPSILON * 8.0 * bound.abs() } else { 0.0 };
        if outside <= rounding { 0.0 } else { outside / size }
    }

    /// The move of one variable that leaves the least miss, the shortest of equal ones.
    fn best_move(&self, z: &[f64], miss: f64) -> Option<Vec<(usize, f64)>> {
        let mut best: Option<(f64, f64, usize, f64)> = None;
        let mut trial = z.to_vec();
        for &(place, k) in &self.stepped {
            for to in self.moves(z, place, k) {
                trial[place] = to;
                let (left, distance) = (self.miss(&trial), self.distance(&trial, place) - self.distance(z, place));
                let is_better = |&(other, farther, ..): &(f64, f64, usize, f64)| {
                    left < other - NIL || (left <= other + NIL && distance < farther)
                };
                if left < miss - NIL && best.as_ref().is_none_or(is_better) {
                    best = Some((left, distance, place, to));
                }
            }
            trial[place] = z[place];
        }
        best.map(|(_, _, place, to)| vec![(place, to)])
    }

    /// One variable moved by a step, and the best answer of another.
    fn best_pair(&self, z: &[f64], miss: f64) -> Option<Vec<(usize, f64)>> {
        let mut best: Option<(f64, Vec<(usize, f64)>)> = None;
        let mut trial = z.to_vec();
        for &(place, k) in &self.stepped {
            for to in self.steps(z, place, k) {
                trial[place] = to;
                let answer = self.best_move(&trial, f64::INFINITY).filter(|moves| moves[0].0 != place);
                if let Some(answer) = answer {
                    let (other, far) = answer[0];
                    let kept = std::mem::replace(&mut trial[other], far);
                    let left = self.miss(&trial);
                    trial[other] = kept;
                    if left < miss - NIL && best.as_ref().is_none_or(|(least, _)| left < *least) {
                        best = Some((left, vec![(place, to), (other, far)]));
                    }
                }
                trial[place] = z[place];
            }
        }
        best.map(|(_, moves)| moves)
    }

    /// Squared distance from where a variable should be.
    fn distance(&self, z: &[f64], place: usize) -> f64 {
        (z[place] - self.target[place]).powi(2)
    }

    /// One step down and one up, within bounds.
    fn steps(&self, z: &[f64], place: usize, k: usize) -> Vec<f64> {
        let Some(axis) = &self.constraints.axes[k] else { return Vec::new() };
        let index = axis.nearest(z[place]);
        let next = [index - 1.0, index + 1.0].into_iter().filter(|index| (0.0..=axis.last()).contains(index));
        next.map(|index| axis.level(index)).filter(|&to| self.is_inside(place, to)).collect()
    }

    /// Steps, and the values on either side of where a missed sum would hold.
    fn moves(&self, z: &[f64], place: usize, k: usize) -> Vec<f64> {
        let Some(axis) = &self.constraints.axes[k] else { return Vec::new() };
        let mut moves = self.steps(z, place, k);
        for row in &self.rows {
            let Some((_, c)) = row.terms.iter().find(|(other, _)| *other == place) else { continue };
            let sum = row.sum(z);
            if self.miss_of(row, sum) == 0.0 {
                continue;
            }
            let limit = if sum > row.upper { row.upper } else { row.lower };
            let (below, above) = axis.around((z[place] + (limit - sum) / c).clamp(0.0, 1.0));
            moves.extend([below, above].map(|index| axis.level(index)));
        }
        moves.retain(|&to| to != z[place] && self.is_inside(place, to));
        moves
    }

    fn is_inside(&self, place: usize, z: f64) -> bool {
        let (lower, upper) = self.bounds;
        // Ends of a relaxation are levels, but for rounding.
        (lower[place] - NIL..=upper[place] + NIL).contains(&z)
    }
}
