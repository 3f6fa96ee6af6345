//! The N-sized half of the variational model: one pass over the data in blocks of rows.

use super::state::{Slopes, Sums};
use super::{Svgp, Variational};
use crate::kernel::Cache;
use crate::linalg::{
    Accumulate, Mat, MatRef, add_mat_vec, column, column_mut, dot, gemm, lower_transposed_product, mirror_lower, norm2,
    product_lower, solve_lower,
};
use crate::model::likelihood::Expectation;
use crate::model::rows::{BLOCK, pass_over};
use std::ops::Range;

impl Svgp<'_> {
    /// The pass for the value, and for the gradient in q.
    pub(super) fn sums(&self, q: &Variational) -> Sums {
        let m = self.z.nrows();
        let workers = pass_over(
            self.data.len(),
            m,
            || Worker::new(m),
            |worker, rows| {
                self.hyper.kernel.cross(self.z, self.points(&rows), worker.k.as_mut().subcols_mut(0, rows.len()));
                self.add_block(worker, q, rows);
            },
        );
        Sums::merge(m, workers.iter().map(|worker| &worker.sums))
    }

    /// The pass for the value and all gradients; returns that in θ.
    pub(super) fn sums_and_gradient(&self, q: &Variational) -> (Sums, Vec<f64>) {
        let m = self.z.nrows();
        let size = self.hyper.roles().len();
        let l = self.lzz.l.as_ref();
        let slopes = Slopes::new(l, q);
        let new = || (Worker::new(m), vec![0.0; size]);
        let workers = pass_over(self.data.len(), m, new, |(worker, gradient), rows| {
            let k = worker.k.as_mut().subcols_mut(0, rows.len());
            self.hyper.kernel.forward(self.z, self.points(&rows), k, &mut worker.cache);
            let expectations = self.add_block(worker, q, rows.clone());
            self.add_gradient(worker, &slopes, rows, &expectations, gradient);
        });
        let sums = Sums::merge(m, workers.iter().map(|(worker, _)| &worker.sums));
        let slope = sums.kzz_slope(l, q);
        let mut theta = self.hyper.kernel.parameter_gradient(self.z, self.z, slope.as_ref());
        self.jitter.add_gradient(self.hyper, self.z, self.lzz.jitter, &slope, &mut theta);
        theta.resize(size, 0.0);
        workers.iter().for_each(|(_, part)| theta.iter_mut().zip(part).for_each(|(total, p)| *total += p));
        (sums, theta)
    }

    /// The inputs of a block, [block, d].
    fn points(&self, rows: &Range<usize>) -> MatRef<'_> {
        self.data.x().subrows(rows.start, rows.len())
    }

    /// Adds the block whose Kzx is in the worker to the sums; returns Eᵢ with its derivatives, times the weight.
    fn add_block(&self, worker: &mut Worker, q: &Variational, rows: Range<usize>) -> Vec<Expectation> {
        let mut a = worker.a.as_mut().subcols_mut(0, rows.len());
        let mut work = worker.work.as_mut().subcols_mut(0, rows.len());
        // A = L⁻¹Kzx, [m, block]
        a.copy_from(worker.k.subcols(0, rows.len()));
        solve_lower(self.lzz.l.as_ref(), a.as_mut());
        // SᵀA, [m, block]
        lower_transposed_product(work.as_mut(), q.sqrt(), a.as_ref());
        let expectations = self.expectations(q, rows, a.as_ref(), work.as_ref());
        // AH, [m, block]
        for (j, expectation) in expectations.iter().enumerate() {
            let (from, to) = (column(a.as_ref(), j), column_mut(work.as_mut(), j));
            to.iter_mut().zip(from).for_each(|(to, a)| *to = a * expectation.by_variance);
        }
        let slopes: Vec<f64> = expectations.iter().map(|e| e.by_mean).collect();
        worker.sums.expectation += expectations.iter().map(|e| e.value).sum::<f64>();
        add_mat_vec(&mut worker.sums.b, a.as_ref(), &slopes);
        product_lower(worker.sums.c.as_mut(), Accumulate::Add, 1.0, a.as_ref(), work.as_ref());
        expectations
    }

    /// Eᵢ at mᵢ = μ + aᵢᵀw and vᵢ = kᵢᵢ − |aᵢ|² + |Sᵀaᵢ|², times the weight.
    fn expectations(
        &self,
        q: &Variational,
        rows: Range<usize>,
        a: MatRef<'_>,
        projected: MatRef<'_>,
    ) -> Vec<Expectation> {
        let prior = self.hyper.kernel.diagonal(self.points(&rows));
        let one = |(j, row): (usize, usize)| {
            let mean = self.hyper.mean + dot(column(a, j), q.mu());
            let variance = prior[j] - norm2(column(a, j)) + norm2(column(projected, j));
            let noise = self.data.noise_of(row, self.hyper.noise);
            let e = self.likelihood.expectation(self.data.y()[row], noise, mean, variance);
            Expectation {
                value: self.weight * e.value,
                by_mean: self.weight * e.by_mean,
                by_variance: self.weight * e.by_variance,
                by_log_noise: if self.data.noise_is_learned(row) { self.weight * e.by_log_noise } else { 0.0 },
            }
        };
        rows.enumerate().map(one).collect()
    }

    /// Adds what the block contributes to ∂ELBO/∂θ through Kzx, k(x, x), the noise and the mean.
    fn add_gradient(
        &self,
        worker: &mut Worker,
        slopes: &Slopes,
        rows: Range<usize>,
        expectations: &[Expectation],
        gradient: &mut [f64],
    ) {
        let (x, k) = (self.points(&rows), worker.k.subcols(0, rows.len()));
        // ∂ELBO/∂Kzx = v gᵀ + P Kzx H, [m, block]
        let mut g = worker.work.as_mut().subcols_mut(0, rows.len());
        gemm(g.as_mut(), Accumulate::Replace, 1.0, slopes.p.as_ref(), k);
        for (j, e) in expectations.iter().enumerate() {
            let column = column_mut(g.as_mut(), j).iter_mut().zip(&slopes.v);
            column.for_each(|(g, v)| *g = e.by_variance * *g + e.by_mean * v);
        }
        let (of_kernel, of_rest) = gradient.split_at_mut(gradient.len() - 2);
        self.hyper.kernel.backward(self.z, x, k, g.as_ref(), &worker.cache, of_kernel);
        let by_variance: Vec<f64> = expectations.iter().map(|e| e.by_variance).collect();
        self.hyper.kernel.add_diagonal_gradient(x, &by_variance, of_kernel);
        of_rest[0] += expectations.iter().map(|e| e.by_log_noise).sum::<f64>();
        of_rest[1] += expectations.iter().map(|e| e.by_mean).sum::<f64>();
    }
}

/// One worker's sums and its scratch, [m, block] each.
struct Worker {
    sums: Sums,
    /// Kzx, and what its kernel remembers of it.
    k: Mat,
    cache: Cache,
    /// A = L⁻¹Kzx.
    a: Mat,
    /// SᵀA, then AH, then ∂ELBO/∂Kzx.
    work: Mat,
}

impl Worker {
    fn new(m: usize) -> Self {
        let block = || Mat::zeros(m, BLOCK);
        Worker { sums: Sums::new(m), k: block(), cache: Cache::default(), a: block(), work: block() }
    }
}

impl Sums {
    fn new(m: usize) -> Self {
        Sums { expectation: 0.0, b: vec![0.0; m], c: Mat::zeros(m, m) }
    }

    fn merge<'a>(m: usize, parts: impl Iterator<Item = &'a Sums>) -> Self {
        let mut total = Sums::new(m);
        for part in parts {
            total.expectation += part.expectation;
            total.b.iter_mut().zip(&part.b).for_each(|(total, b)| *total += b);
            total.c += &part.c;
        }
        mirror_lower(total.c.as_mut());
        total
    }
}
