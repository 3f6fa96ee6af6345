//! q(v) = N(w, SSᵀ), the approximate posterior of the whitened inducing variables.
//!
//! S is lower triangular with a positive diagonal, which makes it unique. InitialFit-order optimizers see the unconstrained
//! vector (w, S column by column from the diagonal down, with log Sⱼⱼ in place of Sⱼⱼ).

use crate::error::{Error, Result};
use crate::linalg::{Mat, MatRef, cholesky_definite, column_major, invert_lower, mat_vec, norm2};
use serde::{Deserialize, Serialize};

/// Mean w and root S of q(v).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Variational {
    mu: Vec<f64>,
    #[serde(with = "column_major")]
    sqrt: Mat<f64>, // [m, m]
}

impl Variational {
    /// The prior, N(0, I), of m inducing variables.
    pub fn prior(m: usize) -> Self {
        Variational { mu: vec![0.0; m], sqrt: Mat::identity(m, m) }
    }

    /// Checks that S is square, lower triangular, finite and has a positive diagonal.
    pub fn new(mu: Vec<f64>, sqrt: Mat<f64>) -> Result<Self> {
        let m = mu.len();
        for found in [sqrt.nrows(), sqrt.ncols()] {
            if found != m {
                return Err(Error::Shape { what: "the root of q's covariance".into(), found, expected: m });
            }
        }
        if let Some(row) = mu.iter().position(|w| !w.is_finite()) {
            return Err(Error::NonFinite { what: "the mean of q(u)".into(), row, value: mu[row] });
        }
        for j in 0..m {
            for i in 0..m {
                let value = sqrt[(i, j)];
                let (good, must) = match i.cmp(&j) {
                    std::cmp::Ordering::Less => (value == 0.0, "0 above the diagonal"),
                    std::cmp::Ordering::Equal => (value > 0.0 && value.is_finite(), "positive on the diagonal"),
                    std::cmp::Ordering::Greater => (value.is_finite(), "finite"),
                };
                if !good {
                    let name = format!("element ({i}, {j}) of the root of q's covariance");
                    return Err(Error::Parameter { name, value, must: must.into() });
                }
            }
        }
        Ok(Variational { mu, sqrt })
    }

    /// q with precision Λ (given by its lower triangle) and mean Λ⁻¹s.
    ///
    /// A lower root of Λ⁻¹ comes from an upper one of Λ, that is, from the Cholesky factor of Λ with both axes turned round.
    pub(super) fn from_precision(precision: MatRef<'_, f64>, shift: &[f64]) -> Result<Self> {
        let last = shift.len().wrapping_sub(1);
        let turned = Mat::from_fn(shift.len(), shift.len(), |i, j| {
            let (i, j) = (last - i, last - j);
            precision[(i.max(j), i.min(j))]
        });
        let inverse = invert_lower(cholesky_definite(turned)?.l.as_ref());
        // Λ = UUᵀ with U = JRJ, so Λ⁻¹ = SSᵀ with S = U⁻ᵀ = J R⁻ᵀ J
        let sqrt = Mat::from_fn(shift.len(), shift.len(), |i, j| inverse[(last - j, last - i)]);
        let mu = mat_vec(sqrt.as_ref(), &mat_vec(sqrt.transpose(), shift));
        Ok(Variational { mu, sqrt })
    }

    /// M.
    pub fn len(&self) -> usize {
        self.mu.len()
    }

    /// Whether there are no inducing variables.
    pub fn is_empty(&self) -> bool {
        self.mu.is_empty()
    }

    /// w.
    pub fn mu(&self) -> &[f64] {
        &self.mu
    }

    /// S, [m, m].
    pub fn sqrt(&self) -> MatRef<'_, f64> {
        self.sqrt.as_ref()
    }

    /// KL(q(v) ‖ N(0, I)).
    pub fn kl(&self) -> f64 {
        let squares: f64 = (0..self.len()).map(|j| norm2(self.sqrt.col_as_slice(j))).sum();
        let logs: f64 = (0..self.len()).map(|j| self.sqrt[(j, j)].ln()).sum();
        0.5 * (norm2(&self.mu) + squares - self.len() as f64) - logs
    }

    /// The unconstrained vector.
    pub fn to_vector(&self) -> Vec<f64> {
        let mut vector = self.mu.clone();
        for j in 0..self.len() {
            vector.push(self.sqrt[(j, j)].ln());
            vector.extend(&self.sqrt.col_as_slice(j)[j + 1..]);
        }
        vector
    }

    /// q from its unconstrained vector of M + M(M + 1)/2 numbers.
    pub(super) fn from_vector(m: usize, vector: &[f64]) -> Self {
        let (mu, mut rest) = vector.split_at(m);
        let mut sqrt = Mat::zeros(m, m);
        for j in 0..m {
            let (column, later) = rest.split_at(m - j);
            sqrt.col_as_slice_mut(j)[j..].copy_from_slice(column);
            sqrt[(j, j)] = column[0].exp();
            rest = later;
        }
        Variational { mu: mu.to_vec(), sqrt }
    }

    /// The gradient in the unconstrained vector, from those in w and S.
    pub(super) fn vector_gradient(&self, mu: &[f64], sqrt: MatRef<'_, f64>) -> Vec<f64> {
        let mut gradient = mu.to_vec();
        for j in 0..self.len() {
            gradient.push(self.sqrt[(j, j)] * sqrt[(j, j)]);
            gradient.extend((j + 1..self.len()).map(|i| sqrt[(i, j)]));
        }
        gradient
    }
}

/// What is read from storage, before it is checked.
#[derive(Deserialize)]
struct Unchecked {
    mu: Vec<f64>,
    #[serde(with = "column_major")]
    sqrt: Mat<f64>,
}

impl TryFrom<Unchecked> for Variational {
    type Error = Error;

    fn try_from(stored: Unchecked) -> Result<Self> {
        Variational::new(stored.mu, stored.sqrt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Variational {
        let sqrt = Mat::from_fn(4, 4, |i, j| if i < j { 0.0 } else { 0.3 + 0.2 * i as f64 - 0.15 * j as f64 });
        Variational::new(vec![0.4, -1.0, 0.2, 3.0], sqrt).unwrap()
    }

    #[test]
    fn the_unconstrained_vector_returns() {
        let q = example();
        let again = Variational::from_vector(4, &q.to_vector());
        assert_eq!(q.mu, again.mu);
        assert!((&q.sqrt - &again.sqrt).norm_max() < 1e-15);
    }

    #[test]
    fn gradients_reach_the_unconstrained_vector() {
        let q = example();
        // ∂KL/∂w = w and ∂KL/∂S = S − diag(1/Sⱼⱼ)
        let sqrt = Mat::from_fn(4, 4, |i, j| q.sqrt[(i, j)] - if i == j { 1.0 / q.sqrt[(i, j)] } else { 0.0 });
        let found = q.vector_gradient(&q.mu, sqrt.as_ref());
        let vector = q.to_vector();
        assert_eq!(found.len(), vector.len());
        for k in 0..vector.len() {
            let at = |h: f64| {
                let mut moved = vector.clone();
                moved[k] += h;
                Variational::from_vector(4, &moved).kl()
            };
            let slope = (at(1e-5) - at(-1e-5)) / 2e-5;
            assert!((found[k] - slope).abs() < 1e-8, "{k}: {} {slope}", found[k]);
        }
    }

    #[test]
    fn a_precision_returns_its_root() {
        let q = example();
        let inverse = invert_lower(q.sqrt());
        let precision = inverse.transpose() * &inverse;
        let again = Variational::from_precision(precision.as_ref(), &mat_vec(precision.as_ref(), &q.mu)).unwrap();
        assert!((&q.sqrt - &again.sqrt).norm_max() < 1e-12);
        assert!(q.mu.iter().zip(&again.mu).all(|(a, b)| (a - b).abs() < 1e-12));
    }

    #[test]
    fn stored_q_is_checked_when_read() {
        let q = example();
        let text = serde_json::to_string(&q).unwrap();
        assert_eq!(serde_json::from_str::<Variational>(&text).unwrap(), q);
        assert!(serde_json::from_str::<Variational>(&text.replace("[0.4,", "[")).is_err());
        assert!(serde_json::from_str::<Variational>(&text.replacen("0.3,", "-0.3,", 1)).is_err());
    }

    #[test]
    fn upper_roots_and_other_shapes_are_refused() {
        assert!(matches!(
            Variational::new(vec![0.0; 2], Mat::from_fn(2, 2, |_, _| 1.0)),
            Err(Error::Parameter { value: 1.0, .. })
        ));
        let refused = Variational::new(vec![0.0; 2], Mat::identity(3, 3));
        assert!(matches!(refused, Err(Error::Shape { found: 3, expected: 2, .. })));
        assert!(Variational::new(vec![f64::NAN], Mat::identity(1, 1)).is_err());
        assert_eq!(Variational::prior(3).kl(), 0.0);
    }
}
