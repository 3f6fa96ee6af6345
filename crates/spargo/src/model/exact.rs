//! The exact Gaussian process: Θ(N³), for data or subsets of up to some 10,000 points.
//!
//! ```text
//!     log p(y) = −½ rᵀα − ½ log|K + Σ| − ½ N log 2π,     α = (K + Σ)⁻¹ r,   r = y − μ
//!     ∂log p/∂K = ½ (ααᵀ − (K + Σ)⁻¹)
//! ```
//!
//! A kernel of rank m < N, such as a linear one, has all of it in weight space, for Θ(Nm²): with inducing points that span the
//! kernel, Kxz Kzz⁻¹ Kzx = Kxx, so that the sparse model is the exact one.

use super::params::Hyperparameters;
use super::posterior::{InducingCovariance, Posterior};
use super::sgpr::{Jitter, Sgpr};
use super::{Evaluation, Inferred};
use crate::data::Dataset;
use crate::error::Result;
use crate::interrupt;
use crate::linalg::{Cholesky, Mat, cholesky, dot, inverse_from_cholesky, solve_lower_transposed_vec, solve_lower_vec};
use rayon::prelude::*;
use std::f64::consts::PI;

/// The posterior given all data, and the log marginal likelihood: in weight space if that is smaller.
pub fn infer(hyper: &Hyperparameters, data: &Dataset) -> Result<Inferred> {
    match spanning(hyper, data)? {
        Some(z) => {
            let Inferred { posterior, objective } = weight_space(hyper, data, &z)?.infer()?;
            Ok(Inferred { posterior: posterior.with_spanning_points(), objective })
        }
        None => infer_dense(hyper, data),
    }
}

/// The posterior given all data, and the log marginal likelihood, by one factorisation of N×N numbers.
pub fn infer_dense(hyper: &Hyperparameters, data: &Dataset) -> Result<Inferred> {
    let (factor, w) = condition(hyper, data)?;
    let objective = log_density(&factor, &w);
    let deviations = data.noise(hyper.noise).into_iter().map(f64::sqrt).collect();
    let x = data.x().to_owned();
    let posterior =
        Posterior::new(hyper.kernel.clone(), hyper.mean, x, factor, w, InducingCovariance::Noise(deviations));
    Ok(Inferred { posterior, objective })
}

/// Points that span the kernel, if they are fewer than the data.
fn spanning(hyper: &Hyperparameters, data: &Dataset) -> Result<Option<Mat>> {
    hyper.check(data.dimension())?;
    Ok(hyper.kernel.spanning(data.dimension()).filter(|z| z.nrows() < data.len()))
}

/// The model in weight space; no jitter, which would be an approximation.
fn weight_space<'a>(hyper: &'a Hyperparameters, data: &'a Dataset, z: &'a Mat) -> Result<Sgpr<'a>> {
    Ok(Sgpr { jitter: Jitter::Fixed(0.0), ..Sgpr::new(hyper, data, z.as_ref())? })
}

/// The log marginal likelihood.
pub fn log_likelihood(hyper: &Hyperparameters, data: &Dataset) -> Result<f64> {
    if let Some(z) = spanning(hyper, data)? {
        return weight_space(hyper, data, &z)?.bound();
    }
    let (factor, w) = condition(hyper, data)?;
    Ok(log_density(&factor, &w))
}

/// The log marginal likelihood and its gradient in θ; that Z moves with θ changes neither.
pub fn log_likelihood_gradient(hyper: &Hyperparameters, data: &Dataset) -> Result<Evaluation> {
    match spanning(hyper, data)? {
        Some(z) => weight_space(hyper, data, &z)?.bound_gradient(),
        None => dense_gradient(hyper, data),
    }
}

/// The log marginal likelihood and its gradient in θ, by one factorisation of N×N numbers.
pub fn dense_gradient(hyper: &Hyperparameters, data: &Dataset) -> Result<Evaluation> {
    let (factor, w) = condition(hyper, data)?;
    let alpha = solve_lower_transposed_vec(factor.l.as_ref(), &w);
    // g = ∂log p/∂K, [n, n]
    let mut g = inverse_from_cholesky(factor.l.as_ref());
    g.par_col_iter_mut().enumerate().for_each(|(j, column)| {
        column.iter_mut().zip(&alpha).for_each(|(g, a)| *g = 0.5 * (a * alpha[j] - *g));
    });
    let mut gradient = hyper.kernel.gram_gradient(data.x(), g.as_ref());
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
    let mut k = hyper.kernel.gram(data.x());
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
