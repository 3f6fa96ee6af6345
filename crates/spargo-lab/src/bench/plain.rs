//! The plain greedy search (Chen, Zhang & Zhou 2018), what the lazy one is measured against: every row is brought up to date
//! after every choice.
//!
//! ```text
//!     cₜ(x) = (k(x, zₜ) − Σ_{s<t} c_s(x) c_s(zₜ))/√σ²(zₜ),     σ²(x) ← σ²(x) − cₜ(x)²,     z = argmax q(x)²σ²(x)
//! ```

use rayon::prelude::*;
use spargo::kernel::Kernel;
use spargo::linalg::{MatMut, MatRef, mat_vec};

/// Rows updated by one task: its kernel values stay in the first-level cache.
const BLOCK: usize = 512;

/// Entries by which a row is longer than it need be, so that not all rows begin in the same sets of the cache.
const PADDING: usize = 16;

/// A conditional variance below this part of the largest prior variance is nil.
const NIL: f64 = 1e-10;

/// Up to `m` rows of x.
pub fn plain(x: MatRef<'_>, kernel: &Kernel, quality: &[f64], m: usize) -> Vec<usize> {
    let width = m.next_multiple_of(PADDING) + PADDING;
    let mut variance = kernel.diagonal(x);
    let nil = NIL * variance.iter().copied().fold(0.0, f64::max);
    let mut factor = vec![0.0; x.nrows() * width]; // [n, width], row by row
    let mut rows = Vec::new();
    while rows.len() < m {
        let score = |i: usize| quality[i].powi(2) * variance[i];
        let left = (0..x.nrows()).filter(|&i| variance[i] > nil);
        // Of equal scores the first.
        let Some(row) = left.rev().max_by(|&i, &j| score(i).total_cmp(&score(j))) else { break };
        let (step, root, point) = (rows.len(), variance[row].sqrt(), x.subrows(row, 1));
        let pivot = factor[row * width..][..step].to_vec();
        rows.push(row);
        variance[row] = 0.0;
        let blocks = factor.par_chunks_mut(BLOCK * width).zip(variance.par_chunks_mut(BLOCK)).enumerate();
        blocks.for_each(|(block, (factor, variance))| {
            let mut values = vec![0.0; variance.len()];
            let out = MatMut::from_column_major_slice_mut(&mut values, variance.len(), 1);
            kernel.cross(x.subrows(block * BLOCK, variance.len()), point, out);
            let known = MatRef::from_row_major_slice(factor, variance.len(), width).subcols(0, step);
            let explained = mat_vec(known, &pivot);
            for (i, row) in factor.chunks_exact_mut(width).enumerate() {
                if variance[i] > nil {
                    row[step] = (values[i] - explained[i]) / root;
                    variance[i] -= row[step].powi(2);
                }
            }
        });
    }
    rows
}
