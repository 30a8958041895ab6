//! The `ptxmc` command.

use mimalloc::MiMalloc;
use std::process::ExitCode;

/// Small tests allocate as much as they compute, which the system's allocator is slow at.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    ptxmc::cli::run()
}
