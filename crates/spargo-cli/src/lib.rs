//! The `spargo` command: its [`commands`](Cli), and the reading and writing that they share with other commands ([`io`]).

mod commands;
pub mod io;

pub use commands::Cli;
