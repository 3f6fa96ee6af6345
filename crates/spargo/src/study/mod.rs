//! The study: trials that are asked for and told of, and the file that keeps them.

pub mod store;
mod trial;

pub use trial::{Outcome, Trial};
