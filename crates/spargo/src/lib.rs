#![warn(missing_docs)]
pub mod error;
pub mod kernel;
pub mod linalg;
pub mod math;
pub use error::{Error, Result};
