//! Special functions and quadrature; knows no matrices.
