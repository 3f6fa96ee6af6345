//! The experiments of "Inducing Point Allocation for Sparse Gaussian Processes in High-Throughput Bayesian Optimisation"
//! (Moss, Ober & Picheny 2023), figure by figure: `spargo-lab reproduce FIGURE`; and comparisons of settings: `spargo-lab compare`.
//!
//! ```text
//!     figure: options ─▶ jobs ─▶ (a row each, on disk as soon as it is done) ─▶ drawing and CSV
//! ```
//!
//! A [`Figure`] is a record of three functions, a [`Comparison`] a list of settings; each is a [`JobList`]. A job is its settings
//! and nothing else; a [`Row`] is those settings with their result. So runs can be stopped, resumed, spread over machines and merged, and figures that need the same runs share
//! them.
#![warn(missing_docs)]

mod bench;
mod benchmark;
mod chart;
mod commands;
mod compare;
mod curves;
mod error;
pub mod experiments;
mod figures;
mod options;
mod processor;
mod rows;
mod runner;
mod runs;
mod stats;
mod surrogate;
mod table;

pub use benchmark::{Benchmark, BenchmarkName, Description, ProgramProblem};
pub use commands::Cli;
pub use compare::{ComparedMethod, Comparison, TABLE};
pub use error::{Error, Result};
pub use figures::{ALL, Figure, FigureRequest, by_name};
pub use options::{Options, Training};
pub use rows::{Row, Rows, merge};
pub use runner::{Done, JobList, Plan, Shard, draw, run};
