//! CSV tables of points, outcomes and numbers, read and written.

pub(crate) mod csv_out;
pub(crate) mod formula;
pub mod number_table;
pub(crate) mod outcome_cells;
pub(crate) mod point_table;
pub(crate) mod points;
pub(crate) mod records;
pub(crate) mod results;
pub(crate) mod trial_columns;
pub(crate) mod wells;
