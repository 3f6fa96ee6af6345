//! The few dense operations that systems of the size of the memory need; row-major throughout.

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// `y ← y + α x`.
pub(super) fn axpy(alpha: f64, x: &[f64], y: &mut [f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += alpha * x;
    }
}

pub(super) fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

/// The lower factor `R` of a positive definite `A = R Rᵀ`.
#[derive(Clone, Debug, Default)]
pub(super) struct SmallCholesky {
    size: usize,
    factor: Vec<f64>,
}

impl SmallCholesky {
    /// Factors the lower triangle of `a`; `None` unless it is safely positive definite.
    pub(super) fn new(size: usize, mut a: Vec<f64>) -> Option<Self> {
        for row in 0..size {
            let diagonal = a[row * size + row];
            for column in 0..=row {
                let (above, below) = (column * size, row * size);
                let partial = dot(&a[above..above + column], &a[below..below + column]);
                let rest = a[below + column] - partial;
                if column < row {
                    a[below + column] = rest / a[above + column];
                } else if rest.is_finite() && rest > f64::EPSILON * diagonal {
                    a[below + row] = rest.sqrt();
                } else {
                    return None;
                }
            }
        }
        Some(Self { size, factor: a })
    }

    /// Overwrites `b` with `A⁻¹ b`.
    pub(super) fn solve(&self, b: &mut [f64]) {
        let (n, r) = (self.size, &self.factor);
        for row in 0..n {
            let known = dot(&r[row * n..row * n + row], &b[..row]);
            b[row] = (b[row] - known) / r[row * n + row];
        }
        for row in (0..n).rev() {
            let known: f64 = (row + 1..n).map(|k| r[k * n + row] * b[k]).sum();
            b[row] = (b[row] - known) / r[row * n + row];
        }
    }
}

/// Solves `A x = b` by Gaussian elimination with partial pivoting; `None` if `A` is singular.
pub(super) fn solve(mut a: Vec<f64>, mut b: Vec<f64>) -> Option<Vec<f64>> {
    let n = b.len();
    for column in 0..n {
        let pivot = (column..n).max_by(|&i, &j| a[i * n + column].abs().total_cmp(&a[j * n + column].abs()))?;
        if !a[pivot * n + column].is_normal() {
            return None;
        }
        (0..n).for_each(|k| a.swap(column * n + k, pivot * n + k));
        b.swap(column, pivot);
        let (done, rest) = a.split_at_mut((column + 1) * n);
        let lead = &done[column * n..];
        for (offset, row) in rest.chunks_exact_mut(n).enumerate() {
            let factor = row[column] / lead[column];
            axpy(-factor, &lead[column..], &mut row[column..]);
            b[column + 1 + offset] -= factor * b[column];
        }
    }
    for row in (0..n).rev() {
        let known = dot(&a[row * n + row + 1..(row + 1) * n], &b[row + 1..]);
        b[row] = (b[row] - known) / a[row * n + row];
    }
    b.iter().all(|x| x.is_finite()).then_some(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: usize = 3;

    fn times(a: &[f64], x: &[f64]) -> Vec<f64> {
        a.chunks(SIZE).map(|row| dot(row, x)).collect()
    }

    fn assert_close(a: &[f64], b: &[f64]) {
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12), "{a:?} {b:?}");
    }

    #[test]
    fn both_solvers_invert_their_matrices() {
        let x = [1.0, -2.0, 0.5];
        let definite = vec![4.0, 1.0, -1.0, 1.0, 3.0, 0.5, -1.0, 0.5, 2.0];
        let mut b = times(&definite, &x);
        let cholesky = SmallCholesky::new(SIZE, definite).unwrap();
        cholesky.solve(&mut b);
        assert_close(&b, &x);

        let needs_pivoting = vec![0.0, 2.0, 1.0, 1.0, -3.0, 0.0, 4.0, 0.0, -1.0];
        let b = times(&needs_pivoting, &x);
        assert_close(&solve(needs_pivoting, b).unwrap(), &x);
    }

    #[test]
    fn indefinite_and_singular_matrices_are_refused() {
        assert!(SmallCholesky::new(2, vec![1.0, 2.0, 2.0, 1.0]).is_none());
        assert!(SmallCholesky::new(1, vec![f64::NAN]).is_none());
        assert!(solve(vec![1.0, 2.0, 2.0, 4.0], vec![1.0, 1.0]).is_none());
    }
}
