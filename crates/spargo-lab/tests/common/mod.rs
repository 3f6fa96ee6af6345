//! Running the real binary, with the helpers of spargo-cli's tests.
#![allow(unused_imports)]

#[path = "../../../spargo-cli/tests/common/mod.rs"]
mod shared;

pub use shared::{complaint, data_file, file, json, spargo as lab, stdout};
