//! Sparse Gaussian-process optimisation: Bayesian optimisation for thousands to millions of noisy evaluations.
//!
//! The modules are the algorithm from left to right: [`data`] become inducing points ([`allocate`]) and a posterior
//! ([`model`]) under a [`kernel`], from which functions are drawn ([`sample`]). Fit and predict:
//!
//! ```
//! use spargo::data::{Dataset, Standardizer};
//! use spargo::kernel::{Family, Kernel};
//! use spargo::linalg::{Mat, select_rows};
//! use spargo::model::{Fitting, Hyperparameters, fit};
//!
//! # fn main() -> spargo::Result<()> {
//! let x = Mat::from_fn(300, 2, |i, k| (i as f64 * [0.618, 0.414][k]).fract());
//! let y = (0..300).map(|i| 100.0 + (6.0 * x[(i, 0)]).sin()).collect();
//! let data = Dataset::new(x, y)?;
//!
//! // Models work in the unit cube and on standardized outcomes.
//! let units = Standardizer::from_data(&data);
//! let standard = units.apply(&data);
//! let inducing = select_rows(standard.x(), &(0..40).collect::<Vec<_>>());
//!
//! let start = Hyperparameters::cold(Kernel::cold(Family::Matern52, 2));
//! let fitted = fit(&start, &standard, inducing.as_ref(), &Fitting::default())?;
//! let prediction = fitted.posterior.predict(standard.x())?;
//! let mean = units.mean(prediction.mean[7]);
//! assert!((mean - data.y()[7]).abs() < 0.05);
//! # Ok(())
//! # }
//! ```
#![warn(missing_docs)]

pub mod acquire;
pub mod allocate;
pub mod data;
pub mod error;
pub mod kernel;
pub mod linalg;
pub mod math;
pub mod model;
pub mod optimize;
pub mod problems;
pub mod rng;
pub mod sample;
pub mod space;

pub use error::{Error, Result};

#[doc = include_str!("../../../README.md")]
#[cfg(doctest)]
struct ReadmeIsTested;
