//! The posterior at an observation without that observation (leave-one-out), without another fit.
//!
//! ```text
//!     exact     P = (K + Σ)⁻¹,  α = P(y − μ):   mean₋ᵢ = yᵢ − αᵢ/Pᵢᵢ,   var₋ᵢ = 1/Pᵢᵢ
//!     sparse    hᵢ = |Wᵀaᵢ|²/σᵢ²:               mean₋ᵢ = yᵢ − (yᵢ − meanᵢ)/(1 − hᵢ),
//!                                               var₋ᵢ = kᵢᵢ − |aᵢ|² + |Wᵀaᵢ|²/(1 − hᵢ) + σᵢ²
//! ```
//!
//! A likelihood that is not Gaussian is met by Gaussian sites, whose parameters at the optimum are expectations under
//! q(fᵢ) = N(mᵢ, vᵢ). Without its site, with the others as they are (Vehtari et al. 2016):
//!
//! ```text
//!     τᵢ = −E ∂²log p(yᵢ|f),  νᵢ = E ∂log p(yᵢ|f) + τᵢmᵢ:   1/v₋ᵢ = 1/vᵢ − τᵢ,   m₋ᵢ = v₋ᵢ(mᵢ/vᵢ − νᵢ)
//! ```
//!
//! The first is eq. 5.12 of Rasmussen & Williams (2006). The second is the same for the linear model in a(x) that a sparse
//! posterior is. Hyperparameters and inducing points stay as they are, and these have seen the outcome.

use super::likelihood::Likelihood;
use super::posterior::{InducingCovariance, Posterior, Prediction};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::linalg::{Accumulate, Mat, column, dot, gemm, norm2, select_rows, solve_lower};
use rayon::prelude::*;

/// Rows at a time.
const BLOCK: usize = 64;

/// What is left of an outcome's weight where rounding says that the model relies on it alone.
const SMALLEST: f64 = 1e-9;

/// Mean and variance of the *observation* at each of these rows, given all the others; `noise` is the learned variance.
///
/// `data` are those that the posterior was computed from.
pub fn leave_one_out(posterior: &Posterior, data: &Dataset, noise: f64, rows: &[usize]) -> Result<Prediction> {
    posterior.check(data.x())?;
    if let Some(&row) = rows.iter().find(|&&row| row >= data.len()) {
        let (name, must) = ("a row to leave out".into(), format!("below the number of rows, {}", data.len()));
        return Err(Error::Parameter { name, value: row as f64, must });
    }
    let blocks: Vec<Vec<(f64, f64)>> = match posterior.inducing_covariance() {
        InducingCovariance::Noise(_) if posterior.z().nrows() != data.len() => {
            let what = "the data of an exact posterior".into();
            return Err(Error::Shape { what, found: data.len(), expected: posterior.z().nrows() });
        }
        InducingCovariance::Noise(_) => rows.par_chunks(BLOCK).map(|rows| exact(posterior, data, rows)).collect(),
        InducingCovariance::Root(root) => {
            rows.par_chunks(BLOCK).map(|rows| sparse(posterior, root, data, noise, rows)).collect()
        }
    };
    let (mean, variance) = blocks.into_iter().flatten().unzip();
    Ok(Prediction { mean, variance })
}

/// Mean and variance of f at each of these rows, given all other labels: the label's own Gaussian site is taken out.
///
/// `data` are those that the posterior was computed from.
pub fn leave_site_out(
    posterior: &Posterior,
    data: &Dataset,
    likelihood: Likelihood,
    rows: &[usize],
) -> Result<Prediction> {
    let x = select_rows(data.x(), rows);
    let Prediction { mean, variance } = posterior.predict(x.as_ref())?;
    let prior = posterior.kernel().diagonal(x.as_ref());
    let one = |(j, &row): (usize, &usize)| {
        let (m, v) = (mean[j], variance[j].max(f64::MIN_POSITIVE));
        let expectation = likelihood.expectation(data.y()[row], 0.0, m, v);
        let precision = -2.0 * expectation.by_variance;
        let shift = expectation.by_mean + precision * m;
        // No more than the prior's variance, which a sparse posterior could exceed.
        let left = (v.recip() - precision).max(prior[j].recip()).recip();
        (left * (m / v - shift), left)
    };
    let (mean, variance) = rows.iter().enumerate().map(one).unzip();
    Ok(Prediction { mean, variance })
}

fn exact(posterior: &Posterior, data: &Dataset, rows: &[usize]) -> Vec<(f64, f64)> {
    // L⁻¹eᵢ vanishes above i.
    let first = rows.iter().copied().min().unwrap_or(0);
    let n = data.len() - first;
    let mut columns = Mat::zeros(n, rows.len());
    rows.iter().enumerate().for_each(|(j, &i)| columns[(i - first, j)] = 1.0);
    solve_lower(posterior.l().submatrix(first, first, n, n), columns.as_mut());
    let alpha = posterior.mean_weights();
    let one = |(j, &i): (usize, &usize)| {
        let precision = norm2(column(columns.as_ref(), j));
        (data.y()[i] - alpha[i] / precision, precision.recip())
    };
    rows.iter().enumerate().map(one).collect()
}

fn sparse(posterior: &Posterior, root: &Mat, data: &Dataset, noise: f64, rows: &[usize]) -> Vec<(f64, f64)> {
    let x = select_rows(data.x(), rows);
    let mut a = posterior.kernel().matrix(posterior.z(), x.as_ref());
    solve_lower(posterior.l(), a.as_mut());
    let mut projected = Mat::zeros(a.nrows(), a.ncols());
    gemm(projected.as_mut(), Accumulate::Replace, 1.0, root.transpose(), a.as_ref());
    let prior = posterior.kernel().diagonal(x.as_ref());
    let one = |(j, &i): (usize, &usize)| {
        let (y, noise, a) = (data.y()[i], data.noise_of(i, noise), column(a.as_ref(), j));
        let known = norm2(column(projected.as_ref(), j));
        let left = (1.0 - known / noise).max(SMALLEST);
        let mean = posterior.prior_mean() + dot(a, posterior.w());
        (y - (y - mean) / left, (prior[j] - norm2(a)).max(0.0) + known / left + noise)
    };
    rows.iter().enumerate().map(one).collect()
}
