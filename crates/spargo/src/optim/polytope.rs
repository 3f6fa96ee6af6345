//! A box cut by a few linear constraints, and the point of it that is nearest to another.
//!
//! ```text
//!     S = { x : l ≤ x ≤ u,  bᵢ ≤ aᵢᵀx ≤ cᵢ }
//!     P(t) = argmin_{x ∈ S} ½‖x − t‖² = clip(t − Aᵀλ),      one λᵢ after the other (Hildreth 1957)
//! ```
//!
//! With the other multipliers held, aᵢᵀ clip(t − Aᵀλ) is piecewise linear and falls with λᵢ, so that each is found exactly by a walk
//! over its breakpoints; a single constraint needs one walk. Several converge slowly where they are nearly parallel: once the rounds
//! have found which of them bind, Newton's method for all multipliers at once ends in a few steps.

use super::bounds::Bounds;
use super::dense::SmallCholesky;

/// Rounds over all constraints, at most.
const ROUNDS: usize = 500;

/// Steps of Newton's method that are tried after a round.
const STEPS: usize = 20;

/// How often such a step is halved.
const HALVINGS: i32 = 12;

/// What is added to the diagonal of its matrix, relative to the coefficients.
const RIDGE: f64 = 1e-12;

/// By how much a constraint may be missed by a projection, relative to the size of its terms.
const TOLERANCE: f64 = 1e-13;

/// By how much, where rounds have run out, a point still counts as one of the polytope.
const LOOSE: f64 = 1e-9;

/// A linear constraint, `lower ≤ Σ cₖ xₖ ≤ upper`.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// (variable, coefficient), each variable once and no coefficient 0.
    pub terms: Vec<(usize, f64)>,
    /// The least value of the sum, `-∞` for none.
    pub lower: f64,
    /// The largest value of the sum, `+∞` for none.
    pub upper: f64,
}

impl Row {
    /// The sum at a point.
    pub fn sum(&self, x: &[f64]) -> f64 {
        self.terms.iter().map(|&(k, c)| c * x[k]).sum()
    }

    /// By how much the sum at a point is outside, and how large the terms are.
    fn violation(&self, x: &[f64]) -> (f64, f64) {
        let (sum, size) =
            self.terms.iter().fold((0.0, 0.0), |(sum, size), &(k, c)| (sum + c * x[k], size + (c * x[k]).abs()));
        let (below, above) = (self.lower - sum, sum - self.upper);
        let bound = if below > above { self.lower } else { self.upper };
        (below.max(above).max(0.0), size + if bound.is_finite() { bound.abs() } else { 0.0 })
    }

    fn is_satisfied(&self, x: &[f64], tolerance: f64) -> bool {
        let (violation, size) = self.violation(x);
        violation <= tolerance * size
    }
}

/// A box cut by linear constraints.
#[derive(Clone, Debug, PartialEq)]
pub struct Polytope {
    /// The box; every variable is limited on both sides.
    pub bounds: Bounds,
    /// What cuts it.
    pub rows: Vec<Row>,
}

impl Polytope {
    /// Moves a point to the nearest one of the polytope; false if none was found, and the polytope may be empty.
    pub fn project(&self, x: &mut [f64]) -> bool {
        let target = x.to_vec();
        let mut multipliers = vec![0.0; self.rows.len()];
        self.clip(&target, x);
        for _ in 0..ROUNDS {
            if self.is_satisfied(x, TOLERANCE) {
                return true;
            }
            for (i, row) in self.rows.iter().enumerate() {
                let shifted = self.shifted(&target, &multipliers, i);
                let Some(multiplier) = self.multiplier(row, &shifted) else { return false };
                multipliers[i] = multiplier;
                row.terms.iter().for_each(|&(k, c)| x[k] = self.bounds.clamp(k, shifted[k] - multiplier * c));
            }
            if self.rows.len() > 1 {
                multipliers = self.newton(&target, multipliers);
                self.clip(&self.shifted(&target, &multipliers, self.rows.len()), x);
            }
        }
        self.is_satisfied(x, LOOSE)
    }

    /// Better multipliers by Newton's method, if it finds some; a constraint that does not bind any more has none.
    fn newton(&self, target: &[f64], start: Vec<f64>) -> Vec<f64> {
        let (mut highest, mut multipliers) = (self.dual(target, &start), start);
        let mut x = vec![0.0; target.len()];
        for _ in 0..STEPS {
            let moved = self.shifted(target, &multipliers, self.rows.len());
            self.clip(&moved, &mut x);
            let misses: Vec<(usize, f64)> =
                (0..self.rows.len()).filter_map(|i| self.miss(i, &x, multipliers[i])).collect();
            // No step would be seen to help: it would be halved in vain.
            let is_met = |&(i, miss): &(usize, f64)| miss.abs() <= TOLERANCE * self.rows[i].violation(&x).1;
            if misses.iter().all(is_met) {
                break;
            }
            let count = misses.len();
            let mut normal = vec![0.0; count * count];
            for (a, &(i, _)) in misses.iter().enumerate() {
                let mut free = vec![0.0; target.len()];
                let inside = |&&(k, _): &&(usize, f64)| self.bounds.is_inside(k, moved[k]);
                self.rows[i].terms.iter().filter(inside).for_each(|&(k, c)| free[k] = c);
                misses
                    .iter()
                    .enumerate()
                    .take(a + 1)
                    .for_each(|(b, &(j, _))| normal[a * count + b] = self.rows[j].sum(&free));
                // Constraints may say the same of the free variables.
                normal[a * count + a] += RIDGE * self.rows[i].terms.iter().map(|(_, c)| c * c).sum::<f64>();
            }
            let mut step: Vec<f64> = misses.iter().map(|&(_, miss)| miss).collect();
            let Some(factor) = SmallCholesky::new(count, normal) else { break };
            factor.solve(&mut step);
            let along = |share: f64| {
                let mut moved = multipliers.clone();
                for (&(i, _), step) in misses.iter().zip(&step) {
                    let (row, before) = (&self.rows[i], multipliers[i]);
                    let after = before + share * step;
                    let changes_side = row.lower < row.upper && before * after < 0.0;
                    moved[i] = if changes_side { 0.0 } else { after };
                }
                (self.dual(target, &moved), moved)
            };
            let shares = (0..HALVINGS).map(|halving| 0.5f64.powi(halving));
            let Some((dual, moved)) = shares.map(along).find(|(dual, _)| *dual > highest) else { break };
            (highest, multipliers) = (dual, moved);
        }
        multipliers
    }

    /// What the multipliers maximise: ½‖x − t‖² + Σ λᵢ (aᵢᵀx − limit), at their own x.
    fn dual(&self, target: &[f64], multipliers: &[f64]) -> f64 {
        let mut x = self.shifted(target, multipliers, self.rows.len());
        x.iter_mut().enumerate().for_each(|(k, x)| *x = self.bounds.clamp(k, *x));
        let distance: f64 = x.iter().zip(target).map(|(x, t)| 0.5 * (x - t).powi(2)).sum();
        let excess = |(row, &multiplier): (&Row, &f64)| {
            let limit = if multiplier > 0.0 { row.upper } else { row.lower };
            if multiplier == 0.0 { 0.0 } else { multiplier * (row.sum(&x) - limit) }
        };
        distance + self.rows.iter().zip(multipliers).map(excess).sum::<f64>()
    }

    /// A constraint that binds or is violated, and how far its sum is above the limit in question.
    fn miss(&self, i: usize, x: &[f64], multiplier: f64) -> Option<(usize, f64)> {
        let (row, sum) = (&self.rows[i], self.rows[i].sum(x));
        if row.lower == row.upper || multiplier > 0.0 || (multiplier == 0.0 && sum > row.upper) {
            Some((i, sum - row.upper))
        } else if multiplier < 0.0 || sum < row.lower {
            Some((i, sum - row.lower))
        } else {
            None
        }
    }

    /// Whether a point is in the polytope, but for the rounding of sums.
    pub fn contains(&self, x: &[f64]) -> bool {
        x.iter().enumerate().all(|(k, &x)| self.bounds.clamp(k, x) == x) && self.is_satisfied(x, TOLERANCE)
    }

    fn is_satisfied(&self, x: &[f64], tolerance: f64) -> bool {
        self.rows.iter().all(|row| row.is_satisfied(x, tolerance))
    }

    fn clip(&self, target: &[f64], x: &mut [f64]) {
        x.iter_mut().zip(target).enumerate().for_each(|(k, (x, &t))| *x = self.bounds.clamp(k, t));
    }

    /// t − Aᵀλ without the term of one row.
    fn shifted(&self, target: &[f64], multipliers: &[f64], without: usize) -> Vec<f64> {
        let mut shifted = target.to_vec();
        let others = self.rows.iter().zip(multipliers).enumerate().filter(|&(i, (_, &m))| i != without && m != 0.0);
        for (_, (row, &multiplier)) in others {
            row.terms.iter().for_each(|&(k, c)| shifted[k] -= multiplier * c);
        }
        shifted
    }

    /// The multiplier with which a row holds, given the point without it; `None` if it holds nowhere in the box.
    fn multiplier(&self, row: &Row, shifted: &[f64]) -> Option<f64> {
        let sum: f64 = row.terms.iter().map(|&(k, c)| c * self.bounds.clamp(k, shifted[k])).sum();
        if sum > row.upper {
            self.walk(row, shifted, 1.0, sum - row.upper)
        } else if sum < row.lower {
            self.walk(row, shifted, -1.0, row.lower - sum).map(|multiplier| -multiplier)
        } else {
            Some(0.0)
        }
    }

    /// The least μ ≥ 0 with which sign·aᵀ clip(s − μ sign·a) has fallen by `excess`.
    fn walk(&self, row: &Row, shifted: &[f64], sign: f64, excess: f64) -> Option<f64> {
        // Between its two breakpoints a variable moves, and the sum falls by its squared coefficient.
        let mut breakpoints: Vec<(f64, f64)> = Vec::with_capacity(2 * row.terms.len());
        for &(k, c) in &row.terms {
            let at = |limit: f64| (shifted[k] - limit) / (sign * c);
            let (one, other) = (at(self.bounds.lower[k]), at(self.bounds.upper[k]));
            let (first, last) = (one.min(other).max(0.0), one.max(other));
            if last > first {
                breakpoints.extend([(first, c * c), (last, -c * c)]);
            }
        }
        breakpoints.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let (mut at, mut slope, mut left) = (0.0, 0.0, excess);
        for (breakpoint, change) in breakpoints {
            let fall = slope * (breakpoint - at);
            if fall >= left && slope > 0.0 {
                return Some(at + left / slope);
            }
            (at, left, slope) = (breakpoint, left - fall, (slope + change).max(0.0));
        }
        // All variables are at their limits; rounding may leave a little.
        let size: f64 =
            row.terms.iter().map(|&(k, c)| c.abs() * self.bounds.lower[k].abs().max(self.bounds.upper[k].abs())).sum();
        (left <= LOOSE * size).then_some(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, normal, stream, uniform};

    fn unit_box(dimension: usize) -> Bounds {
        Bounds::new(vec![0.0; dimension], vec![1.0; dimension])
    }

    #[test]
    fn onto_the_simplex_as_by_sorting() {
        // Held, Wolfe & Crowder 1974: subtract the same from all and cut at 0.
        let mut rng = stream(1, Purpose::Data, 0, 0);
        for dimension in [2, 3, 10, 50] {
            let sum = Row { terms: (0..dimension).map(|k| (k, 1.0)).collect(), lower: 1.0, upper: 1.0 };
            let simplex = Polytope { bounds: unit_box(dimension), rows: vec![sum] };
            let target: Vec<f64> = (0..dimension).map(|_| normal(&mut rng)).collect();
            let mut sorted = target.clone();
            sorted.sort_by(|a, b| b.total_cmp(a));
            let sums = sorted.iter().scan(0.0, |sum, v| {
                *sum += v;
                Some(*sum)
            });
            let cut = sums.enumerate().map(|(i, sum)| (sum - 1.0) / (i + 1) as f64).fold(f64::NEG_INFINITY, f64::max);
            let mut x = target.clone();
            assert!(simplex.project(&mut x));
            assert!(simplex.contains(&x) && !simplex.contains(&target));
            for (x, t) in x.iter().zip(&target) {
                assert!((x - (t - cut).max(0.0)).abs() < 1e-12, "{x} {t} {cut}");
            }
        }
    }

    /// No point of the polytope makes an obtuse angle less than a right one with the way to the target: (t − P t)ᵀ(x − P t) ≤ 0.
    #[test]
    fn the_nearest_point_of_random_polytopes() {
        let mut rng = stream(2, Purpose::Data, 0, 0);
        for _ in 0..200 {
            let dimension = 2 + (uniform(&mut rng) * 12.0) as usize;
            let known: Vec<f64> = (0..dimension).map(|_| uniform(&mut rng)).collect();
            let mut row = |i: usize| {
                let terms: Vec<_> = (0..dimension).map(|k| (k, normal(&mut rng))).collect();
                let sum: f64 = terms.iter().map(|&(k, c)| c * known[k]).sum();
                let room = if i == 0 { 0.0 } else { 0.2 * uniform(&mut rng) };
                Row { terms, lower: sum - room, upper: if i == 1 { f64::INFINITY } else { sum + room } }
            };
            let polytope = Polytope { bounds: unit_box(dimension), rows: (0..3).map(&mut row).collect() };
            let mut draw = || (0..dimension).map(|_| 0.5 + normal(&mut rng)).collect::<Vec<f64>>();
            let target = draw();
            let mut nearest = target.clone();
            assert!(polytope.project(&mut nearest), "{polytope:?} {target:?} {nearest:?}");
            for _ in 0..20 {
                let mut other = draw();
                let t = other.clone();
                assert!(polytope.project(&mut other), "{polytope:?} {t:?} {other:?}");
                let angle: f64 = (0..dimension).map(|k| (target[k] - nearest[k]) * (other[k] - nearest[k])).sum();
                assert!(angle < 1e-6, "{angle}");
            }
        }
    }

    #[test]
    fn an_empty_polytope_is_said_to_be_empty() {
        let row = |lower, upper| Row { terms: vec![(0, 1.0), (1, 1.0)], lower, upper };
        let at = |rows| Polytope { bounds: unit_box(2), rows }.project(&mut [0.3, 0.4]);
        assert!(!at(vec![row(2.5, 3.0)]));
        assert!(!at(vec![row(1.5, 2.0), row(0.0, 1.0)]));
        assert!(at(vec![row(2.0, 2.0)]));
    }
}
