//! Random points that satisfy all constraints: where a point of the box does not, hit-and-run in the polytope (Smith 1984).
//!
//! ```text
//!     z ← z + t d,      d random with A d = 0 for equations,      t uniform on the chord through z within the polytope
//! ```

use super::Constraints;
use super::relax::Relaxation;
use crate::optim::{Polytope, Row};
use crate::rng::{Purpose, distinct_indices, normal, stream, uniform};
use crate::space::dimension::Dimension;
use rand_chacha::ChaCha8Rng;

/// Projections of random points, whose mean is inside the polytope, at most: of a polytope that is met once, and of one that most
/// walks begin in.
const PROJECTIONS: usize = 8;
const CENTRE_PROJECTIONS: usize = 64;

/// Steps of hit-and-run per variable, and at most.
const STEPS_PER_VARIABLE: usize = 4;
const MOST_STEPS: usize = 100;

/// Sums whose limits are closer than this share of their coefficients leave a slab that is thin.
const THIN: f64 = 0.1;

/// A direction or a chord shorter than this goes nowhere.
const NIL: f64 = 1e-12;

impl Constraints {
    /// Moves a random point of the box to a random one that satisfies all constraints; false if none is found.
    pub fn sample(&self, dimensions: &[Dimension], point: &mut [f64], rng: &mut ChaCha8Rng) -> bool {
        if self.is_satisfied(dimensions, point) {
            return true;
        }
        self.draw_nonzero(dimensions, point, rng);
        if !self.repair(dimensions, point, &[]) {
            return false;
        }
        let relaxation = self.within_support(dimensions, point);
        if !relaxation.polytope.rows.is_empty() {
            let mut inside = point.to_vec();
            let start = self.start(dimensions, &relaxation, point, rng);
            let positions = hit_and_run(&relaxation.polytope, start, rng);
            if self.round(dimensions, &relaxation, &positions, &mut inside) && self.is_satisfied(dimensions, &inside) {
                point.copy_from_slice(&inside);
            }
        }
        true
    }

    /// Which inputs are to be other than 0, any number of them that is allowed.
    pub(super) fn draw_nonzero(&self, dimensions: &[Dimension], point: &mut [f64], rng: &mut ChaCha8Rng) {
        for own in &self.cardinalities {
            let (least, most) = (own.least().max(1), own.most());
            // Few of them have few points: each number of inputs by its own size, roughly.
            let count = least + (uniform(rng).sqrt() * (most + 1).saturating_sub(least) as f64) as usize;
            let kept = distinct_indices(own.inputs.len(), count, rng);
            for (_, &k) in own.inputs.iter().enumerate().filter(|(i, _)| !kept.contains(i)) {
                let zero = self.axes[k].as_ref().map_or(0.0, |axis| axis.number(axis.position_of(0.0)));
                point[k] = dimensions[k].domain.snap(zero);
            }
        }
    }

    /// Where a walk begins: inside the polytope, as long as that has an inside.
    fn start(
        &self,
        dimensions: &[Dimension],
        relaxation: &Relaxation<'_>,
        point: &[f64],
        rng: &mut ChaCha8Rng,
    ) -> Vec<f64> {
        // With one polytope for all points, which is the rule, its middle is found once.
        let centre = self.centre.get_or_init(|| {
            let around = self.within_support(dimensions, &self.anchor);
            let mut rng = stream(0, Purpose::Repair, 0, 3);
            around.moved(
                &self.anchor,
                &middle(&around.polytope, &around.positions(&self.anchor), CENTRE_PROJECTIONS, &mut rng),
            )
        });
        let positions = relaxation.positions(centre);
        if relaxation.polytope.contains(&positions) {
            return positions;
        }
        middle(&relaxation.polytope, &relaxation.positions(point), PROJECTIONS, rng)
    }

    /// The relaxation at a point in which what is 0 stays 0.
    fn within_support(&self, dimensions: &[Dimension], point: &[f64]) -> Relaxation<'_> {
        let ends =
            |k: usize| if self.is_counted(k) && self.is_zero(k, point[k]) { (point[k], point[k]) } else { (0.0, 1.0) };
        self.relaxation(dimensions, point, ends, true)
    }
}

/// The mean of projections of random points, at most so many; of a known one where one fails.
fn middle(polytope: &Polytope, known: &[f64], most: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let mut mean = vec![0.0; known.len()];
    let count = most.min(known.len() + 1);
    for _ in 0..count {
        let mut target: Vec<f64> = known.iter().map(|_| uniform(rng) + 0.5 * normal(rng)).collect();
        if !polytope.project(&mut target) {
            target.copy_from_slice(known);
        }
        mean.iter_mut().zip(&target).for_each(|(mean, t)| *mean += t / count as f64);
    }
    mean
}

/// Positions far from where the walk begins.
fn hit_and_run(polytope: &Polytope, mut z: Vec<f64>, rng: &mut ChaCha8Rng) -> Vec<f64> {
    // Between planes that are close to each other only directions along them lead anywhere: half of the steps take such ones.
    let directions = [orthonormal(polytope, THIN), orthonormal(polytope, 0.0)];
    for step in 0..(STEPS_PER_VARIABLE * z.len()).min(MOST_STEPS) {
        let equations = &directions[step % 2];
        let mut direction: Vec<f64> = (0..z.len())
            .map(|k| if polytope.bounds.lower[k] < polytope.bounds.upper[k] { normal(rng) } else { 0.0 })
            .collect();
        for equation in equations {
            let along: f64 = equation.iter().zip(&direction).map(|(e, d)| e * d).sum();
            direction.iter_mut().zip(equation).for_each(|(d, e)| *d -= along * e);
        }
        let (back, forth) = chord(polytope, &z, &direction);
        if forth - back > NIL {
            let t = back + (forth - back) * uniform(rng);
            z.iter_mut().zip(&direction).for_each(|(z, d)| *z += t * d);
        }
    }
    z
}

/// Directions in which the sums change that are equations or, relative to their coefficients, hardly wider, at right angles to each other,
/// of the variables that may move.
fn orthonormal(polytope: &Polytope, width: f64) -> Vec<Vec<f64>> {
    let mut found: Vec<Vec<f64>> = Vec::new();
    let is_thin = |row: &&Row| row.upper - row.lower <= width * row.terms.iter().map(|(_, c)| c.abs()).sum::<f64>();
    for row in polytope.rows.iter().filter(is_thin) {
        let mut own = vec![0.0; polytope.bounds.lower.len()];
        let may_move = |k: usize| polytope.bounds.lower[k] < polytope.bounds.upper[k];
        row.terms.iter().filter(|(k, _)| may_move(*k)).for_each(|&(k, c)| own[k] = c);
        let size = own.iter().map(|c| c * c).sum::<f64>().sqrt();
        for other in &found {
            let along: f64 = other.iter().zip(&own).map(|(a, b)| a * b).sum();
            own.iter_mut().zip(other).for_each(|(c, o)| *c -= along * o);
        }
        let left = own.iter().map(|c| c * c).sum::<f64>().sqrt();
        if left > 1e-9 * size {
            own.iter_mut().for_each(|c| *c /= left);
            found.push(own);
        }
    }
    found
}

/// From where to where a line stays within a polytope.
fn chord(polytope: &Polytope, z: &[f64], direction: &[f64]) -> (f64, f64) {
    let (mut back, mut forth) = (f64::NEG_INFINITY, f64::INFINITY);
    let mut cut = |value: f64, slope: f64, lower: f64, upper: f64| {
        if slope.abs() > NIL {
            let (one, other) = ((lower - value) / slope, (upper - value) / slope);
            back = back.max(one.min(other));
            forth = forth.min(one.max(other));
        }
    };
    for k in 0..z.len() {
        cut(z[k], direction[k], polytope.bounds.lower[k], polytope.bounds.upper[k]);
    }
    let inequalities = polytope.rows.iter().filter(|row| row.lower < row.upper);
    inequalities.for_each(|row: &Row| cut(row.sum(z), row.sum(direction), row.lower, row.upper));
    if back.is_finite() && forth.is_finite() { (back.min(0.0), forth.max(0.0)) } else { (0.0, 0.0) }
}
