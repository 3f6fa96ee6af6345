//! The exact Gaussian process: Θ(N³), for data or subsets of up to some 10,000 points.
//!
//! ```text
//!     log p(y) = −½ rᵀα − ½ log|K + Σ| − ½ N log 2π,     α = (K + Σ)⁻¹ r,   r = y − μ
//!     ∂log p/∂K = ½ (ααᵀ − (K + Σ)⁻¹)
//! ```

use super::params::Hyperparameters;
use super::posterior::{InducingCovariance, Posterior};
use super::{Evaluation, Inferred};
use crate::data::Dataset;
use crate::error::Result;
use crate::interrupt;
use crate::linalg::{Cholesky, cholesky, dot, inverse_from_cholesky, solve_lower_transposed_vec, solve_lower_vec};
use rayon::prelude::*;
use std::f64::consts::PI;

/// The posterior given all data, and the log marginal likelihood, by one factorisation.
pub fn infer(hyper: &Hyperparameters, data: &Dataset) -> Result<Inferred> {
    let (factor, w) = condition(hyper, data)?;
    let objective = log_density(&factor, &w);
    let deviations = data.noise(hyper.noise).into_iter().map(f64::sqrt).collect();
    let x = data.x().to_owned();
    let posterior =
        Posterior::new(hyper.kernel.clone(), hyper.mean, x, factor, w, InducingCovariance::Noise(deviations));
    Ok(Inferred { posterior, objective })
}

/// The log marginal likelihood.
pub fn log_likelihood(hyper: &Hyperparameters, data: &Dataset) -> Result<f64> {
    let (factor, w) = condition(hyper, data)?;
    Ok(log_density(&factor, &w))
}

/// The log marginal likelihood and its gradient in θ.
pub fn log_likelihood_gradient(hyper: &Hyperparameters, data: &Dataset) -> Result<Evaluation> {
    let (factor, w) = condition(hyper, data)?;
    let alpha = solve_lower_transposed_vec(factor.l.as_ref(), &w);
    // g = ∂log p/∂K, [n, n]
    let mut g = inverse_from_cholesky(factor.l.as_ref());
    g.par_col_iter_mut().enumerate().for_each(|(j, column)| {
        column.iter_mut().zip(&alpha).for_each(|(g, a)| *g = 0.5 * (a * alpha[j] - *g));
    });
    let mut gradient = hyper.kernel.parameter_gradient(data.x(), data.x(), g.as_ref());
    let noise = data.noise(hyper.noise);
    let learned = (0..data.len()).filter(|&i| data.noise_is_learned(i));
    gradient.push(learned.map(|i| g[(i, i)] * noise[i]).sum());
    gradient.push(alpha.iter().sum());
    interrupt::poll()?;
    Ok(Evaluation { value: log_density(&factor, &w), gradient })
}

/// L = chol(K + Σ) and w = L⁻¹(y − μ).
fn condition(hyper: &Hyperparameters, data: &Dataset) -> Result<(Cholesky, Vec<f64>)> {
    hyper.check(data.dimension())?;
    let mut k = hyper.kernel.matrix(data.x(), data.x());
    for (i, noise) in data.noise(hyper.noise).into_iter().enumerate() {
        k[(i, i)] += noise;
    }
    let factor = cholesky(k, 0.0)?;
    let residuals: Vec<f64> = data.y().iter().map(|y| y - hyper.mean).collect();
    let w = solve_lower_vec(factor.l.as_ref(), &residuals);
    Ok((factor, w))
}

fn log_density(factor: &Cholesky, w: &[f64]) -> f64 {
    -0.5 * (dot(w, w) + factor.log_determinant() + w.len() as f64 * (2.0 * PI).ln())
}
