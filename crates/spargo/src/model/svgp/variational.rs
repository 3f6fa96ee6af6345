//! q(v) = N(w, SSᵀ), the approximate posterior of the whitened inducing variables.
//!
//! S is lower triangular with a positive diagonal, which makes it unique.

use crate::error::{Error, Result};
use crate::linalg::{Mat, MatRef, cholesky_definite, column_major, invert_lower, mat_vec, norm2};
use serde::{Deserialize, Serialize};

/// Mean w and root S of q(v).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Variational {
    mu: Vec<f64>,
    #[serde(with = "column_major")]
    sqrt: Mat, // [m, m]
}

impl Variational {
    /// The prior, N(0, I), of m inducing variables.
    pub fn prior(m: usize) -> Self {
        Variational { mu: vec![0.0; m], sqrt: Mat::identity(m, m) }
    }

    /// Checks that S is square, lower triangular, finite and has a positive diagonal.
    pub fn new(mu: Vec<f64>, sqrt: Mat) -> Result<Self> {
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
    pub(super) fn from_precision(precision: MatRef<'_>, shift: &[f64]) -> Result<Self> {
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
    pub fn sqrt(&self) -> MatRef<'_> {
        self.sqrt.as_ref()
    }

    /// KL(q(v) ‖ N(0, I)).
    pub fn kl(&self) -> f64 {
        let squares: f64 = (0..self.len()).map(|j| norm2(self.sqrt.col_as_slice(j))).sum();
        let logs: f64 = (0..self.len()).map(|j| self.sqrt[(j, j)].ln()).sum();
        0.5 * (norm2(&self.mu) + squares - self.len() as f64) - logs
    }
}

/// What is read from storage, before it is checked.
#[derive(Deserialize)]
struct Unchecked {
    mu: Vec<f64>,
    #[serde(with = "column_major")]
    sqrt: Mat,
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
