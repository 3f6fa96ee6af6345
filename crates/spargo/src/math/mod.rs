//! Special functions and quadrature; knows no matrices.

pub mod information;
pub mod normal;
pub mod pareto;
pub mod quadrature;
pub mod sobol;
