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
//! The exact posterior of f at its own data follows from the same numbers, as r = y − μ = (K + Σ)α:
//!
//! ```text
//!     E f(xᵢ) = yᵢ − σᵢ²αᵢ,   Var f(xᵢ) = σᵢ²(1 − σᵢ²Pᵢᵢ)
//! ```
//!
//! The first is eq. 5.12 of Rasmussen & Williams (2006). The second is the same for the linear model in a(x) that a sparse
//! posterior is. Hyperparameters and inducing points stay as they are, and these have seen the outcome.

use super::likelihood::Likelihood;
use super::posterior::{InducingCovariance, Posterior, Prediction};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::linalg::{Accumulate, Mat, column, dot, gemm, mat_vec, norm2, select_rows, solve_lower};
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

/// Mean and variance of f at some of the data of an exact posterior; of the last of them it is much cheaper than a prediction.
pub(crate) fn at_data(posterior: &Posterior, rows: &[usize]) -> Result<Prediction> {
    let InducingCovariance::Noise(deviations) = posterior.inducing_covariance() else {
        return posterior.predict(select_rows(posterior.z(), rows).as_ref());
    };
    let (alpha, residuals) = (posterior.mean_weights(), mat_vec(posterior.l(), posterior.w()));
    let moments = |(&i, precision): (&usize, f64)| {
        let noise = deviations[i] * deviations[i];
        let mean = posterior.prior_mean() + residuals[i] - noise * alpha[i];
        (mean, (noise * (1.0 - noise * precision)).max(0.0))
    };
    let block = |rows: &[usize]| rows.iter().zip(precisions(posterior, rows)).map(moments).collect::<Vec<_>>();
    let blocks: Vec<Vec<(f64, f64)>> = rows.par_chunks(BLOCK).map(block).collect();
    let (mean, variance) = blocks.into_iter().flatten().unzip();
    Ok(Prediction { mean, variance })
}

/// Pᵢᵢ = |L⁻¹eᵢ|² of an exact posterior.
fn precisions(posterior: &Posterior, rows: &[usize]) -> Vec<f64> {
    // L⁻¹eᵢ vanishes above i.
    let first = rows.iter().copied().min().unwrap_or(0);
    let n = posterior.z().nrows() - first;
    let mut columns = Mat::zeros(n, rows.len());
    rows.iter().enumerate().for_each(|(j, &i)| columns[(i - first, j)] = 1.0);
    solve_lower(posterior.l().submatrix(first, first, n, n), columns.as_mut());
    (0..rows.len()).map(|j| norm2(column(columns.as_ref(), j))).collect()
}

fn exact(posterior: &Posterior, data: &Dataset, rows: &[usize]) -> Vec<(f64, f64)> {
    let alpha = posterior.mean_weights();
    let one = |(&i, precision): (&usize, f64)| (data.y()[i] - alpha[i] / precision, precision.recip());
    rows.iter().zip(precisions(posterior, rows)).map(one).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Family, Kernel};
    use crate::model::{Hyperparameters, exact};
    use crate::rng::{Purpose, normal, stream, uniform};

    #[test]
    fn at_its_own_data_a_posterior_is_what_it_predicts_there() {
        let mut rng = stream(4, Purpose::Data, 0, 0);
        let x = Mat::from_fn(300, 2, |_, _| uniform(&mut rng));
        let y = (0..300).map(|i| (5.0 * x[(i, 0)]).sin() + x[(i, 1)] + 0.1 * normal(&mut rng)).collect();
        let known = (0..300).map(|i| (i % 5 == 0).then_some(0.2)).collect();
        let data = Dataset::new(x, y).unwrap().with_known_noise(known).unwrap();
        for noise in [1e-6, 0.01, 3.0] {
            let hyper = Hyperparameters { kernel: Kernel::stationary(Family::Matern52, 1.3, 0.4, 2), mean: 0.7, noise };
            let posterior = exact::infer(&hyper, &data).unwrap().posterior;
            let rows: Vec<usize> = (100..300).rev().step_by(3).collect();
            let expected = posterior.predict(select_rows(data.x(), &rows).as_ref()).unwrap();
            let found = at_data(&posterior, &rows).unwrap();
            for j in 0..rows.len() {
                assert!((found.mean[j] - expected.mean[j]).abs() < 1e-8, "{noise}: {j}");
                assert!((found.variance[j] - expected.variance[j]).abs() < 1e-9, "{noise}: {j}");
            }
        }
    }
}
