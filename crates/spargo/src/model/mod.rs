//! Gaussian process models.
pub mod params;
