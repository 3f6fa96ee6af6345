//! Special functions and quadrature; knows no matrices.

pub mod normal;
pub mod quadrature;
