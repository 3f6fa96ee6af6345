//! What commands say and draw, and on how many threads they work.

pub(crate) mod drawing;
pub(crate) mod excerpt;
pub(crate) mod files;
pub mod logs;
pub mod machine;
pub mod print;
pub(crate) mod summary;
