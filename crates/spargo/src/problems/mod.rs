//! Benchmark problems: plain functions of a point, to be minimised as in the literature.

mod hartmann;

pub use hartmann::hartmann6;
