//! What commands read and write: tables, study files, and what goes to the terminal and to files.

pub mod csv;
pub mod output;
pub(crate) mod place;
pub mod study_file;
pub(crate) mod target;
pub mod words;
