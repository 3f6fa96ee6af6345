//! Special functions, quadrature and orders; knows no matrices.

pub mod information;
pub mod normal;
pub mod pareto;
pub mod quadrature;
pub mod sobol;

use std::cmp::Ordering;

/// A number in the total order of [`f64::total_cmp`].
#[derive(Debug, Clone, Copy)]
pub struct Ordered(pub f64);

impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ordered {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Ordered {}
