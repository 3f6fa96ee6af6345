//! `spargo demo`: the sparse model on generated data.

use crate::belief::Wish;
use crate::regression::{Regression, Settings};
use clap::Args;
use miette::{IntoDiagnostic, Result};
use spargo::allocate::Allocation;
use spargo::data::Dataset;
use spargo::kernel::Family;
use spargo::linalg::Mat;
use spargo::model::{Inference, Learning, Priors};
use spargo::rng::{Purpose, normal, stream, uniform};

/// Arguments of `spargo demo`.
#[derive(Args)]
pub struct Demo {
    /// Seed of the data and of every random choice
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

impl Demo {
    pub fn run(self) -> Result<()> {
        let train = self.generate(5000, 0, NOISE)?;
        let test = self.generate(2000, 1, 0.0)?;
        println!("5,000 noisy observations (noise variance {NOISE}) of a function of 4 inputs, 300 inducing points\n");
        let settings = Settings {
            inducing: 300,
            allocation: Allocation::Random,
            wish: Wish::default(),
            family: Family::Matern52,
            learning: Learning::Subset(1000),
            inference: Inference::Sparse,
            priors: Priors::On,
            seed: self.seed,
        };
        let regression = Regression::fit(&train, &settings)?;
        let inputs: Vec<String> = (1..=4).map(|k| format!("x{k}")).collect();
        println!("{}", regression.summary(&inputs));
        println!("{}", regression.scores(&test)?);
        Ok(())
    }

    /// Two bumps on a slope, with x4 irrelevant.
    fn generate(&self, rows: usize, slot: u64, noise: f64) -> Result<Dataset> {
        let mut rng = stream(self.seed, Purpose::Data, 0, slot);
        let x = Mat::from_fn(rows, 4, |_, _| uniform(&mut rng));
        let bump = |i: usize, centre: [f64; 3]| {
            let r2: f64 = centre.iter().enumerate().map(|(k, c)| (x[(i, k)] - c).powi(2)).sum();
            (-12.0 * r2).exp()
        };
        let f = |i: usize| 3.0 * bump(i, [0.2, 0.3, 0.6]) + 2.0 * bump(i, [0.8, 0.7, 0.2]) + x[(i, 0)];
        let y = (0..rows).map(|i| f(i) + noise.sqrt() * normal(&mut rng)).collect();
        Dataset::new(x, y).into_diagnostic()
    }
}

const NOISE: f64 = 0.04;
