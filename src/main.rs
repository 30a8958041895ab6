//! The `ptxmc` command.

use mimalloc::MiMalloc;
use std::process::ExitCode;

/// Small tests allocate as much as they compute, and the system's allocator is slow at that.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    ptxmc::cli::run()
}
