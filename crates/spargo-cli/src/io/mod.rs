//! What commands read and write: tables, study files, the terminal and files.

pub mod csv;
pub(crate) mod goal_args;
pub mod outcome_args;
pub mod output;
pub mod parse;
pub mod study_file;
pub(crate) mod study_handle;
