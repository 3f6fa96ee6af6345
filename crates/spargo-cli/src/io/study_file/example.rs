//! The study file that `spargo new` writes: it runs as it is.

/// A commented example.
pub const EXAMPLE: &str = include_str!("example.toml");
