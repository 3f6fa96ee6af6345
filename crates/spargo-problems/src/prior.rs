//! Functions drawn from a Gaussian process prior on [0, 1]⁸: a benchmark of parallel Thompson sampling at many observations.
//!
//! ```text
//!     g(x) = φ(x)ᵀw,   w ~ N(0, I),   φ: 5,000 random features of a Matérn-3/2 kernel of variance 1 and one length scale ℓ
//! ```
//!
//! The set-up of Lin et al. (2023, 2024): every seed is another function, the hyperparameters are known to the methods, 50,000 points are
//! observed before the first batch, the noise deviation is 10⁻³. The maximum of g is unknown: values are compared, not regrets.

use rayon::prelude::*;
use serde::Serialize;
use spargo::kernel::{Family, Kernel};
use spargo::linalg::Mat;
use spargo::rng::{Purpose, normal, stream};
use spargo::sample::Features;
use spargo::space::{Dimension, Space};
use spargo::{Error, Result};

/// Inputs.
const INPUTS: usize = 8;

/// Random features of a function.
const FEATURES: usize = 5000;

/// Points that are evaluated together: their features take 10 MB.
const BLOCK: usize = 256;

/// The slot of the streams that functions are drawn from: noise has those of the trials' numbers, counted from 0.
const SLOT: u64 = u64::MAX;

/// The prior that functions are drawn from.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PriorProblem {
    /// The word by which it is asked for.
    pub name: &'static str,
    /// ℓ.
    pub lengthscale: f64,
    /// The noise variance.
    pub noise: f64,
    /// Where it comes from.
    pub citation: &'static str,
}

/// One length scale of the benchmark.
const fn prior8(name: &'static str, lengthscale: f64) -> PriorProblem {
    let citation = "Lin et al. 2023, Sampling from Gaussian process posteriors using stochastic gradient descent";
    PriorProblem { name, lengthscale, noise: 1e-6, citation }
}

/// Every prior.
pub static PRIORS: [PriorProblem; 5] = [
    prior8("prior8-0.1", 0.1),
    prior8("prior8-0.2", 0.2),
    prior8("prior8-0.3", 0.3),
    prior8("prior8-0.4", 0.4),
    prior8("prior8-0.5", 0.5),
];

/// A function that was drawn, to be maximised.
#[derive(Debug, Clone)]
pub struct PriorFunction {
    features: Features,
    /// w, [features, 1].
    weights: Mat,
}

impl PriorProblem {
    /// The prior of that name.
    pub fn by_name(name: &str) -> Result<&'static Self> {
        PRIORS.iter().find(|prior| prior.name == name).ok_or_else(|| {
            let remedy = format!("choose one of {}", PRIORS.map(|prior| prior.name).join(", "));
            Error::Unsupported { what: format!("there is no prior '{name}'"), remedy }
        })
    }

    /// Its box, with inputs x1, x2, …
    pub fn space(&self) -> Result<Space> {
        Space::new((1..=INPUTS).map(|k| Dimension::real(format!("x{k}"), 0.0, 1.0)).collect())
    }

    /// The number of inputs.
    pub fn dimension(&self) -> usize {
        INPUTS
    }

    /// The function of a seed.
    pub fn draw(&self, seed: u64) -> Result<PriorFunction> {
        let rng = &mut stream(seed, Purpose::Data, 0, SLOT);
        let kernel = Kernel::stationary(Family::Matern32, 1.0, self.lengthscale, INPUTS);
        let features = Features::draw(&kernel, INPUTS, FEATURES, rng)?;
        Ok(PriorFunction { features, weights: Mat::from_fn(FEATURES, 1, |_, _| normal(rng)) })
    }
}

impl PriorFunction {
    /// g at each point, without noise.
    pub fn values(&self, points: &[Vec<f64>]) -> Result<Vec<f64>> {
        points.iter().try_for_each(|x| super::check(x, &[(0.0, 1.0); INPUTS]))?;
        let block = |points: &[Vec<f64>]| {
            let x = Mat::from_fn(points.len(), INPUTS, |i, k| points[i][k]);
            let values = &self.features.matrix(x.as_ref()) * &self.weights;
            (0..points.len()).map(|i| values[(i, 0)]).collect::<Vec<f64>>()
        };
        Ok(points.par_chunks(BLOCK).map(block).collect::<Vec<_>>().concat())
    }
}
