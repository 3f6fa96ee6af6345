//! The sums of the sparse model at fixed θ and Z, which further rows enter: Θ(M²) per row, whatever N.
//!
//! ```text
//!     AAᵀ ← AAᵀ + Σᵢ aᵢaᵢᵀ,   b ← b + Σᵢ aᵢ rᵢ/σᵢ,   aᵢ = L⁻¹k(Z, xᵢ)/σᵢ
//! ```
//!
//! Rows only ever enter: what one has added is never subtracted again.

use super::passes::Forward;
use super::state::{State, Sums};
use super::{Jitter, Sgpr};
use crate::data::Dataset;
use crate::error::{Result, check_length};
use crate::interrupt;
use crate::linalg::{Cholesky, Mat, invert_lower};
use crate::model::posterior::{InducingCovariance, Posterior};
use crate::model::rows::BLOCK;
use crate::model::{Hyperparameters, Inferred};

/// θ, Z and the sums over all rows that have entered.
#[derive(Debug, Clone)]
pub struct Collapsed {
    hyper: Hyperparameters,
    z: Mat,
    jitter: Jitter,
    lzz: Cholesky,
    /// L⁻¹, [m, m].
    root: Mat,
    sums: Sums,
}

impl Collapsed {
    /// The sums over the data of a model.
    pub fn new(model: &Sgpr<'_>) -> Result<Self> {
        let (lzz, root, sums) = model.sums()?;
        Ok(Collapsed { hyper: model.hyper.clone(), z: model.z.to_owned(), jitter: model.jitter, lzz, root, sums })
    }

    /// Whether these are sums of a model with such θ.
    pub(in crate::model) fn is_of(&self, hyper: &Hyperparameters, jitter: Jitter) -> bool {
        self.hyper == *hyper && self.jitter == jitter
    }

    /// The model conditioned on all rows that have entered.
    pub(super) fn state(&self) -> Result<State> {
        State::new(self.lzz.clone(), self.root.clone(), self.sums.clone())
    }

    /// The number of rows that have entered.
    pub fn rows(&self) -> usize {
        self.sums.rows
    }

    /// Adds rows, in their order.
    pub fn enter(&mut self, data: &Dataset) -> Result<()> {
        check_length("a row of inputs", data.dimension(), self.z.ncols())?;
        let whitener = self.root.transpose().to_owned();
        let mut worker = Forward::new(self.z.nrows());
        std::mem::swap(&mut worker.sums, &mut self.sums);
        let model = Sgpr { hyper: &self.hyper, data, z: self.z.as_ref(), jitter: self.jitter };
        for first in (0..data.len()).step_by(BLOCK) {
            model.add_block(&mut worker, &whitener, first..(first + BLOCK).min(data.len()));
        }
        self.sums = worker.sums;
        interrupt::poll()
    }

    /// The posterior with the optimal q(u) given all rows that have entered, and the bound.
    pub fn infer(&self) -> Result<Inferred> {
        let state = self.state()?;
        let objective = state.bound();
        let root = invert_lower(state.lb.l.as_ref()).transpose().to_owned();
        let (kernel, z) = (self.hyper.kernel.clone(), self.z.clone());
        let posterior = Posterior::new(kernel, self.hyper.mean, z, state.lzz, state.w, InducingCovariance::Root(root));
        Ok(Inferred { posterior, objective })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Family, Kernel};
    use crate::linalg::select_rows;
    use crate::rng::{Purpose, normal, stream, uniform};

    fn data(n: usize) -> Dataset {
        let mut rng = stream(5, Purpose::Data, 0, 0);
        let x = Mat::from_fn(n, 3, |_, _| uniform(&mut rng));
        let y = (0..n).map(|i| (6.0 * x[(i, 0)]).sin() + x[(i, 1)] * x[(i, 2)] + 0.1 * normal(&mut rng)).collect();
        let noise = (0..n).map(|i| (i % 7 == 0).then_some(0.05)).collect();
        Dataset::new(x, y).unwrap().with_known_noise(noise).unwrap()
    }

    /// Sums that rows enter block by block are those of one pass over all of them, and so is everything that follows from them.
    #[test]
    fn rows_that_enter_give_what_one_pass_gives() {
        let all = data(1500);
        let hyper =
            Hyperparameters { noise: 0.01, mean: 0.3, kernel: Kernel::stationary(Family::Matern52, 1.0, 0.5, 3) };
        let z = select_rows(all.x(), &(0..60).map(|i| 17 * i).collect::<Vec<_>>());
        let model =
            |data: &Dataset| Sgpr::new(&hyper, data, z.as_ref()).map(|model| Collapsed::new(&model).unwrap()).unwrap();
        let once = model(&all);
        for sizes in [vec![1000, 1500], vec![700, 701, 764, 1400, 1500]] {
            let part = |from: usize, to: usize| all.subset(&(from..to).collect::<Vec<_>>());
            let mut grown = model(&part(0, sizes[0]));
            sizes.windows(2).for_each(|pair| grown.enter(&part(pair[0], pair[1])).unwrap());
            assert_eq!((grown.rows(), grown.sums.rows), (1500, 1500));
            let scale = (0..60).map(|i| once.sums.aat[(i, i)]).fold(0.0, f64::max);
            let close = |a: f64, b: f64, scale: f64| (a - b).abs() <= 1e-10 * scale;
            for j in 0..60 {
                assert!(close(grown.sums.b[j], once.sums.b[j], scale));
                assert!((j..60).all(|i| close(grown.sums.aat[(i, j)], once.sums.aat[(i, j)], scale)));
            }
            let [grown, once] = [&grown, &once].map(|sums| sums.infer().unwrap());
            assert!(close(grown.objective, once.objective, 1e3));
            let [grown, once] = [grown, once].map(|inferred| inferred.posterior.predict(all.x()).unwrap());
            assert!(grown.mean.iter().zip(&once.mean).all(|(a, b)| close(*a, *b, 1.0)));
            assert!(grown.variance.iter().zip(&once.variance).all(|(a, b)| close(*a, *b, 1.0)));
        }
    }
}
