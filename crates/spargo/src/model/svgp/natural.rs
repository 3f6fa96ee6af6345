//! Natural gradient steps for q (Salimbeni, Eleftheriadis & Hensman 2018): ascent in the geometry of distributions.
//!
//! In the natural parameters Λ = (SSᵀ)⁻¹ and s = Λw the step of length ρ is a convex combination:
//!
//! ```text
//!     Λ ← (1 − ρ) Λ + ρ (I − 2C)          s ← (1 − ρ) s + ρ (b − 2Cw)
//! ```
//!
//! For a Gaussian likelihood the right-hand side does not depend on q: one step of length 1 is exact. For a log-concave
//! one C is negative semidefinite, so Λ stays positive definite, but full steps may overshoot for ever. Along a step the
//! bound starts out with the slope
//!
//! ```text
//!     dELBO/dρ = |Sᵀ(b − w)|² + ½ |Sᵀ(I − 2C)S − I|²     at ρ = 0
//! ```
//!
//! the squared length of the natural gradient: it vanishes at the optimum only, is twice what is left to gain nearby,
//! and with the bound at one trial it tells where the best step lies.

use super::state::Sums;
use super::{Svgp, Variational};
use crate::error::Result;
use crate::linalg::{
    Accumulate, Mat, gemm_parallel, gram_of_lower, invert_lower, lower_transposed_product, mat_vec, mirror_lower, norm2,
};

/// Limit on the steps to the optimal q at one θ.
const MAX_STEPS: usize = 100;

/// q is optimal once less than this is left to gain, in nats per row.
const TOLERANCE: f64 = 1e-10;

/// Trials of one step before giving up.
const TRIALS: usize = 12;

/// The share of slope·step that a step must gain: ½ is that of the best step on a parabola.
const FAIR_SHARE: f64 = 0.25;

/// The most by which the next first trial may be longer: far from the optimum parabolas promise too much.
const GROWTH: f64 = 2.5;

impl Svgp<'_> {
    /// q after one natural gradient step of length `step`, from 0 (none) to 1.
    pub fn natural_step(&self, q: &Variational, step: f64) -> Result<Variational> {
        self.check(q)?;
        advance(q, &self.sums(q), step)
    }

    /// The q that maximises the bound, by steps from `start`.
    pub fn optimal(&self, start: &Variational) -> Result<Variational> {
        if self.likelihood.is_conjugate() {
            return self.natural_step(start, 1.0);
        }
        self.check(start)?;
        let enough = TOLERANCE * self.weight * self.data.len() as f64;
        let mut now = Candidate::new(self, start.clone());
        let mut step = 1.0;
        for _ in 0..MAX_STEPS {
            if 0.5 * now.slope < enough {
                break;
            }
            let Some(next) = self.ascend(&now, &mut step) else { break };
            now = next;
        }
        Ok(now.q)
    }

    /// A step that gains a fair share of what its slope promises, or leaves much less of that slope; none once rounding
    /// is all there is to gain.
    ///
    /// `step` is the length to try first, and then the one to try first next time.
    fn ascend(&self, now: &Candidate, step: &mut f64) -> Option<Candidate> {
        for _ in 0..TRIALS {
            let next = advance(&now.q, &now.sums, *step).map(|q| Candidate::new(self, q));
            let Some(next) = next.ok().filter(|next| next.elbo.is_finite()) else {
                *step *= 0.5;
                continue;
            };
            let gain = next.elbo - now.elbo;
            // Where the parabola with this slope at 0 and this gain at the step has its peak.
            let curvature = now.slope * *step - gain;
            let peak = if curvature > 0.0 { 0.5 * now.slope * *step * *step / curvature } else { 1.0 };
            if gain >= FAIR_SHARE * now.slope * *step {
                *step = peak.min(GROWTH * *step).min(1.0);
                return Some(next);
            }
            // Far from the optimum the bound is no parabola, and a step that flattens it will do.
            if gain > 0.0 && next.slope < 0.5 * now.slope {
                *step = 1.0;
                return Some(next);
            }
            *step = peak.clamp(0.1 * *step, 0.5 * *step);
        }
        None
    }
}

/// A q with its bound, the slope of the bound along a natural step, and the sums that step needs: one pass.
struct Candidate {
    q: Variational,
    sums: Sums,
    elbo: f64,
    slope: f64,
}

impl Candidate {
    fn new(model: &Svgp<'_>, q: Variational) -> Self {
        let sums = model.sums(&q);
        let (elbo, slope) = (sums.expectation - q.kl(), natural_slope(&q, &sums));
        Candidate { q, sums, elbo, slope }
    }
}

/// |Sᵀ(b − w)|² + ½ |Sᵀ(I − 2C)S − I|².
fn natural_slope(q: &Variational, sums: &Sums) -> f64 {
    let m = q.len();
    let s = q.sqrt();
    // S − 2CS, then Sᵀ(I − 2C)S, [m, m]
    let mut right = s.to_owned();
    gemm_parallel(right.as_mut(), Accumulate::Add, -2.0, sums.c.as_ref(), s);
    let mut excess = Mat::zeros(m, m);
    lower_transposed_product(excess.as_mut(), s, right.as_ref());
    (0..m).for_each(|j| excess[(j, j)] -= 1.0);
    let residual: Vec<f64> = sums.b.iter().zip(q.mu()).map(|(b, w)| b - w).collect();
    let squares: f64 = (0..m).map(|j| norm2(excess.col_as_slice(j))).sum();
    norm2(&mat_vec(s.transpose(), &residual)) + 0.5 * squares
}

fn advance(q: &Variational, sums: &Sums, step: f64) -> Result<Variational> {
    let m = q.len();
    let mut old = Mat::zeros(m, m); // Λ, [m, m]
    gram_of_lower(old.as_mut(), Accumulate::Replace, 1.0, invert_lower(q.sqrt()).as_ref());
    mirror_lower(old.as_mut());
    let (old_shift, cw) = (mat_vec(old.as_ref(), q.mu()), mat_vec(sums.c.as_ref(), q.mu()));
    let identity = |i, j| if i == j { 1.0 } else { 0.0 };
    let precision =
        Mat::from_fn(m, m, |i, j| (1.0 - step) * old[(i, j)] + step * (identity(i, j) - 2.0 * sums.c[(i, j)]));
    let shift: Vec<f64> = (0..m).map(|i| (1.0 - step) * old_shift[i] + step * (sums.b[i] - 2.0 * cw[i])).collect();
    Variational::from_precision(precision.as_ref(), &shift)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Dataset;
    use crate::kernel::{Family, Kernel};
    use crate::model::{Hyperparameters, Likelihood};

    fn labels(n: usize) -> Dataset {
        let x = Mat::from_fn(n, 2, |i, k| ((i + 1) as f64 * [2f64, 3.0][k].sqrt()).fract());
        let y = (0..n).map(|i| f64::from(u8::from(x[(i, 0)] + x[(i, 1)] > 1.0))).collect();
        Dataset::new(x, y).unwrap()
    }

    #[test]
    fn the_slope_is_that_of_the_bound_along_a_step() {
        let data = labels(60);
        let z = data.x().subrows(0, 8);
        let hyper = Hyperparameters::cold(Kernel::stationary(Family::Matern52, 2.0, 0.4, 2));
        for likelihood in [Likelihood::Bernoulli, Likelihood::Gaussian] {
            let model = Svgp::new(&hyper, &data, z, likelihood).unwrap();
            let now = Candidate::new(&model, model.natural_step(&Variational::prior(8), 0.3).unwrap());
            let at = |step| model.elbo(&advance(&now.q, &now.sums, step).unwrap()).unwrap();
            let h = 1e-4;
            let found = (at(h) - at(-h)) / (2.0 * h);
            assert!((found / now.slope - 1.0).abs() < 1e-5, "{likelihood:?}: {found} {}", now.slope);
        }
    }

    #[test]
    fn steps_converge_where_full_steps_overshoot() {
        let data = labels(300);
        let z = data.x().subrows(0, 25);
        for variance in [1.0, 10.0, 100.0, 1000.0] {
            let hyper = Hyperparameters::cold(Kernel::stationary(Family::Matern52, variance, 0.7, 2));
            let model = Svgp::new(&hyper, &data, z, Likelihood::Bernoulli).unwrap();
            let end = Candidate::new(&model, model.optimal(&Variational::prior(25)).unwrap());
            assert!(0.5 * end.slope < 300.0 * TOLERANCE, "variance {variance}: {:e}", end.slope);
        }
    }
}
