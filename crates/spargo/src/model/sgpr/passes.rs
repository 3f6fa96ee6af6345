//! The N-sized half of the sparse model: two passes over the data in blocks of rows.
//!
//! Blocks are kept transposed, Kxz and Aᵀ with one row per data point: then every product has contiguous columns and runs
//! at the full rate. L⁻¹ is formed once, so that Aᵀ = Σ^(−½)KxzL⁻ᵀ is a product too.

use super::Sgpr;
use super::state::{Slopes, State, Sums};
use crate::data::Dataset;
use crate::error::Result;
use crate::interrupt;
use crate::kernel::Cache;
use crate::linalg::{
    Accumulate, Cholesky, Mat, MatMut, MatRef, add_mat_vec, add_row_dots, cholesky, column_mut, dot, gemm,
    invert_lower, mat_vec, syrk_lower, times_upper,
};
use crate::model::rows::{BLOCK, pass_over};
use std::ops::Range;

impl Sgpr<'_> {
    /// The model conditioned on the data.
    pub(super) fn condition(&self) -> Result<State> {
        let (lzz, root, sums) = self.sums()?;
        State::new(lzz, root, sums)
    }

    /// The first pass: L, L⁻¹, and AAᵀ, b and the scalars of F.
    pub(super) fn sums(&self) -> Result<(Cholesky, Mat, Sums)> {
        let m = self.z.nrows();
        let lzz = cholesky(self.hyper.kernel.gram(self.z), self.jitter.amount(self.hyper, self.z))?;
        let root = invert_lower(lzz.l.as_ref());
        let whitener = root.transpose().to_owned(); // L⁻ᵀ, [m, m]
        let workers =
            pass_over(self.data.len(), m, || Forward::new(m), |worker, rows| self.add_block(worker, &whitener, rows));
        let merge = |mut total: Sums, worker: Sums| {
            total.add(&worker);
            total
        };
        let sums = workers.into_iter().map(|worker| worker.sums).reduce(merge).unwrap_or_else(|| Sums::new(m));
        interrupt::poll()?;
        Ok((lzz, root, sums))
    }

    /// The second pass: θ's gradient through Kzx, k(x, x), the noise and the mean.
    pub(super) fn data_gradient(&self, slopes: &Slopes) -> Vec<f64> {
        let size = self.hyper.roles().len();
        let new = || (vec![0.0; size], Scratch::new(self.z.nrows()));
        let workers = pass_over(self.data.len(), self.z.nrows(), new, |(gradient, scratch), rows| {
            let block = Rows::new(self, rows);
            scratch.fill(self, slopes, &block);
            block.add_gradient(self, slopes, scratch, gradient);
        });
        let mut total = vec![0.0; size];
        workers.iter().for_each(|(part, _)| total.iter_mut().zip(part).for_each(|(total, p)| *total += p));
        total
    }

    /// Adds what a block of rows contributes to a worker's sums.
    pub(super) fn add_block(&self, worker: &mut Forward, whitener: &Mat, rows: Range<usize>) {
        let block = Rows::new(self, rows);
        let mut k = worker.k.as_mut().subrows_mut(0, block.len());
        let mut at = worker.at.as_mut().subrows_mut(0, block.len());
        self.hyper.kernel.cross(block.x, self.z, k.as_mut());
        scale_rows(k.as_mut(), &block.precision_root);
        // Aᵀ = Σ^(−½)KxzL⁻ᵀ, [block, m]
        times_upper(at.as_mut(), Accumulate::Replace, k.as_ref(), whitener.as_ref());
        let a = at.as_ref().transpose();
        syrk_lower(worker.sums.aat.as_mut(), Accumulate::Add, 1.0, a);
        add_mat_vec(&mut worker.sums.b, a, &block.scaled_residual);
        worker.sums.add_scalars(&block, &self.hyper.kernel.diagonal(block.x));
    }
}

/// One worker of the first pass.
pub(super) struct Forward {
    pub sums: Sums,
    k: Mat,
    at: Mat,
}

impl Forward {
    pub(super) fn new(m: usize) -> Self {
        Forward { sums: Sums::new(m), k: Mat::zeros(BLOCK, m), at: Mat::zeros(BLOCK, m) }
    }
}

impl Sums {
    fn new(m: usize) -> Self {
        Sums { rows: 0, aat: Mat::zeros(m, m), b: vec![0.0; m], log_noise: 0.0, residual: 0.0, prior: 0.0 }
    }

    fn add(&mut self, other: &Sums) {
        self.rows += other.rows;
        self.aat += &other.aat;
        self.b.iter_mut().zip(&other.b).for_each(|(total, b)| *total += b);
        self.log_noise += other.log_noise;
        self.residual += other.residual;
        self.prior += other.prior;
    }

    fn add_scalars(&mut self, block: &Rows<'_>, diagonal: &[f64]) {
        self.rows += block.len();
        self.log_noise -= 2.0 * block.precision_root.iter().map(|p| p.ln()).sum::<f64>();
        self.residual += dot(&block.scaled_residual, &block.scaled_residual);
        self.prior += diagonal.iter().zip(&block.precision_root).map(|(k, p)| k * p * p).sum::<f64>();
    }
}

/// A block of rows in the units of the algebra.
struct Rows<'a> {
    x: MatRef<'a>,
    /// 1/σᵢ.
    precision_root: Vec<f64>,
    /// rᵢ/σᵢ.
    scaled_residual: Vec<f64>,
    /// Whether σᵢ² is the learned one.
    learned: Vec<bool>,
}

impl<'a> Rows<'a> {
    fn new(model: &Sgpr<'a>, rows: Range<usize>) -> Self {
        let data: &'a Dataset = model.data;
        let precision_root: Vec<f64> = rows.clone().map(|i| 1.0 / data.noise_of(i, model.hyper.noise).sqrt()).collect();
        let residual = data.y()[rows.clone()].iter().map(|y| y - model.hyper.mean);
        Rows {
            x: data.x().subrows(rows.start, rows.len()),
            scaled_residual: residual.zip(&precision_root).map(|(r, p)| r * p).collect(),
            learned: rows.map(|i| data.noise_is_learned(i)).collect(),
            precision_root,
        }
    }

    fn len(&self) -> usize {
        self.precision_root.len()
    }

    /// Everything the rows of this block contribute to ∂F/∂θ.
    fn add_gradient(&self, model: &Sgpr<'_>, slopes: &Slopes, scratch: &Scratch, gradient: &mut [f64]) {
        let kernel = &model.hyper.kernel;
        let (of_kernel, of_rest) = gradient.split_at_mut(gradient.len() - 2);
        let k = scratch.k.subrows(0, self.len());
        kernel.backward(self.x, model.z, k, scratch.slope(self), &scratch.cache, of_kernel);
        let weights: Vec<f64> = self.precision_root.iter().map(|p| -0.5 * p * p).collect();
        kernel.add_diagonal_gradient(self.x, &weights, of_kernel);
        let diagonal = kernel.diagonal(self.x);
        let fitted = mat_vec(k, &slopes.v); // kᵢᵀv
        let mut pulled = vec![0.0; self.len()]; // kᵢᵀ(∂F/∂Kzx)ᵢ
        add_row_dots(&mut pulled, k, scratch.slope(self));
        for i in 0..self.len() {
            let (p, r) = (self.precision_root[i], self.scaled_residual[i]);
            let fitted = p * fitted[i];
            if self.learned[i] {
                of_rest[0] += 0.5 * (r * r + diagonal[i] * p * p - 1.0 - pulled[i] - r * fitted);
            }
            of_rest[1] += p * (r - fitted);
        }
    }
}

/// Kxz and (∂F/∂Kzx)ᵀ of one block, [block, m] each.
struct Scratch {
    k: Mat,
    g: Mat,
    cache: Cache,
}

impl Scratch {
    fn new(m: usize) -> Self {
        Scratch { k: Mat::zeros(BLOCK, m), g: Mat::zeros(BLOCK, m), cache: Cache::default() }
    }

    /// (∂F/∂Kzx)ᵀ = Σ⁻¹ (Kxz P + r vᵀ)
    fn fill(&mut self, model: &Sgpr<'_>, slopes: &Slopes, block: &Rows<'_>) {
        let mut k = self.k.as_mut().subrows_mut(0, block.len());
        let mut g = self.g.as_mut().subrows_mut(0, block.len());
        model.hyper.kernel.forward(block.x, model.z, k.as_mut(), &mut self.cache);
        gemm(g.as_mut(), Accumulate::Replace, 1.0, k.as_ref(), slopes.p.as_ref());
        for (j, v) in slopes.v.iter().enumerate() {
            let rows = column_mut(g.as_mut(), j).iter_mut().zip(&block.precision_root).zip(&block.scaled_residual);
            rows.for_each(|((g, p), r)| *g = p * (p * *g + r * v));
        }
    }

    fn slope(&self, block: &Rows<'_>) -> MatRef<'_> {
        self.g.subrows(0, block.len())
    }
}

fn scale_rows(mut a: MatMut<'_>, factors: &[f64]) {
    for j in 0..a.ncols() {
        column_mut(a.as_mut(), j).iter_mut().zip(factors).for_each(|(v, factor)| *v *= factor);
    }
}
