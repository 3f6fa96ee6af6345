//! The quantities of Appendix A.
//!
//! ```text
//!     E KL[Q‖P] = KL[N(0, K + σ²I) ‖ N(0, Q + σ²I)] + t/2σ²,      t = tr(K − Q),  Q = Kxz Kzz⁻¹ Kzx   (Burt et al. 2020)
//!     KL[N(0, A) ‖ N(0, B)] = ½ (tr B⁻¹A − N + log|B| − log|A|)
//!     E t^q(Z) = (M + 1) e_{M+1}(λ)/e_M(λ) ≤ (M + 1) Σ_{m>M} λ_m                            (Belabbas & Wolfe 2009)
//! ```
//!
//! The expectations are over y ~ N(0, K + σ²I), and over Z with P(Z) ∝ |L_Z|; λ are the eigenvalues of L in falling order and
//! e_m the elementary symmetric polynomials.

use crate::error::Result;
use rand_chacha::ChaCha8Rng;
use spargo::data::Dataset;
use spargo::kernel::Kernel;
use spargo::linalg::{Mat, MatRef, cholesky, cholesky_definite, norm2, solve_lower, symmetric_eigen};
use spargo::model::sgpr::Sgpr;
use spargo::model::{Hyperparameters, exact};
use spargo::rng::normal;

/// How far a sparse posterior is from the exact one.
pub struct Divergence {
    /// t(Z).
    pub trace: f64,
    /// E KL[Q‖P].
    pub expected: f64,
    /// The KL of the appendix's proof, which has no trace term.
    pub printed: f64,
}

impl Divergence {
    /// In closed form, for data x, [n, d], and inducing points z, [m, d].
    pub fn of(kernel: &Kernel, x: MatRef<'_>, z: MatRef<'_>, noise: f64) -> Result<Self> {
        let n = x.nrows();
        let lzz = cholesky(kernel.matrix(z, z), 0.0)?.l;
        let mut a = kernel.matrix(z, x); // L⁻¹Kzx, [m, n]
        solve_lower(lzz.as_ref(), a.as_mut());
        let k = kernel.matrix(x, x);
        let q = a.transpose() * &a; // [n, n]
        let trace = (0..n).map(|i| k[(i, i)] - q[(i, i)]).sum();
        let with_noise = |k: &Mat| Mat::from_fn(n, n, |i, j| k[(i, j)] + if i == j { noise } else { 0.0 });
        let (of_k, of_q) = (cholesky_definite(with_noise(&k))?, cholesky_definite(with_noise(&q))?);
        // tr B⁻¹A = |L_B⁻¹L_A|²
        let mut ratio = of_k.l.clone();
        solve_lower(of_q.l.as_ref(), ratio.as_mut());
        let squares: f64 = (0..n).map(|j| norm2(ratio.col_as_slice(j))).sum();
        let printed = 0.5 * (squares - n as f64 + of_q.log_determinant() - of_k.log_determinant());
        Ok(Divergence { trace, expected: printed + 0.5 * trace / noise, printed })
    }
}

/// The mean of KL[Q‖P] = log p(y) − bound over outcomes drawn from the prior.
pub fn sampled_divergence(
    kernel: &Kernel,
    x: MatRef<'_>,
    z: MatRef<'_>,
    noise: f64,
    draws: usize,
    rng: &mut ChaCha8Rng,
) -> Result<f64> {
    let hyper = Hyperparameters { kernel: kernel.clone(), mean: 0.0, noise };
    let n = x.nrows();
    let k = kernel.matrix(x, x);
    let root = cholesky(Mat::from_fn(n, n, |i, j| k[(i, j)] + if i == j { noise } else { 0.0 }), 0.0)?.l;
    let mut total = 0.0;
    for _ in 0..draws {
        let draw: Vec<f64> = (0..n).map(|_| normal(rng)).collect();
        let y = (0..n).map(|i| (0..=i).map(|j| root[(i, j)] * draw[j]).sum()).collect();
        let data = Dataset::new(x.to_owned(), y)?;
        total += exact::log_likelihood(&hyper, &data)? - Sgpr::new(&hyper, &data, z)?.bound()?;
    }
    Ok(total / draws as f64)
}

/// The eigenvalues of L_ij = q_i k(x_i, x_j) q_j, the largest first.
pub fn eigenvalues(kernel: &Kernel, x: MatRef<'_>, quality: &[f64]) -> Result<Vec<f64>> {
    let k = kernel.matrix(x, x);
    let l = Mat::from_fn(x.nrows(), x.nrows(), |i, j| quality[i] * k[(i, j)] * quality[j]);
    let values = symmetric_eigen(l.as_ref())?.values;
    Ok(values.into_iter().rev().map(|value| value.max(0.0)).collect())
}

/// Σ_{m>M} λ_m.
pub fn left(eigenvalues: &[f64], m: usize) -> f64 {
    eigenvalues.iter().skip(m).sum()
}

/// (M + 1) e_{M+1}/e_M.
pub fn expected_trace(eigenvalues: &[f64], m: usize) -> f64 {
    let mut e = vec![0.0; m + 2];
    e[0] = 1.0;
    // In falling order, and scaled as they grow, the polynomials stay in range.
    for value in eigenvalues {
        for order in (1..=m + 1).rev() {
            e[order] += value * e[order - 1];
        }
        let largest = e.iter().copied().fold(0.0, f64::max);
        e.iter_mut().for_each(|e| *e /= largest);
    }
    (m + 1) as f64 * e[m + 1] / e[m]
}

#[cfg(test)]
mod tests {
    use super::*;
    use spargo::allocate::{Search, allocate_by, trace};
    use spargo::kernel::Family;
    use spargo::rng::{Purpose, stream, uniform};

    const NOISE: f64 = 0.07;

    fn setting(n: usize, m: usize) -> (Kernel, Mat, Mat) {
        let mut rng = stream(1, Purpose::Data, 0, 0);
        let x = Mat::from_fn(n, 2, |_, _| uniform(&mut rng));
        let kernel = Kernel::stationary(Family::Matern52, 1.3, 0.4, 2);
        let z = allocate_by(|_| 1.0, Search::Sample, x.as_ref(), &kernel, m, &mut rng).unwrap().points;
        (kernel, x, z)
    }

    /// The closed form against its definition by full inverses, and against the engine's likelihood and bound.
    #[test]
    fn the_expected_divergence_is_the_mean_over_outcomes() {
        let (kernel, x, z) = setting(25, 6);
        let found = Divergence::of(&kernel, x.as_ref(), z.as_ref(), NOISE).unwrap();
        let plain = trace(z.as_ref(), x.as_ref(), &kernel, &[1.0; 25]).unwrap().plain;
        assert!((found.trace - plain).abs() < 1e-9 * plain);
        let draws = 4000;
        let mut rng = stream(2, Purpose::Data, 0, 0);
        let mean = sampled_divergence(&kernel, x.as_ref(), z.as_ref(), NOISE, draws, &mut rng).unwrap();
        // Its deviation is about as large as itself.
        assert!(
            (mean - found.expected).abs() < 4.0 * found.expected / (draws as f64).sqrt(),
            "{mean} {}",
            found.expected
        );
        // Without the trace term it would be far off.
        assert!((mean - found.printed).abs() > 0.2 * found.expected);
    }

    #[test]
    fn the_sandwich_holds_and_the_printed_divergence_may_lie_below_it() {
        let mut below = 0;
        for m in [2, 5, 10, 20] {
            let (kernel, x, z) = setting(40, m);
            for noise in [0.01, 0.1, 1.0] {
                let Divergence { trace, expected, printed } =
                    Divergence::of(&kernel, x.as_ref(), z.as_ref(), noise).unwrap();
                assert!(0.5 * trace / noise <= expected && expected <= trace / noise, "{m} {noise}: {expected}");
                below += usize::from(printed < 0.5 * trace / noise);
            }
        }
        assert!(below > 0);
    }

    #[test]
    fn polynomials_are_sums_over_subsets_and_obey_the_bound() {
        let values = [3.0, 1.5, 0.7, 0.2, 0.05];
        for m in 0..4 {
            let naive = |order: usize| -> f64 {
                let subsets = (0..1u32 << values.len()).filter(|set| set.count_ones() as usize == order);
                subsets.map(|set| (0..5).filter(|i| set >> i & 1 == 1).map(|i| values[i]).product::<f64>()).sum()
            };
            let expected = (m + 1) as f64 * naive(m + 1) / naive(m);
            assert!((expected_trace(&values, m) / expected - 1.0).abs() < 1e-12);
            assert!(expected <= (m + 1) as f64 * left(&values, m) && expected >= left(&values, m));
        }
    }

    #[test]
    fn eigenvalues_are_those_of_the_weighted_kernel() {
        let (kernel, x, _) = setting(10, 3);
        let quality: Vec<f64> = (0..10).map(|i| 0.2 + 0.1 * f64::from(i)).collect();
        let values = eigenvalues(&kernel, x.as_ref(), &quality).unwrap();
        assert!(values.is_sorted_by(|a, b| a >= b));
        let total: f64 = quality.iter().map(|q| 1.3 * q * q).sum();
        assert!((values.iter().sum::<f64>() - total).abs() < 1e-12);
        assert_eq!(left(&values, 0), values.iter().sum::<f64>());
    }
}
