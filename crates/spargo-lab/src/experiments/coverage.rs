//! How evenly inducing points cover a front in pieces.
//!
//! ```text
//!     z lies on piece [a, b]:  a ≤ f₁(z) ≤ b  and  f₂(z) ≤ h(f₁(z)) + s,    h the front, s the noise's deviation in f₂
//!     gap of a piece:          the longest stretch of [a, b] in f₁ without such a z, ends included
//! ```
//!
//! Both without noise. A piece without points is one gap.

use crate::error::Result;
use serde::{Deserialize, Serialize};
use spargo::study::Study;
use spargo_problems::multi_objective::{MultiObjectiveProblem, ZDT3, ZDT3_PIECES};
use spargo_problems::numbers;
use std::fmt;

/// Points by which a piece is drawn.
const PER_PIECE: usize = 20;

/// How the inducing points of one model cover the front.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Coverage {
    /// The model's output.
    pub output: String,
    /// Inducing points on any piece.
    pub on_front: usize,
    /// Inducing points of the model.
    pub inducing: usize,
    /// Pieces with at least one inducing point.
    pub pieces: usize,
    /// All pieces.
    pub of: usize,
    /// The largest gap in f₁ inside the pieces.
    pub largest_gap: f64,
}

/// Coverage of every sparse model of a study of ZDT3; empty for other problems.
pub(super) fn coverage(problem: &MultiObjectiveProblem, study: &mut Study) -> Result<Vec<Coverage>> {
    let mut all = Vec::new();
    if problem.name != ZDT3.name {
        return Ok(all);
    }
    let slack = problem.noise.sqrt() * problem.objectives[1].std;
    for (k, objective) in problem.objectives.iter().enumerate() {
        let Some(z) = study.inducing_points(k)? else { continue };
        let rows: Vec<Vec<f64>> = z.iter().map(numbers).collect();
        let values = problem.values(&rows)?;
        let close = values.iter().filter(|f| f[1] <= front(problem, f[0]) + slack).map(|f| f[0]);
        let stretches = stretches(&ZDT3_PIECES, &close.collect::<Vec<_>>());
        all.push(Coverage {
            output: objective.name.into(),
            on_front: stretches.iter().map(|(points, _)| points).sum(),
            inducing: z.len(),
            pieces: stretches.iter().filter(|(points, _)| *points > 0).count(),
            of: stretches.len(),
            largest_gap: stretches.iter().map(|(_, gap)| *gap).fold(0.0, f64::max),
        });
    }
    Ok(all)
}

/// The true front of ZDT3, piece by piece: f₁ and f₂.
pub fn zdt3_front() -> Vec<Vec<(f64, f64)>> {
    let piece = |(low, high): (f64, f64)| {
        let along = |i: usize| low + (high - low) * i as f64 / (PER_PIECE - 1) as f64;
        (0..PER_PIECE).map(|i| (along(i), front(&ZDT3, along(i)))).collect()
    };
    ZDT3_PIECES.map(piece).to_vec()
}

/// h: the least f₂ there is at this f₁, where all other inputs are 0.
fn front(problem: &MultiObjectiveProblem, f1: f64) -> f64 {
    let mut x = vec![0.0; problem.dimension()];
    x[0] = f1;
    problem.value(&x).map_or(f64::INFINITY, |outputs| outputs[1])
}

/// Points on each piece, and its gap.
fn stretches(pieces: &[(f64, f64)], at: &[f64]) -> Vec<(usize, f64)> {
    let one = |&(low, high): &(f64, f64)| {
        let mut inside: Vec<f64> = at.iter().copied().filter(|f1| (low..=high).contains(f1)).collect();
        let count = inside.len();
        inside.extend([low, high]);
        inside.sort_by(f64::total_cmp);
        (count, inside.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max))
    };
    pieces.iter().map(one).collect()
}

impl fmt::Display for Coverage {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Coverage { output, on_front, inducing, pieces, of, largest_gap } = self;
        write!(
            out,
            "inducing points of {output}: {on_front} of {inducing} lie on the front, on {pieces} of its {of} pieces; \
             largest gap {largest_gap:.4}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_count_the_ends_of_their_piece() {
        let pieces = [(0.0, 0.1), (0.5, 0.9), (0.95, 1.0)];
        let found = stretches(&pieces, &[0.6, 0.04, 0.8, 0.3, 0.65]);
        assert_eq!(found.iter().map(|(points, _)| *points).collect::<Vec<_>>(), [1, 3, 0]);
        for ((_, gap), expected) in found.into_iter().zip([0.06, 0.15, 0.05]) {
            assert!((gap - expected).abs() < 1e-12, "{gap} {expected}");
        }
    }

    #[test]
    fn the_front_is_what_no_other_input_improves() {
        for f1 in [0.0, 0.05, 0.2, 0.43, 0.64, 0.84] {
            let found = front(&ZDT3, f1);
            let formula = 1.0 - f1.sqrt() - f1 * (10.0 * std::f64::consts::PI * f1).sin();
            assert!((found - formula).abs() < 1e-14, "{f1}: {found}");
            assert!(found < ZDT3.value(&[f1, 0.0, 0.01, 0.0]).unwrap()[1]);
        }
    }
}
