#![warn(missing_docs)]
//! Sparse Gaussian-process optimisation.
pub mod allocate;
pub mod data;
pub mod error;
pub mod kernel;
pub mod linalg;
pub mod math;
pub mod model;
pub mod optimize;
pub mod rng;
pub use error::{Error, Result};
