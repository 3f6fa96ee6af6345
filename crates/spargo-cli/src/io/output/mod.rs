//! Output of commands: text, logs, files and drawings, and the threads they run on.

pub(crate) mod count;
pub(crate) mod drawing;
pub(crate) mod errors;
pub(crate) mod excerpt;
pub mod execution;
pub(crate) mod files;
pub mod logs;
pub(crate) mod long_work;
pub(crate) mod network;
pub mod print;
pub(crate) mod runs;
pub(crate) mod summary;
