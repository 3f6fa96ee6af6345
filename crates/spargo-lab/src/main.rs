//! The `spargo-lab` command.

use clap::Parser;
use spargo_lab::Cli;

/// Every evaluation of a bound allocates some dozen matrices of M² numbers. The system's allocator hands such pages back
/// to the kernel and faults them in again; this one keeps them.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> miette::Result<()> {
    Cli::parse().run()
}
