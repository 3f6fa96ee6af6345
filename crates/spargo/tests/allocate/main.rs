//! The choice of inducing points: golden sequences, theory, equivalences and edge cases.

mod dispatch;
mod edges;
mod front;
mod golden;
mod qualities;
mod theory;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use spargo::kernel::{Family, Kernel};
use spargo::linalg::Mat;
use spargo::rng::{Purpose, stream};

fn rng(seed: u64) -> ChaCha8Rng {
    stream(seed, Purpose::Allocation, 0, 0)
}

/// n points, uniform in the unit cube.
fn uniform(n: usize, d: usize, seed: u64) -> Mat {
    let mut rng = stream(seed, Purpose::Data, 0, 0);
    Mat::from_fn(n, d, |_, _| rng.random::<f64>())
}

fn matern(lengthscale: f64, d: usize) -> Kernel {
    Kernel::stationary(Family::Matern52, 1.3, lengthscale, d)
}

/// |L_Z| = |q_i k(x_i, x_j) q_j| by Gaussian elimination.
fn naive_determinant(kernel: &Kernel, x: &Mat, quality: &[f64], rows: &[usize]) -> f64 {
    let k = kernel.matrix(x.as_ref(), x.as_ref());
    let mut l: Vec<Vec<f64>> =
        rows.iter().map(|&i| rows.iter().map(|&j| quality[i] * k[(i, j)] * quality[j]).collect()).collect();
    let mut determinant = 1.0;
    for pivot in 0..rows.len() {
        determinant *= l[pivot][pivot];
        let top = l[pivot].clone();
        for row in &mut l[pivot + 1..] {
            let factor = row[pivot] / top[pivot];
            row.iter_mut().zip(&top).for_each(|(value, top)| *value -= factor * top);
        }
    }
    determinant
}

/// Every set of `size` rows out of n.
fn subsets(n: usize, size: usize) -> Vec<Vec<usize>> {
    (0..1usize << n)
        .filter(|bits| bits.count_ones() as usize == size)
        .map(|bits| (0..n).filter(|i| bits >> i & 1 == 1).collect())
        .collect()
}

/// The smallest eigenvalue-like measure that matters: K_ZZ has a Cholesky factor without any jitter.
fn is_nonsingular(kernel: &Kernel, z: &Mat) -> bool {
    spargo::linalg::cholesky(kernel.matrix(z.as_ref(), z.as_ref()), 0.0).is_ok_and(|l| l.jitter == 0.0)
}

#[test]
fn kernels_compute_an_element_alike_in_any_block() {
    let x = uniform(67, 5, 1);
    for family in Family::ALL {
        let leaf = Kernel::stationary(family, 0.7, 0.37, 5);
        for kernel in [leaf.clone(), Kernel::sum(vec![leaf.clone(), matern(0.2, 5)]), Kernel::product(vec![leaf; 2])] {
            let whole = kernel.matrix(x.as_ref(), x.as_ref());
            for (i, j, rows, columns) in [(0, 3, 1, 1), (11, 0, 5, 67), (60, 20, 7, 2), (3, 64, 13, 3)] {
                let mut part = Mat::zeros(rows, columns);
                kernel.cross(x.subrows(i, rows), x.subrows(j, columns), part.as_mut());
                for (r, c) in (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c))) {
                    assert_eq!(part[(r, c)].to_bits(), whole[(i + r, j + c)].to_bits(), "{family:?}");
                    assert_eq!(part[(r, c)].to_bits(), whole[(j + c, i + r)].to_bits(), "{family:?}");
                }
            }
        }
    }
}
