//! Moments of a fixed pool of points, kept up to date as points are believed.
//!
//! With V = c(x, P)L_P⁻ᵀ, row by row, a new point p with row l and pivot λ of the factor adds a column:
//!
//! ```text
//!     v = (c(x, p) − V l)/λ,        c(x, p) = k(x, p) − k(x, Z)h(p),        var_{P,p}(x) = var_P(x) − v²
//! ```
//!
//! That is O(n(m + p)) per point, by streaming k(x, Z) and V through the memory bus.

use super::fantasy::{BLOCK, Fantasy, grow};
use super::function::Moments;
use crate::error::Result;
use crate::linalg::{Accumulate, Mat, MatRef, column, gemm, solve_lower};
use crate::model::Posterior;
use rayon::prelude::*;

/// Kernel values that are kept, 256 MB; beyond that they are computed again for each pending point.
const KEPT: usize = 1 << 25;

/// Points whose moments are wanted again and again; 8n(m + p) bytes for n points and p believed ones.
#[derive(Debug, Clone)]
pub struct PoolMoments<'a> {
    posterior: &'a Posterior,
    blocks: Vec<Block<'a>>,
    /// How many believed points the moments know of.
    known: usize,
}

#[derive(Debug, Clone)]
struct Block<'a> {
    x: MatRef<'a>,
    /// k(x, Z), [n, m], if there is memory for it.
    kxz: Option<Mat>,
    /// V, [n, known] and room to grow.
    roots: Mat,
    moments: Vec<Moments>,
}

impl<'a> PoolMoments<'a> {
    /// A pool that knows of no believed points yet.
    pub fn new(posterior: &'a Posterior, x: MatRef<'a>) -> Result<Self> {
        PoolMoments::keeping(posterior, x, KEPT)
    }

    /// A pool that keeps k(x, Z) if it has at most `room` elements.
    fn keeping(posterior: &'a Posterior, x: MatRef<'a>, room: usize) -> Result<Self> {
        let prediction = posterior.predict(x)?;
        let fits = x.nrows() * posterior.z().nrows() <= room;
        let block = |(number, x): (usize, MatRef<'a>)| {
            let moments = (number * BLOCK..number * BLOCK + x.nrows()).map(|i| {
                let (mean, variance) = (prediction.mean[i], prediction.variance[i]);
                Moments { mean, variance, conditional: variance }
            });
            let kxz = fits.then(|| posterior.kernel().matrix(x, posterior.z()));
            Block { x, kxz, roots: Mat::new(), moments: moments.collect() }
        };
        let blocks = x.par_row_chunks(BLOCK).enumerate().map(block).collect();
        Ok(PoolMoments { posterior, blocks, known: 0 })
    }

    /// Takes in the points believed since the last time; the fantasy must be the same all along.
    pub fn catch_up(&mut self, fantasy: &Fantasy<'_>) {
        let (posterior, known) = (self.posterior, self.known);
        if fantasy.points().nrows() > known {
            self.blocks.par_iter_mut().for_each(|block| block.catch_up(posterior, fantasy, known));
            self.known = fantasy.points().nrows();
        }
    }

    /// Moments at each point, in order.
    pub fn moments(&self) -> Vec<Moments> {
        self.blocks.iter().flat_map(|block| block.moments.iter().copied()).collect()
    }
}

impl Block<'_> {
    fn catch_up(&mut self, posterior: &Posterior, fantasy: &Fantasy<'_>, known: usize) {
        let fresh = fantasy.points().nrows() - known;
        let mut v = self.covariances(posterior, fantasy, known); // [n, fresh]
        let rows = fantasy.factor().subrows(known, fresh);
        if known > 0 {
            let roots = self.roots.subcols(0, known);
            gemm(v.as_mut(), Accumulate::Add, -1.0, roots, rows.subcols(0, known).transpose());
        }
        // V L_Pᵀ = c, by rows.
        solve_lower(rows.subcols(known, fresh), v.as_mut().transpose_mut());
        for j in 0..fresh {
            for (at, v) in self.moments.iter_mut().zip(column(v.as_ref(), j)) {
                at.conditional = (at.conditional - v * v).max(0.0);
            }
        }
        grow(&mut self.roots, self.x.nrows(), known + fresh);
        self.roots.as_mut().subcols_mut(known, fresh).copy_from(v);
    }

    /// c(x, p) of the points believed beyond those known, [n, fresh].
    fn covariances(&self, posterior: &Posterior, fantasy: &Fantasy<'_>, known: usize) -> Mat {
        let kernel = posterior.kernel();
        let fresh = fantasy.points().nrows() - known;
        let mut c = kernel.matrix(self.x, fantasy.points().subrows(known, fresh));
        let weights = fantasy.weights().subcols(known, fresh);
        match &self.kxz {
            Some(kxz) => gemm(c.as_mut(), Accumulate::Add, -1.0, kxz.as_ref(), weights),
            None => gemm(c.as_mut(), Accumulate::Add, -1.0, kernel.matrix(self.x, posterior.z()).as_ref(), weights),
        }
        c
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Dataset;
    use crate::kernel::{Family, Kernel};
    use crate::model::{Hyperparameters, exact};

    #[test]
    fn kernel_values_are_the_same_kept_or_not() {
        let x = Mat::from_fn(30, 2, |i, k| (i as f64 * [0.618, 0.414][k]).fract());
        let data = Dataset::new(x.clone(), (0..30).map(|i| (i as f64).sin()).collect()).unwrap();
        let kernel = Kernel::stationary(Family::Matern52, 1.0, 0.3, 2);
        let posterior = exact::infer(&Hyperparameters { kernel, mean: 0.0, noise: 0.1 }, &data).unwrap().posterior;
        let fantasy = Fantasy::new(&posterior, 0.1, x.as_ref().subrows(0, 3)).unwrap();
        let moments = |room: usize| {
            let mut pool = PoolMoments::keeping(&posterior, x.as_ref(), room).unwrap();
            assert_eq!(pool.blocks[0].kxz.is_some(), room == 900);
            pool.catch_up(&fantasy);
            pool.moments()
        };
        assert_eq!(moments(900), moments(899));
    }
}
