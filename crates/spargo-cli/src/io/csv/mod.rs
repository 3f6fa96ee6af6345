//! Tables as CSV: points, outcomes and numbers, in and out.

pub(crate) mod plate;
pub(crate) mod points;
pub(crate) mod records;
pub(crate) mod results;
pub(crate) mod sheet;
pub mod table;
pub(crate) mod verdict;
