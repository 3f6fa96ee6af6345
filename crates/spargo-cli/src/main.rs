//! The `spargo` command.

use std::process::ExitCode;

/// Every evaluation of a bound allocates some dozen matrices of M² numbers. The system's allocator hands such pages back
/// to the kernel and faults them in again; this one keeps them.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    spargo_cli::main()
}
