//! Sparse Gaussian-process optimisation: Bayesian optimisation for thousands to millions of noisy evaluations.
//!
//! The modules are the algorithm from left to right: points of a [`space`] become [`data`], inducing points ([`allocate`])
//! and a posterior ([`model`]) under a [`kernel`], from which functions are drawn ([`sample`]) and maximised
//! ([`acquire::optimizer`]) for the next batch ([`acquire`]). A [`study`] owns the loop:
//!
//! ```
//! use spargo::space::{Dimension, Space, Value};
//! use spargo::study::{Config, Outcome, Study};
//!
//! # fn main() -> spargo::Result<()> {
//! let space = Space::new(vec![Dimension::real("rate", 1e-4, 1.0).log(), Dimension::int("layers", 1, 8)])?;
//! let mut study = Study::in_memory(Config { initial: 20.into(), batch: 10, ..Config::new(space) })?;
//!
//! for _ in 0..6 {
//!     let trials = study.ask(study.config().batch)?;
//!     let outcomes: Vec<(u64, Outcome)> = trials.iter().map(|trial| (trial.id, evaluate(&trial.point))).collect();
//!     study.tell(&outcomes)?;
//! }
//! let best = study.best()?.expect("something was told");
//! assert_eq!(best.believed.trial.point[1], Value::Int(3));
//! # Ok(())
//! # }
//!
//! /// Best at a rate of 0.01 and 3 layers.
//! fn evaluate(point: &[Value]) -> Outcome {
//!     let (&Value::Real(rate), &Value::Int(layers)) = (&point[0], &point[1]) else {
//!         return Outcome::failed("not a point of this space");
//!     };
//!     Outcome::value(-(rate.log10() + 2.0).powi(2) - (layers as f64 - 3.0).abs())
//! }
//! ```
#![warn(missing_docs)]

pub mod acquire;
pub mod allocate;
pub mod data;
pub mod error;
pub mod interrupt;
pub mod kernel;
pub mod linalg;
pub mod math;
pub mod model;
pub mod optim;
pub mod regression;
pub mod rng;
pub mod sample;
pub mod space;
pub mod study;

pub use error::{Error, Result};

#[doc = include_str!("../../../docs/guide/rust.md")]
#[cfg(doctest)]
struct GuideIsTested;
